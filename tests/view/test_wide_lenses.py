"""Fisheye lenses and panoramas: the published formulas in plain numpy, analytic grounds, and pinhole pictures."""

import json
import math

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.systems.drawing import DrawWorld
from ecs_anim.view.camera_record import camera_facts, recorded_camera
from ecs_anim.view.resampling import faces_of

BENT = (-0.03, 0.01, -0.002, 0.0003)
FISHEYE = ea.FisheyeLens((160, 120), 44.0, 46.0, 82.0, 58.0, BENT, 3.6)
PANORAMA = ea.EquirectangularLens((256, 128))
LENSES = pytest.mark.parametrize("lens", [FISHEYE, PANORAMA], ids=["fisheye", "panorama"])
EYE, LOOK_AT = [0.3, 1.5, 1.2], [0.1, 1.1, 0.0]
SCENE = """
[light]
shadows = "none"
[rigs.people]
model = "mannequin"
[[crowds]]
name = "people"
rig = "people"
count = 9
layout = { kind = "points", points = [
    [0, 0], [1.4, 0.4], [-1.5, -0.2], [2, -3], [-2.5, -2], [0, -4], [3, 1], [-3, 2], [1, 2]
] }
clips = [{ name = "walk", phase = 0.3 }]
"""


@pytest.fixture(scope="module")
def world():
    with ea.load_scene(SCENE, threads=1) as loaded:
        yield loaded


def seen(world, lens, *passes, **wanted):
    camera = ea.PinholeCamera.looking(lens, EYE, LOOK_AT)
    return ea.capture(world, [camera], ["ids", *passes], size=lens.size, **wanted)[0]


def test_fisheye_pixels_are_opencvs():
    """Formulas of cv2.fisheye.projectPoints, with atan2 so that points behind the camera have pixels too."""
    for x, y, z in np.random.default_rng(0).uniform(-2, 2, (60, 3)):
        t = math.atan2(math.hypot(x, y), -z)
        r = t * (1 + sum(k * t ** (2 * n + 2) for n, k in enumerate(BENT)))
        side = math.hypot(x, y)
        expected = [44.0 * r * x / side + 82.0, 46.0 * r * -y / side + 58.0]
        pixel = FISHEYE.pixels([x, y, z])
        if t <= 1.8:
            np.testing.assert_allclose(pixel, expected, atol=1e-9)
        else:
            assert np.isnan(pixel).all(), "outside of the image circle"


def test_panoramas_are_maps_of_the_sphere():
    np.testing.assert_allclose(PANORAMA.pixels([0, 0, -2]), [128, 64])  # ahead
    np.testing.assert_allclose(PANORAMA.pixels([3, 0, 0]), [192, 64])  # to the right
    np.testing.assert_allclose(PANORAMA.pixels([0, 1, -1]), [128, 32])  # 45 degrees up
    np.testing.assert_allclose(PANORAMA.pixels([-1e-9, -1, 1]), [0, 96], atol=1e-6)  # behind


@LENSES
def test_rays_lead_back_to_their_pixels(lens):
    pixels = lens.pixel_centers()
    points = lens.unproject(pixels, np.full(pixels.shape[:2], 2.5))
    there = np.isfinite(points[..., 0])
    np.testing.assert_allclose(lens.project(points[there])[0], pixels[there], atol=1e-8)
    assert lens.project(points[there])[1].all()
    np.testing.assert_allclose(lens.depths(points[there]), 2.5)
    np.testing.assert_allclose(np.linalg.norm(lens.rays(pixels)[there], axis=-1), 1)


@LENSES
def test_faces_show_each_pixel_once(lens):
    count = np.zeros(lens.size[::-1], int)
    for face in faces_of(lens):
        face.window(count)[...] += face.shown
        points = face.sampled()[face.shown]
        off = lens.moved(lens.pixels(points), face.window(lens.pixel_centers())[face.shown])
        flat = np.abs(points[:, 1]) < np.hypot(points[:, 0], points[:, 2])  # far from the poles of the panorama
        assert np.nanmax(np.abs(off[flat])) < 0.5, "fine enough"
    np.testing.assert_array_equal(count, np.isfinite(lens.rays(lens.pixel_centers())[..., 0]))


@LENSES
def test_depths_are_distances_to_the_ground(world, lens):
    picture = seen(world, lens, "depth", "classes", "normals")
    rays = lens.rays(lens.pixel_centers()) @ picture.camera.pose[:, :3].T
    with np.errstate(divide="ignore", invalid="ignore"):
        distance = np.where(rays[..., 1] < -0.1, -EYE[1] / rays[..., 1], np.nan)
    ground = (picture.classes == 1) & np.isfinite(distance)
    assert ground.mean() > 0.2
    steps = [np.abs(np.gradient(distance, axis=axis)) for axis in (0, 1)]
    off = np.abs(picture.depth - distance)[ground] / np.maximum(np.maximum(*steps), 0.02)[ground]
    assert np.nanmax(off) < 1.0
    assert np.nanmedian(off) < 0.4
    np.testing.assert_allclose(picture.normals[ground], np.broadcast_to([0, 1, 0], (ground.sum(), 3)), atol=1e-6)


@LENSES
def test_keypoints_and_points_of_the_depth_pass_lie_on_their_actors(world, lens):
    picture = seen(world, lens, "depth", keypoints=True)
    (people,) = picture.keypoints
    visible = people.visibility == 2
    assert visible.sum() > 25
    for row, joint in np.argwhere(visible):
        column, line = people.joints_2d[row, joint].astype(int)
        around = picture.ids[max(line - 1, 0) : line + 2, max(column - 1, 0) : column + 2]
        assert people.actor_ids[row] in around
    rows, columns = np.nonzero(picture.ids)
    points = picture.camera.unproject(np.stack([columns, rows], -1) + 0.5, picture.depth[rows, columns])
    nearest = [np.abs(points[:, None] - people.joints_3d[k]).sum(-1).min(-1) for k in range(len(people.actor_ids))]
    nearest = np.array(nearest)[np.searchsorted(people.actor_ids, picture.ids[rows, columns]), np.arange(len(rows))]
    assert np.quantile(nearest, 0.99) < 0.45, "surfaces are near the joints of their actor"


@LENSES
def test_amodal_masks_are_pictures_of_one_actor(world, lens):
    picture = seen(world, lens, amodal=True)
    assert len(picture.actors.ids) >= 6
    for number, actor in enumerate(picture.actors.ids.tolist()):
        mask = picture.amodal_mask(actor)
        assert (mask[picture.ids == actor]).all()
        rows, columns = np.nonzero(mask)
        left, top, width, height = picture.actors.amodal_boxes[number]
        assert (left, top) == (columns.min(), rows.min())
        assert (left + width, top + height) == (columns.max() + 1, rows.max() + 1)
        if picture.actors.occlusion[number] == 0:
            np.testing.assert_array_equal(mask, picture.ids == actor)


@pytest.mark.exhaustive
def test_a_fisheye_shows_what_a_pinhole_shows(world):
    fisheye = ea.FisheyeLens.of_view((300, 300), math.radians(190))
    flat = ea.Lens.of_view((240, 240), math.radians(100))  # wider than a face: the seams are inside
    wide, pinhole = (seen(world, lens, "rgb", "depth") for lens in (fisheye, flat))
    rays = flat.rays(flat.pixel_centers())
    columns, rows = np.moveaxis(fisheye.pixels(rays).astype(int), -1, 0)
    same_ids = wide.ids[rows, columns] == pinhole.ids
    assert same_ids.mean() > 0.985, "only pixels at outlines differ"
    distance = pinhole.depth / -rays[..., 2]
    off = np.abs(wide.depth[rows, columns] - distance)[same_ids & (distance > 0) & (distance < 8)]
    assert np.quantile(off, 0.95) < 0.25
    colours = np.abs(wide.rgb[rows, columns].astype(int) - pinhole.rgb).max(-1)
    assert np.median(colours) <= 3
    assert (colours > 40).mean() < 0.06
    bright = wide.rgb.astype(int)
    edges = np.abs(np.diff(bright[40:60, 100:200].sum(-1), axis=1))  # only sky
    assert edges.max() <= 9, "no seam in the sky"


@pytest.mark.exhaustive
@LENSES
def test_faces_share_one_shadow_map_with_equal_bits(lens, monkeypatch):
    def own_map(self, *given, keeps_shadows, **named):
        return draw(self, *given, **named)

    camera, draw, drawn = ea.PinholeCamera.looking(lens, EYE, LOOK_AT), DrawWorld.draw, []
    with ea.load_scene(SCENE.replace('"none"', '"map"'), threads=1) as own:
        for replaced in (draw, own_map):
            monkeypatch.setattr(DrawWorld, "draw", replaced)
            drawn.append(ea.render(own, camera=camera, size=lens.size))
    assert np.array_equal(*drawn)


@pytest.mark.exhaustive
def test_flow_is_the_movement_of_actors_in_the_pixels_of_the_lens():
    with ea.load_scene(
        SCENE
        + "[[cameras]]\nname='f'\nsize=[256,128]\nlens='equirectangular'\neye=[0.3,1.5,1.2]\nlook_at=[0.1,1.1,0]\n"
    ) as own:
        for _ in range(2):
            (picture,) = ea.capture(own, ["f"], ["ids", "flow", "depth"], keypoints=True)
            own.step(0.05)
        still = picture.ids == 0
        known = np.isfinite(picture.flow[..., 0])
        assert np.abs(picture.flow[still & known]).max() < 0.5, "the ground does not move"
        assert 0.1 < np.abs(picture.flow[(picture.ids > 0) & known]).max() < 20, "no jump at the border of the panorama"


@LENSES
def test_records_hold_the_camera(lens):
    camera = ea.PinholeCamera.looking(lens, EYE, LOOK_AT)
    again = recorded_camera(json.loads(json.dumps(camera_facts(camera, *lens.size))), *lens.size)
    points = np.random.default_rng(3).uniform(-3, 3, (50, 3))
    for mine, others in zip(camera.project(points), again.project(points), strict=True):
        np.testing.assert_allclose(mine, others, rtol=1e-5, atol=1e-4)


def test_keys_of_scenes_make_lenses():
    scene = SCENE + "[[cameras]]\nname='f'\nsize=[200,100]\neye=[0,2,3]\nlook_at=[0,1,0]\nlens='fisheye'\n"
    with ea.load_scene(
        scene + "vertical_fov_degrees=90\ndistortion={k1=0.01,k4=0.001}\nimage_circle_degrees=200"
    ) as own:
        lens = ea.camera(own, "f").lens
    assert lens.distortion == (0.01, 0, 0, 0.001)
    assert math.degrees(lens.field_of_view) == pytest.approx(200)
    up = math.radians(45)
    np.testing.assert_allclose(lens.pixels([0, math.sin(up), -math.cos(up)]), [100, 0], atol=1e-9)


@pytest.mark.parametrize(
    ("keys", "told"),
    [
        ("lens='equirectangular'\nfx=90", "fx is not a key of equirectangular lenses"),
        ("lens='fisheye'\ndistortion={p1=0.1}", "distortion.p1 is not a key of fisheye lenses"),
        ("distortion={k4=0.1}", "distortion.k4 is not a key of pinhole lenses"),
        ("vertical_fov_degrees=175", "the field of view of a pinhole lens must be at most 170 degrees"),
        ("lens='fisheye'\ndistortion={k1=-0.5}", "fisheye distortion must not show two directions at one pixel"),
        ("lens='wide'", "lens"),
    ],
)
def test_scenes_with_other_lenses_are_told(keys, told):
    with pytest.raises(ea.InputError, match=told):
        ea.load_scene(SCENE + "[[cameras]]\nname='f'\neye=[0,2,3]\nlook_at=[0,1,0]\n" + keys)

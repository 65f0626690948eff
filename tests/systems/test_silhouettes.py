"""Whole bodies: what each actor covers, against pictures from which everybody else was taken away."""

from dataclasses import replace

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.components.crowd import Crowd
from ecs_anim.components.presence import Presence
from ecs_anim.components.transforms import Transforms
from ecs_anim.kernels.silhouettes import bend_frames, cut_out, find_cut, pack
from ecs_anim.systems import silhouettes as systems_silhouettes
from ecs_anim.systems.skinning import swap_skinning
from ecs_anim.view import silhouettes as view_silhouettes
from ecs_anim.view.resampling import SIDE, resampling_of
from tests.helpers import some
from tests.helpers.gl import context_fixture  # noqa: F401

SCENE = """
[rigs.people]
model = "people"
[[crowds]]
name = "people"
rig = "people"
count = 6
layout = { kind = "points", points = [[0.0, -0.5], [0.05, 1.0], [0.9, 0.0], [-2.4, -0.5], [0.3, 3.0], [-40.0, 0.0]] }
heading_degrees = "random"
clips = [{ name = "walk" }, { name = "run" }]
[rigs.blob]
model = "blob"
[[crowds]]
name = "blobs"
rig = "blob"
count = 2
layout = { kind = "points", points = [[-1.1, -0.9], [1.5, 0.5]] }
clips = [{ name = "grin" }]
[walls]
wkt = "LINESTRING (-3 -2, 3 -2)"
height = 0.7
[[cameras]]
name = "flat"
size = [201, 150]
eye = [0.0, 1.4, 6.0]
look_at = [0.0, 0.9, 0.0]
fx = 180.0
[[cameras]]
name = "bent"
size = [161, 121]
eye = [0.0, 1.4, 6.0]
look_at = [0.0, 0.9, 0.0]
fx = 150.0
cy = 66.0
distortion = { k1 = -0.2, k2 = 0.05, p1 = 0.002, p2 = 0.001 }
[[cameras]]
name = "among"
size = [160, 120]
eye = [0.35, 1.5, 0.6]
look_at = [0.0, 1.0, -2.0]
vertical_fov_degrees = 70.0
"""


CAMERAS = ["flat", "bent", "among"]
BOX = 8  # corners


def loaded(scene):
    world = ea.load_scene(scene, threads=1)
    for _ in range(6):
        world.step(1 / 30)
    return world


def alone(world, cameras):
    """Return for each camera the masks [height, width] by actor id, each rendered with that actor alone."""
    columns = [transforms.translation for _, (_, transforms) in world.query(Crowd, Transforms)]
    stood = [column.copy() for column in columns]
    found = [{} for _ in cameras]
    for number, (crowd, column) in enumerate(zip(ea.crowds(world), columns, strict=True)):
        for row, actor_id in enumerate(crowd.ids.tolist()):
            for own in columns:
                own[:, 1] -= 500
            column[row] = stood[number][row]
            for masks, seen in zip(found, ea.capture(world, cameras, ["ids"]), strict=True):
                if len(seen.actors.ids):
                    masks[actor_id] = seen.mask(actor_id)
            for own, before in zip(columns, stood, strict=True):
                own[:] = before
    return found


def box_of(mask):
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    return [columns[0], rows[0], np.ptp(columns) + 1, np.ptp(rows) + 1]


def check(seen, masks):
    """Compare a capture with the masks of actors rendered alone. Up to two edge pixels may differ."""
    actors = seen.actors
    assert actors.ids.tolist() == sorted(masks)
    for row, actor_id in enumerate(actors.ids.tolist()):
        mask = seen.amodal_mask(actor_id)
        assert (mask ^ masks[actor_id]).sum() <= 2, actor_id
        assert actors.amodal_areas[row] == mask.sum()
        assert actors.amodal_boxes[row].tolist() == box_of(mask)
        shown = seen.mask(actor_id)
        assert not (shown & ~mask).any(), "what is seen is part of the whole"
        assert actors.areas[row] == shown.sum()
        assert actors.boxes[row].tolist() == (box_of(shown) if shown.any() else [0, 0, 0, 0])
        assert actors.occlusion[row] == pytest.approx(1 - shown.sum() / mask.sum(), abs=1e-12)


VARIANTS = {
    "posed": SCENE,
    "baked": SCENE.replace("count = 6", 'count = 6\npath = "baked"'),
    "hybrid": SCENE.replace("count = 6", 'count = 6\npath = "auto"\nnear_actors = { count = 2 }'),
    "gpu lists": SCENE.replace("count = 6", 'count = 6\npath = "baked"'),
    "levels": SCENE.replace("count = 6", 'count = 6\npath = "baked"\nlevel = "auto"'),
}


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "variant",
    some([*VARIANTS, "dual_quaternion", "small tiles", "small pages", "fading"], "posed", "hybrid", "small tiles"),
)
def test_whole_bodies_are_those_that_are_there_alone(context, variant, monkeypatch):
    """By masks, areas, boxes: behind others and a wall, cut by the picture's edges, and with the camera among them."""
    scene = VARIANTS.get(variant, SCENE)
    if variant == "small tiles":  # everybody is drawn again, and again
        reach_of = view_silhouettes.reach_of
        monkeypatch.setattr(systems_silhouettes, "reach_of", lambda *given: smaller(*given, reach_of(*given)))
    if variant == "gpu lists":  # as on a machine with a GPU, which chooses whom to draw
        monkeypatch.setattr(context, "capabilities", replace(context.capabilities, is_software=False))
    if variant == "small pages":
        monkeypatch.setattr(systems_silhouettes, "WIDTH", 0)
        monkeypatch.setattr(systems_silhouettes, "HEIGHT", 0)
    with loaded(scene) as world, loaded(scene.replace("-3 -2, 3 -2", "-3 -90, 3 -90")) as open_space:
        for own in (world, open_space):
            if variant == "dual_quaternion":
                swap_skinning(own)
            if variant == "fading":
                half_there(own)
        cameras = CAMERAS[::2] if variant == "fading" else CAMERAS  # a bent picture may miss all pixels that are left
        masks = alone(open_space, cameras)
        for seen, expected in zip(ea.capture(world, cameras, ["ids"], amodal=True), masks, strict=True):
            check(seen, expected)
            assert seen.actors.occlusion.min() < 0.7
            assert seen.actors.occlusion.max() > 0.3
    assert 6 not in masks[0], "far beside the picture"


def smaller(points, _, tiles):
    """Return tiles without the lower half of the people that are lower than the picture.

    A blob's single box is much larger than the blob. A cut could remove the whole blob, and nothing would show the cut.
    """
    tiles = tiles.copy()
    if points.shape[1] > BOX:
        tiles[:, 3] -= np.where(tiles[:, 3] < 100, tiles[:, 3] // 8 * 4, 0)
    return tiles


def half_there(world):
    """Let all actors fade in, so that half of their pixels are missing."""
    for entity, (crowd,) in list(world.query(Crowd)):
        begin = np.full(len(crowd.ids), world.time - 1.0, np.float32)
        world.attach(entity, Presence(begin, np.full(len(begin), 1e9, np.float32), 2.0))


def test_who_is_hidden_wholly_is_listed(context):
    """One straight behind another, and behind a wall as high as both."""
    points = 'layout = { kind = "points", points = [[0.0, 0.0], [0.0, 2.0], [3.0, 0.0]] }'
    scene = f"""
[rigs.ball]
model = "ball"
scale = 4.0
ground_offset = 1.0
[[crowds]]
name = "balls"
rig = "ball"
count = 3
{points}
clips = [{{ name = "rest" }}]
[walls]
wkt = "LINESTRING (2 -2, 4 -2)"
height = 3.0
"""
    camera = ea.PinholeCamera.looking(ea.Lens.of_view((160, 120), 0.8), [0, 1, 6], [0, 1, 0])
    with ea.load_scene(scene, threads=1) as world:
        (seen,) = ea.capture(world, [camera], ["ids"], amodal=True)
        (plain,) = ea.capture(world, [camera], ["ids"])
    assert plain.actors.ids.tolist() == [1]
    assert plain.actors.occlusion is None
    actors = seen.actors
    assert actors.ids.tolist() == [1, 2, 3]
    assert actors.areas[1:].tolist() == [0, 0]
    assert actors.boxes[1:].tolist() == [[0] * 4] * 2
    assert actors.occlusion.tolist() == [0, 1, 1]
    for row, (x, z) in enumerate([(0, 0), (0, -2), (3, 0)]):  # a ball's middle is where a pinhole sees it
        (pixel,), _ = camera.project([[x, 1, z]])
        left, top, width, height = actors.amodal_boxes[row]
        np.testing.assert_allclose([left + width / 2, top + height / 2], pixel, atol=1.5)
    assert not seen.mask(2).any()
    assert seen.amodal_mask(2).sum() == actors.amodal_areas[1] > 20
    assert not seen.amodal_mask(99).any()
    with pytest.raises(ValueError, match="Make the capture with amodal=True"):
        plain.amodal_mask(1)


def test_a_body_far_from_where_it_stands_is_whole_where_it_is_seen(context, monkeypatch):
    """The search near the view returns no actor. The actors in the picture are found nevertheless."""
    monkeypatch.setattr(systems_silhouettes, "near_view", lambda *_: np.zeros(0, np.int32))
    with loaded(SCENE) as world:
        (seen,) = ea.capture(world, ["bent"], ["ids"], amodal=True)
        (plain,) = ea.capture(world, ["bent"], ["ids"])
    np.testing.assert_array_equal(seen.actors.ids, plain.actors.ids)
    np.testing.assert_array_equal(seen.actors.areas, plain.actors.areas)
    assert (seen.actors.amodal_areas >= seen.actors.areas).all()
    assert (seen.actors.amodal_areas > seen.actors.areas).any()


@pytest.mark.exhaustive
@pytest.mark.parametrize("camera", ["flat", "bent", {"azimuth_degrees": 147.0}])
def test_asking_for_whole_bodies_changes_nothing_else(context, camera):
    passes = ["rgb", "ids", "classes", "depth", "normals"]
    with loaded(SCENE) as world:
        (seen,) = ea.capture(world, [camera], passes, size=(160, 120), amodal=True)
        (plain,) = ea.capture(world, [camera], passes, size=(160, 120))
    for name in passes:
        np.testing.assert_array_equal(getattr(seen, name), getattr(plain, name))
    shown = seen.actors.areas > 0
    for name in ("ids", "areas", "boxes"):
        np.testing.assert_array_equal(getattr(seen.actors, name)[shown], getattr(plain.actors, name))


def test_an_empty_picture_has_nobody(context):
    with loaded(SCENE) as world:
        away = ea.PinholeCamera.looking(ea.Lens.of_view((60, 40), 0.8), [0, 1, 60], [0, 1, 90])
        (seen,) = ea.capture(world, [away], [], amodal=True)
    assert (len(seen.actors.ids), seen.actors.amodal_boxes.shape, seen.ids) == (0, (0, 4), None)


def test_tiles_lie_side_by_side():
    rng = np.random.default_rng(3)
    tiles = np.zeros((300, 4), np.int32)
    tiles[:, 2:] = 4 * rng.integers(1, 12, (300, 2))
    tiles = tiles[np.argsort(-tiles[:, 3], kind="stable")]
    lies = np.empty((300, 3), np.int32)
    pack(tiles, 64, 100, lies)
    pages = np.zeros((lies[:, 0].max() + 1, 100, 64), int)
    for (page, left, bottom), (width, height) in zip(lies, tiles[:, 2:], strict=True):
        pages[page, bottom : bottom + height, left : left + width] += 1
        assert left + width <= 64
        assert bottom + height <= 100
    assert pages.max() == 1
    assert pages.sum() == np.prod(tiles[:, 2:].astype(int), axis=1).sum()
    assert pages[:-1].mean() > 0.6


def test_what_was_drawn_is_cut_out():
    """Beside slices of plain numpy: a flat picture, and one that shows it turned over."""
    rng = np.random.default_rng(5)
    page = (rng.random((40, 64)) < 0.3).astype(np.uint8)
    tiles = np.array([[4, 2, 8, 12, 16, 20], [20, 14, 12, 8, 40, 4]], np.int32)
    ids, seen = np.array([7, 9]), np.zeros((24, 32), np.uint32)
    seen[5, 6], seen[3, 30], seen[20, 21] = 7, 9, 9
    flat = np.zeros((2, 24, 32), bool)
    for own, (left, top, width, height, x, y) in zip(flat, tiles, strict=True):
        own[top : top + height, left : left + width] = page[y : y + height, x : x + width][::-1][
            : 24 - top, : 32 - left
        ]
    over = np.stack(np.meshgrid(np.arange(31, -1, -1), np.arange(23, -1, -1)), axis=-1).astype(np.int32)
    for looks, shown in ((np.zeros((0, 0, 2), np.int32), flat), (over, flat[:, ::-1, ::-1])):
        frames = np.array([[0, 0, 32, 24], [0, 0, 32, 24]], np.int32)
        starts, covered, boxes = np.array([0, 768]), np.empty(1536, bool), np.empty((2, 5), int)
        cut_out(page, tiles, looks, seen, ids, frames, starts, covered, boxes)
        expected = shown | (seen == ids[:, None, None])
        np.testing.assert_array_equal(covered.reshape(2, 24, 32), expected)
        for row, own in enumerate(expected):
            left, top, width, height = box_of(own)
            assert boxes[row].tolist() == [own.sum(), left, top, left + width - 1, top + height - 1]


@pytest.mark.parametrize(("row", "column"), [(0, 3), (7, 3), (3, 0), (3, 7), (3, 3)])
def test_bodies_at_the_border_of_a_tile_are_cut(row, column):
    page = np.zeros((16, 16), np.uint8)
    page[4 + row, 4 + column] = 1
    inside, cut = np.array([[20, 20, 8, 8, 4, 4]], np.int32), np.empty(1, bool)
    find_cut(page, inside, 64, 64, cut)
    assert cut[0] == ((row, column) != (3, 3))
    find_cut(page, inside, 28, 28, cut)  # where that is the picture's own edge nothing is cut off
    assert cut[0] == (row == 7 or column == 0)


def test_bent_frames_hold_all_that_looks_into_a_tile():
    lens = ea.Lens((90, 70), 80.0, 82.0, 44.0, 36.0, (-0.25, 0.08, 0.003, -0.002, 0.01))
    bent = resampling_of(lens)
    rng = np.random.default_rng(2)
    low = rng.integers(-3, np.array(bent.flat.size) - 8, (50, 2))
    tiles = np.concatenate([low, rng.integers(4, 60, (50, 2)), np.zeros((50, 2))], axis=1).astype(np.int32)
    frames = np.empty((50, 4), np.int32)
    bend_frames(bent.blocks, SIDE, tiles, frames)
    columns, rows = np.moveaxis(bent.at.astype(int), -1, 0)
    for (left, top, width, height), frame in zip(tiles[:, :4].tolist(), frames.tolist(), strict=True):
        looks = (columns >= left) & (columns < left + width) & (rows >= top) & (rows < top + height)
        held = np.zeros_like(looks)
        held[frame[1] : frame[1] + frame[3], frame[0] : frame[0] + frame[2]] = True
        assert not (looks & ~held).any()
        if looks.any():
            assert np.abs(np.array(frame) - box_of(looks)).max() <= 2 * SIDE

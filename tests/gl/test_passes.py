"""Ids, depths and normals as the GPU draws them, against a plain numpy z-buffer over vertices skinned by the CPU."""

import dataclasses

import numpy as np
import pytest

from ecs_anim.assets.mesh import Material, Mesh, Texture
from ecs_anim.assets.skinning import skin_dual_quaternion, skin_linear
from ecs_anim.components.appearance import Appearance
from ecs_anim.components.character import Character
from ecs_anim.components.crowd import Crowd
from ecs_anim.components.palette import Palette
from ecs_anim.components.transforms import Transforms
from ecs_anim.gl.device import api as gl
from ecs_anim.gl.device.resource import get_integer
from ecs_anim.gl.model.crowd import CrowdDraw
from ecs_anim.gl.picture.renderer import Renderer
from ecs_anim.maths.quaternion import rotate
from ecs_anim.scenes.build import load_scene
from ecs_anim.support.errors import InputError
from ecs_anim.systems.actor_ids import ActorRow, find_actors
from ecs_anim.systems.drawing import DrawWorld
from ecs_anim.systems.queries import stage_of
from ecs_anim.systems.skinning import swap_skinning
from ecs_anim.view.camera import OrbitCamera
from ecs_anim.view.passes import Passes
from ecs_anim.view.style import GroundStyle, View
from tests.gl.test_gl_skinning import gentle_palettes, skin, with_random_weights
from tests.gl.test_ownership import live_names
from tests.gl.test_surface import floor_at
from tests.helpers.gl import (  # noqa: F401
    capsule,
    context_fixture,
    flat_box,
    identity_palettes,
    instances_at,
    renderer_fixture,
)
from tests.oracles.raster import Seen, rasterize

SIZE = (120, 90)
CAMERA = OrbitCamera(target=np.array([0.0, 0.8, 0.0]), distance=6.0, azimuth=np.pi - 0.4)


def view_of(camera: OrbitCamera = CAMERA) -> View:
    return View.of(camera, SIZE[0] / SIZE[1])


def draw(renderer: Renderer, crowds, ground=None, surfaces=(), view: View | None = None) -> Passes:
    with renderer.pass_target(*SIZE) as target:
        renderer.draw_passes(target, view or view_of(), ground, crowds, surfaces)
        return target.read()


def shapes(mesh: Mesh, positions: np.ndarray, normals: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Corners and corner normals [actor * triangle, 3, 3]; where the mesh is flat, of the provoking vertex."""
    triangles = mesh.indices.reshape(-1, 3)
    owners = np.repeat(triangles[:, 2:], 3, axis=1) if mesh.flat else triangles
    return positions[:, triangles].reshape(-1, 3, 3), normals[:, owners].reshape(-1, 3, 3)


def check(passes: Passes, triangles, normals, ids, view: View | None = None, least: float = 0.02) -> None:
    """Against corners and normals [count, 3, 3] and ids [count]."""
    seen = rasterize(triangles, view or view_of(), SIZE)
    ids = np.append(ids, 0)
    assert seen.sure.mean() > 0.85
    assert ((seen.triangle >= 0) & seen.sure).mean() > least
    np.testing.assert_array_equal(passes.ids[seen.sure], ids[seen.triangle][seen.sure])
    hit = seen.sure & (seen.triangle >= 0)
    assert_depths(passes.depth[hit], seen.depth[hit], seen.slope[hit])
    assert not passes.depth[seen.sure & ~hit].any()
    expected = np.sum(seen.weights[..., None] * normals[seen.triangle], axis=-2)[hit]
    expected /= np.linalg.norm(expected, axis=-1, keepdims=True)
    np.testing.assert_allclose(np.linalg.norm(passes.normals[hit], axis=-1), 1, atol=1e-5)
    own = normals[seen.triangle][hit]
    spread = np.linalg.norm(own - np.roll(own, 1, axis=1), axis=-1).max(axis=-1)
    allowed = 1e-5 + subpixel() * seen.weight_slope[hit] * spread
    np.testing.assert_array_less(np.abs(passes.normals[hit] - expected).max(axis=-1), allowed)


def assert_depths(depth: np.ndarray, expected: np.ndarray, slope: np.ndarray) -> None:
    """Compare depths [m] whose gradient is `slope` [m / pixel]. A GPU rounds corners to fractions of a pixel."""
    np.testing.assert_array_less(np.abs(depth - expected), 1e-5 * expected + subpixel() * slope)


def subpixel() -> float:
    """Return the distance [pixel] between the positions to which a GPU rounds corners."""
    return 2.0 ** -get_integer(gl.GL_SUBPIXEL_BITS)


def lone(renderer: Renderer, mesh: Mesh, places=((0.0, 0.0, 0.0),), first_id: int = 1) -> CrowdDraw:
    places = np.asarray(places, np.float32)
    ids = first_id + np.arange(len(places))
    return CrowdDraw(renderer.upload((mesh,)), instances_at(places), identity_palettes(len(places)), ids=ids)


@pytest.mark.exhaustive
@pytest.mark.parametrize("max_palette_texels", [None, 3 * 4 * 5])
def test_two_crowds_are_seen_as_a_plain_z_buffer_sees_them(context, max_palette_texels):
    rng = np.random.default_rng(2)
    crowds, corners, normals, ids = [], [], [], []
    with Renderer(context, max_palette_texels=max_palette_texels) as renderer:  # at most five actors a batch
        for make_mesh in (capsule, flat_box):
            own = rng.choice(2**32, 13, replace=False)
            mesh = with_random_weights(make_mesh(), rng, 4, 3)
            instances = instances_at(rng.uniform(-1.5, 1.5, (13, 3)), scale=0.4)
            palettes = gentle_palettes(rng, 13, 4)
            crowds.append(CrowdDraw(renderer.upload((mesh,)), instances, palettes, ids=own))
            own_corners, own_normals = shapes(mesh, *skin(mesh, instances, palettes))
            corners.append(own_corners)
            normals.append(own_normals)
            ids.append(np.repeat(own, mesh.triangle_count))
        passes = draw(renderer, crowds)
    check(passes, np.concatenate(corners), np.concatenate(normals), np.concatenate(ids))
    assert len(np.unique(passes.ids)) > 15


@pytest.mark.exhaustive
@pytest.mark.parametrize("method", ["linear", "dual_quaternion"])
def test_a_scene_is_seen_as_the_cpu_skins_it(renderer, method):
    """Mannequins in motion, each where its transform says."""
    with load_scene("crossfade", threads=1, actors=2) as world:
        if method == "dual_quaternion":
            swap_skinning(world)
        for _ in range(20):
            world.step(1 / 60)
        stage_of(world).camera.distance = 4.0
        with renderer.pass_target(*SIZE) as target:
            DrawWorld(renderer).draw_passes(world, target)
            passes = target.read()
        seen, ids = seen_by_numpy(world, {"linear": skin_linear, "dual_quaternion": skin_dual_quaternion}[method])
    person = seen.sure & (seen.triangle >= 0)
    assert person.mean() > 0.01
    assert set(ids[seen.triangle][person]) == {1, 2}
    np.testing.assert_array_equal(passes.ids[person], ids[seen.triangle][person])
    assert not passes.ids[seen.sure & (seen.triangle < 0)].any()
    assert_depths(passes.depth[person], seen.depth[person], seen.slope[person])


def seen_by_numpy(world, skinner) -> tuple[Seen, np.ndarray]:
    """Return the world camera's view of its crowds by numpy, and the actor ids [triangle] of their triangles."""
    corners, ids = [], []
    for entity, (character, transforms, palette) in world.query(Character, Transforms, Palette):
        turn = transforms.rotation[:, None]
        for mesh in character.rig.level(character.level):
            positions, normals = skinner(mesh, palette.matrices.astype(np.float64))
            placed = rotate(turn, positions) * transforms.scale[:, None, None] + transforms.translation[:, None]
            corners.append(shapes(mesh, placed, normals)[0])
            ids.append(np.repeat(world.get(entity, Crowd).ids, mesh.triangle_count))
    return rasterize(np.concatenate(corners), view_of(stage_of(world).camera), SIZE), np.concatenate(ids)


def test_a_hole_shows_what_is_behind(renderer):
    pixels = np.full((4, 4, 4), 255, np.uint8)
    pixels[:, :2, 3] = 0  # the left half of each face
    material = Material(texture=Texture(pixels, repeat=False), alpha_cutoff=0.5)
    box = flat_box(material)
    uvs = np.stack([box.positions[:, 0] + 0.5, box.positions[:, 1]], axis=-1)
    camera = OrbitCamera(target=np.array([0.0, 0.5, 0.0]), distance=4.0, azimuth=np.pi, elevation=0.0)
    holed = lone(renderer, dataclasses.replace(box, uvs=uvs.astype(np.float32)), first_id=5)
    behind = lone(renderer, flat_box(), [[0, 0, -3]], first_id=9)
    passes = draw(renderer, [holed, behind], view=view_of(camera))
    middle = passes.ids[SIZE[1] // 2]
    assert middle[SIZE[0] // 2 + 5] == 5
    assert middle[SIZE[0] // 2 - 5] == 9
    np.testing.assert_allclose(passes.depth[SIZE[1] // 2, SIZE[0] // 2 + np.array([5, -5])], [3.5, 6.5], rtol=1e-4)


def test_an_alpha_below_the_cutoff_without_a_texture_is_a_hole_all_over(renderer):
    material = Material(base_color=(1, 1, 1, 0.3), alpha_cutoff=0.5)
    assert not draw(renderer, [lone(renderer, flat_box(material))]).ids.any()


def test_backs_of_double_sided_meshes_face_the_eye(renderer):
    box = flat_box(Material(double_sided=True))
    sheet = dataclasses.replace(box, indices=box.indices.reshape(6, 6)[4])  # the face that looks to +Z
    crowd = lone(renderer, sheet)
    for azimuth, z in ((np.pi, 1.0), (0.0, -1.0)):
        camera = OrbitCamera(target=np.array([0.0, 0.5, 0.0]), distance=4.0, azimuth=azimuth, elevation=0.0)
        passes = draw(renderer, [crowd], view=view_of(camera))
        assert passes.ids.any()
        np.testing.assert_allclose(passes.normals[passes.ids > 0], [[0, 0, z]] * (passes.ids > 0).sum(), atol=1e-6)


def test_the_plane_and_surfaces_hide_and_have_no_id(renderer):
    sunk = lone(renderer, capsule(), [[0, -3, 0]])
    view = view_of()
    rows = np.arange(SIZE[1])[:, None] + 0.5
    inverse = np.linalg.inv(view.projection.astype(np.float64) @ view.view)
    y = 1 - 2 * rows / SIZE[1]
    x = 2 * (np.arange(SIZE[0])[None] + 0.5) / SIZE[0] - 1
    far = np.stack([x + 0 * y, y + 0 * x, 0 * x + 0 * y + 1, 0 * x + 0 * y + 1], axis=-1) @ inverse.T
    ray = far[..., :3] / far[..., 3:] - view.eye
    depth = -view.eye[1] / ray[..., 1] * (ray @ -view.view[2, :3])
    inside = (ray[..., 1] < 0) & (depth < 0.99 * view.far)
    slope = np.hypot(*np.gradient(1 / depth)) * depth**2
    assert inside.mean() > 0.5
    for ground, surfaces in (
        (GroundStyle(), ()),
        (GroundStyle(plane=False), (renderer.upload_surface(floor_at(0.0)),)),
    ):
        passes = draw(renderer, [sunk], ground, surfaces, view)
        assert not passes.ids.any()
        here = inside & (passes.depth > 0)
        assert here.mean() > 0.4
        assert_depths(passes.depth[here], depth[here], slope[here])
        np.testing.assert_array_equal(passes.classes, passes.depth > 0)
        np.testing.assert_allclose(passes.normals[here], np.broadcast_to([0, 1, 0], (here.sum(), 3)), atol=1e-6)
    assert draw(renderer, [sunk]).ids.any(), "there is nothing in between without a ground"


@pytest.mark.parametrize("share", [0.0, 0.25, 0.5, 0.9, 1.0])
def test_who_fades_takes_that_share_of_their_pixels(renderer, share):
    """Evenly spread; another actor is seen through the gaps, and one that is all there hides them as ever."""
    places = np.array([[0.0, 0.0, 0.0], [0.4, 0.3, -2.0]])
    crowd = lone(renderer, flat_box(), places, 7)
    whole = draw(renderer, [crowd]).ids
    passes = draw(renderer, [dataclasses.replace(crowd, coverage=np.array([share, 1.0], np.float32))])
    area = whole == 7
    assert area.sum() > 500
    assert (passes.ids[area] == 7).mean() == pytest.approx(share, abs=1 / 16 + 0.02)
    rows, columns = np.nonzero(area & (passes.ids != 7))
    if len(rows):
        behind = draw(renderer, [lone(renderer, flat_box(), places[1:], 8)]).ids
        np.testing.assert_array_equal(passes.ids[rows, columns], behind[rows, columns])
    np.testing.assert_array_equal(passes.ids[~area], whole[~area])


def test_crowds_without_ids_are_not_drawn(renderer):
    passes = draw(renderer, [dataclasses.replace(lone(renderer, capsule()), ids=None)])
    assert not passes.depth.any()
    assert not passes.normals.any()


@pytest.mark.exhaustive
def test_a_pixel_of_its_own_sees_what_it_sees_in_the_picture(renderer):
    rng = np.random.default_rng(4)
    crowd = lone(renderer, capsule(), rng.uniform(-1.5, 1.5, (9, 3)))
    passes = draw(renderer, [crowd])
    padded = np.pad(passes.ids, 1, mode="edge")
    around = np.stack([padded[i : i + SIZE[1], j : j + SIZE[0]] for i in range(3) for j in range(3)])
    inner = (around == passes.ids).all(axis=0)
    picked = 0
    with renderer.pass_target(1, 1) as target:
        for x, y in rng.integers(0, SIZE, (150, 2)):
            renderer.draw_passes(target, view_of().of_pixel(x, y, SIZE), None, [crowd])
            one = target.read()
            if inner[y, x]:
                picked += passes.ids[y, x] > 0
                assert one.ids[0, 0] == passes.ids[y, x]
                np.testing.assert_allclose(one.depth[0, 0], passes.depth[y, x], rtol=2e-3)
    assert picked > 20


@pytest.mark.exhaustive
def test_a_world_tells_who_is_seen(renderer):
    with load_scene("ik_chains", threads=1) as world, renderer.pass_target(320, 180) as target:
        drawing = DrawWorld(renderer)
        drawing.draw_passes(world, target)
        ids = target.read().ids
        counts = {entity: crowd.actor_count for entity, (crowd,) in world.query(Crowd)}
        assert len(counts) > 1, "more than one crowd"
        assert set(np.unique(ids)) <= set(range(sum(counts.values()) + 1))
        assert find_actors(world, np.array([0, sum(counts.values()) + 1])) == [None, None]
        everyone = [ActorRow(entity, row) for entity, count in counts.items() for row in range(count)]
        assert find_actors(world, 1 + np.arange(len(everyone))) == everyone
        assert drawing.pick(world, 1, 1, (320, 180)) is None
        for actor_id in np.unique(ids)[1:]:
            rows, columns = np.nonzero(ids == actor_id)
            votes = [drawing.pick(world, x, y, (320, 180)) for x, y in zip(columns[:9], rows[:9], strict=True)]
            assert everyone[actor_id - 1] in votes


def test_bones_have_ids_only_where_they_stand_for_the_actor(renderer):
    with load_scene("single", threads=1) as world, renderer.pass_target(160, 90) as target:
        ((_, (appearance,)),) = world.query(Appearance)
        drawing, areas = DrawWorld(renderer), []
        for skin_shown, joints_shown in ((True, False), (True, True), (False, True), (False, False)):
            appearance.shows_skin, appearance.shows_joints = skin_shown, joints_shown
            drawing.draw_passes(world, target)
            areas.append(np.count_nonzero(target.read().ids == 1))
        assert areas[0] == areas[1] > areas[2] > areas[3] == 0


@pytest.mark.exhaustive
def test_nothing_is_left_behind(context):
    before = live_names()
    with Renderer(context) as renderer:
        crowd = lone(renderer, capsule())
        draw(renderer, [crowd], GroundStyle())
        during = live_names()
        for _ in range(5):
            draw(renderer, [crowd], GroundStyle())
        assert live_names() == during
    assert live_names() == before


@pytest.mark.parametrize("size", [(0, 5), (10**6, 5)])
def test_a_size_that_cannot_be_is_told(renderer, size):
    with pytest.raises(InputError, match=f"{size[0]}x{size[1]}"):
        renderer.pass_target(*size)

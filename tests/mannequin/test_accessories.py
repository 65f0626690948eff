"""Accessories of people: closed meshes that a figure wears or hides, with all outfits, on the CPU and on the GPU."""

from dataclasses import replace

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.assets.figures import SKIN_TONES
from ecs_anim.assets.hierarchy import skin_palette
from ecs_anim.assets.mesh import Texture
from ecs_anim.assets.rig import Rig
from ecs_anim.assets.skinning import skin_linear
from ecs_anim.components.appearance import Appearance
from ecs_anim.components.character import Character
from ecs_anim.gl.device.closed import is_closed
from ecs_anim.gl.model.crowd import CrowdDraw
from ecs_anim.mannequin.accessories import WEARS
from ecs_anim.mannequin.accessory_paint import COLORS, patch_coordinates
from ecs_anim.mannequin.figures import FIGURES
from ecs_anim.mannequin.outfits import COLOURINGS, OUTFITS
from ecs_anim.mannequin.patterns import skin_tones_of
from ecs_anim.rigs.accessories import with_accessories
from ecs_anim.scenes.rigs import load_model
from ecs_anim.view.camera import OrbitCamera
from tests.assets.test_figures import _segment_distance
from tests.helpers.gl import context_fixture, instances_at, renderer_fixture, take_picture  # noqa: F401
from tests.mannequin.test_gait import _inside

SCENE = """
[rigs.people]
model = "people"
accessories = true
[[crowds]]
rig = "people"
count = 300
layout = { kind = "grid" }
clips = [{ name = "idle" }]
FIGURES
"""


@pytest.fixture(scope="module")
def plain() -> Rig:
    return load_model("people")


@pytest.fixture(scope="module")
def people(plain: Rig) -> Rig:
    return with_accessories(plain)


def test_the_first_figures_are_the_former_figures(people, plain):
    assert [own.name for own in people.figures[: len(FIGURES)]] == [own.name for own in plain.figures]
    assert sum(own.share for own in people.figures) == pytest.approx(1.0)
    for mesh, former in zip(people.meshes, plain.meshes, strict=True):
        count = former.vertex_count
        for number in range(0, len(people.figures), 9):
            shape = former.of_figure(number % len(FIGURES))
            np.testing.assert_array_equal(mesh.of_figure(number).positions[:count], shape.positions)


def test_variants_contain_all_outfits_of_all_figures(people):
    numbers = np.arange(people.variant_count)
    pairs = {(f, k) for f, k in zip(numbers % len(people.figures), numbers % (COLOURINGS * len(FIGURES)), strict=True)}
    assert len(pairs) == people.variant_count == len(FIGURES) * len(WEARS) * COLOURINGS
    assert all(figure % len(FIGURES) == outfit % len(FIGURES) for figure, outfit in pairs)


@pytest.mark.parametrize("level", range(4))
def test_each_level_is_closed_and_has_unit_weights_and_normals(people, level):
    (mesh,) = people.level(level)
    np.testing.assert_allclose(mesh.weights.sum(axis=1), 1, atol=1e-5)
    assert is_closed(mesh)
    for number in range(0, len(people.figures), 7):
        np.testing.assert_allclose(np.linalg.norm(mesh.of_figure(number).normals, axis=1), 1, atol=1e-4)


@pytest.mark.parametrize("clip", ["walk", "sit"])
def test_hidden_accessories_stay_inside_the_body(people, plain, clip):
    """In all poses, hardly a vertex of an accessory leaves the body of a figure without accessories."""
    mesh, count = people.level(0)[0], plain.level(0)[0].vertex_count
    motion = people.clips[clip]
    palette = skin_palette(people.skeleton, motion.sample(np.linspace(motion.start, motion.end, 3)[:-1]))
    triangles = plain.level(0)[0].indices.reshape(-1, 3)
    for skin in skin_linear(mesh.of_figure(0), palette)[0].astype(float):
        some = np.unique(skin[count:].round(3), axis=0)[::4]
        assert _inside(some, skin[triangles]).mean() > 0.98


@pytest.mark.parametrize("figure", ["woman", "girl"])
def test_coats_of_seated_people_lie_on_their_thighs_and_over_their_skirts(people, plain, figure):
    names, count = [own.name for own in people.figures], plain.level(0)[0].vertex_count
    mesh, bare = (people.level(0)[0].of_figure(names.index(name)) for name in (f"{figure} with coat", figure))
    worn = count + np.flatnonzero((mesh.positions[count:] != bare.positions[count:]).any(axis=1))
    low, corners = worn[mesh.positions[worn, 1] < 0.64], mesh.indices.reshape(-1, 3)
    sit, joints = people.clips["sit"], people.skeleton.joint_names
    palette = skin_palette(people.skeleton, sit.sample(np.array([sit.start])))
    thighs = [list(people.skeleton.skin_joints).index(joints.index(f"{side}UpLeg")) for side in ("Left", "Right")]
    skin = skin_linear(mesh, palette)[0][0]
    legs = [_segment_distance(skin[None, low], palette[:, e], side) for e, side in zip(thighs, (1, -1), strict=True)]
    assert np.minimum(*legs).max() < 0.19
    covered = np.flatnonzero((mesh.positions[:count, 1] < 0.85) & (mesh.positions[:count, 1] > 0.62))
    covered = covered[np.abs(mesh.positions[covered, 0]) < 0.25]
    coat = corners[np.isin(corners, worn).all(axis=1)]
    assert _inside(skin[covered].astype(float), skin[coat].astype(float)).mean() > 0.95


def test_hats_are_above_eyes_and_backpacks_behind_backs(people, plain):
    names = [own.name for own in people.figures]
    mesh, count = people.level(0)[0], plain.level(0)[0].vertex_count
    own = mesh.of_figure(names.index("man with cap and backpack")).positions
    hidden = mesh.of_figure(0).positions
    worn = own[count:][(own[count:] != hidden[count:]).any(axis=1)]
    cap = worn[worn[:, 1] > 1.6]
    assert 1.655 < cap[:, 1].min() < own[:count, 1].max() < cap[:, 1].max() < own[:count, 1].max() + 0.04
    assert cap[:, 2].max() > own[:count][own[:count, 1] > 1.6][:, 2].max() + 0.03, "the visor"
    pack = worn[worn[:, 2] < -0.2]
    assert 0.3 < np.ptp(pack[:, 1]) < 0.5
    assert np.ptp(pack[:, 0]) > 0.25


def test_patches_are_outside_of_bodies_and_have_the_colours_of_the_outfit(people, plain):
    texture = people.meshes[0].material.texture
    for mesh in plain.meshes:
        for name in (*COLORS, "hair", "lining"):
            u, v = patch_coordinates(name, 1)[0]
            assert np.abs(mesh.uvs - (u, v)).max(axis=1).min() > 14 / 512
    x, y = (512 * patch_coordinates("hair", 1)[0]).astype(int)
    for number, figure in enumerate(FIGURES):
        assert tuple(texture.pixels[number, y, x, :3]) == OUTFITS[figure.name][0].hair
    x, y = (512 * patch_coordinates("coat", 1)[0]).astype(int)
    assert len(np.unique(texture.pixels[:, y, x], axis=0)) > 5
    column, row = (512 * patch_coordinates("lining", 1)[0]).astype(int)
    assert (texture.pixels[:, row, column, :3] < 0.7 * texture.pixels[:, y, x, :3]).all()


@pytest.mark.exhaustive
def test_the_gpu_draws_the_image_of_the_variant(renderer, people):
    """A variant number above the number of images selects an image modulo the number of images."""
    meshes, names = people.level(0), [own.name for own in people.figures]
    texture = people.meshes[0].material.texture
    pose = np.ascontiguousarray(skin_palette(people.skeleton, people.skeleton.rest_pose))[None]
    camera = OrbitCamera(target=np.array([0, 1.0, 0]), distance=4.5, azimuth=2.8, elevation=0.1)
    variant = names.index("stout man with coat") + len(names)
    image = texture.pixels[variant % len(texture.pixels)]
    single = replace(meshes[0].material, texture=Texture(image, repeat=False))
    shown = []
    for mesh in (meshes[0], replace(meshes[0].of_figure(variant % len(names)), material=single)):
        with renderer.upload((mesh,)) as model:
            numbers = np.array([variant], np.int32) if mesh.figures is not None else None
            shown.append(
                take_picture(
                    renderer, [CrowdDraw(model, instances_at(np.zeros((1, 3))), pose, variants=numbers)], camera
                )
            )
    np.testing.assert_allclose(shown[0].astype(int), shown[1].astype(int), atol=2)


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("line", "wanted"),
    [("", True), ("figures = { coat = 0.0, beanie = 0.0 }", False), ('figures = ["man", "woman with coat"]', True)],
)
def test_scenes_control_the_shares_of_accessories(line, wanted):
    with ea.load_scene(SCENE.replace("FIGURES", line), seed=3) as world:
        ((_, (character, look)),) = world.query(Character, Appearance)
    found = [character.rig.figures[number % len(character.rig.figures)] for number in look.variant]
    assert any("coat" in own.accessories for own in found) is wanted
    if not line:
        expected = sum(own.share for own in character.rig.figures if own.accessories)
        assert abs(np.mean([bool(own.accessories) for own in found]) - expected) < 0.1


def test_other_models_have_no_accessories():
    with pytest.raises(ea.InputError, match="accessories needs model = 'people'"):
        ea.load_scene(SCENE.replace('"people"\nacc', '"mannequin"\nacc').replace("FIGURES", ""))


@pytest.mark.exhaustive
def test_skin_tones_are_those_of_the_texture_images():
    """The variant number modulo the number of images selects the image. Images have the order of outfits and shapes."""
    keys = "{ model = 'people', patterns = true, accessories = true }"
    scene = f"rigs.people = {keys}\n[[crowds]]\nrig = 'people'\nclips = [{{ name = 'idle' }}]"
    with ea.load_scene(scene, threads=1) as world:
        (rig,) = (own.rig for _, (own,) in world.query(Character))
    images = len(rig.meshes[0].material.texture.pixels)
    for variant in range(rig.variant_count):
        outfit, shape = divmod(variant % images, len(FIGURES))
        tone = SKIN_TONES[skin_tones_of(FIGURES[shape].name)[outfit]]
        assert rig.figures[variant % len(rig.figures)].skin_tones[variant // len(rig.figures)] == tone

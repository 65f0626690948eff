"""Rigs that show materials, and crowds whose actors differ by their textures."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from ecs_anim.assets.hierarchy import skin_palette
from ecs_anim.assets.mesh import Texture
from ecs_anim.assets.skinning import rest_bounds, skin_linear
from ecs_anim.components.appearance import Appearance
from ecs_anim.components.character import Character
from ecs_anim.gl.device import api as gl
from ecs_anim.gl.model.model import MeshVariant
from ecs_anim.rigs.material_rigs import flag_designs, flag_rig, lattice_rig
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.loaded_rig import LoadedRig
from ecs_anim.scenes.loader import parse_scene
from ecs_anim.scenes.scene_key import SceneKey
from ecs_anim.scenes.variants import with_variants
from ecs_anim.support.errors import InputError
from ecs_anim.systems.drawing import DrawWorld
from tests.helpers import EXHAUSTIVE
from tests.helpers.gl import context_fixture, renderer_fixture  # noqa: F401

CLIPS = {"flag": "wave", "lattice": "turn", "ball": "rest", "mannequin": "idle"}
COLORS = [(220, 20, 20), (20, 220, 20), (20, 20, 220)]


def scene(folder: Path, model: str = "flag", crowd: str = ""):
    text = f"""
    [camera]
    target = [0, 0.4, 0]
    distance = 8
    [rigs.it]
    model = "{model}"
    [[crowds]]
    rig = "it"
    count = 30
    layout = {{ kind = "grid", spacing = 0.9 }}
    clips = [{{ name = "{CLIPS[model]}" }}]
    {crowd}
    """
    return parse_scene(text, "x.toml", folder)


@pytest.fixture
def images(tmp_path) -> Path:
    for name, color in zip("abc", COLORS, strict=True):
        Image.new("RGB", (8, 4), color).save(tmp_path / f"{name}.png")
    Image.new("RGB", (8, 5)).save(tmp_path / "taller.png")
    (tmp_path / "broken.png").write_bytes(b"no picture")
    return tmp_path


def only(world, component):
    ((_, (found,)),) = world.query(component)
    return found


@pytest.mark.parametrize(("rig", "height"), [(flag_rig(), 2.3), (lattice_rig(), 0.92)])
def test_rigs_stand_on_the_ground_and_loop(rig, height):
    low, high = rest_bounds(rig)
    assert 0 <= low[1] < 0.1
    assert high[1] == pytest.approx(height, abs=0.01)
    (clip,) = rig.clips.values()
    ends = [skin_palette(rig.skeleton, clip.sample(time, loop=False)) for time in (clip.start, clip.end)]
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-6)
    half = skin_palette(rig.skeleton, clip.sample(clip.duration / 2))
    assert np.abs(half - ends[0]).max() > 0.1, "something moves"


@pytest.mark.parametrize("rig", [flag_rig(), lattice_rig()])
def test_fronts_and_normals_agree(rig):
    for mesh in rig.meshes:
        a, b, c = mesh.positions[mesh.indices].reshape(-1, 3, 3).transpose(1, 0, 2)
        faces = np.cross(b - a, c - a)
        has_area = np.linalg.norm(faces, axis=-1) > 1e-9
        toward = np.sum(faces * mesh.normals[mesh.indices].reshape(-1, 3, 3).mean(axis=1), axis=-1)
        assert (toward[has_area] > 0).all()
        np.testing.assert_allclose(np.linalg.norm(mesh.normals, axis=-1), 1, atol=1e-6)
        np.testing.assert_allclose(mesh.weights.sum(axis=1), 1, atol=1e-6)


def test_a_waving_cloth_keeps_its_size():
    rig = flag_rig()
    cloth = rig.meshes[1]
    edges = np.sort(np.concatenate([cloth.indices.reshape(-1, 3)[:, [k, (k + 1) % 3]] for k in range(3)]), axis=1)

    def lengths(positions):
        return np.linalg.norm(positions[edges[:, 0]] - positions[edges[:, 1]], axis=-1)

    for time in np.linspace(0, 1.6, 7):
        pose = rig.clips["wave"].sample(time)
        posed = skin_linear(cloth, skin_palette(rig.skeleton, pose))[0]
        assert 0.8 < (lengths(posed) / lengths(cloth.positions)).mean() < 1.05


def test_materials_are_what_they_show():
    cloth, lattice = MeshVariant.of(flag_rig().meshes[1]), MeshVariant.of(lattice_rig().meshes[0])
    assert (cloth.varied, cloth.double_sided, cloth.cutout) == (True, True, False)
    assert (lattice.varied, lattice.double_sided, lattice.cutout) == (False, True, True)
    alpha = lattice_rig().meshes[0].material.texture.pixels[..., 3] > 127
    assert 0.3 < alpha.mean() < 0.8
    assert len(flag_designs()) == 5


def test_actors_of_a_rig_with_variants_draw_one_each(tmp_path):
    with load_scene(scene(tmp_path), threads=1, seed=3) as world:
        variant = only(world, Appearance).variant
        assert (variant.dtype, variant.shape) == (np.int32, (30,))
        assert set(variant) == {0, 1, 2, 3, 4}
    with load_scene(scene(tmp_path), threads=1, seed=3) as world:
        np.testing.assert_array_equal(only(world, Appearance).variant, variant)
    with load_scene(scene(tmp_path, "lattice"), threads=1) as world:
        assert only(world, Appearance).variant is None


def test_images_of_a_crowd_replace_the_textures_and_nothing_else(images):
    source = scene(images, crowd='variants = ["a.png", "b.png", "c.png"]')
    with load_scene(source, threads=1) as world:
        pole, cloth = only(world, Character).rig.meshes
        assert pole.material.texture is None
        assert cloth.material.double_sided
        np.testing.assert_array_equal(cloth.material.texture.pixels[:, 0, 0, :3], COLORS)
        assert set(only(world, Appearance).variant) == {0, 1, 2}


@EXHAUSTIVE
def test_each_actor_is_seen_in_its_own_image(images, renderer):
    source = scene(images, "lattice", 'variants = ["a.png", "b.png", "c.png"]')
    with load_scene(source, threads=1) as world, renderer.target(240, 160) as target:
        drawing = DrawWorld(renderer)
        drawing.draw(world, target)
        picture = target.read_pixels().astype(int)
        with renderer.pass_target(240, 160) as numbers:
            drawing.draw_passes(world, numbers)
            ids = numbers.read().ids
        variant = only(world, Appearance).variant
        seen = [actor for actor in np.unique(ids)[1:] if (ids == actor).sum() > 60]
        assert len(seen) > 15
        for actor in seen:
            mean = picture[ids == actor].mean(axis=0)
            assert mean.argmax() == variant[actor - 1]


@pytest.mark.parametrize(
    ("model", "variants", "message"),
    [
        (
            "flag",
            ["a.png", "nowhere.png"],
            r"x.toml: crowds\[0\].variants\[1\]: .*nowhere.png: cannot read the picture",
        ),
        (
            "flag",
            {"pole": ["a.png"]},
            r"variants.pole: .* no material of this name with a texture; materials with a texture are: cloth",
        ),
        ("flag", {"colth": ["a.png"]}, r"variants.colth: .* did you mean 'cloth'"),
        (
            "flag",
            {"cloth": ["a.png", "taller.png"]},
            r"crowds\[0\].variants.cloth\[1\]: all images of variants must have one size",
        ),
        ("flag", [], r"crowds\[0\].variants"),
        (
            "flag",
            ["broken.png"],
            r"crowds\[0\].variants\[0\]: .*broken.png: this is text of an unknown type, not a picture",
        ),
        (
            "flag",
            ["a.png", "taller.png"],
            r"variants\[1\]: all images of variants must have one size \(got 8 x 4 and 8 x 5 pixels\)",
        ),
        ("ball", ["a.png"], r"crowds\[0\].variants: rig 'it' \(ball\) has no textures to replace.*'texture'"),
    ],
)
def test_mistakes_are_told(images, model, variants, message):
    with pytest.raises(InputError, match=message):
        load_scene(scene(images, model, f"variants = {toml(variants)}"), threads=1)


def toml(value: list | dict) -> str:
    if isinstance(value, list):
        return str(value)
    return "{ " + ", ".join(f"{key} = {own}" for key, own in value.items()) + " }"


def test_materials_by_name_change_together(images):
    """A rig of two textured materials, of which one is named, and then both."""
    flag = flag_rig()
    pole, cloth = flag.meshes
    wood = Texture(np.full((2, 2, 4), 90, np.uint8))
    rig = replace(flag, meshes=(replace(pole, material=replace(pole.material, texture=wood)), cloth))
    loaded = LoadedRig("it", rig, 1.0, 0.0, 0.0, 0.1)

    def dressed(variants: str):
        source = scene(images, crowd=f"variants = {variants}")
        (crowd,) = source.model.crowds
        meshes = with_variants(source, crowd, loaded, SceneKey("x.toml", "crowds[0]")).rig.meshes
        return [mesh.material.texture for mesh in meshes]

    own, changed = dressed('{ cloth = ["a.png", "b.png"] }')
    assert own is wood
    assert (changed.variant_count, changed.repeat) == (2, False)
    both = dressed('{ cloth = ["a.png", "b.png"], pole = ["b.png", "a.png"] }')
    assert [tuple(texture.pixels[0, 0, 0, :3]) for texture in both] == [COLORS[1], COLORS[0]]
    with pytest.raises(InputError, match="the same number of images"):
        dressed('{ cloth = ["a.png", "b.png"], pole = ["b.png"] }')


@EXHAUSTIVE
def test_one_draw_a_mesh_however_many_variants_and_actors(renderer, monkeypatch):
    """All calls of OpenGL are counted, whatever they do."""

    def calls(actors: int) -> dict[str, int]:
        with load_scene("materials", actors=actors, threads=1) as world, renderer.target(64, 64) as target:
            drawing = DrawWorld(renderer)
            drawing.draw(world, target)  # uploads and compiles
            made: dict[str, int] = {}
            for name, function in list(vars(gl).items()):
                if name.startswith("gl") and callable(function):
                    monkeypatch.setattr(gl, name, counted(name, function, made))
            drawing.draw(world, target)
            monkeypatch.undo()
        return made

    few, many = calls(27), calls(2000)
    assert few == many
    assert few["glDrawElementsInstanced"] == 2 * 4  # flag's two meshes, lattice, people: shadow map and picture


def counted(name: str, function, made: dict[str, int]):
    def call(*arguments):
        made[name] = made.get(name, 0) + 1
        return function(*arguments)

    return call

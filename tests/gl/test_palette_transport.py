"""Palettes reach the vertex shader: every character, method and format, whatever the context takes at once."""

import dataclasses
import warnings
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from ecs_anim.assets import dual_palette
from ecs_anim.assets.hierarchy import skin_palette
from ecs_anim.assets.rig import Rig
from ecs_anim.assets.skinning import METHODS, Method, rest_bounds, skin_dual_quaternion, skin_linear
from ecs_anim.gl.device.context import Context
from ecs_anim.gl.model.crowd import CrowdDraw
from ecs_anim.gl.model.palette_transport import FORMAT, PaletteTransport, actors_per_batch, batches, encoded
from ecs_anim.gl.picture.renderer import Renderer
from ecs_anim.gltf.load import load_rig
from ecs_anim.kernels.short_palette import encode
from ecs_anim.mannequin import PATH
from ecs_anim.scenes.build import load_scene
from ecs_anim.support.errors import InputError
from ecs_anim.systems.drawing import DrawWorld
from tests.characters import OWN
from tests.gl.test_context import STRICT_ENVIRONMENT, run_python
from tests.helpers import EXHAUSTIVE, characters
from tests.helpers.gl import (  # noqa: F401
    capsule,
    context_fixture,
    identity_palettes,
    instances_at,
    random_palettes,
    renderer_fixture,
    take_picture,
)
from tests.helpers.readback import gpu_vertices
from tests.oracles import short_palette as short_palette_oracle

CHARACTERS = ("Woman.gltf", "Fox.glb", "cesium_man.gltf", "dq.gltf", "interpolation_test.gltf")
POSES = 3  # of each clip
NEAR = 1e-5  # of the model's size
STATED = 1e-4  # of the model's size: what docs/concepts/palettes.md says of 16 bits


@cache
def character(path: Path) -> Rig:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # one comes without its texture
        return load_rig(path)


def all_characters() -> Iterator[pytest.param]:
    yield pytest.param(PATH, id="mannequin")
    yield from characters(*CHARACTERS)


def posed(rig: Rig, method: Method) -> np.ndarray:
    """Palettes of every clip at a few times, [actor, entry, row, 4] f32."""
    poses = [clip.sample(np.linspace(clip.start, clip.end, POSES + 1)[1:]) for clip in rig.clips.values()]
    linear = np.concatenate([skin_palette(rig.skeleton, pose) for pose in poses])
    if method == "linear":
        return np.ascontiguousarray(linear, np.float32)
    return np.ascontiguousarray(dual_palette.from_matrices(linear, rig.skeleton), np.float32)


def on_cpu(mesh, palettes: np.ndarray, method: Method) -> tuple[np.ndarray, np.ndarray]:
    skin = skin_linear if method == "linear" else skin_dual_quaternion
    return skin(mesh, palettes.astype(np.float64))


def size_of(rig: Rig) -> float:
    low, high = rest_bounds(rig)
    return float((high - low).max())


def check_character(renderer: Renderer, path: Path, method: Method, bits: int) -> None:
    """The GPU's vertices of all meshes are the CPU's under the palettes that it was sent, and near the true ones."""
    rig = character(path)
    palettes = posed(rig, method)
    shares, low, span = encode(palettes)
    sent = palettes if bits == 32 else short_palette_oracle.decode(shares, low, span)
    size = size_of(rig)
    instances = instances_at(np.zeros((len(palettes), 3)))
    with renderer.upload(rig.meshes) as model:
        crowd = CrowdDraw(model, instances, palettes, skinning=method, palette_bits=bits)
        for index, mesh in enumerate(rig.meshes):
            positions, normals = gpu_vertices(renderer, crowd, index)
            expected, expected_normals = on_cpu(mesh, sent, method)
            assert np.abs(positions - expected).max() <= NEAR * size
            assert np.abs(normals - expected_normals).max() <= 1e-4
            if bits == 16:
                off = np.linalg.norm(positions - on_cpu(mesh, palettes, method)[0], axis=-1).max()
                assert 0 < off < STATED * size
                assert method != "linear" or off <= short_palette_oracle.position_error(mesh, span) + NEAR * size


def check_everything(context: Context, paths: list[Path]) -> None:
    """All characters, methods and formats, whole and in batches of a few actors."""
    for path in paths:
        for method in METHODS:
            few = 2 * posed(character(path), method)[0].size // 4  # texels
            for bits in (32, 16):
                for limit in (None, few):
                    with Renderer(context, max_palette_texels=limit) as renderer:
                        check_character(renderer, path, method, bits)


@pytest.mark.parametrize("bits", [32, 16])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("path", [*all_characters()])
@EXHAUSTIVE
def test_gpu_vertices_are_the_cpus(renderer, path, method, bits):
    check_character(renderer, path, method, bits)


@EXHAUSTIVE
@pytest.mark.parametrize("bits", [32, 16])
@pytest.mark.parametrize("method", METHODS)
def test_two_actors_a_batch(context, method, bits, monkeypatch):
    sent = []
    send = PaletteTransport.send
    monkeypatch.setattr(PaletteTransport, "send", lambda self, texels: (sent.append(len(texels)), send(self, texels)))
    palettes = posed(character(PATH), method)
    with Renderer(context, max_palette_texels=2 * palettes[0].size // 4) as renderer:
        check_character(renderer, PATH, method, bits)
    assert max(sent) == 2
    assert sum(sent) == len(palettes) * len(character(PATH).meshes)


@EXHAUSTIVE
def test_the_same_on_strict_gl_3_3():
    there = [str(parameter.values[0]) for parameter in [*all_characters()][: 1 + len(OWN)]]
    code = f"""
from pathlib import Path
from ecs_anim.gl.device.context import open_headless
from tests.gl.test_palette_transport import check_everything
with open_headless() as context:
    assert not context.capabilities.renderer.startswith("llvmpipe") or context.capabilities.version == (3, 3)
    check_everything(context, [Path(path) for path in {there}])
"""
    done = run_python(code, **STRICT_ENVIRONMENT)
    assert (done.returncode, done.stderr) == (0, "")


@EXHAUSTIVE
@pytest.mark.parametrize("method", METHODS)
def test_formats_take_turns(renderer, method):
    """Crowds of both formats and methods in one picture do not disturb each other."""
    for bits in (32, 16, 32):
        check_character(renderer, PATH, method, bits)


def test_pictures_of_both_formats_are_alike(renderer):
    rng = np.random.default_rng(1)
    palettes = identity_palettes(20) + 0.05 * random_palettes(rng, 20, 3)
    instances = instances_at(rng.uniform(-2, 2, (20, 3)) * [1, 0, 1])
    crowd = CrowdDraw(renderer.upload((capsule(),)), instances, palettes)
    fine, coarse = (
        take_picture(renderer, [dataclasses.replace(crowd, palette_bits=bits)]).astype(int) for bits in (32, 16)
    )
    assert (np.abs(fine - coarse).max(axis=-1) > 2).mean() < 0.005
    assert fine.std() > 5


def test_bits_are_32_or_16(renderer):
    crowd = CrowdDraw(renderer.upload((capsule(),)), instances_at(np.zeros((1, 3))), identity_palettes(1))
    with pytest.raises(ValueError, match="32 or 16"):
        take_picture(renderer, [dataclasses.replace(crowd, palette_bits=8)])


def test_16_bits_take_half_the_memory(context):
    palettes = identity_palettes(64, 5)
    with PaletteTransport(10**6) as fine, PaletteTransport(10**6) as coarse:
        assert [*fine.upload(palettes)] == [*coarse.upload(palettes, 16)] == [slice(0, 64)]
        assert fine.capacity == 2 * coarse.capacity == palettes.nbytes


def test_the_block_is_laid_out_as_the_shader_has_it():
    assert FORMAT.itemsize == 4 * 16 + 4 * 16 + 16
    _, block = encoded(identity_palettes(2, 5), 32)
    assert block["entry_count"][0, 0] == 5
    assert (block["low"] == 0).all()
    assert (block["span"] == 1).all()


def test_actors_per_batch():
    assert actors_per_batch(65, 65536) == 336
    assert actors_per_batch(65, 65536, 4) == 252
    assert actors_per_batch(1, 3) == 1
    assert [list(range(7))[batch] for batch in batches(7, 3)] == [[0, 1, 2], [3, 4, 5], [6]]
    assert list(batches(0, 3)) == []
    with pytest.raises(ValueError, match="65"):
        actors_per_batch(65, 100)


SCENE = """
[rigs.mannequin]
model = "mannequin"

[[crowds]]
rig = "mannequin"
count = 5
clips = [{{ name = "walk" }}]
palette_bits = {bits}
"""


@EXHAUSTIVE
def test_a_scene_file_chooses(renderer, tmp_path, monkeypatch):
    sent = []
    send = PaletteTransport.send
    monkeypatch.setattr(PaletteTransport, "send", lambda self, texels: (sent.append(texels.dtype), send(self, texels)))
    pictures = []
    for bits in (32, 16):
        path = tmp_path / f"bits_{bits}.toml"
        path.write_text(SCENE.format(bits=bits))
        with load_scene(path) as world, renderer.target(96, 64) as target:
            world.step(1 / 30)
            DrawWorld(renderer).draw(world, target)
            pictures.append(target.read_pixels().astype(int))
    assert sent == [np.float32, np.float32, np.uint16, np.uint16]  # for the sun, and for the picture
    assert (np.abs(pictures[0] - pictures[1]).max(axis=-1) > 2).mean() < 0.01


def test_a_scene_file_chooses_nothing_else(tmp_path):
    path = tmp_path / "bits.toml"
    path.write_text(SCENE.format(bits=8))
    with pytest.raises(InputError, match=r"crowds\[0\]\.palette_bits"):
        load_scene(path)

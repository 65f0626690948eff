"""One character in every form in which files are shipped draws the plain one's picture, within what the form keeps."""

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.assets.hierarchy import skin_palette
from ecs_anim.assets.skinning import skin_linear
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.loader import parse_scene
from tests.builders.packed_models import BITS, write_form
from tests.helpers.gl import context_fixture  # noqa: F401

SIZE = (240, 360)
DISTANCE, FIELD = 3.6, 45.0  # [m], [degree]
SAMPLES = 4  # of a pixel, along an edge
SHADES = 4  # of 255, by which a normal of 8 bits (half a step is 0.4 degrees) may change a surface
SCENE = f"""
[camera]
target = [0.0, 0.9, 0.0]
distance = {DISTANCE}
azimuth_degrees = 145.0
elevation_degrees = 8.0
vertical_fov_degrees = {FIELD}
[rigs.one]
model = "@"
[[crowds]]
rig = "one"
layout = {{ kind = "points", points = [[0.0, 0.0]] }}
clips = [{{ name = "walk" }}]
"""
PIXELS = SIZE[1] / (2 * np.tan(np.radians(FIELD) / 2) * (DISTANCE - 0.6))  # a metre, as near as the body comes


@pytest.fixture(scope="module")
def pictures(tmp_path_factory):
    """Pictures and rigs by form, each made once."""
    folder, made = tmp_path_factory.mktemp("packed"), {}

    def of(name):
        if name not in made:
            for module in {"ktx2": ["opengl_basisu"], "draco": ["DracoPy"], "coarse_draco": ["DracoPy"]}.get(name, []):
                pytest.importorskip(module, reason="needs an extra")
            path = write_form(name, folder)
            with load_scene(parse_scene(SCENE.replace("@", path.name), "x.toml", folder)) as world:
                for _ in range(25):
                    world.step(1 / 60)
                made[name] = ea.render(world, SIZE).astype(int), ea.load_rig(path)
        return made[name]

    return of


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", ["webp", "ktx2", "meshopt"])
def test_what_loses_nothing_draws_the_same(context, pictures, name):
    assert np.ptp(pictures("plain")[0]) > 150
    np.testing.assert_array_equal(pictures(name)[0], pictures("plain")[0])


@pytest.mark.exhaustive
def test_meshopt_draws_what_was_quantised(context, pictures):
    np.testing.assert_array_equal(pictures("quantised_meshopt")[0], pictures("quantised")[0])


def excess(picture, plain, metres):
    """Pixels that differ by more than vertices that are so far off [m] explain: inside, and too many at edges.

    An edge that moves by a share of a pixel changes that share of the samples along it at most; its band is three wide.
    """
    around = np.stack([np.roll(plain, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1)])
    edge = np.ptp(around, axis=0).max(axis=-1) > 16
    differs = np.abs(picture - plain).max(axis=-1) > SHADES
    return int((differs & ~edge).sum()), int(differs.sum() - SAMPLES * metres * PIXELS * edge.sum() / 3)


def farthest(rig, plain):
    """How far vertices of the same order are apart in a moment of the walk, at most [m]."""
    points = []
    for own in (rig, plain):
        palette = skin_palette(own.skeleton, own.clips["walk"].sample(0.4))
        points.append(skin_linear(own.meshes[0], palette, own.morph_targets.defaults)[0].astype(float))
    return np.linalg.norm(points[0] - points[1], axis=-1).max()


def test_a_quantised_one_is_as_near_as_its_numbers(context, pictures):
    """Weights of 8 bits move vertices most: half of 1/255 of what two joints are apart."""
    (picture, rig), (plain, its_rig) = pictures("quantised"), pictures("plain")
    metres = farthest(rig, its_rig)
    assert 0 < metres < 0.001
    inside, too_many = excess(picture, plain, metres)
    assert inside == 0
    assert too_many <= 0


@pytest.mark.exhaustive
def test_draco_is_as_near_as_its_bits(context, pictures):
    """Half a step of the longest side, in three directions; with 8 bits it is more than 14 allow."""
    plain, rig = pictures("plain")
    half = np.ptp(rig.meshes[0].positions, axis=0).max() / (2**BITS - 1) * np.sqrt(3) / 2
    inside, too_many = excess(pictures("draco")[0], plain, half)
    assert inside == 0
    assert too_many <= 0
    assert excess(pictures("coarse_draco")[0], plain, half)[1] > 0

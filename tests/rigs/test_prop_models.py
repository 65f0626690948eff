"""The built-in props: their sizes, their surfaces, and their names in scenes."""

import numpy as np
import pytest

from ecs_anim.assets.skinning import rest_bounds
from ecs_anim.gl.device.closed import is_closed
from ecs_anim.rigs.prop_models import PROP_MODELS
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.loader import parse_scene
from ecs_anim.support.errors import InputError
from ecs_anim.systems.queries import stage_of

# Sizes along x, y and z [m], from docs/props.md.
SIZES = {
    "tree": (3.1, 5.1, 3.1),
    "tall_tree": (2.7, 5.4, 2.7),
    "wide_tree": (3.6, 4.7, 3.6),
    "bench": (1.9, 0.9, 0.6),
    "carriage": (12.4, 4.1, 3.4),
    "lamp": (0.54, 3.9, 0.54),
    "stall": (2.9, 2.6, 1.9),
    "bin": (0.48, 1.0, 0.48),
    "bollard": (0.24, 0.95, 0.24),
    "planter": (1.6, 1.1, 0.66),
    "kiosk": (2.4, 2.72, 1.9),
    "bicycle": (1.7, 0.98, 0.54),
}
MOST_TRIANGLES = 1500  # the software renderer draws a prop with so many triangles in a short time
SCENE = """
[rigs.one]
model = "ball"
[[crowds]]
rig = "one"
clips = [{{ name = "rest" }}]
[[props]]
model = "{model}"
position = [4.0, 2.0]
"""


@pytest.fixture(scope="module", params=PROP_MODELS)
def rig(request):
    return PROP_MODELS[request.param]()


def test_a_prop_stands_on_the_ground_and_has_its_size(rig):
    low, high = rest_bounds(rig)
    assert -0.06 <= low[1] <= 0.06
    np.testing.assert_allclose(high - low, SIZES[rig.name], rtol=0.12)


def test_a_prop_has_few_triangles(rig):
    assert sum(len(mesh.indices) for mesh in rig.meshes) / 3 <= MOST_TRIANGLES


def test_actors_pass_below_the_crown_of_a_tree(rig):
    if "tree" in rig.name:
        points = np.concatenate([mesh.positions for mesh in rig.meshes])
        assert np.abs(points[points[:, 1] < 2.0][:, ::2]).max() < 0.35


def test_surfaces_face_outwards_with_smooth_normals(rig):
    for mesh in rig.meshes:
        np.testing.assert_allclose(np.linalg.norm(mesh.normals, axis=1), 1, atol=1e-5)
        assert 0 <= mesh.colors.min() <= mesh.colors.max() <= 1
        corners = mesh.indices.reshape(-1, 3)
        a, b, c = np.moveaxis(mesh.positions[corners], 1, 0)
        faces = np.cross(b - a, c - a)
        assert (np.sum(faces[:, None] * mesh.normals[corners], axis=-1) > -1e-6).mean() > 0.99
        if mesh.material.name in ("bench", "stall", "crown", "iron", "glass"):
            assert is_closed(mesh)


def test_a_scene_places_a_built_in_model():
    with load_scene(parse_scene(SCENE.format(model="bench"), "test.toml", None), threads=1) as world:
        (bench,) = stage_of(world).props
    np.testing.assert_allclose(bench.instances[0, :3], [4.0, 0.0, -2.0])
    assert bench.model.name == "bench"


def test_a_misspelt_model_gets_the_nearest_name(tmp_path):
    with pytest.raises(InputError, match=r"props\[0\]\.model.*'bench'"):
        load_scene(parse_scene(SCENE.format(model="bensh"), "test.toml", tmp_path), threads=1)

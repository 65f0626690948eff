"""Colours of vertices and unlit surfaces on screen: the picture, shadows, impostors, passes, ground."""

import dataclasses

import numpy as np
import pytest

from ecs_anim.assets.mesh import Material, Mesh, Texture
from ecs_anim.bake.build import bake_rig
from ecs_anim.bake.options import BakeOptions
from ecs_anim.gl.model.vertices import interleave
from ecs_anim.levels.impostors import plan_impostors
from ecs_anim.levels.levels import build_levels
from ecs_anim.scenes.rigs import load_model
from ecs_anim.view.style import GroundStyle, Lighting, View
from tests.gl.test_gl_impostors import camera_for, company, picture
from tests.gl.test_gl_impostors import crowd_of as baked_crowd_of
from tests.gl.test_passes import draw, lone
from tests.gl.test_renderer import crowd_of, lookup
from tests.gl.test_surface import BARE, floor_at, picture_of
from tests.helpers import EXHAUSTIVE
from tests.helpers.gl import (  # noqa: F401
    capsule,
    context_fixture,
    flat_box,
    renderer_fixture,
    take_picture,
)
from tests.oracles.raster import rasterize

SUN = Lighting(sun_direction=(0.6, 0.7, 0.4), shadows="map")
SIZE = (160, 120)
BROWN = (102 / 255, 51 / 255, 25.5 / 255, 1.0)


def encoded(linear: np.ndarray) -> np.ndarray:
    """sRGB, 0 to 255."""
    return 255 * np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * np.maximum(linear, 0) ** (1 / 2.4) - 0.055)


def painted(mesh: Mesh, colors, **material) -> Mesh:
    """The mesh with one colour, or one for each vertex."""
    colors = np.broadcast_to(np.asarray(colors, np.float32), (mesh.vertex_count, 4)).copy()
    return dataclasses.replace(mesh, colors=colors, material=dataclasses.replace(mesh.material, **material))


def rainbow(mesh: Mesh) -> Mesh:
    low, high = mesh.positions.min(axis=0), mesh.positions.max(axis=0)
    shares = (mesh.positions - low) / (high - low)
    return painted(mesh, np.concatenate([shares, np.ones((len(shares), 1))], axis=1))


def test_bytes_of_a_vertex():
    """Four for colours of 8 bits; none without them."""
    plain = interleave(flat_box()).dtype.itemsize
    assert interleave(painted(flat_box(), [0.2, 0.4, 0.6, 1])).dtype.itemsize == plain + 4
    assert interleave(painted(flat_box(), [1 / 65535, 0, 0, 1])).dtype.itemsize == plain + 8
    assert interleave(painted(flat_box(), [1 / 3 + 1e-5, 0, 0, 1])).dtype.itemsize == plain + 16


@EXHAUSTIVE
@pytest.mark.parametrize("skinning", ["linear", "dual_quaternion"])
@pytest.mark.parametrize("make", [capsule, flat_box])
def test_one_color_for_all_vertices_is_a_base_color(renderer, make, skinning):
    """In sun and shadow, whatever the texture: within a rounding."""
    texture = Texture(np.random.default_rng(0).integers(0, 255, (8, 8, 4)).astype(np.uint8))
    for material in (Material(), Material(texture=texture), Material(double_sided=True)):
        mesh = make(material=material)
        as_base = dataclasses.replace(mesh, material=dataclasses.replace(material, base_color=BROWN))
        pictures = [
            take_picture(renderer, [crowd_of(renderer, m)], lighting=SUN) for m in (painted(mesh, BROWN), as_base, mesh)
        ]
        assert np.abs(pictures[0].astype(int) - pictures[1]).max() <= 1
        assert (np.abs(pictures[0].astype(int) - pictures[2]).max(axis=-1) > 30).sum() > 500


@pytest.mark.parametrize("make", [capsule, flat_box])
def test_unlit_colors_are_what_the_file_says(renderer, make):
    """Interpolated between the vertices, times the base colour, whatever sun and shadow: against a plain rasteriser."""
    mesh = rainbow(make(material=Material(base_color=(0.9, 0.5, 1.0, 1.0), unlit=True)))
    camera = lookup(azimuth=0.5, elevation=0.4)
    with renderer.target(*SIZE) as target:
        view = View.of(camera, target.aspect)
        renderer.draw(target, view, SUN, None, [crowd_of(renderer, mesh)])
        shown = target.read_pixels().astype(float)
    corners = mesh.indices.reshape(-1, 3)
    seen = rasterize(mesh.positions[corners], view, SIZE)
    inner = seen.sure & (seen.triangle >= 0)
    for shift in ((0, 1), (0, -1), (1, 0), (-1, 0)):  # four samples: whole pixels of one triangle alone
        inner &= np.roll(seen.triangle, shift, (0, 1)) == seen.triangle
    colors = np.sum(mesh.colors[corners][seen.triangle[inner]] * seen.weights[inner][..., None], axis=1)[:, :3]
    assert inner.sum() > 300
    assert np.abs(shown[inner] - encoded(colors * (0.9, 0.5, 1.0))).max() < 3


def test_unlit_surfaces_fade_into_the_fog(renderer):
    """At its end there is nothing but the horizon's colour."""
    near, far = (GroundStyle(height=0.5, fog_start=start, fog_end=start + 0.5) for start in (50.0, 0.0))
    crowd = crowd_of(renderer, capsule(material=Material(base_color=(1, 0, 0, 1), unlit=True)))
    shown, fogged, nothing = (
        take_picture(renderer, drawn, lookup(), ground=ground).astype(int)
        for drawn, ground in (([crowd], near), ([crowd], far), ([], far))
    )
    middle = SIZE[1] // 2, SIZE[0] // 2
    assert shown[middle].tolist() == [255, 0, 0]
    assert np.abs(nothing[middle] - fogged[middle]).max() <= 2


def test_alpha_of_vertices_makes_holes(renderer):
    """In the picture, in the passes and in the shadow; half a box is clear."""
    box = flat_box(Material(alpha_cutoff=0.5))
    alpha = (box.positions[:, 0] > 0).astype(np.float32)  # 0.5 in the middle of each face
    holed = painted(box, np.stack([1 + 0 * alpha] * 3 + [alpha], axis=1))
    ids = draw(
        renderer, [lone(renderer, holed, first_id=5)], view=View.of(lookup(azimuth=np.pi), SIZE[0] / SIZE[1])
    ).ids
    whole = draw(
        renderer, [lone(renderer, box, first_id=5)], view=View.of(lookup(azimuth=np.pi), SIZE[0] / SIZE[1])
    ).ids
    middle = ids.shape[1] // 2
    assert (ids[:, middle + 1 :] == whole[:, middle + 1 :]).mean() > 0.99
    assert whole[:, :middle].any()
    assert (ids[:, : middle - 1] > 0).sum() < 0.5 * (whole[:, : middle - 1] > 0).sum(), "the far side is seen instead"
    texture = np.full((1, 2, 4), 255, np.uint8)
    texture[0, 0, 3] = 0
    uvs = np.stack([box.positions[:, 0] + 0.5, 0 * alpha], axis=1).astype(np.float32)
    material = Material(alpha_cutoff=0.5, texture=Texture(texture, repeat=False))
    by_texture = dataclasses.replace(box, uvs=uvs, material=material)
    sun = Lighting(sun_direction=(0.2, 1.0, 0.3), shadows="map")
    first, second, solid = (
        take_picture(renderer, [crowd_of(renderer, mesh)], lookup(elevation=0.6), lighting=sun).astype(int)
        for mesh in (holed, by_texture, box)
    )
    assert (np.abs(first - second).max(axis=-1) > 12).sum() < 150
    assert (np.abs(first - solid).max(axis=-1) > 12).sum() > 1000


@pytest.mark.parametrize("unlit", [False, True])
@EXHAUSTIVE
def test_impostors_show_them(renderer, unlit):
    """A mannequin painted by its vertices, green and red, beside one whose base colour is that: the same pictures."""
    rig = load_model("mannequin")
    rig = dataclasses.replace(rig, clips={"idle": rig.clips["idle"]})
    bake = bake_rig(rig, BakeOptions())
    color, actors = (0.1, 0.6, 0.2, 1.0), company(1, 10)
    actors["tint"] = 65535
    shown = []
    for by_vertex in (True, False):
        meshes = tuple(
            painted(mesh, color, base_color=(1, 1, 1, 1), texture=None, unlit=unlit)
            if by_vertex
            else dataclasses.replace(mesh, material=Material(base_color=color, unlit=unlit))
            for mesh in rig.meshes
        )
        levels = build_levels(dataclasses.replace(rig, meshes=meshes), bake)
        crowd = baked_crowd_of(renderer, bake, levels, plan_impostors(levels, bake))
        shown.append(picture(renderer, crowd, actors, camera_for(24.0), lighting=SUN))
    nobody = picture(renderer, crowd, actors[:0], camera_for(24.0), lighting=SUN)
    assert np.abs(shown[0] - shown[1]).max() <= 2
    body = np.abs(shown[0] - nobody).max(axis=-1) > 40
    assert body.sum() > 200
    if unlit:
        expected = encoded(np.array(color[:3]))
        away = np.abs(shown[0] - expected).max(axis=-1)
        assert (away[body] < 12).mean() > 0.5, "all but the outlines, whatever the sun"


def test_ground_shows_vertex_colors_and_unlit_surfaces(renderer):
    colors = np.tile(np.float32(BROWN[:3]), (4, 1))
    plain = picture_of(renderer, floor_at(0.0, color=BROWN[:3]), ground=BARE)
    by_vertex = picture_of(renderer, floor_at(0.0, color=(1.0, 1.0, 1.0), colors=colors), ground=BARE)
    assert np.abs(plain - by_vertex).max() <= 1
    unlit = picture_of(renderer, floor_at(0.0, color=(1.0, 1.0, 1.0), colors=colors, unlit=True), ground=BARE)
    below = unlit[SIZE[1] - 5, SIZE[0] // 2]
    assert np.abs(below - encoded(np.array(BROWN[:3]))).max() <= 1

"""Shadows against the geometry of light."""

import dataclasses
import gc
import math

import numpy as np
import pytest

from ecs_anim.assets.mesh import Material, Mesh, Texture
from ecs_anim.gl.device import api as gl
from ecs_anim.gl.device.buffers import address
from ecs_anim.gl.model.crowd import CrowdDraw
from ecs_anim.gl.picture.renderer import Renderer
from ecs_anim.rigs.bones import ball_mesh
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.loader import parse_scene
from ecs_anim.systems.drawing import DrawWorld
from ecs_anim.view.camera import OrbitCamera
from ecs_anim.view.quality import FINEST
from ecs_anim.view.quality import MAP_SIZE as SIZE
from ecs_anim.view.style import GroundStyle, Lighting, View
from ecs_anim.view.sun_fit import fit_sun
from tests.gl.test_ownership import live_names
from tests.gl.test_renderer import srgb
from tests.gl.test_surface import floor_at, quad
from tests.helpers.gl import (  # noqa: F401
    capsule,
    context_fixture,
    flat_box,
    identity_palettes,
    instances_at,
    renderer_fixture,
)

PICTURE = (320, 240)
BARE = GroundStyle(line_color=GroundStyle.color, fog_start=1000.0, fog_end=2000.0)
NO_GROUND = dataclasses.replace(BARE, plane=False)
SUNS = [(0.62, 0.72, 0.42), (-0.9, 0.5, 0.1), (0.1, 0.9, -0.6), (0.0, 1.0, 0.0)]
FROM_ABOVE = OrbitCamera(target=np.zeros(3), distance=8.0, elevation=math.radians(88.0))


def crowd_of(renderer: Renderer, mesh: Mesh, *translations, **changes) -> CrowdDraw:
    places = np.array(translations or [(0.0, 0.0, 0.0)], np.float32)
    return CrowdDraw(renderer.upload((mesh,)), instances_at(places), identity_palettes(len(places)), 0.0, **changes)


def picture(renderer, crowds, sun=SUNS[0], camera=FROM_ABOVE, ground=BARE, surfaces=(), shadows="map") -> np.ndarray:
    lighting = Lighting(sun_direction=sun, shadows=shadows)
    buffers = [renderer.upload_surface(surface) for surface in surfaces]
    with renderer.target(*PICTURE) as target:
        renderer.draw(target, View.of(camera, target.aspect), lighting, ground, crowds, buffers)
        pixels = target.read_pixels().astype(int)
    for surface in buffers:
        surface.free()
    return pixels


def shadow_of(renderer, crowds, **arguments) -> np.ndarray:
    """Which pixels the map makes darker."""
    lit, shaded = (picture(renderer, crowds, shadows=mode, **arguments) for mode in ("none", "map"))
    assert (shaded <= lit + 1).all(), "a shadow never makes anything lighter"
    return (lit - shaded).max(axis=-1) > 20


def seen_at(points, camera=FROM_ABOVE) -> np.ndarray:
    """Row and column [..., 2] of world points."""
    view = View.of(camera, PICTURE[0] / PICTURE[1])
    points = np.asarray(points, np.float64)
    clip = np.concatenate([points, np.ones((*points.shape[:-1], 1))], axis=-1) @ (view.projection @ view.view).T
    across, up = np.moveaxis(clip[..., :2] / clip[..., 3:], -1, 0)
    return np.stack([(1 - up) / 2 * PICTURE[1] - 0.5, (1 + across) / 2 * PICTURE[0] - 0.5], axis=-1)


@pytest.mark.parametrize("sun", SUNS[:3])
@pytest.mark.parametrize("ground", ["plane", "surface"])
def test_a_balls_shadow_lies_where_the_sun_puts_it(renderer, sun, ground):
    """An ellipse: the ball's disc across the light, drawn out by 1 / sin(elevation) along it."""
    place, radius = np.array([0.3, 1.4, -0.2]), 0.25
    ball = crowd_of(renderer, ball_mesh(radius, Material()), place)
    where = {"ground": BARE} if ground == "plane" else {"ground": NO_GROUND, "surfaces": [floor_at(0.0)]}
    shadow = shadow_of(renderer, [ball], sun=sun, **where)
    direction = np.array(sun) / np.linalg.norm(sun)
    expected = seen_at(place - direction * place[1] / direction[1])
    rows, columns = np.nonzero(shadow)
    metre = np.linalg.norm(seen_at([1.0, 0, 0]) - seen_at([0.0, 0, 0]))  # [pixel]
    np.testing.assert_allclose([rows.mean(), columns.mean()], expected, atol=0.02 * metre + 0.5)
    assert shadow.sum() == pytest.approx(math.pi * radius**2 / direction[1] * metre**2, rel=0.08)


def test_a_shadow_takes_the_direct_sun_and_leaves_the_rest(renderer):
    """Half-Lambert is n.s plus ((1 - n.s) / 2)^2: in the shadow the second is left, with the light of the sky."""
    lighting = Lighting()
    sun = np.array(lighting.sun_direction) / np.linalg.norm(lighting.sun_direction)
    box = crowd_of(renderer, flat_box(size=2.0))
    seen = picture(renderer, [box])
    shaded, lit = np.array([-1.6, 0, -1.2]), np.array([1.6, 0, 1.2])
    for point, direct in ((shaded, 0.0), (lit, sun[1])):
        share = direct + ((1 - sun[1]) / 2) ** 2
        light = share * np.array(lighting.sun_color) + np.array(lighting.sky_color)
        row, column = np.round(seen_at(point)).astype(int)
        reflected = light * np.array(BARE.color)
        np.testing.assert_allclose(seen[row, column], [srgb(min(part, 0.7)) for part in reflected], atol=3)


@pytest.mark.parametrize("sun", SUNS)
@pytest.mark.parametrize("make_mesh", [lambda: ball_mesh(0.5, Material()), flat_box, lambda: capsule(48, 40)])
def test_a_convex_body_never_shades_itself(renderer, make_mesh, sun):
    """No acne, near and far, on closed bodies (ball, box) and on one with open ends (capsule)."""
    body = crowd_of(renderer, make_mesh())
    for distance, azimuth in ((2.5, 0.3), (9.0, 2.0), (30.0, 4.0)):
        camera = OrbitCamera(target=np.array([0, 0.5, 0]), distance=distance, azimuth=math.pi - azimuth, elevation=0.4)
        lit, shaded = (picture(renderer, [body], sun, camera, None, shadows=mode) for mode in ("none", "map"))
        difference = np.abs(lit - shaded).max(axis=-1)
        assert difference.max() <= 12
        assert (difference > 4).sum() <= 20, "a few at the outline, whose samples lie outside the triangles"


@pytest.mark.parametrize("sun", [*SUNS, (1.0, 0.15, 0.3)])
def test_level_ground_never_shades_itself(renderer, sun):
    for camera in (FROM_ABOVE, OrbitCamera(distance=30.0, elevation=0.1)):
        for double_sided in (False, True):
            surface = floor_at(0.0, 50.0, double_sided=double_sided)
            lit, shaded = (picture(renderer, [], sun, camera, NO_GROUND, [surface], mode) for mode in ("none", "map"))
            assert np.abs(lit - shaded).max() <= 2


def test_shadows_begin_where_a_body_stands(renderer):
    """No peter-panning: from 2 cm behind a box's wall the ground is dark, and 2 cm before it the ground is light."""
    box = crowd_of(renderer, flat_box())
    along = np.linspace(-0.45, 0.45, 10)
    for z, azimuth, dark in ((-0.52, 0.0, True), (-0.9, 0.0, True), (0.52, math.pi, False)):
        camera = OrbitCamera(target=np.array([0, 0, z]), distance=3.0, azimuth=azimuth, elevation=0.6)
        shadow = shadow_of(renderer, [box], sun=(0.0, 0.7, 0.7), camera=camera)
        row, column = np.round(seen_at(np.stack([along, 0 * along, 0 * along + z], axis=-1), camera)).astype(int).T
        assert (shadow[row, column] == dark).all(), z


def test_uneven_ground_shades_what_lies_behind_it(renderer):
    wall = quad((-2, 0, 0), (4, 0, 0), (0, 1.5, 0), double_sided=True)
    shadow = shadow_of(renderer, [], sun=(0.0, 1.0, 1.0), ground=NO_GROUND, surfaces=[floor_at(0.0), wall])
    for z, dark in ((-0.2, True), (-1.3, True), (-1.7, False), (0.3, False)):
        row, column = np.round(seen_at([0.5, 0.0, z])).astype(int)
        assert shadow[row, column] == dark, z


def test_actors_shade_each_other(renderer):
    """A tall body between the sun and a ball takes the sun from it."""
    ball, tower = ball_mesh(0.3, Material()), flat_box(size=3.0)
    camera = OrbitCamera(target=np.array([0, 0.5, -4.0]), distance=3.0, azimuth=math.pi / 2, elevation=0.3)
    sun = (0.0, 0.3, 1.0)
    alone = picture(renderer, [crowd_of(renderer, ball, (0, 0.5, -4.0))], sun, camera, None)
    behind = picture(renderer, [crowd_of(renderer, ball, (0, 0.5, -4.0)), crowd_of(renderer, tower)], sun, camera, None)
    sunny = alone[..., 2] > 235  # blue of the ball's bright side; the sky is bluer than red there
    sunny &= alone[..., 0] > alone[..., 2]
    assert sunny.sum() > 300
    assert np.percentile((alone - behind)[sunny, 0], 5) > 60


def test_another_mesh_may_cast_and_no_mesh(renderer):
    small = crowd_of(renderer, ball_mesh(0.2, Material()), (0.0, 1.0, 0.0))
    large = dataclasses.replace(small, caster=renderer.upload((ball_mesh(0.6, Material()),)))
    none = dataclasses.replace(small, casts_shadow=False)
    areas = [shadow_of(renderer, [crowd]).sum() for crowd in (small, large, none)]
    assert areas[1] > 5 * areas[0]
    assert areas[2] == 0


def test_what_is_drawn_in_front_is_seen_through_all_and_in_nobodys_shadow(renderer):
    camera = OrbitCamera(target=np.array([0, 0.5, 0]), distance=4.0, elevation=0.2)
    box = crowd_of(renderer, flat_box())
    inside = dataclasses.replace(crowd_of(renderer, ball_mesh(0.3, Material()), (0, 0.5, 0)), casts_shadow=False)
    ahead = dataclasses.replace(inside, in_front=True)
    alone = picture(renderer, [inside], camera=camera, shadows="none")
    nothing, hidden, seen = (picture(renderer, [box, *more], camera=camera) for more in ([], [inside], [ahead]))
    np.testing.assert_array_equal(nothing, hidden)
    within = (alone != picture(renderer, [], camera=camera, shadows="none")).any(axis=-1)
    assert within.sum() > 500
    assert (np.abs(seen - alone).max(axis=-1)[within] <= 1).mean() > 0.9, "all but the outline"


def test_holes_in_a_cut_out_surface_let_the_sun_through(renderer):
    pixels = np.full((1, 2, 4), 255, np.uint8)
    pixels[0, 0, 3] = 0  # a hole where u < 0.5
    material = Material(texture=Texture(pixels, repeat=False), alpha_cutoff=0.5)
    box = flat_box(material)
    lids = box.indices.reshape(-1, 3)[box.normals[box.indices[2::3], 1] > 0.5]
    uvs = np.stack([box.positions[:, 0] + 0.5, 0 * box.positions[:, 0]], axis=-1).astype(np.float32)
    lid = dataclasses.replace(box, indices=lids.ravel().copy(), uvs=uvs)  # at y = 1
    shadow = shadow_of(renderer, [crowd_of(renderer, lid)], sun=(0.0, 1.0, 1.0))
    for x, dark in ((0.35, True), (-0.35, False)):
        row, column = np.round(seen_at([x, 0.0, -1.3])).astype(int)
        assert shadow[row, column] == dark


def test_shadows_end_softly(renderer):
    """Far from the camera the sun reaches everything, and nowhere on the way does the light jump."""
    camera = OrbitCamera(target=np.zeros(3), distance=6.0, elevation=0.4)
    wall = quad((6, 0, 20.0), (0, 0, -400.0), (0, 3.0, 0), double_sided=True)
    arguments = {"sun": (1.0, 1.0, 0.0), "camera": camera, "ground": NO_GROUND, "surfaces": [floor_at(0.0), wall]}
    lit, shaded = (picture(renderer, [], shadows=mode, **arguments) for mode in ("none", "map"))
    away = np.arange(0, 20, 0.1)
    row, column = np.round(seen_at(np.stack([0 * away + 4.5, 0 * away, -away], axis=-1), camera)).astype(int).T
    inside = column < PICTURE[0]
    along = (lit - shaded)[row[inside], column[inside], 0]
    assert along[0] > 40
    assert np.abs(along[-10:]).max() <= 1
    assert np.abs(np.diff(along)).max() < 25


def depth_map(renderer: Renderer, crowds, camera) -> np.ndarray:
    """Return the last picture's shadow map, [SIZE, SIZE] f32."""
    picture(renderer, crowds, camera=camera)
    depths = np.empty((SIZE, SIZE), np.float32)
    gl.glBindTexture(gl.GL_TEXTURE_2D, renderer._shadow_map._texture.name)
    gl.glGetTexImage(gl.GL_TEXTURE_2D, 0, gl.GL_DEPTH_COMPONENT, gl.GL_FLOAT, address(depths))
    return depths


@pytest.mark.exhaustive
def test_edges_stay_on_their_texels_while_the_camera_moves(renderer):
    """A move within a texel leaves the map as it is; a longer one, and a turn, shift it by whole texels."""
    bodies = [crowd_of(renderer, capsule(), (0, 0, 0), (1.3, 0, 0.4)), crowd_of(renderer, flat_box(), (-1.2, 0, 0.3))]
    start = OrbitCamera(target=np.zeros(3), distance=8.0, azimuth=math.pi - 0.3)
    before = depth_map(renderer, bodies, start)
    assert (before < 1).mean() > 0.005
    sun = Lighting().sun_direction

    def shift_of(camera) -> np.ndarray:
        fits = [fit_sun(View.of(c, PICTURE[0] / PICTURE[1]), sun, SIZE) for c in (start, camera)]
        return np.round((fits[1].rows[:, 3] - fits[0].rows[:, 3]) * SIZE).astype(int)

    shifts = []
    for step, turn in ((0.001, 0.0), (0.004, 0.0), (0.5, 0.0), (0.0, 0.2), (-0.3, 0.01)):
        camera = OrbitCamera(target=np.array([step, 0, step]), distance=8.0, azimuth=math.pi - (0.3 + turn))
        shift = shift_of(camera)
        shifts.append(shift)
        after = depth_map(renderer, bodies, camera)
        moved = np.roll(before, (shift[1], shift[0]), axis=(0, 1))
        covered = moved < 1
        differing = (after < 1) != covered
        assert differing.sum() <= 0.0005 * covered.sum(), "rounding may move a vertex over a texel's middle, no more"
        np.testing.assert_allclose((after - moved)[covered & ~differing], shift[2] / SIZE, atol=2e-5)
    assert not shifts[0].any()
    assert all(shift[:2].any() for shift in shifts[2:])


HILLS = """
title = "Hills"
[rigs.people]
model = "mannequin"
[ground]
kind = "heights"
size = [20.0, 20.0]
function = "0.3 * sin(x)"
[[crowds]]
rig = "people"
count = 3
layout = { kind = "disc" }
clips = [{ name = "walk" }]
"""


@pytest.mark.exhaustive
def test_worlds_come_and_go_and_leave_nothing(context, tmp_path):
    """Terrain is uploaded once a world, and freed for the next."""
    scene = parse_scene(HILLS, "hills.toml", tmp_path)
    gc.collect()  # frees the names of earlier tests now, and not during this test
    before = live_names()
    with Renderer(context) as renderer, renderer.target(64, 64) as target:
        drawing = DrawWorld(renderer)
        counts = []
        for _ in range(4):
            with load_scene(scene, threads=1) as world:
                for _ in range(2):
                    world.step(1 / 60)
                    drawing.draw(world, target)
                    counts.append(live_names())
        assert counts == counts[:1] * len(counts)
    assert live_names() == before


PLAZA_SUN = (0.548, 0.743, 0.384)  # in which edges along x run at 45 degrees over the map, but for a little


@pytest.mark.parametrize("sun", [PLAZA_SUN, SUNS[0], (0.3, 0.5, 0.32), (0.05, 0.7, 0.7)])
@pytest.mark.parametrize("across", [0, 2], ids=["along z", "along x"])
def test_straight_eaves_throw_straight_shadows(renderer, sun, across):
    """No saw's teeth: the line where half of the sun is left, found between pixels, is off by a part of a texel."""
    edges = {0: ((0, 2, 9), (0, 0, -18), (9, 0, 0)), 2: ((-9, 2, 0), (18, 0, 0), (0, 0, 9))}[across]
    roof = quad(*edges, double_sided=True)
    surfaces = [renderer.upload_surface(surface) for surface in (floor_at(0.0), roof)]
    quality = dataclasses.replace(FINEST, map_size=256)
    with renderer.target(*PICTURE) as target:
        view = View.of(dataclasses.replace(FROM_ABOVE, elevation=math.radians(89.9)), target.aspect)
        renderer.draw(target, view, Lighting(sun_direction=sun), NO_GROUND, [], surfaces, quality)
        light = target.read_pixels()[..., 0].astype(float)
    metre = np.linalg.norm(seen_at([0.0, 0, 0.5]) - seen_at([0.0, 0, -0.5]))  # [pixel]
    texel = fit_sun(view, sun, 256).texel * metre
    light = light if across == 2 else light.T
    edge = seen_at(-2 * np.array(sun) / sun[1] * (np.arange(3) == across))[0 if across == 2 else 1]
    found = [half_way(line, round(edge)) for line in light.T[20:-20]]
    places = np.arange(len(found))
    off = found - np.polyval(np.polyfit(places, found, 1), places)
    assert np.abs(found - edge).max() < 3 * texel, "where the sun puts it"
    assert np.sqrt(np.mean(off**2)) < 0.11 * texel


def half_way(line: np.ndarray, near: int) -> float:
    """Where a line of pixels crosses the middle between its light and its shadow, by `near`."""
    part = line[near - 15 : near + 15]
    middle = (part.min() + part.max()) / 2
    first = int(np.flatnonzero((part[:-1] - middle) * (part[1:] - middle) <= 0)[0])
    return near - 15 + first + (middle - part[first]) / (part[first + 1] - part[first])

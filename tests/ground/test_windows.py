"""Windows of boxes against areas, counts and rays."""

import numpy as np
import pytest

from ecs_anim.ground.boxes import Box
from ecs_anim.ground.surface import Surface
from ecs_anim.ground.windows import DOOR, RECESS, WindowColors, Windows, windowed_surfaces

COLORS = WindowColors((0.8, 0.8, 0.8), (0.3, 0.2, 0.1), (0.1, 0.1, 0.2))
WALL = (0.5, 0.4, 0.3)
BOX = Box((3.0, 6.0, -2.0), (8.0, 6.0, 5.0), turn=0.4)


def built(windows: Windows, box: Box = BOX) -> dict[str, Surface]:
    """The surfaces by the part that they show."""
    names = {WALL: "walls", COLORS.frame: "frames", COLORS.door: "doors", COLORS.glass: "panes"}
    return {names[own.color]: own for own in windowed_surfaces([box], windows, WALL, COLORS)}


def areas(surface: Surface) -> np.ndarray:
    a, b, c = np.moveaxis(surface.corners().astype(np.float64), 1, 0)
    return np.linalg.norm(np.cross(b - a, c - a), axis=-1) / 2


def in_box(points: np.ndarray, box: Box = BOX) -> np.ndarray:
    """Points in the coordinates of the box, from its turn about the vertical."""
    off = points.astype(np.float64) - box.top
    sine, cosine = np.sin(box.turn), np.cos(box.turn)
    return np.stack([cosine * off[:, 0] - sine * off[:, 2], off[:, 1], sine * off[:, 0] + cosine * off[:, 2]], axis=-1)


def nearest_hit(surfaces, start: np.ndarray, ray: np.ndarray) -> float:
    """The distance from `start` to the first triangle that faces the ray."""
    corners = np.concatenate([own.corners() for own in surfaces]).astype(np.float64)
    a, along, across = corners[:, 0], corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    normals = np.cross(along, across)
    facing = normals @ ray < -1e-12
    a, along, across, normals = a[facing], along[facing], across[facing], normals[facing]
    far = ((a - start) * normals).sum(axis=1) / (normals @ ray)
    off = start + far[:, None] * ray - a
    u = (np.cross(off, across) * normals).sum(axis=1) / (normals**2).sum(axis=1)
    v = (np.cross(along, off) * normals).sum(axis=1) / (normals**2).sum(axis=1)
    inside = (u >= 0) & (v >= 0) & (u + v <= 1) & (far > 0)
    return float(far[inside].min(initial=np.inf))


def test_each_side_has_the_windows_that_fit():
    panes = built(Windows(doors=False))["panes"]
    assert len(panes.positions) // 4 == 2 * 2 * 2 + 2 * 2 * 1  # two rows; 8 m have two windows, 5 m have one
    middles = in_box(panes.positions.reshape(-1, 4, 3).mean(axis=1))
    np.testing.assert_allclose(np.unique(middles[:, 1].round(4)) + 6.0, [1.75, 4.75], atol=1e-4)


@pytest.mark.parametrize("doors", [False, True])
def test_walls_openings_and_tops_have_the_area_of_the_box(doors):
    windows = Windows(doors=doors)
    parts = built(windows)
    walls = parts["walls"]
    inside = np.abs(in_box(walls.corners().mean(axis=1))[:, [0, 2]]) < np.array([8.0, 5.0]) / 2 - 1e-3
    top = np.isclose(walls.normals[walls.indices[::3], 1], 1.0) & ~np.isclose(walls.corners()[:, :, 1].max(axis=1), 6.0)
    faces = areas(walls)[(~inside.all(axis=1) & ~top) | np.isclose(walls.corners()[:, :, 1].min(axis=1), 6.0)].sum()
    openings = 12 * 1.1 * 1.5 + (4 * 1.1 * 1.0 if doors else 0.0)
    np.testing.assert_allclose(faces, 8.0 * 5.0 + 2 * (8.0 + 5.0) * 6.0 - openings, rtol=1e-5)


def test_panes_lie_behind_the_wall_and_frames_before_their_panes():
    parts = built(Windows())
    half = np.array([4.0, 2.5])
    depth = (half - np.abs(in_box(parts["panes"].positions.reshape(-1, 4, 3).mean(axis=1))[:, [0, 2]])).min(axis=1)
    np.testing.assert_allclose(depth, RECESS, atol=1e-5)
    frames = (half - np.abs(in_box(parts["frames"].positions)[:, [0, 2]])).min(axis=1)
    assert frames.max() < RECESS + 1e-5
    assert frames.min() < -0.05  # sills jut out


def test_rays_from_outside_meet_no_gap():
    parts = list(built(Windows()).values())
    rng = np.random.default_rng(1)
    sine, cosine = np.sin(BOX.turn), np.cos(BOX.turn)
    outwards = np.array([sine, 0.0, cosine])  # the side that faces +Z before the turn
    along = np.array([cosine, 0.0, -sine])
    middle = np.array(BOX.top) + 2.5 * outwards
    for across, down in rng.uniform((-3.9, 0.1), (3.9, 5.9), (200, 2)):
        start = middle + across * along - [0.0, down, 0.0] + 5.0 * outwards
        far = nearest_hit(parts, start, -outwards)
        assert 4.9 < far < 5.0 + RECESS + 1e-3


def test_a_door_reaches_the_lower_end_of_the_box():
    doors = built(Windows())["doors"]
    heights = doors.positions[:, 1]
    np.testing.assert_allclose([heights.min(), heights.max()], [0.0, DOOR], atol=1e-5)
    assert "doors" not in built(Windows(doors=False))


def test_a_box_without_room_has_no_windows():
    small = Box((0.0, 1.5, 0.0), (1.0, 1.5, 1.0))
    assert set(built(Windows(), small)) == {"walls"}

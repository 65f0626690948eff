"""Impostors: small pictures of a character from many view directions and at several times of its clips.

Impostors replace the meshes of actors that are a few pixels high. This module plans the impostor pictures and computes
their error. The package `ecs_anim.gl` draws the impostor pictures. The view directions have evenly spaced yaws around
the character, and evenly spaced elevations from horizontal to vertical. A layer contains all pictures with one
elevation. In a layer, each phase of each clip has one row. In a row, each yaw has one cell.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.mesh import Mesh
from ecs_anim.bake.bake import Bake
from ecs_anim.levels.levels import Levels
from ecs_anim.levels.surface import posed_points

YAWS, ELEVATIONS = 16, 5  # equal to the numbers in gl/shaders/impostor.vert; the last elevation is vertically down
CELL = 20, 40  # [texel], width and height
BORDER = 1.5  # [texel], width of the empty border of a cell
TEXEL_BYTES = 11  # bytes of two images, and one third more for their mipmaps
MEMORY = 64 << 20  # [byte], memory limit for the pictures of a character
PHASES = (4, 6, 8, 12, 16, 24, 32)  # possible numbers of pictures over a clip
# fraction of the character's size; in half a phase, most of the surface moves by at most this length
STEP = 0.03
QUANTILE = 0.95  # the error of a picture is this quantile over the surface, as for other levels of detail
TRIED, POINTS = 16, 250  # numbers of random view directions and of vertices that the measurement of the error uses


@dataclass(frozen=True)
class ClipPictures:
    """The impostor pictures of one clip."""

    # [phase_count, entry, 3, 4] f32, skin matrices of each picture's pose, at the middle of its phase
    palettes: NDArray[np.float32]
    first_row: int  # first row of the clip in each layer
    centre: NDArray[np.float64]  # [3] [rig units], centre of the upright bounding cylinder of all poses
    radius: float
    half_height: float
    # [elevation, phase, yaw, 4] f32, rectangle of a cell that is not empty: low x, low y, high x, high y in -1 to 1.
    boxes: NDArray[np.float32]
    cell: tuple[int, int] = CELL  # [texel]
    variant: int = 0  # number of the texture and figure in the pictures

    @property
    def phase_count(self) -> int:
        return len(self.palettes)

    def half_size(self, elevation: float) -> NDArray[np.float64]:
        """Return half the width and half the height [2] [rig units] of a picture cell.

        The picture has the elevation `elevation` [rad].
        """
        return half_cell(self.radius, self.half_height, elevation, self.cell)


@dataclass(frozen=True)
class Impostors:
    """All impostor pictures of a character. All pictures have equal cell sizes."""

    clips: tuple[ClipPictures, ...]
    level: int  # level of detail whose meshes the pictures show
    error: float  # [rig units], as in `Levels`

    @property
    def row_count(self) -> int:
        """Return the number of rows in each layer."""
        return sum(clip.phase_count for clip in self.clips)

    @property
    def cell(self) -> tuple[int, int]:
        """Return the width and height [texel] of each impostor picture."""
        return self.clips[0].cell


def most_rows(cell: tuple[int, int] = CELL, memory: int = MEMORY) -> int:
    """Return the number of layer rows that fit into `memory` bytes.

    Each impostor picture has the size `cell` [texel].
    """
    return memory // (ELEVATIONS * YAWS * cell[0] * cell[1] * TEXEL_BYTES)


def plan_impostors(levels: Levels, bake: Bake, max_rows: int | None = None) -> Impostors | None:
    """Plan the impostors of a character.

    Return None if the pictures need more rows than `max_rows`. The default of `max_rows` is `most_rows()`. Also return
    None if actors can differ in appearance. Actors differ if the rig has several textures, several figures or morph
    targets.
    """
    max_rows = most_rows() if max_rows is None else max_rows
    level = int(np.flatnonzero(levels.errors <= 0.5 * bake.size / CELL[1])[-1])
    meshes = levels.meshes[level]
    if any(mesh.morphs is not None or mesh.figures is not None or mesh.variant_count for mesh in meshes):
        return None
    clips: list[ClipPictures] = []
    for number in range(len(bake.clips)):
        clips.append(_pictures(bake, number, meshes, sum(clip.phase_count for clip in clips)))
        rows = clips[-1].first_row + clips[-1].phase_count
        if rows > max_rows:
            return None
    texel = max(float(clip.half_size(0.0).max()) * 2 / CELL[1] for clip in clips)
    error = max(_error(clip, bake, number, meshes) for number, clip in enumerate(clips))
    return Impostors(tuple(clips), level, float(np.hypot(error, 0.5 * texel)))


def with_impostors(levels: Levels, impostors: Impostors) -> Levels:
    """Return a copy of `levels` with one more level. The additional level consists of impostors and has no meshes."""
    error = np.float32(max(impostors.error, float(levels.errors[-1])))
    return replace(
        levels,
        meshes=(*levels.meshes, ()),
        entries=(*levels.entries, levels.entries[-1][:0]),
        errors=np.append(levels.errors, error),
        has_impostors=True,
    )


def axes(yaw: float | NDArray[np.float64], elevation: float | NDArray[np.float64]) -> NDArray[np.float64]:
    """Return three vectors [..., 3, 3] for each picture, in the actor's space: right, up, and towards the eye.

    A yaw [rad] is an angle from +z towards +x. With a positive elevation [rad], the eye looks down.
    """
    turned, raised = np.broadcast_arrays(yaw, elevation)
    right = [np.cos(turned), 0 * turned, -np.sin(turned)]
    up = [-np.sin(turned) * np.sin(raised), np.cos(raised), -np.cos(turned) * np.sin(raised)]
    back = [np.sin(turned) * np.cos(raised), np.sin(raised), np.cos(turned) * np.cos(raised)]
    return np.stack([np.stack(axis, axis=-1) for axis in (right, up, back)], axis=-2)


def elevation_of(step: int) -> float:
    """Return the elevation [rad] of all pictures in the layer with the number `step`."""
    return np.pi / 2 * step / (ELEVATIONS - 1)


def half_cell(radius: float, half_height: float, elevation: float, cell: tuple[int, int]) -> NDArray[np.float64]:
    """Return half the width and half the height [2] of a cell that has room for an upright cylinder and for the
    border.
    """
    size = np.array([radius, half_height * np.cos(elevation) + radius * np.sin(elevation)])
    return size * cell / (np.array(cell) - 2 * BORDER)


def pictures_of(
    palettes: NDArray[np.float32],
    points: NDArray[np.float64],
    first_row: int,
    cell: tuple[int, int] = CELL,
    variant: int = 0,
) -> ClipPictures:
    """Return a `ClipPictures` with pictures of one pose or of several poses.

    `palettes` [pose, entry, 3, 4] are the skin matrices of the poses. `points` [pose, vertex, 3] are all vertices in
    each pose.
    """
    low, high = points.min(axis=(0, 1)), points.max(axis=(0, 1))
    centre, half_height = (low + high) / 2, float(high[1] - low[1]) / 2
    radius = float(np.linalg.norm((points - centre)[..., [0, 2]], axis=-1).max())
    halves = [half_cell(radius, half_height, elevation_of(step), cell) for step in range(ELEVATIONS)]
    border = 2 * BORDER / np.array(cell)
    boxes = [_boxes(points - centre, elevation_of(step), half, border) for step, half in enumerate(halves)]
    return ClipPictures(palettes, first_row, centre, radius, half_height, np.stack(boxes), cell, variant)


def _pictures(bake: Bake, number: int, meshes: Sequence[Mesh], row: int) -> ClipPictures:
    """Return the pictures of a clip. The number of phases depends on the movement in the clip."""
    for count in PHASES:
        palettes = _palettes(bake, number, (np.arange(count) + 0.5) / count)
        points = posed_points(meshes, palettes)
        begins = posed_points(meshes, _palettes(bake, number, np.arange(count) / count))
        if np.quantile(np.linalg.norm(begins - points, axis=-1), QUANTILE) <= STEP * bake.size:
            break
    return pictures_of(palettes, points, row)


def _boxes(
    points: NDArray[np.float64], elevation: float, half: NDArray[np.float64], border: NDArray[np.float64]
) -> NDArray[np.float32]:
    """Return the bounding box of the points [phase, n, 3] in each picture, with a border: [phase, yaw, 4].

    Box coordinates are fractions of `half` [2], which is half the cell size.
    """
    yaws = 2 * np.pi * np.arange(YAWS) / YAWS
    seen = points @ axes(yaws, elevation)[:, :2].reshape(-1, 3).T
    low, high = (end.reshape(-1, YAWS, 2) / half for end in _ends(seen))
    return np.concatenate([low - border, high + border], axis=-1).astype(np.float32)


def _error(clip: ClipPictures, bake: Bake, number: int, meshes: Sequence[Mesh]) -> float:
    """Return the error [rig units] of a clip's pictures, measured at random times."""
    rng = np.random.default_rng(0)
    phases = rng.uniform(0, 1, TRIED)
    some = slice(None, None, -(-sum(mesh.vertex_count for mesh in meshes) // POINTS))
    there = (posed_points(meshes, _palettes(bake, number, phases)) - clip.centre)[:, some]
    near = np.floor(phases * clip.phase_count + rng.uniform(-0.5, 0.5, TRIED)).astype(int)
    shown = (posed_points(meshes, clip.palettes[np.clip(near, 0, clip.phase_count - 1)]) - clip.centre)[:, some]
    return apart_as_seen(there, shown, rng)


def apart_as_seen(there: NDArray[np.float64], shown: NDArray[np.float64], rng: np.random.Generator) -> float:
    """Return the error of impostor pictures: the larger quantile of two sets of distances.

    The first set contains the distances from pictured points to exact points. The second set contains the distances
    from exact points to pictured points. `there` [pose, point, 3] are the exact points and `shown` [pose, point, 3] are
    the pictured points. All points are relative to the centre of the cylinder. For each pose, the function uses a
    different random view direction. The elevations are up to 45 degrees, as in usual views of crowds. The exact points
    are projected in the random view direction, and the pictured points in the view direction of their picture.
    """
    count = len(there)
    raised = rng.uniform(0, np.pi / 4, count)
    step = elevation_of(1)
    pictured = step * np.floor(raised / step + rng.uniform(0, 1, count))
    turned = rng.uniform(0, 2 * np.pi, count)
    # random differences between the yaw of a view and the yaw of its picture: in a crowd, they depend on the positions
    # of the actors
    off = rng.triangular(-1, 0, 1, count) * (2 * np.pi / YAWS)
    flat_there = there @ np.swapaxes(axes(turned + off, raised)[:, :2], 1, 2)
    flat_shown = shown @ np.swapaxes(axes(turned, pictured)[:, :2], 1, 2)
    flat_shown[..., 1] *= (np.cos(raised) / np.cos(pictured))[:, None]
    away = np.linalg.norm(flat_there[:, :, None] - flat_shown[:, None], axis=-1)
    return max(float(np.quantile(away.min(axis=axis), QUANTILE)) for axis in (1, 2))


def _ends(points: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the minimum and the maximum [phase, axis] of the points [phase, n, axis] along each axis."""
    return points.min(axis=1), points.max(axis=1)


def _palettes(bake: Bake, number: int, phases: NDArray[np.float64]) -> NDArray[np.float32]:
    span = bake.clips[number].span
    return bake.palette(number, span.start + phases * span.duration, loop=False)

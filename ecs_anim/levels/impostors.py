"""Impostors: small pictures of a character from all sides and at moments of its clips, for actors of a few pixels.

What is to be pictured, and how far off the pictures are, is worked out here; `ecs_anim.gl` draws them. They are taken
from directions a step apart: all round the character, and from level to straight down. A layer holds all that are seen
from one elevation: a row for each phase of each clip in turn, in it a cell for each yaw.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.mesh import Mesh
from ecs_anim.bake.bake import Bake
from ecs_anim.levels.levels import Levels
from ecs_anim.levels.surface import posed_points

YAWS, ELEVATIONS = 16, 5  # as gl/shaders/impostor.vert says; of elevations the last is straight down
CELL = 20, 40  # [texel], width and height
BORDER = 1.5  # [texel] of a cell that stays empty
TEXEL_BYTES = 11  # two images, and a third of that for coarser ones
MEMORY = 64 << 20  # [byte] that a character's pictures take at most
PHASES = (4, 6, 8, 12, 16, 24, 32)  # numbers of moments at which a clip may be pictured
STEP = 0.03  # of the character's size, that most of its surface may move in half a phase
QUANTILE = 0.95  # of a surface, as of other levels of detail
TRIED, POINTS = 16, 250  # directions and vertices that sample the error


@dataclass(frozen=True)
class ClipPictures:
    """The pictures of one clip."""

    palettes: NDArray[np.float32]  # [phase_count, entry, 3, 4] f32, of the middle of each phase
    first_row: int  # in each layer
    centre: NDArray[np.float64]  # [3], of the upright cylinder that holds all poses [rig units]
    radius: float
    half_height: float
    # [elevation, phase, yaw, 4] f32, what is not empty of a cell: low xy, high xy in -1 to 1
    boxes: NDArray[np.float32]
    cell: tuple[int, int] = CELL  # [texel]
    variant: int = 0  # whose texture and figure they show

    @property
    def phase_count(self) -> int:
        return len(self.palettes)

    def half_size(self, elevation: float) -> NDArray[np.float64]:
        """Half the width and height [2] of a cell [rig units], seen from an elevation [rad]."""
        return half_cell(self.radius, self.half_height, elevation, self.cell)


@dataclass(frozen=True)
class Impostors:
    """All pictures of a character, in cells of one size."""

    clips: tuple[ClipPictures, ...]
    level: int  # of detail, that of the meshes pictured
    error: float  # [rig units], as of `Levels`

    @property
    def row_count(self) -> int:
        """Return the number of rows of each layer."""
        return sum(clip.phase_count for clip in self.clips)

    @property
    def cell(self) -> tuple[int, int]:
        """Width and height [texel] of each picture."""
        return self.clips[0].cell


def most_rows(cell: tuple[int, int] = CELL, memory: int = MEMORY) -> int:
    """How many rows of cells [texel] fit into so many bytes."""
    return memory // (ELEVATIONS * YAWS * cell[0] * cell[1] * TEXEL_BYTES)


def plan_impostors(levels: Levels, bake: Bake, max_rows: int | None = None) -> Impostors | None:
    """Plan the impostors of a character; None if they need more rows, or if actors differ.

    Actors differ if they choose among textures or figures, or have morph targets. `max_rows` None = `most_rows`.
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
    """Levels and one more, without meshes, that is shown by pictures."""
    error = np.float32(max(impostors.error, float(levels.errors[-1])))
    return replace(
        levels,
        meshes=(*levels.meshes, ()),
        entries=(*levels.entries, levels.entries[-1][:0]),
        errors=np.append(levels.errors, error),
        has_impostors=True,
    )


def axes(yaw: float | NDArray[np.float64], elevation: float | NDArray[np.float64]) -> NDArray[np.float64]:
    """Right, up and towards the eye [..., 3, 3] of pictures, as the actor sees them.

    Yaws [rad] turn from +z towards +x; at an elevation [rad] above 0 the eye looks down.
    """
    turned, raised = np.broadcast_arrays(yaw, elevation)
    right = [np.cos(turned), 0 * turned, -np.sin(turned)]
    up = [-np.sin(turned) * np.sin(raised), np.cos(raised), -np.cos(turned) * np.sin(raised)]
    back = [np.sin(turned) * np.cos(raised), np.sin(raised), np.cos(turned) * np.cos(raised)]
    return np.stack([np.stack(axis, axis=-1) for axis in (right, up, back)], axis=-2)


def elevation_of(step: int) -> float:
    """[rad]."""
    return np.pi / 2 * step / (ELEVATIONS - 1)


def half_cell(radius: float, half_height: float, elevation: float, cell: tuple[int, int]) -> NDArray[np.float64]:
    """Half the width and height [2] of a cell [texel] that holds an upright cylinder and an empty border."""
    size = np.array([radius, half_height * np.cos(elevation) + radius * np.sin(elevation)])
    return size * cell / (np.array(cell) - 2 * BORDER)


def pictures_of(
    palettes: NDArray[np.float32],
    points: NDArray[np.float64],
    first_row: int,
    cell: tuple[int, int] = CELL,
    variant: int = 0,
) -> ClipPictures:
    """Pictures of poses: palettes [pose, entry, 3, 4], and all vertices in each [pose, vertex, 3]."""
    low, high = points.min(axis=(0, 1)), points.max(axis=(0, 1))
    centre, half_height = (low + high) / 2, float(high[1] - low[1]) / 2
    radius = float(np.linalg.norm((points - centre)[..., [0, 2]], axis=-1).max())
    halves = [half_cell(radius, half_height, elevation_of(step), cell) for step in range(ELEVATIONS)]
    border = 2 * BORDER / np.array(cell)
    boxes = [_boxes(points - centre, elevation_of(step), half, border) for step, half in enumerate(halves)]
    return ClipPictures(palettes, first_row, centre, radius, half_height, np.stack(boxes), cell, variant)


def _pictures(bake: Bake, number: int, meshes: Sequence[Mesh], row: int) -> ClipPictures:
    """A clip at as many phases as it takes."""
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
    """Return the boxes of points [phase, n, 3], with a border, as shares of the cell half size [2]: [phase, yaw, 4]."""
    yaws = 2 * np.pi * np.arange(YAWS) / YAWS
    seen = points @ axes(yaws, elevation)[:, :2].reshape(-1, 3).T
    low, high = (end.reshape(-1, YAWS, 2) / half for end in _ends(seen))
    return np.concatenate([low - border, high + border], axis=-1).astype(np.float32)


def _error(clip: ClipPictures, bake: Bake, number: int, meshes: Sequence[Mesh]) -> float:
    """How far off a clip's pictures are at moments spread evenly [rig units]."""
    rng = np.random.default_rng(0)
    phases = rng.uniform(0, 1, TRIED)
    some = slice(None, None, -(-sum(mesh.vertex_count for mesh in meshes) // POINTS))
    there = (posed_points(meshes, _palettes(bake, number, phases)) - clip.centre)[:, some]
    near = np.floor(phases * clip.phase_count + rng.uniform(-0.5, 0.5, TRIED)).astype(int)
    shown = (posed_points(meshes, clip.palettes[np.clip(near, 0, clip.phase_count - 1)]) - clip.centre)[:, some]
    return apart_as_seen(there, shown, rng)


def apart_as_seen(there: NDArray[np.float64], shown: NDArray[np.float64], rng: np.random.Generator) -> float:
    """How far most of what is shown is from the nearest that there is, and the other way about.

    Both [pose, point, 3] about the cylinder's middle, each pose seen from another direction, spread evenly up to 45
    degrees above the horizon, as crowds are looked at, and shown as its picture's was.
    """
    count = len(there)
    raised = rng.uniform(0, np.pi / 4, count)
    step = elevation_of(1)
    pictured = step * np.floor(raised / step + rng.uniform(0, 1, count))
    turned = rng.uniform(0, 2 * np.pi, count)
    off = rng.triangular(-1, 0, 1, count) * (2 * np.pi / YAWS)  # as actors round at different places
    flat_there = there @ np.swapaxes(axes(turned + off, raised)[:, :2], 1, 2)
    flat_shown = shown @ np.swapaxes(axes(turned, pictured)[:, :2], 1, 2)
    flat_shown[..., 1] *= (np.cos(raised) / np.cos(pictured))[:, None]
    away = np.linalg.norm(flat_there[:, :, None] - flat_shown[:, None], axis=-1)
    return max(float(np.quantile(away.min(axis=axis), QUANTILE)) for axis in (1, 2))


def _ends(points: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The least and the greatest of points [phase, n, axis]."""
    return points.min(axis=1), points.max(axis=1)


def _palettes(bake: Bake, number: int, phases: NDArray[np.float64]) -> NDArray[np.float32]:
    span = bake.clips[number].span
    return bake.palette(number, span.start + phases * span.duration, loop=False)

"""Triangles sorted into a grid of square cells above the x-z plane, for rays straight down.

A uniform grid (Fujimoto, Tanaka and Iwata 1986), in two dimensions because all rays are vertical. A cell holds copies
of what its rays need of its triangles, in the cell's own coordinates, so that a ray reads one stretch of memory.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ground.arrays import OFFSET, RECORD_WIDTH, SLOPE_X, SLOPE_Z

STEEPEST = 1e3  # slope of the steepest triangle that anybody can stand on: steeper ones are walls
MARGIN = (
    1e-6  # [cell sizes], by which edges are moved outwards: more than float32 rounds, so that nothing falls between
)
RECORDS_PER_TRIANGLE = 6  # at most, on average; more is taken for too fine a grid
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class TriangleGrid:
    """Records of triangles by cell; see GroundArrays."""

    origin: tuple[float, float, float]  # [m]
    spacing: float  # [m], size of a cell
    columns: int
    rows: int
    starts: NDArray[np.int32]  # [rows * columns + 1]
    records: NDArray[np.float32]  # [record_count, RECORD_WIDTH]

    @classmethod
    def of(cls, triangles: Floats, double_sided: NDArray[np.bool_]) -> Self:
        """The grid of triangles [triangle_count, 3, 3] [m]. Raises ValueError where none faces up."""
        kept = facing_up(triangles, double_sided)
        if not len(kept):
            raise ValueError("has no triangle that faces up")
        origin = kept.min(axis=(0, 1))
        local = kept - origin
        spacing = cell_size(local)
        columns, rows = (int(count) for count in np.floor(local[..., [0, 2]].max(axis=(0, 1)) / spacing) + 1)
        starts, records = _by_cell(local / [spacing, 1, spacing], columns, rows)
        return cls((float(origin[0]), float(origin[1]), float(origin[2])), spacing, columns, rows, starts, records)


def facing_up(triangles: Floats, double_sided: NDArray[np.bool_]) -> Floats:
    """The triangles that hold somebody, all with normals that point up; double-sided ones are turned where need be."""
    finite = np.isfinite(triangles).all(axis=(1, 2))
    normal = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    turned = (normal[:, 1] < 0) & double_sided
    up = np.where(turned, -normal[:, 1], normal[:, 1])
    level = np.hypot(normal[:, 0], normal[:, 2]) <= STEEPEST * up
    whole = np.where(turned[:, None, None], triangles[:, ::-1], triangles)
    return whole[finite & level & (up > 0)]


def cell_size(triangles: Floats) -> float:
    """The finest size [m] at which cells are about as many as triangles and copies do not abound."""
    extent = np.ptp(triangles[..., [0, 2]], axis=1)
    width, depth = triangles[..., [0, 2]].max(axis=(0, 1))
    limit = RECORDS_PER_TRIANGLE * len(triangles)
    size = float(np.sqrt(width * depth / len(triangles)))
    while np.prod(extent / size + 1, axis=1).sum() > limit:
        size *= 1.2
    return size


def _by_cell(triangles: Floats, columns: int, rows: int) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """Starts and records of triangles in cell sizes, relative to the grid's corner."""
    plan = triangles[..., [0, 2]]
    most = np.array([columns - 1, rows - 1])
    low = np.clip(np.floor(plan.min(axis=1) - MARGIN), 0, most).astype(np.int64)
    span = np.clip(np.floor(plan.max(axis=1) + MARGIN), 0, most).astype(np.int64) - low + 1
    counts = span[:, 0] * span[:, 1]
    owner = np.repeat(np.arange(len(plan)), counts)
    rank = np.arange(len(owner)) - np.repeat(np.cumsum(counts) - counts, counts)
    cell = low[owner] + np.stack([rank % span[owner, 0], rank // span[owner, 0]], axis=-1)
    records = _records(triangles, owner, cell)
    touched = _touches(records)
    number = (cell[:, 1] * columns + cell[:, 0])[touched]
    order = np.argsort(number, kind="stable")
    starts = np.searchsorted(number[order], np.arange(columns * rows + 1)).astype(np.int32)
    return starts, np.ascontiguousarray(records[touched][order], np.float32)


def _records(triangles: Floats, owner: NDArray[np.int64], cell: NDArray[np.int64]) -> Floats:
    """Edges and planes [record_count, RECORD_WIDTH] of triangles owner [record_count], from the corners of cells."""
    records = np.empty((len(owner), RECORD_WIDTH))
    plan, height = triangles[..., [0, 2]], triangles[..., 1]
    for edge in range(3):
        begin, along = plan[:, edge], plan[:, (edge + 1) % 3] - plan[:, edge]
        inward = np.stack([along[:, 1], -along[:, 0]], axis=-1) / np.hypot(along[:, 0], along[:, 1])[:, None]
        offset = np.sum(inward[owner] * (cell - begin[owner]), axis=-1) + MARGIN
        records[:, 3 * edge : 3 * edge + 3] = np.column_stack([inward[owner], offset])
    slope = slopes(triangles)
    records[:, [SLOPE_X, SLOPE_Z]] = slope[owner]
    records[:, OFFSET] = height[owner, 0] + np.sum(slope[owner] * (cell - plan[owner, 0]), axis=-1)
    return records


def slopes(triangles: Floats) -> Floats:
    """Rise along x and along z [..., 2] of triangles [..., 3, 3] that are not vertical."""
    normal = np.cross(triangles[..., 1, :] - triangles[..., 0, :], triangles[..., 2, :] - triangles[..., 0, :])
    return -normal[..., [0, 2]] / normal[..., 1:2]


def _touches(records: Floats) -> NDArray[np.bool_]:
    """Whether each record's triangle overlaps its cell: no edge has the whole cell outside (separating axes)."""
    inside = np.ones(len(records), bool)
    for edge in range(0, 9, 3):
        a, b, c = records[:, edge : edge + 3].T
        inside &= c + np.maximum(a, 0) + np.maximum(b, 0) >= 0
    return inside

"""Geometric error of a level of detail: the distance of its surface from the finest level.

The module measures the distance in poses of the character's clips.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.mesh import Mesh
from ecs_anim.bake.bake import Bake
from ecs_anim.levels.surface import Points, Surface, SurfacePoints, nearest_points, posed_points

POINTS = 400  # largest number of compared points on a surface
CANDIDATES = 8  # number of candidates for the nearest triangle
QUANTILE = 0.95


def sample_palettes(bake: Bake, count: int) -> NDArray[np.float32]:
    """Return the palettes [count, entry, 3, 4] at `count` times that are evenly distributed over all clips."""
    ends = np.cumsum([0.0, *(max(clip.span.duration, 1e-6) for clip in bake.clips)])
    moments = (np.arange(count) + 0.5) / count * ends[-1]
    parts = []
    for number, clip in enumerate(bake.clips):
        since = moments[(moments >= ends[number]) & (moments < ends[number + 1])] - ends[number]
        parts.append(bake.palette(number, clip.span.start + since, loop=False))
    return np.concatenate(parts)


class Comparison:
    """Comparison of coarse meshes with the finest level of detail in a fixed set of poses.

    The coarse meshes can have any skin binding. For each vertex of one level, the constructor finds candidate points in
    the bind pose: the nearest points on the nearest triangles of the other level. For each candidate, the comparison
    computes the largest distance from the vertex over all poses. The candidate with the smallest of these distances is
    the counterpart of the vertex. The measured error is therefore never less than the distance to the nearest surface
    point.
    """

    def __init__(self, finest: Sequence[Mesh], coarse: Sequence[Mesh], palettes: NDArray[np.float32]) -> None:
        self._palettes = palettes
        self._finest, self._coarse = Surface.shown(finest), Surface.shown(coarse)
        self._posed = posed_points(finest, palettes)
        self._fine_rows, self._coarse_rows = _some(self._finest), _some(self._coarse)
        self._on_coarse = nearest_points(self._finest.positions[self._fine_rows], self._coarse, CANDIDATES)
        self._on_finest = nearest_points(self._coarse.positions[self._coarse_rows], self._finest, CANDIDATES)

    def distances(
        self, coarse: Sequence[Mesh], palettes: NDArray[np.float32] | None = None
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return two arrays of distances [pose, vertex].

        The first array contains the distances from vertices of the finest level to `coarse`. The second array contains
        the distances from vertices of `coarse` to the finest level. The method uses only a sample of the vertices.
        `coarse` must have the vertices of the meshes that the constructor received, but can have another skin binding.
        `palettes` [pose, entry, 3, 4] are the poses of `coarse`. The default is the poses of the finest level.
        """
        posed = posed_points(coarse, self._palettes if palettes is None else palettes)
        away = _distances(self._posed[:, self._fine_rows], self._on_coarse, posed)
        return away, _distances(posed[:, self._coarse_rows], self._on_finest, self._posed)

    def error(self, coarse: Sequence[Mesh]) -> float:
        """Return the 95 % quantile of the distances [rig units] between the meshes `coarse` and the finest level.

        The method does not return the maximum, because the error of a single fingertip would then be the error of the
        whole body.
        """
        return max(float(np.quantile(away, QUANTILE)) for away in self.distances(coarse))


def _some(surface: Surface) -> NDArray[np.intp]:
    """Return at most `POINTS` vertices of the triangles of a surface."""
    shown = np.unique(surface.triangles)
    return shown[:: -(-len(shown) // POINTS)]


def _distances(points: Points, candidates: SurfacePoints, posed: Points) -> NDArray[np.float64]:
    """Return the distances [pose, n] of points [pose, n, 3] from their counterparts.

    `posed` [pose, vertex, 3] are the vertices of the surface with the candidates. `Comparison` explains how the
    counterpart is chosen among the candidates.
    """
    pairs = zip(points, posed, strict=True)
    away = np.stack([np.linalg.norm(candidates.on(there) - here[:, None], axis=-1) for here, there in pairs])
    best = away.max(axis=0).argmin(axis=-1)
    return np.take_along_axis(away, best[None, :, None], axis=-1)[..., 0]

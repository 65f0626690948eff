"""Geometric error of a level of detail: distances from the finest level in the poses of a character's clips."""

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
    """Return palettes [count, entry, 3, 4] at times that are spread evenly over all clips."""
    ends = np.cumsum([0.0, *(max(clip.span.duration, 1e-6) for clip in bake.clips)])
    moments = (np.arange(count) + 0.5) / count * ends[-1]
    parts = []
    for number, clip in enumerate(bake.clips):
        since = moments[(moments >= ends[number]) & (moments < ends[number + 1])] - ends[number]
        parts.append(bake.palette(number, clip.span.start + since, loop=False))
    return np.concatenate(parts)


class Comparison:
    """Comparison of levels of detail with the finest level in a fixed set of poses.

    The coarse vertices can have any skin binding. For each vertex, candidate points on the nearest triangles of the
    other mesh are searched once, in the bind pose. The counterpart of a vertex is the candidate with the smallest
    maximum distance over all poses. The error is therefore at least the distance to the nearest point in each pose.
    """

    def __init__(self, finest: Sequence[Mesh], coarse: Sequence[Mesh], palettes: NDArray[np.float32]) -> None:
        self._palettes = palettes
        self._finest, self._coarse = Surface.of(finest), Surface.of(coarse)
        self._posed = posed_points(finest, palettes)
        self._on_coarse = nearest_points(self._finest.positions[_some(self._finest)], self._coarse, CANDIDATES)
        self._on_finest = nearest_points(self._coarse.positions[_some(self._coarse)], self._finest, CANDIDATES)

    def distances(
        self, coarse: Sequence[Mesh], palettes: NDArray[np.float32] | None = None
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return two distance arrays [pose, vertex]: from sampled fine vertices to the coarse meshes, and the reverse.

        `coarse` must have the vertices that the comparison was made for, with any skin binding. `palettes` [pose,
        entry, 3, 4] are the poses of `coarse`. Default: the poses of the finest level.
        """
        posed = posed_points(coarse, self._palettes if palettes is None else palettes)
        away = _distances(self._posed[:, _some(self._finest)], self._on_coarse, posed)
        return away, _distances(posed[:, _some(self._coarse)], self._on_finest, self._posed)

    def error(self, coarse: Sequence[Mesh]) -> float:
        """Return the 95 % quantile of the distances [rig units] between `coarse` meshes and the finest level.

        The error is not the maximum, because a single fingertip would then determine the error of the whole body.
        """
        return max(float(np.quantile(away, QUANTILE)) for away in self.distances(coarse))


def _some(surface: Surface) -> slice:
    return slice(None, None, -(-len(surface.positions) // POINTS))


def _distances(points: Points, candidates: SurfacePoints, posed: Points) -> NDArray[np.float64]:
    """Return the distances of points [pose, n, 3] to their candidates on vertices [pose, vertex, 3].

    For each point, the candidate with the smallest maximum over all poses is used.
    """
    pairs = zip(points, posed, strict=True)
    away = np.stack([np.linalg.norm(candidates.on(there) - here[:, None], axis=-1) for here, there in pairs])
    best = away.max(axis=0).argmin(axis=-1)
    return np.take_along_axis(away, best[None, :, None], axis=-1)[..., 0]

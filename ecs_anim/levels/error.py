"""Distances between levels of detail, in the poses of a character's clips."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.mesh import Mesh
from ecs_anim.bake.bake import Bake
from ecs_anim.levels.surface import Points, Surface, SurfacePoints, nearest_points, posed_points

POINTS = 400  # of a surface, at most, that are compared
CANDIDATES = 8  # triangles that may be the nearest
QUANTILE = 0.95


def sample_palettes(bake: Bake, count: int) -> NDArray[np.float32]:
    """Palettes [count, entry, 3, 4] of moments spread evenly over the playing time of all clips."""
    ends = np.cumsum([0.0, *(max(clip.span.duration, 1e-6) for clip in bake.clips)])
    moments = (np.arange(count) + 0.5) / count * ends[-1]
    parts = []
    for number, clip in enumerate(bake.clips):
        since = moments[(moments >= ends[number]) & (moments < ends[number + 1])] - ends[number]
        parts.append(bake.palette(number, clip.span.start + since, loop=False))
    return np.concatenate(parts)


class Comparison:
    """A level of detail beside the finest one, in some poses; however its vertices are bound.

    A vertex's counterpart is found once, in the bind pose, among the nearest triangles of the other mesh: the point
    that stays closest over all poses. So the error is never less than the distance to the nearest point in each pose.
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
        """How far [pose, vertex] some of the finest's vertices are from these meshes, and some of theirs from it.

        `coarse` has the vertices that the comparison was made with, bound in any way, under `palettes`
        [pose, entry, 3, 4] where they are posed otherwise than the finest.
        """
        posed = posed_points(coarse, self._palettes if palettes is None else palettes)
        away = _distances(self._posed[:, _some(self._finest)], self._on_coarse, posed)
        return away, _distances(posed[:, _some(self._coarse)], self._on_finest, self._posed)

    def error(self, coarse: Sequence[Mesh]) -> float:
        """How far these meshes are from the finest [rig units]: all but a twentieth of the vertices are closer.

        Not the farthest, which a finger's tip or the point of a shoe would set for a whole body that looks right.
        """
        return max(float(np.quantile(away, QUANTILE)) for away in self.distances(coarse))


def _some(surface: Surface) -> slice:
    return slice(None, None, -(-len(surface.positions) // POINTS))


def _distances(points: Points, candidates: SurfacePoints, posed: Points) -> NDArray[np.float64]:
    """From points [pose, n, 3] to the one of their candidates that stays closest on vertices [pose, vertex, 3]."""
    pairs = zip(points, posed, strict=True)
    away = np.stack([np.linalg.norm(candidates.on(there) - here[:, None], axis=-1) for here, there in pairs])
    best = away.max(axis=0).argmin(axis=-1)
    return np.take_along_axis(away, best[None, :, None], axis=-1)[..., 0]

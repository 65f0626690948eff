"""Choice of the visible actors and of their levels of detail, for crowds whose palettes are computed on the CPU."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.hierarchy import skin_palette
from ecs_anim.assets.rig import Rig
from ecs_anim.levels.error import Comparison
from ecs_anim.maths.quaternion import rotate
from ecs_anim.runtime.entry_boxes import entry_boxes
from ecs_anim.view.cull_view import MANY, MARGIN, SUN_PLANES, VIEW_PLANES, CullView

POSES = 4  # number of poses in which surface distances are measured
NEWCOMER = MANY  # stored level of an actor that was not in the previous picture


@dataclass(frozen=True, eq=False)
class PosedLevels:
    """Constant data about the levels of detail of a rig: errors, palette entries and bounding spheres."""

    errors: NDArray[np.float32]  # [level] f32, [rig units], distance from the finest level; 0 first, never decreasing
    entries: NDArray[np.int64]  # [n] palette entries that move vertices
    # [n, 4] f32, bounding sphere of each entry's vertices in the bind pose: centre and radius.
    balls: NDArray[np.float32]

    @classmethod
    def of(cls, rig: Rig) -> Self:
        """Compute the `PosedLevels` of a rig.

        The method measures errors in the middle poses of some clips. For a rig without clips, it measures errors in the
        rest pose. Raise ValueError for a rig without meshes.
        """
        if not rig.meshes:
            raise ValueError(f"rig {rig.name!r} must have at least one mesh. Load a model with meshes.")
        finest, palettes = rig.level(0), _some_palettes(rig)
        levels = [rig.level(number) for number in range(1, rig.level_count)]
        errors = [0.0, *(Comparison(finest, level, palettes).error(level) for level in levels)]
        entries, corners = entry_boxes(finest)
        middles = corners.mean(axis=1)
        radii = np.linalg.norm(corners[:, 0] - middles, axis=-1)
        balls = np.concatenate([middles, radii[:, None]], axis=1)
        return cls(np.maximum.accumulate(np.array(errors, np.float32)), entries, balls.astype(np.float32))

    def bounds(self, instances: NDArray[np.float32], palettes: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return a bounding sphere in world space [m] for each actor, [actor, 4].

        `instances` [actor, 12] are the instance rows of the actors. `palettes` [actor, entry, 3, 4] are the skin
        matrices of the actors. Linear skinning computes a vertex as a mean of its positions under several skin
        matrices. A skin matrix M enlarges a sphere by at most the largest stretch of M. The largest stretch is the
        square root of the largest eigenvalue of MᵀM. The largest eigenvalue is at most the largest row sum of absolute
        values in MᵀM.
        """
        rows = np.ascontiguousarray(np.moveaxis(palettes[:, self.entries], 0, -1))  # [entry, 3, 4, actor]
        x, y, z, origin = np.moveaxis(rows, 2, 0)  # columns of each matrix
        middle = self.balls[:, :3, None, None]
        middles = x * middle[:, 0] + y * middle[:, 1] + z * middle[:, 2] + origin
        xy, yz, zx = (np.abs(_dot(a, b)) for a, b in ((x, y), (y, z), (z, x)))
        squares = np.maximum(np.maximum(_dot(x, x) + xy + zx, _dot(y, y) + xy + yz), _dot(z, z) + yz + zx)
        radii = (self.balls[:, 3, None] * np.sqrt(squares))[:, None]
        low, high = (middles - radii).min(axis=0).T, (middles + radii).max(axis=0).T
        scale = instances[:, 3:4]
        centre = rotate(instances[:, 4:8], scale * (low + high) / 2) + instances[:, :3]
        radius = np.abs(scale) * np.linalg.norm(high - low, axis=1, keepdims=True) / 2
        return np.concatenate([centre, radius], axis=1)


@dataclass(frozen=True)
class Chosen:
    """Actors of a crowd that are drawn in one picture, as row numbers of the crowd."""

    seen: tuple[NDArray[np.intp], ...]  # [level] of arrays, rows of the actors that are drawn at each level
    casting: NDArray[np.intp]  # rows of actors that can cast shadows into the picture
    levels: NDArray[np.intp]  # [actor], level of each actor; invisible actors also have a level
    allowed: NDArray[np.float32]  # [actor] f32, [rig units], allowed error of each actor


class LevelMemory:
    """Store of the levels that actors had in the previous picture. Actor ids identify the actors."""

    def __init__(self) -> None:
        self._ids, self._levels = np.zeros(0, np.int64), np.zeros(0, np.intp)

    def of(self, ids: NDArray[np.int64]) -> NDArray[np.intp]:
        """Return the levels of detail [actor] that the actors `ids` had in the previous picture.

        For a new actor, the result is `NEWCOMER`, which is coarser than all levels. Therefore, the function `choose`
        does not apply its margin to a new actor.
        """
        found = np.full(len(ids), NEWCOMER, np.intp)
        if len(self._ids):
            at = np.minimum(np.searchsorted(self._ids, ids), len(self._ids) - 1)
            known = self._ids[at] == ids
            found[known] = self._levels[at[known]]
        return found

    def keep(self, ids: NDArray[np.int64], levels: NDArray[np.intp]) -> None:
        """Store the current levels of the actors `ids` for the next picture."""
        order = np.argsort(ids)
        self._ids, self._levels = ids[order], levels[order]


def choose(
    levels: PosedLevels,
    bounds: NDArray[np.float32],
    scale: NDArray[np.float32],
    view: CullView,
    pixel_error: float,
    before: NDArray[np.intp] | None = None,
) -> Chosen:
    """For each visible actor, choose the coarsest level of detail whose error is at most `pixel_error` pixels.

    The result does not contain actors outside of the view. `bounds` [actor, 4] are bounding spheres in metres. `scale`
    [actor] is the length of a rig unit in metres. `before` [actor] are the levels in the previous picture. An actor
    changes to a coarser level only if `pixel_error` is at least `MARGIN` times the error of the coarser level. This
    margin prevents flicker.
    """
    depths = bounds[:, :3] @ view.planes[:, :3].T + view.planes[:, 3]
    inside = depths + bounds[:, 3:] >= 0
    is_seen = inside[:, :VIEW_PLANES].all(axis=1)
    is_casting = inside[:, VIEW_PLANES : VIEW_PLANES + SUN_PLANES].all(axis=1) & view.has_sun
    nearest = np.maximum(depths[:, -1] - bounds[:, 3], 0)
    allowed = pixel_error * nearest / (view.pixels * np.maximum(np.abs(scale), 1e-9))  # [rig units]
    level = np.searchsorted(levels.errors, allowed, side="right") - 1
    if before is not None:
        surely = np.searchsorted(levels.errors, allowed / MARGIN, side="right") - 1
        level = np.where(before < level, np.maximum(before, surely), level)
    seen = tuple(np.flatnonzero(is_seen & (level == number)) for number in range(len(levels.errors)))
    return Chosen(seen, np.flatnonzero(is_casting), level, allowed)


def _dot(a: NDArray[np.float32], b: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the dot products of vectors [entry, 3, actor]."""
    return (a * b).sum(axis=1)


def _some_palettes(rig: Rig) -> NDArray[np.float32]:
    """Return the palettes [pose, entry, 3, 4] in the middle of some clips.

    For a rig without clips, return the palette of the rest pose.
    """
    clips = list(rig.clips.values())
    some = clips[:: max(1, -(-len(clips) // POSES))]
    poses = [clip.sample((clip.start + clip.end) / 2) for clip in some] or [rig.skeleton.rest_pose]
    return np.stack([skin_palette(rig.skeleton, pose) for pose in poses])

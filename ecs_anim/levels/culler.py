"""Culling of a crowd on the CPU."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ecs_anim.levels.levels import Levels
from ecs_anim.view.cull_view import CullSettings, CullView
from ecs_anim.view.instances import BAKED_ACTOR, INSTANCE

NOTHING = -1  # state of an actor: it is not drawn, or its palette is not stored


@dataclass(frozen=True)
class Culled:
    """The drawn actors of a crowd in one picture.

    The arrays are views that are valid until the next call of `Culler.cull`.
    """

    instances: NDArray[np.void]  # [m] of INSTANCE: drawn actors sorted by level, then shadow casters
    poses: NDArray[np.uint32]  # [k, 2] u32, actor and palette row of each actor that needs a new pose, sorted by level
    row_starts: NDArray[np.int32]  # [level_count + 2] i32, first instance of each level, first shadow caster, end
    pose_starts: NDArray[np.int32]  # [level_count + 1] i32, first pose of each level, end


class Culler:
    """Culler of a crowd.

    For each picture, the culler chooses the visible actors, their levels of detail, and the actors that need a new
    pose. If `is_dense` is True, each actor has its own palette row, and palettes stay valid for later pictures. If
    `is_dense` is False, every drawn actor gets a new pose in each picture, and the palette row of an actor is its index
    in `Culled.poses`.
    """

    def __init__(self, levels: Levels, *, is_dense: bool) -> None:
        self._levels = levels
        self._is_dense = is_dense
        self._resize(0)

    def forget(self) -> None:
        """Reset the culler: no actor was drawn before, and no palette is stored."""
        self._state[:] = NOTHING

    def cull(self, actors: NDArray[np.void], view: CullView, settings: CullSettings) -> Culled:
        """Return the drawn actors among the BAKED_ACTOR rows `actors` [actor_count].

        If the number of actors differs from the previous call, the method first resets the culler.
        """
        from ecs_anim.kernels.culling import choose_actors, write_actors  # compiled only if a crowd needs culling

        if actors.dtype != BAKED_ACTOR or not actors.flags.c_contiguous:
            raise ValueError(f"the actors must be a C-contiguous array with the dtype BAKED_ACTOR (got {actors.dtype})")
        if len(actors) != len(self._state):
            self._resize(len(actors))
        floats, halves = (
            actors.view(t).reshape(len(actors), BAKED_ACTOR.itemsize // np.dtype(t).itemsize)
            for t in (np.float32, np.uint16)
        )
        counts = np.empty((self._levels.count + 1, 2), np.int32)
        settings = settings if self._is_dense else settings._replace(all_posed=True)
        choose_actors(
            floats, halves, self._levels.bounds, view.planes, self._levels.errors, settings,
            self._state, self._choice, counts,
        )  # fmt: skip
        row_starts, pose_starts = _starts(counts[:, 0]), _starts(counts[:-1, 1])
        write_actors(
            floats, halves, self._choice, self._is_dense, row_starts[:-1].copy(), pose_starts[:-1].copy(),
            self._rows, self._rows.view(np.int32), self._poses,
        )  # fmt: skip
        instances = self._rows[: row_starts[-1]].view(INSTANCE)[:, 0]
        return Culled(instances, self._poses[: pose_starts[-1]].view(np.uint32), row_starts, pose_starts)

    def _resize(self, actor_count: int) -> None:
        self._state = np.full((actor_count, 2), NOTHING, np.int32)
        self._choice = np.empty((actor_count, 3), np.int32)
        self._rows = np.empty((2 * actor_count, INSTANCE.itemsize // 4), np.float32)
        self._poses = np.empty((actor_count, 2), np.int32)


def _starts(counts: NDArray[np.int32]) -> NDArray[np.int32]:
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)

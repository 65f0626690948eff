"""Root motion: clips move their actors along the paths in the clips."""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ecs_anim.body.movers import CLIP, PATH
from ecs_anim.components.character import Character
from ecs_anim.components.playback import Playback
from ecs_anim.components.root_motion import RootMotion
from ecs_anim.components.transforms import Transforms
from ecs_anim.maths import elementary
from ecs_anim.systems.chunk import Chunk

Reals = NDArray[np.float64]


class FindRootSteps:
    """Find the movement of each actor along the paths of its clips in this step.

    The system runs before the playback advances, because the motions of an actor can change in the playback.
    """

    name: ClassVar[str] = "root_steps"
    components: ClassVar[tuple[type, ...]] = (RootMotion, Character, Playback, Transforms)

    def run(
        self, chunk: Chunk, root: RootMotion, character: Character, playback: Playback, transforms: Transforms
    ) -> None:
        """Write the movements and the present positions to the working memory of the chunk."""
        from ecs_anim.kernels.playing import find_root_steps  # compiled at first use

        step, before = _memory(chunk)
        queue = chunk.read_all(playback.queue)
        paths = root.first_point, root.interval_count, root.points
        find_root_steps(character.motions.arrays, *paths, queue, chunk.dt, step)
        before[:, :2] = chunk.read(transforms.translation)[:, ::2]
        before[:, 2:] = chunk.read(transforms.rotation)[:, 1::2]


class MoveByRootMotion:
    """Move actors along the paths of their clips.

    If a clip moves its actor, the weight of the clip reduces the movement by other systems. An actor that follows a
    path over time stays on its path.
    """

    name: ClassVar[str] = "root_motion"
    components: ClassVar[tuple[type, ...]] = (RootMotion, Transforms)

    def run(self, chunk: Chunk, root: RootMotion, transforms: Transforms) -> None:
        """Write `transforms.translation` and `transforms.rotation`."""
        step, before = _memory(chunk)
        kind = np.full(chunk.actor_count, CLIP) if root.movers is None else chunk.read(root.movers.kind)
        rows = np.flatnonzero((step[:, 3] > 0) & (kind != PATH))
        if not len(rows):
            return
        x, z, turn, share = step[rows].T.astype(np.float64)
        start = before[rows].astype(np.float64)
        kept = np.where(kind[rows] == CLIP, 1.0, 1 - share)  # share of the movement by all systems before this system
        translation, rotation = chunk.write(transforms.translation), chunk.write(transforms.rotation)
        scale = chunk.read(transforms.scale)[rows]
        y, w = start[:, 2], start[:, 3]
        sine, cosine = 2 * y * w, w * w - y * y
        ahead = np.stack([x * cosine + z * sine, z * cosine - x * sine], axis=1) * scale[:, None]
        moved = translation[rows, ::2] - start[:, :2]
        translation[rows, ::2] = start[:, :2] + kept[:, None] * moved + ahead
        _turn(rotation, rows, start[:, 2:], kept, turn)


def _memory(chunk: Chunk) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return the working memory: steps [actor, 4], and actors' x, z, rotation y and w before the step [actor, 4]."""
    memory = chunk.scratch("root_motion", 2, chunk.actor_count, 4)
    return memory[0], memory[1]


def _turn(rotation: NDArray[np.float32], rows: NDArray[np.intp], start: Reals, kept: Reals, turn: Reals) -> None:
    """Turn the actors in `rows` [n] by the angles `turn` [n] [rad] about +Y.

    Other systems have already turned the actors in this step, from the rotations `start` [n, 2] (y and w). The actors
    keep only the share `kept` [n] of this earlier turn.
    """
    turned = np.flatnonzero((turn != 0) | (kept < 1))
    rows, (y, w), kept, turn = rows[turned], start[turned].T, kept[turned], turn[turned]
    new_y, new_w = rotation[rows, 1].astype(np.float64), rotation[rows, 3].astype(np.float64)
    sine, cosine = new_y * w - new_w * y, new_w * w + new_y * y
    sign = np.where(cosine < 0, -1.0, 1.0)
    half = elementary.arctan2(y, w) + kept * elementary.arctan2(sign * sine, sign * cosine) + turn / 2
    rotation[rows] = 0
    rotation[rows, 1], rotation[rows, 3] = elementary.sin(half), elementary.cos(half)

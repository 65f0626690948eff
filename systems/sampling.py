"""The sampling system: it computes local poses from the motions that actors play."""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.character import Character
from ecs_anim.components.parameters import Parameters
from ecs_anim.components.playback import Playback
from ecs_anim.kernels.sampling import sample_motions
from ecs_anim.runtime.records import FadeQueue
from ecs_anim.systems.chunk import Chunk, Columns, Memory


def newest_of(columns: Columns, inertial: NDArray[np.int32]) -> Columns:
    """Return the fade queue `columns`. For actors with inertial blending, all fades in the result take 0 s.

    Fades of 0 s are already complete. Therefore, sampling uses only the newest motion of actors with inertial blending.
    `inertial` [chunk] is 1 for these actors.
    """
    queue = FadeQueue(*columns)
    return tuple(queue._replace(fade_duration=queue.fade_duration * (1 - inertial[:, None]).astype(np.float32)))


class SampleMotions:
    """Mix the clips that each actor plays, and write the local poses into the workspace.

    The samples come from the clip tables.
    """

    name: ClassVar[str] = "sampling"
    components: ClassVar[tuple[type, ...]] = (Character, Parameters, Playback)
    remembers: ClassVar[Memory] = "nothing"

    def run(self, chunk: Chunk, character: Character, parameters: Parameters, playback: Playback) -> None:
        """Write `workspace.pose`."""
        motions, queue = character.motions, chunk.read_all(playback.queue)
        if playback.inertial is not None:
            queue = newest_of(queue, chunk.read(playback.inertial))
        sample_motions(
            motions.tables.arrays, motions.arrays, chunk.read(parameters.columns.value), queue, chunk.workspace.pose
        )

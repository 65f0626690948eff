"""The movers system: root motion, velocities or paths move the roots of actors."""

from typing import ClassVar

import numpy as np

from ecs_anim.body.movers import CLIP, PATH
from ecs_anim.components.character import Character
from ecs_anim.components.movers import Movers
from ecs_anim.components.parameters import Parameters
from ecs_anim.components.playback import Playback
from ecs_anim.components.transforms import Transforms
from ecs_anim.systems.chunk import Chunk, FunctionOfTime, chunk_of
from ecs_anim.systems.locomotion import Locomote

_locomote = Locomote()


class MoveRoots(FunctionOfTime):
    """Move the root of each actor: with the root motion of its clips, with its velocity, or along its path."""

    name: ClassVar[str] = "movers"
    components: ClassVar[tuple[type, ...]] = (Movers, Character, Parameters, Playback, Transforms)

    def run(
        self,
        chunk: Chunk,
        movers: Movers,
        character: Character,
        parameters: Parameters,
        playback: Playback,
        transforms: Transforms,
    ) -> None:
        """Write `transforms.translation`, `transforms.rotation` and `movers.velocity`."""
        from ecs_anim.kernels.movers import move_roots  # compiled at first use

        if movers.locomotion is not None:
            part = _moved_by_clips(chunk, movers)
            _locomote.run(part, movers.locomotion, character, parameters, playback, transforms)
            part.publish()
        columns, placement = chunk.write_all(movers.columns), chunk.write_all(transforms.placement)
        now, facing, most = movers.clock.now, movers.facing, movers.acceleration
        move_roots(movers.ways, facing, most, now, chunk.dt, columns, placement)

    def can_skip(self, movers: Movers, *_: object) -> bool:
        """Return whether all actors move on paths, so that their state depends only on the time."""
        return are_all_on_paths(movers)


def are_all_on_paths(movers: Movers) -> bool:
    """Return whether all actors move on paths. The state of an actor on a path does not depend on the previous step."""
    return bool((movers.kind == PATH).all())


def _moved_by_clips(chunk: Chunk, movers: Movers) -> Chunk:
    """Return a chunk with only those actors of `chunk` that move with the root motion of clips."""
    by_clip = chunk.read(movers.kind) == CLIP
    if by_clip.all():
        return chunk
    rows = chunk.rows
    numbers = np.arange(rows.start, rows.stop, dtype=np.int32) if isinstance(rows, slice) else rows
    chosen = numbers[by_clip]
    return chunk_of(chosen, len(chosen), chunk.dt, chunk.workspace, chosen)

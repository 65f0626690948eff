"""Skipping of steps: a system with the method `skip` can take many steps in one call.

All other systems run step by step.
"""

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.world import World
from ecs_anim.systems.applicable import Bound
from ecs_anim.systems.chunk import Chunk, ChunkSystem, SkippingSystem, SkippingWorldSystem, WorldSystem


def held_by(systems: Sequence[Bound]) -> list[str]:
    """Return the names of a crowd's systems that cannot skip steps in the current state."""
    return [system.name for system, components in systems if not _can_skip(system, components)]


def free_steps(system: WorldSystem, world: World, ends: NDArray[np.float64]) -> int:
    """Return the number of next steps in which a world system has no effect.

    `ends` contains the end time [s] of each next step.

    The result is limited to the range from 0 to the number of `ends`, because user systems can return any number.
    """
    if not hasattr(system, "free_steps"):
        return 0
    return int(min(max(cast(SkippingWorldSystem, system).free_steps(world, ends), 0), len(ends)))


def skip_chunk(chunk: Chunk, steps: int, systems: Sequence[Bound]) -> None:
    """Advance a chunk by `steps` steps of `chunk.dt` seconds in one call. All systems must be able to skip steps."""
    for system, components in systems:
        cast(SkippingSystem, system).skip(chunk, steps, *components)


def _can_skip(system: ChunkSystem, components: tuple[Any, ...]) -> bool:
    """Return whether a system can skip steps.

    The function uses `hasattr`, because `isinstance` with a protocol takes 20 us per step.
    """
    return hasattr(system, "can_skip") and cast(SkippingSystem, system).can_skip(*components)

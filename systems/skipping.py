"""Skipping: systems with the method `skip` take many steps at once. All other systems run step by step."""

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
    """Return the number of next steps, with these end times [s], that do not need a world system.

    The number is clamped, because user systems can return any number.
    """
    if not hasattr(system, "free_steps"):
        return 0
    return int(min(max(cast(SkippingWorldSystem, system).free_steps(world, ends), 0), len(ends)))


def skip_chunk(chunk: Chunk, steps: int, systems: Sequence[Bound]) -> None:
    """Take `steps` steps of `chunk.dt` at once. All systems must be able to skip."""
    for system, components in systems:
        cast(SkippingSystem, system).skip(chunk, steps, *components)


def _can_skip(system: ChunkSystem, components: tuple[Any, ...]) -> bool:
    """Return whether a system can skip. `hasattr` replaces `isinstance` of a protocol, which takes 20 us a step."""
    return hasattr(system, "can_skip") and cast(SkippingSystem, system).can_skip(*components)

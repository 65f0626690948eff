"""Skipping: each system says whether, and how, it takes many steps at once; one that says nothing is stepped."""

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.world import World
from ecs_anim.systems.applicable import Bound
from ecs_anim.systems.chunk import Chunk, ChunkSystem, SkippingSystem, SkippingWorldSystem, WorldSystem


def held_by(systems: Sequence[Bound]) -> list[str]:
    """Names of a crowd's systems that cannot skip, as the crowd now is."""
    return [system.name for system, components in systems if not _can_skip(system, components)]


def free_steps(system: WorldSystem, world: World, ends: NDArray[np.float64]) -> int:
    """How many of the steps that end at these times [s] need not run a world system; users' own may say any number."""
    if not hasattr(system, "free_steps"):
        return 0
    return int(min(max(cast(SkippingWorldSystem, system).free_steps(world, ends), 0), len(ends)))


def skip_chunk(chunk: Chunk, steps: int, systems: Sequence[Bound]) -> None:
    """Take so many steps of `chunk.dt` at once, of systems that can."""
    for system, components in systems:
        cast(SkippingSystem, system).skip(chunk, steps, *components)


def _can_skip(system: ChunkSystem, components: tuple[Any, ...]) -> bool:
    """Looks for the method alone, as this is asked before each step: `isinstance` of a protocol takes 20 us."""
    return hasattr(system, "can_skip") and cast(SkippingSystem, system).can_skip(*components)

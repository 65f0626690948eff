"""Skipping: each system says whether, and how, it takes many steps at once; one that says nothing is stepped."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ecs_anim.systems.chunk import Chunk, SkippingSystem, SkippingWorldSystem, WorldSystem
from ecs_anim.systems.pose_palettes import Bound
from ecs_anim.world import World


def held_by(systems: Sequence[Bound]) -> list[str]:
    """Names of a crowd's systems that cannot skip, as the crowd now is."""
    return [
        system.name
        for system, components in systems
        if not (isinstance(system, SkippingSystem) and system.can_skip(*components))
    ]


def free_steps(system: WorldSystem, world: World, ends: NDArray[np.float64]) -> int:
    """How many of the steps that end at these times [s] need not run a world system."""
    return system.free_steps(world, ends) if isinstance(system, SkippingWorldSystem) else 0


def skip_chunk(chunk: Chunk, steps: int, systems: Sequence[Bound]) -> None:
    """Take so many steps of `chunk.dt` at once, of systems that can."""
    for system, components in systems:
        assert isinstance(system, SkippingSystem)
        system.skip(chunk, steps, *components)

"""Selection of the systems that run for a crowd.

Each system declares component types. A system runs for a crowd if the crowd has components of all these types.
"""

from collections.abc import Mapping, Sequence
from operator import is_
from typing import Any

from ecs_anim.components.baked import Baked
from ecs_anim.components.nearness import Nearness
from ecs_anim.components.update_rates import UpdateRates
from ecs_anim.systems.chunk import ChunkSystem, Memory, memory_of, unwanted_by
from ecs_anim.systems.update_rates import ChooseUpdates

Order = tuple[ChunkSystem, ...]  # systems in running order
Bound = tuple[ChunkSystem, tuple[Any, ...]]  # a system, and the components that its methods get
MEMORIES: tuple[Memory, ...] = ("spans", "steps")


class CrowdSystems:
    """The components of a crowd, and a cache of the systems that run for this crowd."""

    def __init__(self, components: tuple[object, ...]) -> None:
        self._components = components
        self.has = {type(component): component for component in components}
        # Two orders of systems are compared by identity, because a user's system can be unhashable.
        self._applicable: list[tuple[Order, list[Bound]]] = []
        self._remembering: list[tuple[Order, tuple[Memory, ...], tuple[str, ...]]] = []

    def is_of(self, components: tuple[object, ...]) -> bool:
        """Return whether the cache is valid for the components in `components`."""
        return len(components) == len(self._components) and all(map(is_, components, self._components))

    def applicable(self, systems: Order) -> list[Bound]:
        """Return the systems in `systems` that run for the crowd, each with the components that its methods get."""
        for asked, found in self._applicable:
            if asked is systems:
                return found
        found = wanted(systems, self.has)
        self._applicable.append((systems, found))
        return found

    def remembering(self, poses: Order, memories: tuple[Memory, ...] = MEMORIES) -> tuple[str, ...]:
        """Return the names of the systems in `poses` that need the poses of this crowd in every step.

        The module function `remembering` describes the arguments. The method caches the result.
        """
        for asked, kinds, found in self._remembering:
            if asked is poses and kinds == memories:
                return found
        found = remembering(poses, self.has, memories)
        self._remembering.append((poses, memories, found))
        return found

    def needing(self, poses: Order) -> tuple[str, ...]:
        """Return the names of the systems that need the crowd's poses in every step."""
        return self.remembering(poses) or ((ChooseUpdates.name,) if UpdateRates in self.has else ())


def wanted(systems: Sequence[ChunkSystem], has: Mapping[type, object]) -> list[Bound]:
    """Return the systems in `systems` that run for a crowd with the components `has`, each with its components."""
    return [
        (system, tuple(has[needed] for needed in system.components))
        for system in systems
        if all(needed in has for needed in system.components) and not has.keys() & unwanted_by(system)
    ]


def remembering(
    poses: Sequence[ChunkSystem], has: Mapping[type, object], memories: tuple[Memory, ...] = MEMORIES
) -> tuple[str, ...]:
    """Return the names of the systems in `poses` that need the poses of a crowd in every step.

    `has` contains the components of the crowd by type. Each of the returned systems declares one of the kinds of memory
    in `memories`. For a hybrid crowd, the result also contains systems that declare the memory "results".
    """
    if Baked in has and Nearness not in has:
        return ()
    missed = ("results", *memories) if Nearness in has else memories
    return tuple(system.name for system, _ in wanted(poses, has) if memory_of(system) in missed)

"""Selection of the systems that apply to a crowd. The crowd must have all components that a system declares."""

from collections.abc import Mapping, Sequence
from operator import is_
from typing import Any

from ecs_anim.components.baked import Baked
from ecs_anim.components.nearness import Nearness
from ecs_anim.components.update_rates import UpdateRates
from ecs_anim.systems.chunk import ChunkSystem, Memory, memory_of, unwanted_by
from ecs_anim.systems.update_rates import ChooseUpdates

Order = tuple[ChunkSystem, ...]  # systems in the order of the schedule
Bound = tuple[ChunkSystem, tuple[Any, ...]]  # a system, and the components that are passed to its methods
MEMORIES: tuple[Memory, ...] = ("spans", "steps")


class CrowdSystems:
    """The components of a crowd, and a cache of the systems that apply to a crowd with these components."""

    def __init__(self, components: tuple[object, ...]) -> None:
        self._components = components
        self.has = {type(component): component for component in components}
        # Orders are compared by identity, because a user's system can be unhashable.
        self._applicable: list[tuple[Order, list[Bound]]] = []
        self._remembering: list[tuple[Order, tuple[Memory, ...], tuple[str, ...]]] = []

    def is_of(self, components: tuple[object, ...]) -> bool:
        """Return whether `components` are exactly the components for which the cache is valid."""
        return len(components) == len(self._components) and all(map(is_, components, self._components))

    def applicable(self, systems: Order) -> list[Bound]:
        """Return the systems that apply to the crowd, with their components."""
        found = next((own for asked, own in self._applicable if asked is systems), None)
        if found is None:
            found = wanted(systems, self.has)
            self._applicable.append((systems, found))
        return found

    def remembering(self, poses: Order, memories: tuple[Memory, ...] = MEMORIES) -> tuple[str, ...]:
        """Return the result of the module's function `remembering` for this crowd. The cache stores the result."""
        known = (own for asked, kinds, own in self._remembering if asked is poses and kinds == memories)
        found = next(known, None)
        if found is None:
            found = remembering(poses, self.has, memories)
            self._remembering.append((poses, memories, found))
        return found

    def needing(self, poses: Order) -> tuple[str, ...]:
        """Return the names of the systems that keep state of the crowd's poses from step to step."""
        return self.remembering(poses) or ((ChooseUpdates.name,) if UpdateRates in self.has else ())


def wanted(systems: Sequence[ChunkSystem], has: Mapping[type, object]) -> list[Bound]:
    """Return the systems that apply to a crowd, each with its components."""
    return [
        (system, tuple(has[needed] for needed in system.components))
        for system in systems
        if all(needed in has for needed in system.components) and not has.keys() & unwanted_by(system)
    ]


def remembering(
    poses: Sequence[ChunkSystem], has: Mapping[type, object], memories: tuple[Memory, ...] = MEMORIES
) -> tuple[str, ...]:
    """Return the names of the systems in `poses` that need each pose of a crowd with the components `has`.

    These systems declare one of the `memories`. For a hybrid crowd, systems that declare "results" are also returned.
    """
    if Baked in has and Nearness not in has:
        return ()
    missed = ("results", *memories) if Nearness in has else memories
    return tuple(system.name for system, _ in wanted(poses, has) if memory_of(system) in missed)

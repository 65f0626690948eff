"""Memory of a crowd whose actors come and go."""

from dataclasses import dataclass, field

from ecs_anim.ecs.column_memory import CrowdMemory


@dataclass(eq=False)
class Population:
    """Memory of all columns of the entity.

    The memory refers to the other components. It is a component of its own, so that no component refers to the memory:
    a world that the program drops has no reference cycle.

    Written by: population. Read by: population.
    """

    memory: CrowdMemory = field(init=False, repr=False, default_factory=CrowdMemory)

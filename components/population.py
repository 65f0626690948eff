"""Memory of a crowd with actors that are added and removed."""

from dataclasses import dataclass, field

from ecs_anim.ecs.column_memory import CrowdMemory


@dataclass(eq=False)
class Population:
    """The memory of all columns of the entity.

    The memory refers to the other components. The memory is a separate component, so no other component refers to
    the memory. Therefore, a world that the program drops has no reference cycle.

    Written by: population. Read by: population.
    """

    memory: CrowdMemory = field(init=False, repr=False, default_factory=CrowdMemory)

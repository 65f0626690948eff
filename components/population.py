"""Population: the component with the memory of a crowd's columns, which grow and shrink."""

from dataclasses import dataclass, field

from ecs_anim.ecs.column_memory import CrowdMemory


@dataclass(eq=False)
class Population:
    """The memory of all columns of a crowd's entity.

    The memory refers to the other components. The memory is a separate component, so no other component refers to the
    memory. Therefore, an unreferenced world has no reference cycle.

    Written by: population. Read by: population.
    """

    memory: CrowdMemory = field(init=False, repr=False, default_factory=CrowdMemory)

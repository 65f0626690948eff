"""Population: the component that can change the number of a crowd's actors."""

from dataclasses import dataclass, field

from ecs_anim.ecs.column_memory import CrowdMemory


@dataclass(eq=False)
class Population:
    """The column memory of a crowd: the memory of all columns of the crowd's entity.

    The column memory refers to the other components of the entity. The other components do not refer to the column
    memory, because it is a separate component. Therefore, no reference cycle keeps an unused world in memory.

    Written by: the system `population`. Read by: the system `population`.
    """

    memory: CrowdMemory = field(init=False, repr=False, default_factory=CrowdMemory)

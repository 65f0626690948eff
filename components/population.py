"""Population: the component of crowds whose number of actors can change."""

from dataclasses import dataclass, field

from ecs_anim.ecs.column_memory import CrowdMemory


@dataclass(eq=False)
class Population:
    """The column memory of a crowd: the memory of all columns of the crowd's entity.

    The column memory refers to the other components of the crowd. No other component refers to the column memory,
    because the column memory is a separate component. Without a reference cycle, Python can free an unused world
    immediately.

    Written by: the system `population`. Read by: the system `population`.
    """

    memory: CrowdMemory = field(init=False, repr=False, default_factory=CrowdMemory)

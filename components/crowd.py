"""Crowd: the component with the name, the number of actors and the ids of a crowd."""

from dataclasses import dataclass, field
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.bounds import COUNT, TALLY
from ecs_anim.ecs.columns import Kept
from ecs_anim.ecs.id_index import IdIndex, new_id_index


@dataclass(eq=False)
class Crowd:
    """The name, the number of actors and the ids of a crowd.

    All columns of the crowd's entity have one row for each actor.

    Written by: the scene loader, population. Read by: the schedule, drawing, reports.
    """

    name: str
    actor_count: Annotated[Kept[int], COUNT]
    moves: Annotated[Kept[int], TALLY] = 0  # number of additions and removals so far; each can change rows' actors
    index: IdIndex = field(init=False)

    def __post_init__(self) -> None:
        self.index = new_id_index(self.actor_count)

    @property
    def ids(self) -> NDArray[np.int64]:
        """The id of each row, [actor_count] i64. An actor keeps its id, but its row can change."""
        return self.index.ids

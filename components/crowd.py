"""The name, size and ids of a crowd."""

from dataclasses import dataclass, field
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.bounds import COUNT, TALLY
from ecs_anim.ecs.columns import Kept
from ecs_anim.ecs.id_index import IdIndex, new_id_index


@dataclass(eq=False)
class Crowd:
    """A name and a number of actors: the length of every column of the entity.

    Written by: the scene loader, population. Read by: the schedule, drawing, reports.
    """

    name: str
    actor_count: Annotated[Kept[int], COUNT]
    moves: Annotated[Kept[int], TALLY] = 0  # additions and removals so far; rows may hold other actors after each
    index: IdIndex = field(init=False)

    def __post_init__(self) -> None:
        self.index = new_id_index(self.actor_count)

    @property
    def ids(self) -> NDArray[np.int64]:
        """The id of each row, [actor_count] i64: an actor keeps its id for life, while its row may change."""
        return self.index.ids

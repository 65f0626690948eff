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

    Written by: the scene loader and the system `population`. Read by: the schedule, the drawing code, and reports.
    """

    name: str
    actor_count: Annotated[Kept[int], COUNT]
    # number of additions and removals so far; each of them can move actors to other rows
    moves: Annotated[Kept[int], TALLY] = 0
    index: IdIndex = field(init=False)

    def __post_init__(self) -> None:
        self.index = new_id_index(self.actor_count)

    @property
    def ids(self) -> NDArray[np.int64]:
        """The ids of the crowd's actors by row, [actor_count] i64.

        The id of an actor never changes, but the actor's row can change.
        """
        return self.index.ids

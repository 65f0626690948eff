"""What makes an entity a crowd."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Crowd:
    """A name and a number of actors: the length of every column of the entity.

    Written by: the scene loader. Read by: the schedule, reports.
    """

    name: str
    actor_count: int

"""Time to replace actors: random actors leave the largest crowd of a scene, and the same number of new actors join.

The world advances by one time step before each change.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.crowd import Crowd
from ecs_anim.ecs.world import World
from ecs_anim.profiling.bench.harness import DT, Case, Work, require
from ecs_anim.scenes.build import load_scene
from ecs_anim.support.errors import InputError
from ecs_anim.systems.crowd_handle import CrowdHandle

ROUNDS = 60


@contextmanager
def case(*, scene: str = "throng", actors: int = 100_000, change: int = 1000, threads: int = 1) -> Iterator[Case]:
    """Yield the benchmark with `scene`. In each round, `change` actors leave and `change` actors join."""
    with load_scene(scene, actors=actors, threads=threads) as world:
        turnover = Turnover(world, change)
        yield Case(
            {
                "leave and join": Work(turnover.both, turnover.begin),
                "leave": Work(turnover.leave, turnover.begin),
                "join": Work(turnover.join, turnover.part),
            },
            turnover.begin,
            facts=lambda: {"crowd": turnover.crowd.name, "actors": turnover.crowd.actor_count},
        )


class Turnover:
    """One crowd of a world, with methods that let actors leave and join the crowd."""

    def __init__(self, world: World, change: int) -> None:
        crowd, self._entity = max((own.actor_count, entity) for entity, (own,) in world.query(Crowd))
        if change > crowd:
            raise InputError(
                f"--change must be at most {crowd}, the number of actors in the largest crowd (got {change})."
                " Lower --change."
            )
        self.crowd = CrowdHandle(world, self._entity)
        self._world, self._change = world, change
        self._rng = np.random.default_rng(1)
        # True = new actors start at the first positions in the scene; False = at the positions of the actors that left
        self._draws = True
        self._gone = self._new = np.zeros(0, np.int64)  # ids of the actors that left and joined in the last round
        self._are_away = False  # whether actors have left and the new actors have not joined yet
        self._ids = self.crowd.ids

    def begin(self) -> None:
        """Refill the crowd, compute a time step, and choose the actors that leave the crowd.

        Raises RuntimeError if the ids of the crowd are wrong.
        """
        if self._are_away:
            self.join()
        self._require_ids()
        self._world.step(DT)
        self._ids = self.crowd.ids
        self._gone = self._rng.choice(self._ids, self._change, replace=False)
        rows = self.crowd.rows(self._gone)
        self._positions = self.crowd.positions[rows]

    def part(self) -> None:
        """Call `begin`, and then remove the chosen actors."""
        self.begin()
        self.leave()

    def both(self) -> None:
        """Remove the chosen actors, and add the same number of new actors."""
        self.leave()
        self.join()

    def leave(self) -> None:
        """Remove the chosen actors."""
        self.crowd.remove(ids=self._gone)
        self._are_away = True

    def join(self) -> None:
        """Add one new actor for each actor that has left."""
        self._new, self._are_away = self._add(), False

    def _add(self) -> NDArray[np.int64]:
        if self._draws:
            try:
                return self.crowd.add(self._change)
            except ValueError:  # each seat can be used only once
                self._draws = False
        return self.crowd.add(positions=self._positions)

    def _require_ids(self) -> None:
        """Raise RuntimeError if the ids of the crowd are wrong, or if an id does not lead to the row of its actor."""
        require(not np.isin(self._new, self._ids).any(), "two actors have the same id")
        ids = np.union1d(np.setdiff1d(self._ids, self._gone), self._new)
        require(np.array_equal(np.sort(self.crowd.ids), ids), "the crowd has wrong ids")
        require(np.array_equal(self.crowd.ids[self.crowd.rows(ids)], ids), "rows() returns wrong rows for ids")

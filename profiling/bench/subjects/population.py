"""Replacement of actors: random actors leave a scene's largest crowd, and an equal number of new actors join.

The world takes a step before each change.
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
    """Yield the benchmark case: `scene`, in which `change` actors leave and `change` actors join."""
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
    """Departures and arrivals of actors in one crowd."""

    def __init__(self, world: World, change: int) -> None:
        crowd, self._entity = max((own.actor_count, entity) for entity, (own,) in world.query(Crowd))
        if change > crowd:
            raise InputError(f"--change must be at most {crowd}, the largest crowd (got {change}). Lower --change")
        self.crowd = CrowdHandle(world, self._entity)
        self._world, self._change = world, change
        self._rng = np.random.default_rng(1)
        # whether new actors start at the positions of the scene; False = at the positions of the actors that left
        self._draws = True
        self._gone = self._new = np.zeros(0, np.int64)  # ids that left and joined in the last round
        self._are_away = False  # whether actors have left and their replacements have not joined yet
        self._ids = self.crowd.ids

    def begin(self) -> None:
        """Fill the crowd, take a step, and choose the actors that leave. Raise RuntimeError if ids are wrong."""
        if self._are_away:
            self.join()
        self._require_ids()
        self._world.step(DT)
        self._ids = self.crowd.ids
        self._gone = self._rng.choice(self._ids, self._change, replace=False)
        rows = self.crowd.rows(self._gone)
        self._positions = self.crowd.positions[rows]

    def part(self) -> None:
        """Call `begin`, then remove the chosen actors."""
        self.begin()
        self.leave()

    def both(self) -> None:
        """Remove the chosen actors, and add an equal number of new actors."""
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
            except ValueError:  # each seat is used only once
                self._draws = False
        return self.crowd.add(positions=self._positions)

    def _require_ids(self) -> None:
        """Raise RuntimeError if the crowd's ids are not the expected ids, or do not lead to their rows."""
        require(not np.isin(self._new, self._ids).any(), "two actors have the same id")
        ids = np.union1d(np.setdiff1d(self._ids, self._gone), self._new)
        require(np.array_equal(np.sort(self.crowd.ids), ids), "the crowd has wrong ids")
        require(np.array_equal(self.crowd.ids[self.crowd.rows(ids)], ids), "rows() returns wrong rows for ids")

"""Steering: the system that chooses direction and speed of all steered actors, at the decision rate of their crowd."""

from collections.abc import Iterator, Sequence
from importlib import import_module
from itertools import product
from math import floor
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.crowd import Crowd
from ecs_anim.components.familiarity import Familiarity
from ecs_anim.components.groups import Groups
from ecs_anim.components.journeys import Journeys
from ecs_anim.components.movers import Movers
from ecs_anim.components.steering import Steering, Surroundings
from ecs_anim.components.storeys import Storeyed
from ecs_anim.components.transforms import Transforms
from ecs_anim.ecs.world import World
from ecs_anim.steering.agents import MODEL, NOBODY, SPEED, Turn
from ecs_anim.steering.own import Model
from ecs_anim.systems.chunk import Columns
from ecs_anim.systems.own_steering import choose_by_own
from ecs_anim.systems.unfolding import add_all_ghosts, count_all_ghosts, unfold_all

ROUNDS, NEARLY = 500, 1e-3  # largest number of rounds to separate actors, and largest movement [m] in the last round
PART = 1024  # number of agents that a thread steers together; these agents are neighbours in the grid
EARLY = 1e-6  # fraction of a decision interval; a decision can be early by this fraction, because times are rounded


class Steered(NamedTuple):
    """The components of a crowd of steered actors."""

    crowd: Crowd
    steering: Steering
    movers: Movers
    transforms: Transforms
    is_due: bool
    journeys: Journeys | None
    groups: Groups | None
    familiarity: Familiarity | None
    storeyed: Storeyed | None = None  # in a world with levels, `transforms` are on the unfolded plan


class Steer:
    """Choose direction and speed of steered actors from the positions at the start of the step and from the routes.

    The system reads the whole world before the chunks run, because a chunk system must not read moving actors of other
    chunks.
    """

    name: ClassVar[str] = "steering"

    def run(self, world: World, dt: float) -> None:
        """Write `movers.velocity` of steered actors.

        Write the directions and orientations of steered actors in `Steering`.
        """
        crowds = list(crowds_that_steer(world, dt))
        if not any(crowd.is_due for crowd in crowds):
            return
        turn = max(crowd.steering.turns for crowd in crowds)
        seconds = max(dt, *(1 / crowd.steering.decision_rate for crowd in crowds if crowd.is_due))
        ((_, (around,)),) = world.query(Surroundings)
        choose(world, around, crowds, turn, seconds)
        for own in crowds:
            if own.is_due:
                own.steering.turns = _turns(world.time, own.steering.decision_rate)

    def free_steps(self, world: World, ends: NDArray[np.float64]) -> int:
        """Return 0 if the world has steered crowds. Without steered crowds, return the number of all steps."""
        return 0 if any(world.query(Steering)) else len(ends)


def choose(
    world: World, around: Surroundings, crowds: Sequence[Steered], turn: int, dt: float, still: bool = False
) -> None:
    """Compute the velocities of all agents that decide now, for the next `dt` seconds.

    If `still` is true, agents only move apart.
    """
    from ecs_anim.kernels.neighbours import NEAR, give_back, sort_into_cells  # compiled at first use

    ends = np.cumsum([0, *(own.crowd.actor_count for own in crowds)]).tolist()
    count = ends[-1] + count_all_ghosts(crowds)
    around.fit(count, NEAR, world.threads)
    agents, laid, cells = tuple(around.agents), tuple(around.laid), tuple(around.cells)
    _join(crowds, ends, agents)
    add_all_ghosts(crowds, ends, agents)
    if still:
        around.agents.own[: ends[-1], SPEED] = 0
    sort_into_cells(agents, count, cells, laid)
    models = around.laid.identity[:count, MODEL]
    for number in sorted({own.steering.model for own in crowds if own.is_due}):
        if len(rows := np.flatnonzero(models == number)):
            _steer(world, around, around.models[number], rows, Turn(around.seed, turn, float(dt)), still)
    give_back(laid, cells, count, agents)
    _take(crowds, ends, agents, dt)


def _steer(world: World, around: Surroundings, model: Model, rows: NDArray[np.intp], turn: Turn, still: bool) -> None:
    """Compute the velocities of the agents of one model. `rows` are the sorted rows of the model's agents."""
    if not model.kernel:
        choose_by_own(around, model, rows, turn, still)
        return
    steer = import_module(model.kernel).steer  # compiled at first use
    laid, cells, parameters = tuple(around.laid), tuple(around.cells), model.records(around.laid.parameters)

    def steer_parts(thread: int, parts: Iterator[NDArray[np.intp]]) -> None:
        for part in parts:
            steer(laid, cells, around.walls, parameters, turn, part, around.near[thread])

    world.share(steer_parts, [rows[begin : begin + PART] for begin in range(0, len(rows), PART)])


def _join(crowds: Sequence[Steered], ends: Sequence[int], agents: Columns) -> None:
    """Write one row of `agents` for each actor of each crowd.

    Actors that do not decide now keep their velocities, but other agents avoid them.
    """
    from ecs_anim.kernels.steering_agents import join_agents

    for begin, (crowd, steering, movers, transforms, is_due, *_) in zip(ends, crowds, strict=False):
        model, placement = steering.model if is_due else NOBODY, tuple(transforms.placement)
        said = movers.facing, model, crowd.ids, placement
        join_agents(*said, tuple(movers.columns), tuple(steering.columns), begin, agents)


def _take(crowds: Sequence[Steered], ends: Sequence[int], agents: Columns, dt: float) -> None:
    """Copy the chosen velocities of the agents to the columns of the crowds."""
    from ecs_anim.kernels.steering_agents import take_choices

    for begin, own in zip(ends, crowds, strict=False):
        take_choices(agents, begin, dt, tuple(own.movers.columns), tuple(own.steering.columns))


def crowds_that_steer(world: World, dt: float) -> Iterator[Steered]:
    """Yield all crowds of steered actors. `Steered.is_due` is true for crowds that decide in this step."""
    for entity, (crowd, steering, movers, transforms) in world.query(Crowd, Steering, Movers, Transforms):
        is_due = dt > 0 and _turns(world.time, steering.decision_rate) > steering.turns
        storeyed = world.find(entity, Storeyed)
        placed = transforms if storeyed is None else storeyed.transforms(transforms)
        others = world.find(entity, Journeys), world.find(entity, Groups), world.find(entity, Familiarity)
        yield Steered(crowd, steering, movers, placed, is_due, *others, storeyed)


def _turns(time: float, rate: float) -> int:
    """Return the number of decisions of a crowd until `time` [s], with `rate` decisions per second."""
    return floor(time * rate + EARLY) + 1


def move_apart(world: World) -> Iterator[tuple[Crowd, int]]:
    """Separate overlapping steered actors before the first step.

    Yield each crowd, and the number of its actors that were moved.

    If an actor is nearer to a wall than its radius, it is moved away from the wall.
    """
    unfold_all(world)
    crowds = [own._replace(is_due=True) for own in crowds_that_steer(world, 0.0)]
    begin = [(own.transforms.translation.copy(), own.steering.orientation.copy()) for own in crowds]
    for (_, (around,)), turn in product(world.query(Surroundings), range(ROUNDS)):
        choose(world, around, crowds, turn, 1.0, still=True)
        for own in crowds:
            own.transforms.translation[:, ::2] += own.movers.velocity
        if max(np.abs(own.movers.velocity).max(initial=0.0) for own in crowds) < NEARLY:
            break
    for own, (positions, orientation) in zip(crowds, begin, strict=True):
        own.steering.orientation[:], own.movers.velocity[:] = orientation, 0
        moved = np.abs(own.transforms.translation - positions).max(axis=1) > NEARLY
        if own.storeyed is not None:
            _move_back(world, own, positions)
        yield own.crowd, int(np.count_nonzero(moved))


def _move_back(world: World, own: Steered, before: NDArray[np.float32]) -> None:
    """Apply the movement of actors on the unfolded plan since the positions `before` [n, 3] to their translations."""
    for _, (crowd, transforms) in world.query(Crowd, Transforms):
        if crowd is own.crowd:
            transforms.translation[:, ::2] += (own.transforms.translation - before)[:, ::2]

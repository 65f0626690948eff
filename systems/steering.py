"""Steering: the system that chooses direction and speed of all steered actors, at the decision rate of their crowd."""

from collections.abc import Iterator, Sequence
from importlib import import_module
from itertools import product
from math import ceil, floor
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.crowd import Crowd
from ecs_anim.components.familiarity import Familiarity
from ecs_anim.components.groups import Groups
from ecs_anim.components.journeys import Journeys
from ecs_anim.components.movers import Movers
from ecs_anim.components.steering import Steering, Surroundings
from ecs_anim.components.stops import Stops
from ecs_anim.components.storeys import Storeyed
from ecs_anim.components.transforms import Transforms
from ecs_anim.ecs.world import World
from ecs_anim.steering.agents import MODEL, NOBODY, SPEED, Agents, Turn, turn_of
from ecs_anim.steering.models import ForceModel
from ecs_anim.steering.own import Model
from ecs_anim.steering.rooms import EARLY, RoomClocks, rooms_of_ids
from ecs_anim.systems.chunk import Columns
from ecs_anim.systems.external_agents import add_avoided, avoided_agents
from ecs_anim.systems.force_steering import SteerRows, add_drift, choose_by_force, parts_with_equal_steps, take_drift
from ecs_anim.systems.helpers import share_rows
from ecs_anim.systems.own_steering import choose_by_own, stand_clear
from ecs_anim.systems.unfolding import add_all_ghosts, all_seen_spaces, count_all_ghosts, lengthen_time_gaps, unfold_all

ROUNDS, NEARLY = 500, 1e-3  # largest number of rounds to separate actors, and largest movement [m] in the last round
PART = 1024  # least number of agents that a thread steers in one call
NAMES = 0x7FFFFFFF  # the bits of an id that are equal in all rooms
Rows = NDArray[np.int64]
ONE_ROOM, FIRST_TURN = np.ones(1, np.bool_), np.zeros(1, np.int64)


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
    stops: Stops | None
    storeyed: Storeyed | None = None  # in a world with levels, `transforms` are on the unfolded plan
    due: NDArray[np.bool_] = ONE_ROOM  # [room], rooms in which the crowd decides in this step
    turns: NDArray[np.int64] = FIRST_TURN  # [room], number of decisions so far

    def rows_in(self, due: NDArray[np.bool_]) -> Rows:
        """Return the rows of the actors in the rooms that are `due` [room]. At least one room is due.

        All rooms have the same number of actors, and the first rows are the actors of the first room.
        """
        rows = np.arange(self.crowd.actor_count)
        return rows if len(due) == 1 else rows.reshape(len(due), -1)[due].ravel()

    def acts(self, period: int) -> NDArray[np.bool_]:
        """Return the actors [actor_count] for which this decision is one of each `period` decisions."""
        rooms = rooms_of_ids(self.crowd.ids, len(self.due))
        found: NDArray[np.bool_] = self.due[rooms] & (((self.crowd.ids & NAMES) + self.turns[rooms]) % period == 0)
        return found


class Decision(NamedTuple):
    """The crowds that choose directions and speeds together, and the number and the duration of this decision.

    In a world with levels, the decision contains only the actors in `spaces`. Actors on other levels can decide at
    other times.
    """

    turn: Turn
    crowds: Sequence[Steered]
    spaces: Sequence[int] | None = None  # None = the whole world

    def among(self, rows: NDArray[np.intp], order: NDArray[np.int32], spaces: NDArray[np.int32]) -> NDArray[np.intp]:
        """Return the part of `rows` whose agents take part in the decision.

        `rows` are row numbers of sorted agents. `order` [agents] contains the row of each sorted agent before the
        sorting. `spaces` [agents] are the spaces of the agents before the sorting.
        """
        return rows if self.spaces is None else rows[np.isin(spaces[order[rows]], self.spaces)]


def decisions_of(around: Surroundings, crowds: Sequence[Steered], dt: float) -> list[Decision]:
    """Return the decisions of all crowds in a step of `dt` [s].

    Crowds that share a level or a flight decide together.
    """
    if all(own.storeyed is None for own in crowds) or len({_rhythm(own) for own in crowds}) == 1:
        return [Decision(_turn(around, crowds, dt), crowds)]
    present = dict[int, list[Steered]]()
    for own in crowds:
        for space in np.unique(spaces_of([own])).tolist():
            present.setdefault(space, []).append(own)
    shared = dict[frozenset[tuple[bool, int, float, int]], list[int]]()
    for space, members in present.items():
        if any(own.is_due for own in members):
            shared.setdefault(frozenset((*_rhythm(own), own.steering.model) for own in members), []).append(space)
    return [Decision(_turn(around, present[own[0]], dt), present[own[0]], own) for own in shared.values()]


def _rhythm(own: Steered) -> tuple[bool, int, float]:
    return own.is_due, own.steering.turns, own.steering.decision_rate


def _turn(around: Surroundings, crowds: Sequence[Steered], dt: float) -> Turn:
    """Return the record `Turn` of a decision: the seed, the number and the duration of the decision."""
    seconds = max(dt, *(1 / own.steering.decision_rate for own in crowds if own.is_due))
    if around.rooms is not None:
        return Turn(around.rooms.seed, crowds[0].turns, seconds)
    return turn_of(around.seed, max(own.steering.turns for own in crowds), seconds)


def spaces_of(crowds: Sequence[Steered]) -> NDArray[np.int32]:
    """Return the spaces [agents] of the actors of all crowds. In a world without levels, all spaces are 0."""
    flat = (np.zeros(own.crowd.actor_count, np.int32) if own.storeyed is None else own.storeyed.space for own in crowds)
    return np.concatenate([*flat])


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
        crowds = crowds_if_due(world, dt)
        if not crowds:
            return
        ((_, (around,)),) = world.query(Surroundings)
        choose(world, around, crowds, decisions_of(around, crowds, dt), dt)
        for own in crowds:
            if own.is_due:
                own.steering.turns = _turns(world.time, own.steering.decision_rate)

    def free_steps(self, world: World, ends: NDArray[np.float64]) -> int:
        """Return 0 if the world has steered crowds. Without steered crowds, return the number of all steps."""
        return 0 if any(world.query(Steering)) else len(ends)


def choose(
    world: World, around: Surroundings, crowds: Sequence[Steered], decisions: Sequence[Decision], step: float
) -> None:
    """Compute the velocities of all agents that decide now.

    `step` [s] is the duration of a step of the world. If `step` is 0, agents only move apart.
    """
    from ecs_anim.kernels.neighbours import NEAR, give_back, sort_into_cells  # compiled at first use

    due = np.logical_or.reduce([own.due for own in crowds])
    rows_of, others = [own.rows_in(due) for own in crowds], avoided_agents(world, due)
    ends = np.cumsum([0, *map(len, rows_of)]).tolist()
    seen = all_seen_spaces(crowds)
    count = ends[-1] + count_all_ghosts(seen) + len(others.room)
    around.fit(count, NEAR, world.threads)
    agents, laid, cells = tuple(around.agents), tuple(around.laid), tuple(around.cells)
    still = step == 0
    _join(world, crowds, rows_of, ends, agents)
    for begin, own in zip(ends, crowds, strict=False):
        if own.storeyed is not None:
            parameters = around.agents.parameters[begin : begin + own.crowd.actor_count]
            lengthen_time_gaps(own.storeyed, around.models[own.steering.model], parameters)
    add_all_ghosts(seen, ends, agents)
    add_avoided(around.agents, count - len(others.room), others)
    if still:
        around.agents.own[: ends[-1], SPEED] = 0
    forced = [] if still else list(_forced(around, crowds, ends))
    add_drift(forced, around.agents)
    sort_into_cells(agents, count, cells, laid)
    models = around.laid.identity[:count, MODEL]
    drift = np.zeros((count if forced else 0, 2), np.float32)
    order, spaces = around.cells.order, spaces_of(crowds)
    seconds = np.zeros(ends[-1], np.float32)
    for number, decision in product(sorted({own.steering.model for own in crowds if own.is_due}), decisions):
        model, now = around.models[number], decision.turn
        rows = decision.among(np.flatnonzero(models == number), order, spaces)
        if not len(rows):
            continue
        seconds[order[rows]] = now.seconds
        if isinstance(model, ForceModel) and not still:
            now = now._replace(seconds=_until_next(world.time, step, decision.crowds, number))
            steer = _steerer(world, around, model)
            for part in parts_with_equal_steps(model, around.laid, rows, spaces[order[rows]], now.seconds):
                drift[order[part]] = choose_by_force(around.laid, model, part, now, steer)
        elif isinstance(model, ForceModel):
            stand_clear(around, rows, now)
        elif model.kernel:
            _steerer(world, around, model)(around.laid, rows, now)
        else:
            choose_by_own(around, model, rows, now, still)
    give_back(laid, cells, count, agents)
    _take(world, crowds, rows_of, ends, agents, seconds)
    take_drift(forced, drift)


def _forced(around: Surroundings, crowds: Sequence[Steered], ends: Sequence[int]) -> Iterator[tuple[Steering, slice]]:
    """Yield the crowds that decide now with a force model, and the rows of their agents."""
    for own, begin, end in zip(crowds, ends, ends[1:], strict=False):
        if own.is_due and isinstance(around.models[own.steering.model], ForceModel):
            yield own.steering, slice(begin, end)


def _steerer(world: World, around: Surroundings, model: Model) -> SteerRows:
    """Return a function that calls the kernel of a built-in model for some of the sorted agents, with all threads."""
    steer = import_module(model.kernel).steer  # compiled at first use
    cells, parameters = tuple(around.cells), model.records(around.laid.parameters)

    def steer_rows(agents: Agents, rows: NDArray[np.intp], turn: Turn) -> None:
        def steer_part(thread: int, part: slice) -> None:
            steer(laid, cells, around.walls, parameters, turn, rows[part], around.near[thread])

        laid = tuple(agents)
        share_rows(world, len(rows), PART, steer_part)

    return steer_rows


def _join(
    world: World, crowds: Sequence[Steered], rows_of: Sequence[Rows], ends: Sequence[int], agents: Columns
) -> None:
    """Write one row of `agents` for each actor in `rows_of`. Actors that do not decide now keep their velocities."""
    from ecs_anim.kernels.steering_agents import join_agents

    for begin, rows, own in zip(ends, rows_of, crowds, strict=False):
        movers, model, ids = own.movers, own.steering.model if own.is_due else NOBODY, own.crowd.ids
        said, placement = (movers.facing, model, len(own.due) - 1), tuple(own.transforms.placement)
        columns = tuple(movers.columns), tuple(own.steering.columns)

        # `share_rows` returns after all calls, so the loop has not changed the variables of the function.
        def join(_: int, part: slice) -> None:
            join_agents(*said, (rows[part], ids), placement, *columns, begin + part.start, agents)  # noqa: B023

        share_rows(world, len(rows), PART, join)


def _take(
    world: World,
    crowds: Sequence[Steered],
    rows_of: Sequence[Rows],
    ends: Sequence[int],
    agents: Columns,
    seconds: NDArray[np.float32],
) -> None:
    """Copy the chosen velocities of the agents to the columns of the crowds.

    `seconds` [agents] is the time [s] until the next decision of each agent.
    """
    from ecs_anim.kernels.steering_agents import take_choices

    for begin, rows, own in zip(ends, rows_of, crowds, strict=False):
        columns = tuple(own.movers.columns), tuple(own.steering.columns)

        # `share_rows` returns after all calls, so the loop has not changed the variables of the function.
        def take(_: int, part: slice) -> None:
            take_choices(agents, begin + part.start, seconds, rows[part], *columns)  # noqa: B023

        share_rows(world, len(rows), PART, take)


def crowds_if_due(world: World, dt: float) -> list[Steered]:
    """Return all crowds of steered actors if at least one crowd decides in this step. Otherwise, return []."""
    rooms = _rooms_of(world)
    is_due = dt > 0 and any(_is_due(world, rooms, steering) for _, (steering,) in world.query(Steering))
    return list(crowds_that_steer(world, dt)) if is_due else []


def crowds_that_steer(world: World, dt: float) -> Iterator[Steered]:
    """Yield all crowds of steered actors. `Steered.is_due` is true for crowds that decide in this step."""
    rooms = _rooms_of(world)
    for entity, (crowd, steering, movers, transforms) in world.query(Crowd, Steering, Movers, Transforms):
        due, turns = _rhythm_now(world, rooms, steering)
        is_due = dt > 0 and bool(due.any())
        storeyed = world.find(entity, Storeyed)
        placed = transforms if storeyed is None else storeyed.transforms(transforms)
        journeys, groups = world.find(entity, Journeys), world.find(entity, Groups)
        familiarity, stops = world.find(entity, Familiarity), world.find(entity, Stops)
        yield Steered(
            crowd, steering, movers, placed, is_due, journeys, groups, familiarity, stops, storeyed, due, turns
        )


def _rooms_of(world: World) -> RoomClocks | None:
    return next((around.rooms for _, (around,) in world.query(Surroundings)), None)


def _is_due(world: World, rooms: RoomClocks | None, steering: Steering) -> bool:
    if rooms is not None:
        return bool(rooms.rhythm(steering.decision_rate)[0].any())
    return _turns(world.time, steering.decision_rate) > steering.turns


def _turns(time: float, rate: float) -> int:
    """Return the number of decisions of a crowd until `time` [s], with `rate` decisions per second."""
    return floor(time * rate + EARLY) + 1  # as `turns_at`, without the cost of arrays


def _rhythm_now(
    world: World, rooms: RoomClocks | None, steering: Steering
) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Return whether the crowd decides in this step, and the number of its decisions so far, by room."""
    if rooms is not None:
        return rooms.rhythm(steering.decision_rate)
    return np.array([_is_due(world, rooms, steering)]), np.array([steering.turns])


def _until_next(time: float, dt: float, crowds: Sequence[Steered], model: int) -> float:
    """Return the time [s] until the next decision of the due crowds that use the model `model`.

    Each step takes `dt` [s].
    """
    rates = [own.steering.decision_rate for own in crowds if own.is_due and own.steering.model == model]
    return max(max(ceil(((_turns(time, rate) - EARLY) / rate - time) / dt), 1) * dt for rate in rates)


def move_apart(world: World) -> Iterator[tuple[Crowd, int]]:
    """Separate steered actors that overlap before the first step.

    Yield each crowd, and the number of its actors that were moved.

    If an actor is nearer to a wall than its radius, it is moved away from the wall.
    """
    unfold_all(world)
    crowds = [own._replace(is_due=True, due=ONE_ROOM) for own in crowds_that_steer(world, 0.0)]
    begin = [(own.transforms.translation.copy(), own.steering.orientation.copy()) for own in crowds]
    spaces, velocities = spaces_of(crowds), [own.movers.velocity for own in crowds]
    moves = np.ones(spaces.max(initial=0) + 1, bool)  # [space], false = all actors of the space are separated
    for (_, (around,)), turn in product(world.query(Surroundings), range(ROUNDS)):
        choose(world, around, crowds, [Decision(turn_of(around.seed, turn, 1.0), crowds)], step=0.0)
        by = np.where(moves[spaces, None], np.concatenate(velocities), np.float32(0))
        for own, part in zip(crowds, np.split(by, np.cumsum([len(own) for own in velocities])[:-1]), strict=True):
            own.transforms.translation[:, ::2] += part
        moves[:] = False
        moves[spaces[np.abs(by).max(axis=1, initial=0) >= NEARLY]] = True
        if not moves.any():
            break
    for own, (positions, orientation) in zip(crowds, begin, strict=True):
        own.steering.orientation[:], own.movers.velocity[:] = orientation, 0
        moved = np.abs(own.transforms.translation - positions).max(axis=1) > NEARLY
        if own.storeyed is not None:
            _move_back(world, own, positions)
        yield own.crowd, int(np.count_nonzero(moved))


def _move_back(world: World, own: Steered, before: NDArray[np.float32]) -> None:
    """Add the movement of actors since the positions `before` [n, 3] on the unfolded plan to their translations."""
    for _, (crowd, transforms) in world.query(Crowd, Transforms):
        if crowd is own.crowd:
            transforms.translation[:, ::2] += (own.transforms.translation - before)[:, ::2]

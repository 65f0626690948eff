"""Lifts: actors wait beside the door, enter the car, stand while the car moves, and leave the car at their stop.

Positions are measured from the middle of a door: `depth` into the car, and `aside` to the left of the direction into
the car [m]. A cabin is the space of the car at one stop. Arrival times decide whether an actor rides. An actor wants to
enter a cabin, or to stay in the cabin, if its arrival time is shorter inside the cabin than at the door.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.connections import Connections
from ecs_anim.components.lifts import Lifts
from ecs_anim.components.routing import Routing
from ecs_anim.components.steering import Steering
from ecs_anim.storeys.arrays import SpaceArrays
from ecs_anim.storeys.connections import ASIDE, BESIDE, LOBBY, Car, End
from ecs_anim.storeys.speeds import FREE_SPEED
from ecs_anim.systems.riders import Riders

Reals = NDArray[np.float64]
Mask = NDArray[np.bool_]
Rows = NDArray[np.intp]
CORRIDOR, CLEAR = 0.3, 2.2  # [m], width beside the door and length of the floor that waiting actors leave free
STAND_OFF = 0.35  # [m], distance of waiting actors from the wall with the door
LEADS, GAP = 1.6, 0.42  # [m]; actors nearer to the door than `LEADS` enter one after another, with the gap `GAP`
DOORWAY = 0.3  # [m], actors at most this far from the door keep the door open
FRONT, BACK = 0.05, 0.5  # [m], depths in a cabin; an actor wants to be in the cabin if its time is shorter at `BACK`
PACE, SETTLES = 0.8, 0.5  # [m/s], largest speed in the car; [s], time constant of the way to a place
KEEPS_OPEN = 0.4  # [s], time for which a used doorway or an idle car keeps the doors open
# A passenger farther than NEAR [m] from its place keeps the doors open. At its place, the passenger needs STANDS [s] to
# put its feet next to each other.
NEAR, STANDS = 0.05, 1.8


@dataclass(frozen=True)
class Fields:
    """The arrival times of all goals, and the field of each actor."""

    routing: Routing
    spaces: SpaceArrays
    row: NDArray[np.int32]  # [rider], row of the actor in its crowd
    crowds: tuple[tuple[slice, Steering], ...]  # the riders of each crowd

    def times(self, rows: Rows, points: Reals, space: int) -> Reals:
        """Return the arrival times [n] of actors at points [n, 2] of a space. Unknown times are inf."""
        grid, found = self.routing.grid, np.full(len(rows), np.inf)
        places = points + self.spaces.offsets[space]
        column = np.floor((places[:, 0] - grid.origin_x) / grid.spacing).astype(int)
        row = np.floor((places[:, 1] - grid.origin_y) / grid.spacing).astype(int)
        cell = np.clip(row, 0, grid.rows - 1) * grid.columns + np.clip(column, 0, grid.columns - 1)
        for own, steering in self.crowds:
            mine = (rows >= own.start) & (rows < own.stop)
            if steering.routes is not None and mine.any():
                waypoint, route = (numbers[self.row[rows[mine]]] for numbers in (steering.waypoint, steering.route))
                number = np.where(waypoint >= 0, waypoint, len(steering.goals) + route)
                field = steering.routes.destinations.field[np.clip(number, 0, None)]
                found[mine] = steering.routes.lattice.fields.times[field, cell[mine]]
        return found


def ride_lifts(lifts: Lifts, found: Connections, riders: Riders, fields: Fields, dt: float) -> None:
    """Advance all lifts by a time step, and set the velocities of their passengers and of waiting actors."""
    for number, car in enumerate(lifts.cars):
        connection = lifts.numbers[number]
        ends, is_open = found.parts[connection].ends, bool(found.is_open[connection])
        lift = _Lift(number, lifts, car, ends, riders, fields)
        lift.serve(is_open, dt)


class _Lift:
    """One lift in one time step."""

    def __init__(self, number: int, lifts: Lifts, car: Car, ends: tuple[End, ...], riders: Riders, fields: Fields):
        self.number, self.lifts, self.car, self.ends = number, lifts, car, ends
        self.riders, self.fields = riders, fields
        self.inside = riders.row[:0].astype(np.intp)
        if len(riders.row):
            self.inside = np.flatnonzero((riders.space >= car.spaces[0]) & (riders.space <= car.spaces[-1]))

    @cached_property
    def _place(self) -> Reals:
        """The positions [n, 2] of riders from the middle of the door on the plan [m]."""
        return self.riders.at - self.ends[0].point

    @cached_property
    def depth(self) -> Reals:
        """The distances [n] of riders behind the door [m]."""
        dx, dy = self.ends[0].inward
        return np.asarray(self._place[:, 0] * dx + self._place[:, 1] * dy)

    @cached_property
    def aside(self) -> Reals:
        """The distances [n] of riders to the left of the middle of the door [m]."""
        dx, dy = self.ends[0].inward
        return np.asarray(self._place[:, 1] * dx - self._place[:, 0] * dy)

    @cached_property
    def lobby(self) -> Rows:
        """The riders in front of the door, on all levels."""
        wide = max(ASIDE, self.ends[0].half + BESIDE)
        return np.flatnonzero((self.depth <= 0) & (self.depth > -LOBBY) & (np.abs(self.aside) < wide))

    def serve(self, is_open: bool, dt: float) -> None:
        """Set the velocities of passengers and of waiting actors. Then, move the car."""
        stop = int(self.lifts.stop[self.number])
        stands = self.lifts.open_seconds[self.number] > 0
        if not is_open and not self.inside.size:  # the guards of closed connections stop actors at the doors
            self._drive(stop, stands, 0.0, [False] * len(self.ends), dt)
            return
        leaves = ~self._wants_in(self.inside, stop)
        calls = [self._waiting(other) if is_open else self.lobby[:0] for other in range(len(self.ends))]
        least = self._move_passengers(leaves & stands)
        for other, rows in enumerate(calls):
            may_enter = stands and other == stop and is_open and not leaves.any()
            room = self.car.capacity - len(self.inside) if may_enter else 0
            if self._admit(other, rows, room, dt):
                least = max(least, KEEPS_OPEN)
        self._drive(stop, stands, least, [bool(rows.size) for rows in calls], dt)
        self.riders.carried[self.inside, :2] = 0.0
        self.riders.carried[self.inside, 2] = self.lifts.height[self.number]

    def _point(self, depth: float) -> tuple[float, float]:
        """Return the plan point at a depth in the car [m], on its middle line."""
        (x, y), (dx, dy) = self.ends[0].point, self.ends[0].inward
        return x + depth * dx, y + depth * dy

    def _before(self, stop: int) -> Rows:
        """Return the actors in front of the door at a stop."""
        return self.lobby[self.riders.space[self.lobby] == self.ends[stop].level]

    def _wants_in(self, rows: Rows, stop: int) -> Mask:
        """Return which of the actors [n] want to enter the cabin at a stop, or want to stay in the cabin."""
        front, back = self._point(FRONT), self._point(BACK)
        times = [
            self.fields.times(rows, np.tile(np.array(at), (len(rows), 1)), self.car.spaces[stop])
            for at in (front, back)
        ]
        return np.asarray(times[1] < times[0])

    def _waiting(self, stop: int) -> Rows:
        """Return the actors in front of the door at a stop whose way leads into the car."""
        end, riders = self.ends[stop], self.riders
        rows = self._before(stop)
        rows = rows[np.abs(self.aside[rows]) < ASIDE]
        if not rows.size:
            return rows
        rows = rows[self._wants_in(rows, stop)]
        away = self._distance(rows)
        door = np.tile(np.array(self._point(FRONT)), (len(rows), 1))
        here = self.fields.times(rows, riders.at[rows], end.level)
        calls = here > self.fields.times(rows, door, self.car.spaces[stop]) + 0.5 * away
        return rows[calls | (away < DOORWAY)]  # the times of one cell are equal on both sides of the door

    def _set(self, rows: Rows, depth: Reals, aside: Reals) -> None:
        """Set the velocities of actors [m/s], into the car and to the left."""
        dx, dy = self.ends[0].inward
        self.riders.velocity[rows, 0] = depth * dx - aside * dy
        self.riders.velocity[rows, 1] = depth * dy + aside * dx

    def _move_passengers(self, leaves: Mask) -> float:
        """Move passengers to their places in the car or out of the car.

        Return the time [s] for which the doors must stay open.
        """
        going, staying = self.inside[leaves], self.inside[~leaves]
        out = np.where(np.abs(self.aside[going]) < self.ends[0].half - 0.2, -PACE, -0.2 * PACE)
        self._set(going, out, np.clip(-self.aside[going] / SETTLES, -PACE, PACE))
        places = _places(self.car)[: len(staying)]
        depth, aside = places[:, 0] - self.depth[staying], places[:, 1] - self.aside[staying]
        walks = depth * depth + aside * aside > NEAR * NEAR
        self._set(staying, *(np.where(walks, np.clip(part / SETTLES, -PACE, PACE), 0.0) for part in (depth, aside)))
        if walks.any():
            return min(STANDS, self.car.dwell / 2)  # doors with a longer time would look closed
        return KEEPS_OPEN if going.size else 0.0

    def _admit(self, stop: int, waiting: Rows, room: int, dt: float) -> bool:
        """Let up to `room` waiting actors enter, and stop all other actors.

        Return whether an actor is in the doorway.
        """
        end, riders, rows = self.ends[stop], self.riders, self._before(stop)
        if not rows.size:
            return False
        dx, dy = end.inward
        rows = rows[np.abs(self.aside[rows]) < end.half + BESIDE]
        ahead = riders.velocity[rows, 0] * dx + riders.velocity[rows, 1] * dy
        order = waiting[np.argsort(self._distance(waiting), kind="stable")]
        admitted, held = order[:room], order[room:]
        enters = (self.depth[rows] + ahead * dt > -0.01) & (ahead > 0) & ~np.isin(rows, admitted)
        for row, own in zip(rows[enters].tolist(), ahead[enters].tolist(), strict=True):
            stay = min(max((-0.01 - self.depth[row]) / dt, 0.0), own) - own
            riders.velocity[row] += stay * np.array([dx, dy])
        self._keep_clear(held, end)
        self._lead_in(admitted, end)
        return bool((self.depth[admitted] > -DOORWAY).any()) if admitted.size else False

    def _distance(self, rows: Rows) -> Reals:
        """Return the distances [n] of actors from the middle of the door [m]."""
        return np.asarray(np.sqrt(self.depth[rows] ** 2 + self.aside[rows] ** 2))

    def _lead_in(self, admitted: Rows, end: End) -> None:
        """Lead actors near the door into the car, one after the other. `admitted` begins with the nearest actor."""
        near = admitted[self._distance(admitted) < LEADS]
        at = np.stack([self.depth[near], self.aside[near]], axis=1)
        is_beside = np.abs(at[:, 1]) > end.half - 0.25
        to = np.stack([np.where(is_beside, -STAND_OFF, 0.5), np.zeros(len(near))], axis=1)
        way = to - at
        way *= PACE / np.maximum(np.sqrt((way * way).sum(axis=1, keepdims=True)), 1e-6)
        for number in range(1, len(near)):
            before = at[:number] - at[number]
            is_ahead = (before * way[number]).sum(axis=1) > 0
            if (is_ahead & ((before * before).sum(axis=1) < GAP * GAP)).any():
                way[number] = 0.0
        self._set(near, way[:, 0], way[:, 1])

    def _keep_clear(self, held: Rows, end: End) -> None:
        """Keep the floor in front of the door clear.

        Waiting actors on this floor step aside, and other waiting actors do not enter it.
        """
        depth, aside = self.depth[held], self.aside[held]
        side = np.where(aside >= 0, 1.0, -1.0)
        wide = end.half + CORRIDOR
        in_way = (np.abs(aside) < wide) & (depth > -CLEAR)
        close = ~in_way & (np.abs(aside) < wide + 0.3) | (depth > -STAND_OFF)
        dx, dy = end.inward
        velocity = self.riders.velocity[held]
        onward = velocity[:, 0] * dx + velocity[:, 1] * dy
        across = velocity[:, 1] * dx - velocity[:, 0] * dy
        onward = np.where(in_way, 0.0, np.where(depth > -STAND_OFF, np.minimum(onward, 0.0), onward))
        across = np.where(in_way, 0.6 * side, np.where(close & (across * side < 0), 0.0, across))
        onward = np.where(close & ~in_way, np.clip((-STAND_OFF - depth) / SETTLES * 0.3, 0.0, onward.clip(0.0)), onward)
        self._set(held, onward, across)

    def _drive(self, stop: int, stands: bool, least: float, calls: list[bool], dt: float) -> None:
        """Advance the doors and the car by `dt` [s].

        `stands` is true while the car is at the stop `stop`. Open doors stay open for at least `least` seconds. `calls`
        [stop] states at which stops actors wait.
        """
        lifts, number, car = self.lifts, self.number, self.car
        if stands:
            rest = max(lifts.open_seconds[number] - dt, least)
            if rest <= 0:
                wanted = self._wanted(stop, calls)
                rest = 0.0 if wanted else KEEPS_OPEN
                if wanted:
                    lifts.target[number] = _next_stop(wanted, stop, int(lifts.way[number]))
                    lifts.way[number] = 1 if lifts.target[number] > stop else -1
            lifts.open_seconds[number] = max(rest, 0.0)
            return
        target = int(lifts.target[number])
        goal, step = car.heights[target], car.speed * dt
        left = goal - lifts.height[number]
        if abs(left) > step:
            lifts.height[number] += step * np.sign(left)
            return
        lifts.height[number], lifts.stop[number], lifts.open_seconds[number] = goal, target, car.dwell
        self.riders.space[self.inside] = car.spaces[target]

    def _wanted(self, stop: int, calls: list[bool]) -> list[int]:
        """Return the stops, other than the present stop, that passengers or waiting actors want."""
        wanted = {other for other, is_called in enumerate(calls) if is_called and len(self.inside) < self.car.capacity}
        if self.inside.size:
            outside = np.tile(np.array(self._point(-0.5)), (len(self.inside), 1))
            costs = [
                self.fields.times(self.inside, outside, end.level)
                + abs(self.car.heights[other] - self.car.heights[stop]) / self.car.speed * FREE_SPEED
                for other, end in enumerate(self.ends)
            ]
            best = np.array(costs)
            wanted |= set(best.argmin(axis=0)[np.isfinite(best.min(axis=0))].tolist())
        return sorted(wanted - {stop})


def _next_stop(wanted: list[int], stop: int, way: int) -> int:
    """Return the nearest wanted stop in the direction of the last ride.

    If there is no such stop, return the nearest wanted stop in the other direction.
    """
    ahead = [other for other in wanted if (other - stop) * way > 0]
    return min(ahead or wanted, key=lambda other: abs(other - stop))


def _places(car: Car) -> Reals:
    """Return the places [n, 2] of passengers: depth and distance to the left [m], from the back to the door."""
    width, depth = car.size
    columns = max(int(width / 0.5), 1)
    rows = -(-car.capacity // columns)
    deep = depth - 0.25 - np.arange(rows) * min(0.5, (depth - 0.45) / max(rows - 1, 1))
    across = (np.arange(columns) + 0.5) / columns * width - width / 2
    return np.array([(d, a) for d in deep.tolist() for a in across.tolist()])

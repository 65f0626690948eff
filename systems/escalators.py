"""Escalators: moving steps carry actors, and actors enter only free places on the steps.

Positions on an escalator have two numbers [m]. `s` is the distance from the lower end, measured uphill. `aside` is the
distance to the left of the middle line, for a person that faces uphill.
"""

from collections.abc import Iterator, Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.connections import Connections
from ecs_anim.components.lifts import Lifts
from ecs_anim.components.routing import Routing
from ecs_anim.ecs.world import World
from ecs_anim.storeys.connections import BESIDE, END_COLUMNS, PLATE, STOPS, UP, Belt, End, Use
from ecs_anim.systems.chunk import Forgetful
from ecs_anim.systems.connections import connections_of, switch_treads
from ecs_anim.systems.lifts import Fields, ride_lifts
from ecs_anim.systems.riders import Found, Riders, Zones, give_back, join_riders, steered_riders

Reals = NDArray[np.float64]
Mask = NDArray[np.bool_]
Rows = NDArray[np.intp]
SETTLES = 0.5  # [s], time constant with which a standing actor moves to the middle of its place
FASTEST = 0.3  # [m/s], largest speed of this movement
CLIMB = 1.2  # [m/s], largest speed with which a body is lifted onto a step
CLOSE = 0.45  # [m]; a walking actor stops at this distance behind an actor on the same lane
BEHIND = 0.25  # [m], least distance between an entering actor and the actor in front of it
APART = 0.28  # [m], least distance between an entering actor and an actor beside it
ACROSS = 0.8  # [m/s], speed at which an actor in front of the steps moves to a free lane
_NO_BOXES = np.zeros((0, END_COLUMNS))


class RideEscalators(Forgetful):
    """Move escalators, and the actors on their steps. Actors wait until a place on the steps is free."""

    name: ClassVar[str] = "escalators"

    def run(self, world: World, dt: float) -> None:
        """Write `travel` of `Connections`, `carried` of `Storeyed`, `velocity` of `Movers` and `state` of `Body`."""
        found = connections_of(world)
        if found is None or dt <= 0:
            return
        moving, crowds = _moving(found), steered_riders(world)
        if crowds:
            riders = join_riders(world, crowds, _zones_now(found, moving, crowds[0][1][1].spaces.count), dt)
            for number, belt in moving:
                _carry(belt, found.way[number], found.travel[number], riders, dt)
            if len(riders.row):
                for number, (own, use) in enumerate(zip(found.parts, found.uses, strict=True)):
                    for end in own.ends:
                        _guard(end, use, found, number, riders, dt)
                        if own.belt is not None and use.is_open and use.moves and end.way != use.way:
                            _walk_off(end, own.belt, riders)
            for lifts, fields in _lifts(world, crowds, riders):
                ride_lifts(lifts, found, riders, fields, dt)
            give_back(world, crowds, riders, dt)
        for number, belt in moving:
            _advance(found, number, belt, dt)
        if len(_moving(found)) < len(moving):
            switch_treads(world)


def _zones_now(found: Connections, moving: Sequence[tuple[int, Belt]], count: int) -> Zones:
    """Return the places in which actors are riders. The cached result is valid until a connection changes its use."""
    uses = found.is_open.tobytes(), [number for number, _ in moving], count
    if found.zones is None or found.zones[0] != uses:
        found.zones = uses, _zones(found, moving, count)
    zones: Zones = found.zones[1]
    return zones


def _zones(found: Connections, moving: Sequence[tuple[int, Belt]], count: int) -> Zones:
    """Return the places in which actors are riders. `count` is the number of spaces of the building."""
    boxes, rides, steps = [_NO_BOXES], np.zeros(count, bool), {number for number, _ in moving}
    for number, (own, is_open) in enumerate(zip(found.parts, found.is_open.tolist(), strict=True)):
        if own.car is not None:
            rides[own.car.spaces[0] : own.car.spaces[-1] + 1] = True
        if own.car is not None and is_open:
            boxes.append(own.lobbies)
        elif not is_open or number in steps:
            boxes.append(own.entrances)
        if own.belt is not None and number in steps:
            rides[own.belt.space] = True
    return Zones(np.concatenate(boxes), rides)


def _lifts(world: World, crowds: Found, riders: Riders) -> Iterator[tuple[Lifts, Fields]]:
    """Yield the lifts of the world, and the arrival times of all goals. Without lifts or routes, yield nothing."""
    lifts = next((own for _, (own,) in world.query(Lifts)), None)
    routing = next((own for _, (own,) in world.query(Routing)), None)
    if lifts is not None and routing is not None:
        pairs = zip(riders.parts, crowds, strict=True) if len(riders.row) else ()  # without riders, no field is read
        parts = [(part, steering) for part, (_, (_, _, steering, *_)) in pairs]
        yield lifts, Fields(routing, crowds[0][1][1].spaces.arrays, riders.row, tuple(parts))


def _moving(found: Connections) -> list[tuple[int, Belt]]:
    """Return the numbers and the belts of all moving escalators. A stopped belt moves on to its next full step."""
    return [
        (number, own.belt)
        for number, own in enumerate(found.parts)
        if own.belt is not None and (found.moves[number] or found.travel[number] > 0)
    ]


def _advance(found: Connections, number: int, belt: Belt, dt: float) -> None:
    """Advance the steps of an escalator by a time step."""
    further = found.travel[number] + found.way[number] * belt.plan_speed * dt / belt.going
    has_passed = not 0.0 <= further < 1.0
    found.travel[number] = 0.0 if has_passed and not found.moves[number] else further % 1.0


def _along(belt: Belt, at: Reals) -> tuple[Reals, Reals]:
    """Return the positions `s` [n] and `aside` [n] of plan points [n, 2] on an escalator."""
    (dx, dy), place = belt.floor.uphill, at - belt.floor.foot
    x, y = place[:, 0], place[:, 1]
    return x * dx + y * dy, y * dx - x * dy


def _carry(belt: Belt, way: int, travel: float, riders: Riders, dt: float) -> None:
    """Set the velocities of the actors on an escalator. `way` is 1 uphill and -1 downhill."""
    rows = np.flatnonzero(riders.space == belt.space)
    if not rows.size:
        return
    (dx, dy), speed, going = belt.floor.uphill, way * belt.plan_speed, belt.going
    s, aside = _along(belt, riders.at[rows])
    walks = riders.walks[rows] < belt.walking_share
    lanes = _middles(belt, way)[_distances(belt, way, walks, aside).argmin(axis=1)]
    step = np.floor(s / going - travel)
    own = riders.velocity[rows]
    ahead = own[:, 0] * dx + own[:, 1] * dy - np.where(np.isnan(riders.carried[rows, 2]), 0.0, speed)
    walking = np.where(_is_close_behind(s * way, lanes), 0.0, np.maximum(ahead * way, 0.0)) * way
    settling = np.clip(((step + 0.5 + travel) * going - s) / SETTLES, -FASTEST, FASTEST)
    more = np.where(walks, walking, settling)
    across = np.clip((lanes - aside) / SETTLES, -FASTEST, FASTEST)
    forward = speed + more
    riders.velocity[rows, 0] = forward * dx - across * dy
    riders.velocity[rows, 1] = forward * dy + across * dx
    by_steps = np.where(walks, speed, forward)
    lifted = np.where(walks, 0.0, across)
    riders.carried[rows, 0] = by_steps * dx - lifted * dy
    riders.carried[rows, 1] = by_steps * dy + lifted * dx
    later = travel + speed * dt / going
    number = np.floor((s + forward * dt) / going - later)
    floor = belt.floor.base + belt.riser * np.clip(number + 1 + later, 0.0, belt.floor.risers)
    most = (CLIMB + belt.plan_speed * belt.riser / going) * dt
    riders.carried[rows, 2] = riders.height[rows] + np.clip(floor - riders.height[rows], -most, most)


def _middles(belt: Belt, way: int) -> Reals:
    """Return `aside` of the middle of each lane, [lane] [m], from left to right in the direction of movement."""
    return way * belt.width * (0.5 - (np.arange(belt.lanes) + 0.5) / belt.lanes)


def _distances(belt: Belt, way: int, walks: Mask, aside: Reals) -> Reals:
    """Return the distance of each actor from the middle of each lane, [n, lane] [m], or inf for a forbidden lane.

    If some actors walk, walking actors take the left lane, and standing actors take the other lanes.
    """
    away = np.abs(aside[:, None] - _middles(belt, way)[None])
    if belt.walking_share and belt.lanes > 1:
        away[~walks, 0] = np.inf
        away[walks, 1:] = np.inf
    return away


def _is_close_behind(s: Reals, lanes: Reals) -> Mask:
    """Return a mask [n] of the actors close behind another actor on their lane. `s` [n] rises along the movement."""
    gap = s[None] - s[:, None]
    return np.any((lanes[None] == lanes[:, None]) & (gap > 0) & (gap < CLOSE), axis=1)


def _guard(end: End, use: Use, found: Connections, number: int, riders: Riders, dt: float) -> None:
    """Stop actors in front of an end of a connection, if actors cannot enter the connection at this end now."""
    belt = found.parts[number].belt
    is_moving = belt is not None and (use.moves or found.travel[number] > 0)
    if use.is_open and not is_moving:
        return
    (dx, dy), (before, aside, ahead) = end.inward, _seen_from(end, riders)
    enters = (riders.space == end.level) & (np.abs(aside) < end.half + BESIDE) & (before >= 0.0)
    rows = np.flatnonzero(enters & (before - ahead * dt < STOPS) & (ahead > 0))
    if not rows.size:
        return
    held, across = np.ones(len(rows), bool), np.zeros(len(rows))
    if use.is_open and belt is not None and end.way == use.way:
        held, across = _without_place(belt, use.way, found.travel[number], riders, rows, before[rows])
    back = np.maximum((before[rows] - STOPS) / dt, 0.0) - ahead[rows]
    stop = np.where(held, np.minimum(back, 0.0), 0.0)
    riders.velocity[rows, 0] += stop * dx - across * end.way * dy
    riders.velocity[rows, 1] += stop * dy + across * end.way * dx


def _seen_from(end: End, riders: Riders) -> tuple[Reals, Reals, Reals]:
    """Return the distances [n] [m] of actors before an end and to the left of its middle, and their speeds [n] [m/s]
    into the connection.
    """
    (dx, dy), place = end.inward, riders.at - end.point
    x, y = place[:, 0], place[:, 1]
    ahead = riders.velocity[:, 0] * dx + riders.velocity[:, 1] * dy
    return 0.0 - (x * dx + y * dy), y * dx - x * dy, ahead


def _walk_off(end: End, belt: Belt, riders: Riders) -> None:
    """Give actors that have just left an escalator at least the speed of its steps.

    The steps carry more riders to the end, so the actors on the first part of the floor must not stop.
    """
    (dx, dy), (before, aside, ahead) = end.inward, _seen_from(end, riders)
    is_on_plate = (riders.space == end.level) & (np.abs(aside) < end.half) & (before >= 0.0) & (before < PLATE)
    rows = np.flatnonzero(is_on_plate & (ahead <= 0.0) & (ahead > -belt.plan_speed))
    more = belt.plan_speed + ahead[rows]
    riders.velocity[rows, 0] -= more * dx
    riders.velocity[rows, 1] -= more * dy


def _without_place(
    belt: Belt, way: int, travel: float, riders: Riders, rows: Rows, before: Reals
) -> tuple[Mask, Reals]:
    """Return a mask [n] of the actors at the entrance that find no free place on the first step of the escalator.

    The second result [n] [m/s] is the speed to the left of the middle line at which these actors move to a free lane.
    """
    inside = np.flatnonzero(riders.space == belt.space)
    s, aside = _along(belt, riders.at[inside])
    begin = 1e-6 if way == UP else belt.floor.length - 1e-6
    on_first = np.floor(s / belt.going - travel) == np.floor(begin / belt.going - travel)
    is_near = np.abs(s - begin) < BEHIND
    on_first |= is_near
    near = aside[is_near].tolist()
    lanes = _distances(belt, way, riders.walks[inside] < belt.walking_share, aside).argmin(axis=1)
    taken = np.zeros(belt.lanes, bool)
    taken[lanes[on_first]] = True
    _, asides = _along(belt, riders.at[rows])
    away = _distances(belt, way, riders.walks[rows] < belt.walking_share, asides)
    held, across = np.zeros(len(rows), bool), np.zeros(len(rows))
    for number in np.argsort(before, kind="stable").tolist():
        nearest, chosen = int(away[number].argmin()), int(np.where(taken, np.inf, away[number]).argmin())
        is_free = not taken[chosen] and np.isfinite(away[number, chosen])
        has_room = all(abs(asides[number] - other) >= APART for other in near)
        held[number] = not (is_free and chosen == nearest and has_room)
        if not held[number]:
            near.append(float(asides[number]))
        if is_free:
            taken[chosen] = True
            across[number] = np.sign(_middles(belt, way)[chosen] - asides[number]) * ACROSS * held[number]
    return held, across

"""Routing: kernels select the waypoint of each actor, and read its direction from the field of arrival times."""

import numpy as np
from numba import uint64

from ecs_anim.body.movers import STEERED
from ecs_anim.kernels import helper, inlined, kernel
from ecs_anim.kernels.hashing import hashed
from ecs_anim.kernels.types import (
    COUNT,
    DECIDERS,
    DESTINATIONS,
    FLOATS_2D,
    MOVERS,
    OUT,
    PLACEMENT,
    REAL,
    ROUTE_CELLS,
    ROUTE_FIELDS,
    STEERING,
    WALLS,
    void,
)
from ecs_anim.kernels.walls import sees
from ecs_anim.steering.columns import WAY_SPEED, WAY_X, WAY_Z

ZERO, ONE = np.float32(0), np.float32(1)
THERE = np.float32(0.1)  # [m] from a goal; nearer actors stop
CLOSE = 1.0  # [m] from a goal; nearer actors walk straight to a visible goal
# [m] from a goal, plus the actor's offset; nearer actors walk straight, even if another way is faster
ASIDE = 1.5
DELAYED = np.float32(1.5)  # congestion factor; above it, actors check for a faster way
BESIDE = 0.5  # [s] from an area; nearer actors walk straight to a visible spot
AROUND = 2  # number of cells to each side in the search for the best cell
CROWDED = np.float32(1.01)  # slowness, relative to other cells; above it, walls are near
WALLED = 4.0  # distance from a node to walls, in cells; with less, a wall can be between an actor and the nearest nodes
MOST_DISCS = 8  # number of discs without walls that may cover a straight way
LEAST_ROOM = 0.05  # [m], least part of a way that a disc covers; rounding errors are smaller by far
ATTEMPTS = 8  # number of attempts to find a visible spot of an area
NAMES = 0x7FFFFFFF


@inlined
def _cell_at(cells, x, y):
    """Return the cell that contains a point. For a point outside the grid, return the nearest cell."""
    column = min(max(int((x - cells.origin_x) / cells.spacing), 0), cells.columns - 1)
    row = min(max(int((y - cells.origin_y) / cells.spacing), 0), cells.rows - 1)
    return row * cells.columns + column


@helper
def _is_fastest(cells, x, y, to_x, to_y):
    """Return whether the straight line from x, y to another point crosses neither congestion nor a slow area."""
    if cells.is_even:
        return True
    aside, ahead = to_x - x, to_y - y
    steps = int(np.sqrt(aside * aside + ahead * ahead) / cells.spacing) + 1
    for step in range(steps + 1):
        share = step / steps
        cell = uint64(_cell_at(cells, x + share * aside, y + share * ahead))
        if cells.speed_factor[cell] < cells.top_speed_factor or cells.delay[cell] > DELAYED:
            return False
    return True


@inlined
def _has_room(cells, x, y, to_x, to_y, away):
    """Return whether discs without walls, around nodes, cover the way of a body to a point at the distance `away` [m].
    If not, a wall may be near the way.
    """
    at, share_x, share_y = 0.0, (to_x - x) / away, (to_y - y) / away
    for _ in range(MOST_DISCS):
        at_x, at_y = x + at * share_x, y + at * share_y
        cell = uint64(_cell_at(cells, at_x, at_y))
        node_x, node_y = cells.nodes[cell, 0] - at_x, cells.nodes[cell, 1] - at_y
        free = cells.room[cell] - np.sqrt(node_x * node_x + node_y * node_y) - cells.radius
        if not free > LEAST_ROOM:
            return False
        at += free
        if at >= away:
            return True
    return False


@helper
def _is_plain(walls, cells, x, y, to_x, to_y, close):
    """Return whether an actor can walk straight to a point: a body fits along the line, and the line is the fastest way
    or shorter than `close` [m]. A visible point within CLOSE is always plain.
    """
    aside, ahead = to_x - x, to_y - y
    away = np.sqrt(aside * aside + ahead * ahead)
    if 0.0 < away < np.inf and _has_room(cells, x, y, to_x, to_y, away):
        return away < max(CLOSE, close) or _is_fastest(cells, x, y, to_x, to_y)
    if not sees(walls, x, y, to_x, to_y):
        return False
    if away < CLOSE:
        return True
    left_x, left_y = -ahead * cells.radius / away, aside * cells.radius / away
    return (
        (away < close or _is_fastest(cells, x, y, to_x, to_y))
        and sees(walls, x + left_x, y + left_y, to_x + left_x, to_y + left_y)
        and sees(walls, x - left_x, y - left_y, to_x - left_x, to_y - left_y)
    )


@helper
def _best_cell(walls, cells, times, x, y):
    """Return the visible cell near a point with the earliest arrival time (-1 = none), and that time."""
    middle = _cell_at(cells, x, y)
    column, row = middle % cells.columns, middle // cells.columns
    best, soonest = -1, np.inf
    for to_row in range(max(row - AROUND, 0), min(row + AROUND + 1, cells.rows)):
        for to_column in range(max(column - AROUND, 0), min(column + AROUND + 1, cells.columns)):
            cell = uint64(to_row * cells.columns + to_column)
            node_x, node_y = np.float64(cells.nodes[cell, 0]), np.float64(cells.nodes[cell, 1])
            away = np.sqrt((node_x - x) * (node_x - x) + (node_y - y) * (node_y - y))
            time = np.float64(times[cell]) + away * cells.slowness[cell]
            if time < soonest and sees(walls, x, y, node_x, node_y):
                best, soonest = int(cell), time
    return best, soonest


@helper
def _way_at(walls, cells, times, ways, x, y):
    """Return the walking direction at a point as a unit vector, or 0, 0 without a way to the goal: bilinear between the
    four nearest cells without those behind a wall.
    """
    across, along = (x - cells.origin_x) / cells.spacing - 0.5, (y - cells.origin_y) / cells.spacing - 0.5
    column, row = min(max(int(across), 0), cells.columns - 2), min(max(int(along), 0), cells.rows - 2)
    share_x, share_y = min(max(across - column, 0.0), 1.0), min(max(along - row, 0.0), 1.0)
    is_walled = cells.room[uint64(_cell_at(cells, x, y))] < WALLED * cells.spacing
    way_x, way_y = 0.0, 0.0
    for corner in range(4):
        right, up = corner & 1, corner >> 1
        cell = uint64((row + up) * cells.columns + column + right)
        weight = (share_x if right else 1.0 - share_x) * (share_y if up else 1.0 - share_y)
        if times[cell] == np.inf or weight == 0.0:
            continue
        if is_walled and not sees(walls, x, y, np.float64(cells.nodes[cell, 0]), np.float64(cells.nodes[cell, 1])):
            continue
        way_x, way_y = way_x + weight * ways[cell, 0], way_y + weight * ways[cell, 1]
    size = np.sqrt(way_x * way_x + way_y * way_y)
    if size > 0.1:
        return way_x / size, way_y / size
    best, _ = _best_cell(walls, cells, times, x, y)
    if best < 0:
        return 0.0, 0.0
    way_x, way_y = cells.nodes[uint64(best), 0] - x, cells.nodes[uint64(best), 1] - y
    size = np.sqrt(way_x * way_x + way_y * way_y)
    if size < 0.1 * cells.spacing:
        return np.float64(ways[uint64(best), 0]), np.float64(ways[uint64(best), 1])
    return way_x / size, way_y / size


@inlined
def _is_area(destinations, number):
    return destinations.first[uint64(number + 1)] > destinations.first[uint64(number)]


@inlined
def _is_within(cells, fields, destinations, number, x, z):
    field = uint64(destinations.field[uint64(number)])
    return fields.times[field, uint64(_cell_at(cells, np.float64(x), -np.float64(z)))] == ZERO


@inlined
def _has_come(walls, cells, fields, destinations, number, x, z, goal, near):
    """Return whether a point is in the area of a waypoint, or nearer than `near` to its point, not behind a wall."""
    if _is_area(destinations, number):
        return _is_within(cells, fields, destinations, number, x, z)
    aside, onward = goal[0] - x, goal[1] - z
    if not aside * aside + onward * onward < near * near:
        return False
    return cells.columns == 0 or sees(walls, np.float64(x), -np.float64(z), np.float64(goal[0]), -np.float64(goal[1]))


@inlined
def _take_spot(destinations, number, name, attempt, goal):
    """Set a goal to a random spot (one of the stored points) of an area."""
    first, end = destinations.first[uint64(number)], destinations.first[uint64(number + 1)]
    spot = uint64(first + hashed(number, name, attempt) % (end - first))
    goal[0], goal[1] = destinations.spots[spot, 0], destinations.spots[spot, 1]


@inlined
def _go_for(destinations, number, name, goal, offset):
    """Set an actor's goal: a random spot of an area, or a point plus `offset`."""
    if _is_area(destinations, number):
        _take_spot(destinations, number, name, 0, goal)
    else:
        goal[0] = destinations.points[uint64(number), 0] + offset[0]
        goal[1] = destinations.points[uint64(number), 1] + offset[1]


@helper
def _find_spot(walls, cells, destinations, number, name, x, y, goal):
    """Set the goal in an area to a spot to which the actor can walk straight, or else to the actor's position."""
    for attempt in range(ATTEMPTS):
        _take_spot(destinations, number, name, attempt, goal)
        if _is_plain(walls, cells, x, y, np.float64(goal[0]), -np.float64(goal[1]), np.inf):
            return
    goal[0], goal[1] = np.float32(x), -np.float32(y)


@inlined
def _pull_back(walls, cells, destinations, number, goal):
    """Move a goal half of the way to its waypoint if a body does not fit there, or if no straight way leads there."""
    if not _is_area(destinations, number):
        x, z = destinations.points[uint64(number), 0], destinations.points[uint64(number), 1]
        to_x, to_y = np.float64(goal[0]), -np.float64(goal[1])
        is_close = cells.room[uint64(_cell_at(cells, to_x, to_y))] < cells.radius
        if is_close or not _is_plain(walls, cells, np.float64(x), -np.float64(z), to_x, to_y, np.inf):
            goal[0], goal[1] = np.float32(0.5) * (goal[0] + x), np.float32(0.5) * (goal[1] + z)


@helper
def _may_go_straight(walls, cells, fields, field, destinations, to, x, z, goal, offset):
    """Return whether an actor can walk straight to its goal. In the area of its waypoint, the goal is a spot."""
    number, name = to
    at_x, at_y = np.float64(x), -np.float64(z)
    goal_x, goal_y = np.float64(goal[0]), -np.float64(goal[1])
    if number >= 0 and _is_area(destinations, number) and _is_within(cells, fields, destinations, number, x, z):
        _find_spot(walls, cells, destinations, number, name, at_x, at_y, goal)
        return True
    here, there = cells.space[uint64(_cell_at(cells, at_x, at_y))], cells.space[uint64(_cell_at(cells, goal_x, goal_y))]
    if here != there and here >= 0 and there >= 0:
        return False  # faster than the search for a wall between the spaces
    off_x, off_y = np.float64(offset[0]), np.float64(offset[1])
    close = ASIDE + np.sqrt(off_x * off_x + off_y * off_y)
    if not _is_plain(walls, cells, at_x, at_y, goal_x, goal_y, close):
        return False
    aside, ahead = goal_x - at_x, goal_y - at_y
    cell = uint64(_cell_at(cells, at_x, at_y))
    if aside * aside + ahead * ahead < close * close or cells.slowness[cell] * cells.speed_factor[cell] < CROWDED:
        return True
    if number >= 0 and _is_area(destinations, number) and fields.times[field, cell] < BESIDE:
        return True
    way_x, way_y = _way_at(walls, cells, fields.times[field], fields.ways[field], at_x, at_y)
    # otherwise an actor next to a wall would turn round when the wall hides the goal
    return way_x * aside + way_y * ahead >= 0.0


@inlined
def _straight(goal, x, z, speed, arrival, is_last, or_x, or_z):
    """Return the direction and the speed [m/s] of a straight walk to a goal. At the goal, keep `or_x`, `or_z`."""
    aside, onward = goal[0] - x, goal[1] - z
    distance = np.sqrt(aside * aside + onward * onward)
    if distance > THERE:
        slower = distance / arrival
        return aside / distance, onward / distance, (slower if is_last and slower < speed else speed)
    return or_x, or_z, (ZERO if is_last else speed)


@inlined
def _round(walls, cells, times, ways, x, z, speed, or_x, or_z):
    """Return the direction and the speed [m/s] of a walk around walls, and a flag: 1 if no way leads to the goal."""
    way_x, way_y = _way_at(walls, cells, times, ways, np.float64(x), -np.float64(z))
    if way_x == 0.0 and way_y == 0.0:
        return or_x, or_z, ZERO, 1
    return np.float32(way_x), np.float32(-way_y), speed, 0


@kernel(void(DESTINATIONS, REAL, REAL, WALLS, ROUTE_CELLS, ROUTE_FIELDS, DECIDERS, PLACEMENT, MOVERS, STEERING))
def find_ways(destinations, near, arrival, walls, cells, fields, actors, placement, movers, crowd):
    """Write `way` and `cut_off` of the steered actors among `actors.rows`, and `goal` and `waypoint` of actors near
    their waypoint. Actors nearer than `near` [m] (0 = never) continue to the next waypoint. `arrival` [s] is
    `Steering.arrival`.
    """
    kind, translation, ids = movers.kind, placement.translation, actors.ids
    reach, rest, count, has_routes = np.float32(near), np.float32(arrival), len(destinations.points), cells.columns > 0
    for number in range(len(actors.rows)):
        actor = uint64(actors.rows[uint64(number)])
        if kind[actor] != STEERED:
            continue
        x, z, own, name = translation[actor, 0], translation[actor, 2], crowd.goal[actor], ids[actor] & NAMES
        to = np.int64(crowd.waypoint[actor])
        if (
            to >= 0
            and count > 1
            and reach > ZERO
            and crowd.halts[actor] == 0
            and _has_come(walls, cells, fields, destinations, to, x, z, own, reach)
        ):
            to = (to + 1) % count
            crowd.waypoint[actor] = to
            _go_for(destinations, to, name, own, crowd.offset[actor])
        elif to >= 0 and _is_area(destinations, to):
            _take_spot(destinations, to, name, 0, own)
        wanted, is_last = crowd.haste[actor] * crowd.speed[actor], to < 0 or crowd.halts[actor] == 1
        at_x, at_y = np.float64(x), -np.float64(z)
        if has_routes:
            wanted *= cells.speed_factor[uint64(_cell_at(cells, at_x, at_y))]
        or_x, or_z = crowd.orientation[actor, 0], crowd.orientation[actor, 1]
        asked = uint64(to if to >= 0 else count + crowd.route[actor])
        field = uint64(destinations.field[asked]) if has_routes else uint64(0)
        if has_routes and not _may_go_straight(
            walls, cells, fields, field, destinations, (to, name), x, z, own, crowd.offset[actor]
        ):
            if to >= 0:
                _pull_back(walls, cells, destinations, to, own)
            dx, dz, wanted, crowd.cut_off[actor] = _round(
                walls, cells, fields.times[field], fields.ways[field], x, z, wanted, or_x, or_z
            )
        else:
            dx, dz, wanted = _straight(own, x, z, wanted, rest, is_last, or_x, or_z)
            crowd.cut_off[actor] = 0
        way = crowd.way[actor]
        way[WAY_X], way[WAY_Z], way[WAY_SPEED] = dx, dz, wanted


@kernel(void(WALLS, ROUTE_CELLS, ROUTE_FIELDS, COUNT, FLOATS_2D, OUT))
def arrivals(walls, cells, fields, field, points, out_times):
    """Write the walking times [n] [s] from points [n, 2] [m] to a goal at 1 m/s, or inf without a way."""
    for number in range(len(points)):
        x, y = np.float64(points[uint64(number), 0]), np.float64(points[uint64(number), 1])
        _, out_times[uint64(number)] = _best_cell(walls, cells, fields.times[uint64(field)], x, y)

"""Movement of external agents: an agent never enters a wall, a person or another agent. Plan coordinates [m].

The distance between two convex shapes shrinks at most by the part of a movement along the normal between their nearest
points. Therefore, a movement is safe if this part is at most the gap, for each object. A long movement has several
parts. A turn that makes a gap too small is shortened.
"""

import numpy as np
from numba import uint64

from ecs_anim.external.records import (
    AGENT,
    C_AGENT,
    C_GAP,
    C_KIND,
    C_NX,
    C_NY,
    C_OTHER,
    C_X,
    C_Y,
    CONTACT,
    D_OFFSET,
    D_RADIUS,
    D_X,
    D_Y,
    DRIVES,
    PERSON,
    WALL,
)
from ecs_anim.kernels import helper, inlined, kernel
from ecs_anim.kernels.elementary import sin_cos
from ecs_anim.kernels.types import COUNT, DISCS, MOVEMENTS, OUT_REALS_2D, REAL, WALLS
from ecs_anim.kernels.walls import cell_of
from ecs_anim.walls.arrays import ABOUT, SIGHT

LEAST_GAP = 1e-3  # [m]; agents stop at this distance, so that rounding to float32 never makes a gap negative
TURN_GAP = 5e-4  # [m], smallest gap after a turn
TOUCH = 2e-3  # [m], gap up to which an agent touches an object
PART = 0.05  # [m] and [rad], longest part of a movement
MOST_PARTS = 400
ROUNDS = 8  # number of passes over all objects that turn a movement along them
HALVINGS = 5  # number of times that a blocked turn is halved
UNICYCLE, POSE = DRIVES.index("unicycle"), DRIVES.index("pose")
O_X, O_Y, O_GAP = range(3)  # columns of an obstacle: normal towards the obstacle, gap [m]


@inlined
def _turned(x, y, cosine, sine):
    """Return the vector x, y of the agent's frame on the plan."""
    return cosine * x - sine * y, sine * x + cosine * y


@inlined
def _clamped(value, half):
    return min(max(value, -half), half)


@inlined
def _to_rectangle(x, y, half_length, half_width):
    """Return the normal from a rectangle around the origin to a point, and their distance, negative inside [m]."""
    away_x, away_y = x - _clamped(x, half_length), y - _clamped(y, half_width)
    distance = np.sqrt(away_x * away_x + away_y * away_y)
    if distance > 0.0:
        return away_x / distance, away_y / distance, distance
    if half_length - abs(x) < half_width - abs(y):
        return (1.0 if x >= 0.0 else -1.0), 0.0, abs(x) - half_length
    return 0.0, (1.0 if y >= 0.0 else -1.0), abs(y) - half_width


@inlined
def _meets_rectangle(ax, ay, bx, by, half_length, half_width):
    """Return whether a line segment meets a rectangle around the origin (Liang and Barsky 1984)."""
    begin, end = 0.0, 1.0
    for axis in range(2):
        start, along, half = (ax, bx - ax, half_length) if axis == 0 else (ay, by - ay, half_width)
        if along == 0.0:
            if abs(start) > half:
                return False
        else:
            one, other = (-half - start) / along, (half - start) / along
            begin, end = max(begin, min(one, other)), min(end, max(one, other))
    return begin <= end


@inlined
def _nearest_share(ax, ay, bx, by, x, y):
    """Return the position of the nearest point to x, y on the segment from a (0) to b (1)."""
    along_x, along_y = bx - ax, by - ay
    return min(max(((x - ax) * along_x + (y - ay) * along_y) / (along_x * along_x + along_y * along_y), 0.0), 1.0)


@helper
def _to_segment(ax, ay, bx, by, half_length, half_width):
    """Return the normal from a rectangle around the origin to a wall segment, their distance, and the nearest point on
    the wall. If they meet, the distance is negative: the depth of the rectangle behind the line of the wall.
    """
    if _meets_rectangle(ax, ay, bx, by, half_length, half_width):
        length = np.sqrt((bx - ax) * (bx - ax) + (by - ay) * (by - ay))
        nx, ny = (by - ay) / length, (ax - bx) / length  # away from the walkable side
        share = _nearest_share(ax, ay, bx, by, 0.0, 0.0)
        depth = ax * nx + ay * ny - half_length * abs(nx) - half_width * abs(ny)
        return nx, ny, min(depth, 0.0), ax + share * (bx - ax), ay + share * (by - ay)
    best, best_nx, best_ny, best_x, best_y = np.inf, 0.0, 0.0, 0.0, 0.0
    for end in range(2):
        x, y = (ax, ay) if end == 0 else (bx, by)
        nx, ny, distance = _to_rectangle(x, y, half_length, half_width)
        if distance < best:
            best, best_nx, best_ny, best_x, best_y = distance, nx, ny, x, y
    for corner in range(4):
        x = half_length if corner % 2 == 0 else -half_length
        y = half_width if corner < 2 else -half_width
        share = _nearest_share(ax, ay, bx, by, x, y)
        at_x, at_y = ax + share * (bx - ax), ay + share * (by - ay)
        distance = np.sqrt((at_x - x) * (at_x - x) + (at_y - y) * (at_y - y))
        if distance < best and distance > 0.0:
            best, best_nx, best_ny = distance, (at_x - x) / distance, (at_y - y) / distance
            best_x, best_y = at_x, at_y
    return best_nx, best_ny, best, best_x, best_y


@inlined
def _listed(walls, x, y, reach):
    """Return a range of segments that contains all walls within `reach` [m] of a point, and whether a cell lists it."""
    cell = cell_of(walls, x, y)
    if cell >= 0 and reach < SIGHT:
        first, end = walls.starts[ABOUT, uint64(cell)], walls.starts[ABOUT, uint64(cell + 1)]
        if first < end or walls.starts[ABOUT, walls.starts.shape[1] - 1] > walls.starts[ABOUT, 0]:
            return first, end, True
    return 0, walls.segments.shape[0], False


@helper
def _find(moves, row, walls, discs, reach, found):
    """Write a contact [CONTACT] for each object within `reach` [m] of an agent to `found`. Return their number, which
    can be larger than the length of `found`.
    """
    x, y = moves.pose[row, 0], moves.pose[row, 1]
    sine, cosine = sin_cos(moves.pose[row, 2])
    half_length, half_width, radius = moves.shape[row, 0], moves.shape[row, 1], moves.shape[row, 2]
    whole = reach + radius + np.sqrt(half_length * half_length + half_width * half_width)
    first, end, is_listed = _listed(walls, x, y, whole)
    count = 0
    for number in range(first, end):
        segment = uint64(walls.entries[uint64(number)]) if is_listed else uint64(number)
        ax, ay = walls.segments[segment, 0, 0] - x, walls.segments[segment, 0, 1] - y
        bx, by = walls.segments[segment, 1, 0] - x, walls.segments[segment, 1, 1] - y
        if min(ax, bx) > whole or max(ax, bx) < -whole or min(ay, by) > whole or max(ay, by) < -whole:
            continue
        ax, ay = _turned(ax, ay, cosine, -sine)
        bx, by = _turned(bx, by, cosine, -sine)
        nx, ny, gap, at_x, at_y = _to_segment(ax, ay, bx, by, half_length, half_width)
        if gap - radius <= reach:
            _note(found, count, row, WALL, segment, nx, ny, gap - radius, at_x, at_y)
            count += 1
    for disc in range(discs.first[moves.room[row]], discs.first[moves.room[row] + 1]):
        away_x, away_y, size = discs.circle[disc, D_X] - x, discs.circle[disc, D_Y] - y, discs.circle[disc, D_RADIUS]
        if abs(away_x) > whole + size or abs(away_y) > whole + size or discs.owner[disc] == row:
            continue
        away_x, away_y = _turned(away_x, away_y, cosine, -sine)
        nx, ny, gap = _to_rectangle(away_x, away_y, half_length, half_width)
        if gap - size - radius <= reach:
            kind = PERSON if discs.owner[disc] < 0 else AGENT
            at_x, at_y = away_x - size * nx, away_y - size * ny
            _note(found, count, row, kind, disc, nx, ny, gap - size - radius, at_x, at_y)
            count += 1
    for number in range(min(count, found.shape[0])):
        _place(found[number], x, y, cosine, sine)
    return count


@inlined
def _note(found, count, row, kind, other, nx, ny, gap, at_x, at_y):
    """Write a contact. Its normal and its point are in the frame of the agent."""
    if count >= found.shape[0]:
        return
    own = found[count]
    own[C_AGENT], own[C_KIND], own[C_OTHER], own[C_GAP] = row, kind, other, gap
    own[C_NX], own[C_NY], own[C_X], own[C_Y] = nx, ny, at_x, at_y


@inlined
def _place(contact, x, y, cosine, sine):
    """Convert the normal and the point of a contact from the frame of the agent at x, y to plan coordinates."""
    contact[C_NX], contact[C_NY] = _turned(contact[C_NX], contact[C_NY], cosine, sine)
    at_x, at_y = _turned(contact[C_X], contact[C_Y], cosine, sine)
    contact[C_X], contact[C_Y] = x + at_x, y + at_y


@inlined
def _allowed(contact):
    """Return how far [m] an agent can move along the normal of a contact."""
    return max(contact[C_GAP] - LEAST_GAP, 0.0)


@inlined
def _deflected(found, count, x, y, slides):
    """Return the movement x, y [m], turned along the objects, or shortened in front of the first object."""
    for _ in range(ROUNDS if slides else 0):
        for number in range(count):
            more = found[number, C_NX] * x + found[number, C_NY] * y - _allowed(found[number])
            if more > 0.0:
                x, y = x - more * found[number, C_NX], y - more * found[number, C_NY]
    share = 1.0
    for number in range(count):
        onward = found[number, C_NX] * x + found[number, C_NY] * y
        if onward * share > _allowed(found[number]):
            share = _allowed(found[number]) / onward
    return share * x, share * y


@inlined
def _least_gap(moves, row, walls, discs, found):
    """Return the smallest gap [m] of an agent, at most `TURN_GAP`."""
    count, least = _find(moves, row, walls, discs, TURN_GAP, found), TURN_GAP
    for number in range(count):
        least = min(least, found[number, C_GAP])
    return least


@inlined
def _turn(moves, row, walls, discs, angle, found):
    """Turn an agent by `angle` [rad], or by less if an object is in the way."""
    before = moves.pose[row, 2]
    if moves.shape[row, 0] == 0.0 and moves.shape[row, 1] == 0.0:
        moves.pose[row, 2] = before + angle
        return
    least = _least_gap(moves, row, walls, discs, found)
    for _ in range(HALVINGS):
        moves.pose[row, 2] = before + angle
        if _least_gap(moves, row, walls, discs, found) >= least:
            return
        angle *= 0.5
    moves.pose[row, 2] = before


@inlined
def _wrapped(angle):
    """Return an angle [rad] in the range from -pi to pi."""
    return angle - 2 * np.pi * np.floor((angle + np.pi) / (2 * np.pi))


@inlined
def _commanded(moves, row, seconds):
    """Return the commanded speed [m/s] along and across the heading for a unicycle, and otherwise along x and y, and
    the turn rate [rad/s].
    """
    one, two, three = moves.command[row, 0], moves.command[row, 1], moves.command[row, 2]
    if moves.drive[row] == UNICYCLE:
        return one, 0.0, two
    if moves.drive[row] == POSE:
        aside, onward = one - moves.pose[row, 0], two - moves.pose[row, 1]
        return aside / seconds, onward / seconds, _wrapped(three - moves.pose[row, 2]) / seconds
    return one, two, three


@helper
def _move(moves, row, walls, discs, seconds, found):
    """Move one agent for `seconds` in parts."""
    vx, vy, rate = _commanded(moves, row, seconds)
    x, y, heading = moves.pose[row, 0], moves.pose[row, 1], moves.pose[row, 2]
    longest = max(np.sqrt(vx * vx + vy * vy), abs(rate)) * seconds
    parts = int(min(max(np.ceil(longest / PART), 1.0), MOST_PARTS))
    part = seconds / parts
    half = 0.5 * rate * part
    chord = sin_cos(half)[0] / half if half != 0.0 else 1.0  # length of an arc's chord divided by the length of the arc
    for _ in range(parts):
        to_x, to_y = vx * part, vy * part
        before = moves.pose[row, 2]
        if rate != 0.0:
            _turn(moves, row, walls, discs, rate * part, found)
        if moves.drive[row] == UNICYCLE:
            sine, cosine = sin_cos(0.5 * (before + moves.pose[row, 2]))
            to_x, to_y = chord * to_x * cosine, chord * to_x * sine
        if to_x != 0.0 or to_y != 0.0:
            reach = np.sqrt(to_x * to_x + to_y * to_y) + LEAST_GAP
            count = _find(moves, row, walls, discs, reach, found)
            to_x, to_y = _deflected(found, count, to_x, to_y, moves.slides[row] == 1)
            moves.pose[row, 0] += to_x
            moves.pose[row, 1] += to_y
    moves.velocity[row, 0], moves.velocity[row, 1] = (
        (moves.pose[row, 0] - x) / seconds,
        (moves.pose[row, 1] - y) / seconds,
    )
    moves.velocity[row, 2] = (moves.pose[row, 2] - heading) / seconds
    moves.pose[row, 2] = _wrapped(moves.pose[row, 2])


@inlined
def _carry_discs(moves, row, discs):
    """Move the discs that cover an agent to the agent."""
    sine, cosine = sin_cos(moves.pose[row, 2])
    for disc in range(discs.first[moves.room[row]], discs.first[moves.room[row] + 1]):
        if discs.owner[disc] == row:
            offset = discs.circle[disc, D_OFFSET]
            discs.circle[disc, D_X] = moves.pose[row, 0] + offset * cosine
            discs.circle[disc, D_Y] = moves.pose[row, 1] + offset * sine


@kernel(COUNT(MOVEMENTS, WALLS, DISCS, REAL, OUT_REALS_2D, OUT_REALS_2D))
def move_agents(moves, walls, discs, seconds, memory, out_contacts):
    """Move all agents for `seconds`, one after the other, and write the objects that they touch at the end to
    `out_contacts` [n, CONTACT]. Return the number of contacts, which can be larger than n. `memory` [segments + discs,
    CONTACT] has room for all objects. If `seconds` is 0, agents keep their poses.
    """
    for row in range(moves.pose.shape[0]):
        _carry_discs(moves, row, discs)
    for row in range(moves.pose.shape[0] if seconds > 0.0 else 0):
        _move(moves, row, walls, discs, seconds, memory)
        _carry_discs(moves, row, discs)
    total = 0
    for row in range(moves.pose.shape[0]):
        count = _find(moves, row, walls, discs, TOUCH, memory)
        for number in range(count):
            if total < out_contacts.shape[0]:
                for column in range(CONTACT):
                    out_contacts[total, column] = memory[number, column]
            total += 1
    return total

"""Planning of a body's walk along a way. All points of the way are known before the planning."""

import numpy as np

from ecs_anim.body import state as col
from ecs_anim.body.paths import ALWAYS, LANDS, LIFTS, NODE_TICKS, STANDS, TICK_RATE
from ecs_anim.body.state import FOOT_WIDTH
from ecs_anim.kernels import gaits, inlined, kernel
from ecs_anim.kernels.angles import unit_of
from ecs_anim.kernels.gaits import Walker, wrapped
from ecs_anim.kernels.stepping import AS_ASKED, ONE, advance_gait, begin_gait
from ecs_anim.kernels.types import BODY, COUNT, FLOATS_2D, GAIT_PLAN, OUT_2D, OUT_3D, OUT_INTS, REAL
from ecs_anim.simd import keep_alive, pointer

TICK, ZERO, TWO = np.float32(1 / TICK_RATE), np.float32(0), np.float32(2)
AT_ONCE = np.float32(np.inf)  # [s]; as footholds are known, feet can move to any foothold immediately
# Limits of the distance to the predicted root: factor on the present speed, and leg lengths.
FURTHER, NEXT = np.float32(1.3), np.float32(0.12)
# Columns of `BodyState.walk` that a node contains.
NODE_COLUMNS = (col.X, col.Z, col.FACES, col.SHOWN, col.ASIDE, col.ONWARD, col.LEAN, col.CALM)
# Columns of `way`.
WAY_X, WAY_Z, WAY_FACES, WAY_VX, WAY_VZ, WAY_TURN, WAY_PHASE, WAY_RATE = range(8)
AHEAD = np.float32(0.55)  # largest distance of a foothold ahead of the root, in leg lengths
PULL = np.float32(2.0)  # [1/s], rate at which the phase approaches the way's phase
SLOWEST, FASTEST = np.float32(0.75), np.float32(1.7)  # least and highest cadence, relative to the cadence for the speed
LONGEST = np.float32(1.0)  # largest progress in half a cycle, in leg lengths; a fast body can exceed it


@inlined
def _be_at(way, tick, walk):
    """Set the root of a body to the state of the way at the time step `tick`."""
    walk[col.X], walk[col.Z], walk[col.FACES] = way[tick, WAY_X], way[tick, WAY_Z], way[tick, WAY_FACES]
    walk[col.VX], walk[col.VZ], walk[col.TURN] = way[tick, WAY_VX], way[tick, WAY_VZ], way[tick, WAY_TURN]


@inlined
def _led(table, plan, way, tick, body):
    """Return the cycles per second and the phase of the gait that match the footsteps of the way. NaN = not known."""
    walk, phase, led = body.walk, way[tick, WAY_PHASE], way[tick, WAY_RATE]
    if np.isnan(phase) or np.isnan(led):
        return AS_ASKED[0], phase
    sine, cosine = unit_of(walk[col.FACES])
    rate = gaits.gait_of(table, plan, body, sine, cosine).rate
    led += PULL * wrapped(phase - walk[col.PHASE])
    speed = np.sqrt(walk[col.VX] * walk[col.VX] + walk[col.VZ] * walk[col.VZ])
    leg_length = body.size * np.float32(plan.leg_length)
    slowest = max(SLOWEST * rate, min(rate, speed / (TWO * LONGEST * leg_length)))
    return min(max(led, slowest), FASTEST * rate), phase


@inlined
def _later(way, tick, seconds):
    """Return the tick `seconds` after `tick`, at most the last tick, and the fraction to the next tick."""
    at = min(tick + seconds * np.float64(TICK_RATE), way.shape[0] - 1 - 1e-6)
    whole = max(np.int64(at), 0)
    return whole, np.float32(at - whole)


@inlined
def _between(way, at, column):
    tick, fraction = at
    return way[tick, column] + fraction * (way[tick + 1, column] - way[tick, column])


@inlined
def _lead(plan, way, tick, body, leg, wide):
    """Move the foothold of a swinging foot beside the position of the root in the middle of the next stance."""
    feet, at = body.feet, leg * FOOT_WIDTH
    later, turn_later = gaits.horizons(feet, at)
    there, facing = _later(way, tick, later), _later(way, tick, turn_later)
    yaw = _between(way, facing, WAY_FACES)
    sine, cosine = unit_of(yaw)
    own_x, own_z, vx, vz = way[tick, WAY_X], way[tick, WAY_Z], way[tick, WAY_VX], way[tick, WAY_VZ]
    x, z = _between(way, there, WAY_X) - own_x, _between(way, there, WAY_Z) - own_z
    # A body that hardly moves takes very short steps, independently of its position after a cycle.
    speed, leg_length = np.sqrt(vx * vx + vz * vz), body.size * np.float32(plan.leg_length)
    furthest_ahead = speed * gaits.swing_seconds_left(feet, at) + AHEAD * leg_length
    most = min(FURTHER * speed * later + NEXT * leg_length, furthest_ahead)
    away = np.sqrt(x * x + z * z)
    share = most / away if away > most else ONE
    gaits.aim_foot(plan, body, leg, (own_x + share * x, own_z + share * z, yaw, sine, cosine), wide, AT_ONCE)


@inlined
def _note(out_step, leg, count, lifts, lands, feet, stands):
    """Write a footstep to `out_step`: the times of lift-off and landing [s], and the foothold."""
    out_step[leg, count, LIFTS], out_step[leg, count, LANDS] = lifts, lands
    for axis in range(3):
        out_step[leg, count, STANDS + axis] = feet[leg * FOOT_WIDTH + stands + axis]


@inlined
def _note_first(feet, leg, out_step):
    """Write a leg's foothold at the beginning of the way. Return the time [s] of its last lift-off, <= 0."""
    at = leg * FOOT_WIDTH
    stands = col.FROM if feet[at + col.SWING] < ONE else col.TO
    _note(out_step, leg, 0, np.float32(ALWAYS), np.float32(ALWAYS), feet, stands)
    return -feet[at + col.SWING] * feet[at + col.SECONDS]  # a foot in the air completes its footstep


@inlined
def _note_step(feet, leg, tick, left, lifted, out_step, out_count):
    """Store a lift-off. After a landing, write the footstep. `left` [s] is the swing time left before `tick`."""
    at, count = leg * FOOT_WIDTH, out_count[leg]
    if feet[at + col.SWING] < ONE:
        if left <= ZERO:
            lifts = np.float32(tick) * TICK - feet[at + col.SWING] * feet[at + col.SECONDS]
            lifted[leg] = max(lifts, out_step[leg, count - 1, LANDS])
    elif left > ZERO and count < out_step.shape[1]:
        lands = np.float32(tick - 1) * TICK + min(left, TICK)
        _note(out_step, leg, count, lifted[leg], lands, feet, col.TO)
        out_count[leg] += 1


@kernel(COUNT(FLOATS_2D, GAIT_PLAN, FLOATS_2D, REAL, REAL, BODY, OUT_2D, OUT_3D, OUT_INTS))
def plan_way(table, plan, way, size, phase, state, out_node, out_step, out_count):
    """Plan the walk of one body along a way, and write its nodes and footsteps. Return the number of nodes. At each
    time tick, the root moves to its state on the way, and the gait advances. Feet in the air get footholds at the
    future position of the root. Each landing completes a footstep. `way` [tick, 8] contains x, z [m], heading [rad],
    vx, vz [m/s], turn [rad/s], and the phase of the gait, 0 to 1, and its rate [1/s], or NaN. `size` [m] is the size of
    a rig unit. `phase` is the phase of the gait at the beginning. `state` is the `BodyState` of one actor, which is
    overwritten: a new body begins its gait, and any other body continues. Outputs: `out_node` [node, NODE_WIDTH],
    `out_step` [leg, most, STEP_WIDTH], and the numbers of footsteps `out_count` [leg].
    """
    table, walk, feet, leg_count = pointer(table), pointer(state.walk), pointer(state.feet), state.feet.shape[1]
    row, lifted, left = gaits.row_memory(leg_count, 1), np.zeros(leg_count, np.float32), np.zeros(leg_count, np.float32)
    body = Walker(walk, feet, leg_count, np.float32(size), pointer(row))
    begins, nodes = np.isnan(walk[col.X]), 0
    _be_at(way, 0, walk)
    if begins:
        begin_gait(table, plan, body, np.float32(phase))
    for leg in range(leg_count):
        out_count[leg], lifted[leg] = 1, _note_first(feet, leg, out_step)
    for tick in range(way.shape[0]):
        if tick > 0:
            _be_at(way, tick, walk)
            for leg in range(leg_count):
                left[leg] = gaits.swing_seconds_left(feet, leg * FOOT_WIDTH)
            gait, _, _ = advance_gait(table, plan, body, _led(table, plan, way, tick, body), TICK)
            wide = gaits.room_aside(plan, body, gait)
            for leg in range(leg_count):
                _note_step(feet, leg, tick, left[leg], lifted, out_step, out_count)
                if feet[leg * FOOT_WIDTH + col.SWING] < ONE:
                    _lead(plan, way, tick, body, leg, wide)
        if tick % NODE_TICKS == 0:
            for axis, column in enumerate(NODE_COLUMNS):
                out_node[nodes, axis] = walk[column]
            nodes += 1
    keep_alive(row)
    return nodes

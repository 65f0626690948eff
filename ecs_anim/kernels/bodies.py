"""Kernels that move walking bodies. The body of each actor follows its root, which a velocity, the steering or a path
moves. If a foot stands too far from its neutral position, the body makes an extra footstep. On a path, the state
depends only on the time.
"""

import numpy as np

from ecs_anim import simd
from ecs_anim.body import state as col
from ecs_anim.body.movers import PATH
from ecs_anim.body.paths import NODE_ASIDE, NODE_CALM, NODE_LEAN, NODE_ONWARD, STANDS
from ecs_anim.body.state import FOOT_WIDTH, WALK_WIDTH
from ecs_anim.kernels import helper, inlined, kernel
from ecs_anim.kernels.angles import angle_of, turned_by, unit_of
from ecs_anim.kernels.elementary import sin_cos
from ecs_anim.kernels.gaits import Walker, lead_feet, neutral_foot, row_memory, within_one, write_row
from ecs_anim.kernels.motion import fade_progress
from ecs_anim.kernels.movers import direction_of, faced
from ecs_anim.kernels.paths import node_at, node_value, root_at, shown_at, speed_at, step_at
from ecs_anim.kernels.stepping import AS_ASKED, advance_gait, begin_gait, settled
from ecs_anim.kernels.types import BODY, FLOATS_2D, GAIT_PLAN, MOVERS, PARAMETERS, PATHS, PLACEMENT, QUEUE, REAL, void

ZERO, ONE = np.float32(0), np.float32(1)
LAG = 0.1  # [s], time constant with which the body's speeds follow the root's speeds
BEHIND = 0.3  # [s], time constant with which a body reduces its distance from the root
LONGEST_STEP = 1 / 20  # [s], longest time step in which feet move
ROUNDING = 1e-6  # [s]; two times with a smaller difference count as equal
LEAP = 10.0  # [m/s]; a root with a higher speed has jumped to another position


@inlined
def _gait_share(number, queue, actor):
    """Return the weight, 0 to 1, of the motion `number` among the motions that an actor plays."""
    remaining, weight = ONE, ZERO
    for slot in range(queue.slot_count[actor] - 1, -1, -1):
        share = remaining * fade_progress(queue.fade_time, queue.fade_duration, actor, slot)
        remaining -= share
        if queue.motion[actor, slot] == number:
            weight += share
    return weight


@inlined
def _is_elsewhere(walk, actor, place, dt):
    """Return whether an actor's body is new, or whether the actor's root has jumped to another position."""
    x, z = place[actor, 0] - walk[actor, col.X], place[actor, 2] - walk[actor, col.Z]
    most = np.float32(max(LEAP * dt, 0.5))
    return not x * x + z * z < most * most  # also true for NaN


@inlined
def _alone(bodies, actor, size, row):
    """Return the body of one actor as a `Walker`. `row` is memory for a row of the gait table."""
    walk, feet = simd.pointer(bodies.walk[actor]), simd.pointer(bodies.feet[actor])
    return Walker(walk, feet, bodies.feet.shape[1], size, simd.pointer(row))


@helper
def _begin(table, plan, body, root, phase):
    """Place a body at rest. `root` contains the position x, z [m] and the heading [rad] of the actor's root."""
    walk = body.walk
    walk[col.X], walk[col.Z], walk[col.FACES] = root
    walk[col.ROOT_X], walk[col.ROOT_Z] = walk[col.X], walk[col.Z]
    walk[col.VX] = walk[col.VZ] = walk[col.TURN] = ZERO
    begin_gait(table, plan, body, phase)


@inlined
def _follow(walk, root, dt):
    """Smooth a body's speeds and its distance from the root. Return x, z and heading after the step."""
    if dt <= 0.0:
        return walk[col.X], walk[col.Z], root[2]
    follow, rate, catch_up = np.float32(dt / (dt + LAG)), np.float32(1 / dt), np.float32(dt / (dt + BEHIND))
    walk[col.VX] = walk[col.VX] + ((root[0] - walk[col.ROOT_X]) * rate - walk[col.VX]) * follow
    walk[col.VZ] = walk[col.VZ] + ((root[1] - walk[col.ROOT_Z]) * rate - walk[col.VZ]) * follow
    walk[col.TURN] = walk[col.TURN] + (turned_by(root[2] - walk[col.FACES]) * rate - walk[col.TURN]) * follow
    walk[col.ROOT_X], walk[col.ROOT_Z] = root[0], root[1]
    x, z = walk[col.X] + np.float32(dt) * walk[col.VX], walk[col.Z] + np.float32(dt) * walk[col.VZ]
    return x + (root[0] - x) * catch_up, z + (root[1] - z) * catch_up, root[2]


@inlined
def _walk(table, plan, body, to, dt):
    """Move bodies to x, z [m] and heading [rad] in `dt` seconds, in time steps of at most `LONGEST_STEP`."""
    walk, parts = body.walk, np.int64(np.ceil(dt / LONGEST_STEP - 1e-6))
    step = np.float32(dt / parts)
    x, z, faces = walk[col.X], walk[col.Z], walk[col.FACES]
    turn = turned_by(to[2] - faces)
    for part in range(1, parts + 1):
        share = np.float32(part / parts)
        walk[col.X], walk[col.Z] = x + share * (to[0] - x), z + share * (to[1] - z)
        walk[col.FACES] = turned_by(faces + share * turn)
        gait, sine, cosine = advance_gait(table, plan, body, (walk[col.LED], AS_ASKED[1]), step)
        lead_feet(plan, body, gait, sine, cosine, step)


@inlined
def _walk_eight(table, plan, rows, placement, looks, bodies, body, dt):
    """Move eight bodies to the roots of their actors. `body` is memory for eight bodies."""
    places, legs = simd.pointer(placement.translation), bodies.feet.shape[1]
    walk, feet = simd.pointer(bodies.walk), simd.pointer(bodies.feet)
    place, own, of_feet = rows * 3, rows * WALK_WIDTH, rows * (FOOT_WIDTH * legs)
    simd.store(body.walk, 0, simd.gather_each(walk, own, 0, WALK_WIDTH))
    for leg in range(legs):
        simd.store(body.feet, 8 * FOOT_WIDTH * leg, simd.gather_each(feet, of_feet, FOOT_WIDTH * leg, FOOT_WIDTH))
    _, y, _, w = simd.gather_each(simd.pointer(placement.rotation), rows * 4, 0, 4)
    root = simd.gather(places, place, 0), simd.gather(places, place, 2), angle_of(*direction_of(y, w, looks))
    _walk(table, plan, body, _follow(body.walk, root, dt), dt)
    simd.scatter(walk, own, 0, simd.load_each(body.walk, 0, WALK_WIDTH))
    for leg in range(legs):
        simd.scatter(feet, of_feet, FOOT_WIDTH * leg, simd.load_each(body.feet, 8 * FOOT_WIDTH * leg, FOOT_WIDTH))


@helper
def _wait(table, body, early):
    """Put the feet of a body in their neutral positions. The path of the body begins in `early` seconds."""
    walk, feet = body.walk, body.feet
    walk[col.ASIDE] = walk[col.ONWARD] = walk[col.LEAN] = ZERO
    walk[col.CALM] = settled(walk[col.CALM], early)
    sine, cosine = unit_of(walk[col.FACES])
    write_row(table, body, ZERO)
    for leg in range(body.legs):
        at = leg * FOOT_WIDTH
        x, z, yaw = neutral_foot(body, leg, walk[col.FACES], sine, cosine, ZERO)
        feet[at + col.SWING], feet[at + col.TO + 2] = ONE, yaw
        feet[at + col.TO], feet[at + col.TO + 1] = x + walk[col.X], z + walk[col.Z]


@helper
def _follow_path(idle_rate, walk, feet, paths, path, actor, now):
    """Set a body to the state of its path at time `now` [s]. Return the time [s] since the beginning of the path."""
    x, z, faces = root_at(paths, path, now)
    node, t, late = node_at(paths, path, now)
    last = paths.first_node[path + 1] - 1
    shown = shown_at(paths, node, last, t) + np.float32(idle_rate * late)
    walk[actor, col.X], walk[actor, col.Z], walk[actor, col.FACES] = x, z, turned_by(faces)
    walk[actor, col.ROOT_X], walk[actor, col.ROOT_Z] = walk[actor, col.X], walk[actor, col.Z]
    walk[actor, col.VX], walk[actor, col.VZ] = speed_at(paths, path, now)
    walk[actor, col.SHOWN] = walk[actor, col.WANTED] = walk[actor, col.PHASE] = within_one(shown)
    walk[actor, col.ASIDE] = node_value(paths, node, last, t, NODE_ASIDE)
    walk[actor, col.ONWARD] = node_value(paths, node, last, t, NODE_ONWARD)
    walk[actor, col.LEAN] = node_value(paths, node, last, t, NODE_LEAN)
    walk[actor, col.CALM] = settled(node_value(paths, node, last, t, NODE_CALM), np.float32(late))
    walk[actor, col.UNEASY] = ZERO
    since, leg_count = now - paths.begin[path], feet.shape[1]
    for leg in range(leg_count):
        number = path * leg_count + leg
        step, swing, seconds = step_at(paths, number, since)
        before = max(step - 1, paths.first_step[number])
        feet[actor, leg, col.SWING], feet[actor, leg, col.SECONDS], feet[actor, leg, col.FRESH] = swing, seconds, ZERO
        for axis in range(3):
            feet[actor, leg, col.TO + axis] = paths.step[step, STANDS + axis]
            feet[actor, leg, col.FROM + axis] = paths.step[before, STANDS + axis]
    return since


@inlined
def _show_gait(plan, walk, queue, parameters, actor):
    """Write the phase and the parameters of an actor's gait, and the weight of the gait among the actor's motions."""
    slot_count, motion = queue.slot_count, queue.motion
    value, target = parameters.value, parameters.target
    aside, onward = plan.aside_column, plan.onward_column
    walk[actor, col.WEIGHT] = _gait_share(plan.motion, queue, actor)
    for slot in range(slot_count[actor]):
        if motion[actor, slot] == plan.motion:
            # with speed 0, playback does not advance the phase
            queue.phase[actor, slot], queue.speed[actor, slot] = walk[actor, col.SHOWN], ZERO
    if aside >= 0:
        value[actor, aside] = target[actor, aside] = walk[actor, col.ASIDE]
    value[actor, onward] = target[actor, onward] = walk[actor, col.ONWARD]


@kernel(void(FLOATS_2D, GAIT_PLAN, PLACEMENT, MOVERS, PATHS, REAL, REAL, QUEUE, PARAMETERS, BODY))
def walk_bodies(table, plan, placement, movers, paths, now, dt, queue, parameters, bodies):
    """Move the bodies of a chunk to their roots at time `now` [s], `dt` [s] after the last call. The kernel writes the
    `BodyState`, and the phases and parameters of the gait that `table` and `plan` describe. `paths` contains the
    `Paths` of the crowd.
    """
    walk, feet, translation, scale = bodies.walk, bodies.feet, placement.translation, placement.scale
    table, legs, count = simd.pointer(table), feet.shape[1], 0
    looks_sine, looks_cosine = sin_cos(plan.facing)
    looks = np.float32(looks_sine), np.float32(looks_cosine)
    rows, row, eight_rows = np.empty(walk.shape[0] + 7, np.int64), row_memory(legs, 1), row_memory(legs, 8)
    for actor in range(walk.shape[0]):
        rows[count] = actor
        is_led = movers.kind[actor] == PATH
        if not is_led and not _is_elsewhere(walk, actor, translation, dt):
            count += 1
            continue
        if is_led:
            since = _follow_path(plan.idle_rate, walk, feet, paths, movers.path[actor], actor, now)
            if since < -ROUNDING:
                _wait(table, _alone(bodies, actor, scale[actor], row), np.float32(-since))
        else:
            last = queue.slot_count[actor] - 1
            first = queue.phase[actor, last] if queue.motion[actor, last] == plan.motion else ZERO
            root = translation[actor, 0], translation[actor, 2], angle_of(*faced(placement.rotation, actor, looks))
            _begin(table, plan, _alone(bodies, actor, scale[actor], row), root, first)
        _show_gait(plan, walk, queue, parameters, actor)
    simd.pad_rows(simd.borrow(rows), count)
    walk_eight, feet_eight = np.empty((WALK_WIDTH, 8), np.float32), np.empty((legs * FOOT_WIDTH, 8), np.float32)
    for first in range(0, count, 8):
        own = simd.rows_at(simd.borrow(rows), first)
        memory = simd.view_lanes(walk_eight), simd.view_lanes(feet_eight)
        eight = Walker(*memory, legs, simd.gather(simd.pointer(scale), own, 0), simd.view_lanes(eight_rows))
        _walk_eight(table, plan, own, placement, looks, bodies, eight, dt)
        for number in range(first, min(first + 8, count)):
            _show_gait(plan, walk, queue, parameters, rows[number])
    simd.keep_alive(rows, row, walk_eight, feet_eight, eight_rows)

"""Bodies of a chunk of actors: they walk wherever their roots go, and step where they stand badly.

Roots are watched, whoever moves them; those on paths do what was planned, a function of time alone.
"""

import numpy as np

from ecs_anim.body.movers import PATH
from ecs_anim.body.paths import NODE_ASIDE, NODE_CALM, NODE_LEAN, NODE_ONWARD, STANDS
from ecs_anim.body.state import (
    ASIDE,
    CALM,
    FACES,
    FRESH,
    FROM,
    LEAN,
    ONWARD,
    PHASE,
    SECONDS,
    SHOWN,
    SWING,
    TO,
    TURN,
    UNEASY,
    VX,
    VZ,
    WANTED,
    WEIGHT,
    X,
    Z,
)
from ecs_anim.kernels import helper, inlined, kernel
from ecs_anim.kernels.angles import angle_of, turned_by, unit_of
from ecs_anim.kernels.elementary import sin_cos
from ecs_anim.kernels.gaits import neutral_foot, within_one
from ecs_anim.kernels.lanes import borrowed
from ecs_anim.kernels.motion import fade_progress
from ecs_anim.kernels.movers import faced
from ecs_anim.kernels.paths import node_at, node_value, root_at, shown_at, speed_at, step_at
from ecs_anim.kernels.stepping import AS_ASKED, advance_gait, begin_gait, lead_feet, settled
from ecs_anim.kernels.types import (
    BODY,
    FLOATS_2D,
    GAIT_PLAN,
    MOVERS,
    PARAMETERS,
    PATHS,
    PLACEMENT,
    QUEUE,
    REAL,
    void,
)

ZERO, ONE = np.float32(0), np.float32(1)
LAG = 0.1  # [s], time constant of the speeds that a body takes from where its root is
LONGEST_STEP = 1 / 20  # [s] in which feet are moved at once
ROUNDING = 1e-6  # [s] by which times that are meant to be the same may differ
LEAP = 10.0  # [m/s], faster than which nobody goes: they were put elsewhere


@inlined
def _gait_share(number, slot_count, motion, fade_time, fade_duration, actor):
    """How much of what an actor plays is the gait."""
    remaining, weight = ONE, ZERO
    for slot in range(slot_count[actor] - 1, -1, -1):
        share = remaining * fade_progress(fade_time, fade_duration, actor, slot)
        remaining -= share
        if motion[actor, slot] == number:
            weight += share
    return weight


@inlined
def _watch(walk, actor, x, z, heading, dt):
    """Take the root's speeds from how far it has come to x, z; whether the body was put elsewhere."""
    x, z = x - walk[actor, X], z - walk[actor, Z]
    most = np.float32(max(LEAP * dt, 0.5))
    if not x * x + z * z < most * most:  # true for NaN
        return True
    if dt > 0.0:
        follow, rate = np.float32(dt / (dt + LAG)), np.float32(1 / dt)
        walk[actor, VX] += (x * rate - walk[actor, VX]) * follow
        walk[actor, VZ] += (z * rate - walk[actor, VZ]) * follow
        walk[actor, TURN] += (turned_by(heading - walk[actor, FACES]) * rate - walk[actor, TURN]) * follow
    return False


@inlined
def _walk(table, plan, walk, feet, actor, size, root, dt):
    """Move a body to its root (x, z, what it faces) in steps of `LONGEST_STEP` at most."""
    parts = np.int64(np.ceil(dt / LONGEST_STEP - 1e-6))
    x, z, faces = walk[actor, X], walk[actor, Z], walk[actor, FACES]
    turn = turned_by(root[2] - faces)
    for part in range(1, parts + 1):
        share = np.float32(part / parts)
        walk[actor, X] = x + share * (root[0] - x)
        walk[actor, Z] = z + share * (root[1] - z)
        walk[actor, FACES] = turned_by(faces + share * turn)
        gait, sine, cosine = advance_gait(table, plan, walk, feet, actor, size, AS_ASKED, np.float32(dt / parts))
        lead_feet(table, plan, walk, feet, actor, size, gait, sine, cosine)


@helper
def _wait(table, plan, walk, feet, actor, size, early):
    """Stand where a path begins, `early` [s] before it does."""
    walk[actor, ASIDE] = walk[actor, ONWARD] = walk[actor, LEAN] = ZERO
    walk[actor, CALM] = settled(walk[actor, CALM], early)
    sine, cosine = unit_of(walk[actor, FACES])
    for leg in range(feet.shape[1]):
        x, z, yaw = neutral_foot(table, plan, (0, ZERO), leg, size, walk[actor, FACES], sine, cosine, ZERO)
        feet[actor, leg, SWING], feet[actor, leg, TO + 2] = ONE, yaw
        feet[actor, leg, TO], feet[actor, leg, TO + 1] = x + walk[actor, X], z + walk[actor, Z]


@helper
def _follow_path(table, plan, walk, feet, paths, path, actor, size, now):
    """What was planned for this time."""
    x, z, faces = root_at(paths, path, now)
    node, t, late = node_at(paths, path, now)
    last = paths.first_node[path + 1] - 1
    shown = shown_at(paths, node, last, t) + np.float32(plan.idle_rate * late)
    walk[actor, X], walk[actor, Z], walk[actor, FACES] = x, z, turned_by(faces)
    walk[actor, VX], walk[actor, VZ] = speed_at(paths, path, now)
    walk[actor, SHOWN] = walk[actor, WANTED] = walk[actor, PHASE] = within_one(shown)
    walk[actor, ASIDE] = node_value(paths, node, last, t, NODE_ASIDE)
    walk[actor, ONWARD] = node_value(paths, node, last, t, NODE_ONWARD)
    walk[actor, LEAN] = node_value(paths, node, last, t, NODE_LEAN)
    walk[actor, CALM] = settled(node_value(paths, node, last, t, NODE_CALM), np.float32(late))
    walk[actor, UNEASY] = ZERO
    since, leg_count = now - paths.begin[path], feet.shape[1]
    for leg in range(leg_count):
        number = path * leg_count + leg
        step, swing, seconds = step_at(paths, number, since)
        before = max(step - 1, paths.first_step[number])
        feet[actor, leg, SWING], feet[actor, leg, SECONDS], feet[actor, leg, FRESH] = swing, seconds, ZERO
        for axis in range(3):
            feet[actor, leg, TO + axis] = paths.step[step, STANDS + axis]
            feet[actor, leg, FROM + axis] = paths.step[before, STANDS + axis]
    if since < -ROUNDING:
        _wait(table, plan, walk, feet, actor, size, np.float32(-since))


@kernel(void(FLOATS_2D, GAIT_PLAN, PLACEMENT, MOVERS, PATHS, REAL, REAL, QUEUE, PARAMETERS, BODY))
def walk_bodies(table, plan, placement, movers, paths, now, dt, queue, parameters, body):
    """Move the bodies of a chunk to where their roots are `now` [s], `dt` [s] after the last time.

    table, plan: the crowd's gait; paths: `Paths`, of the crowd. Writes the `BodyState`, and what the gait's phases and
    parameters are into the `FadeQueue` and the `ParameterColumns`.
    """
    table, walk, feet = borrowed(table), borrowed(body[0]), borrowed(body[1])
    translation, rotation, scale = borrowed(placement[0]), borrowed(placement[1]), borrowed(placement[2])
    kind, path = borrowed(movers[0]), borrowed(movers[1])
    slot_count, motion, phase, speed = borrowed(queue[0]), borrowed(queue[1]), borrowed(queue[2]), borrowed(queue[3])
    fade_time, fade_duration = borrowed(queue[4]), borrowed(queue[5])
    value, target = borrowed(parameters[0]), borrowed(parameters[1])
    aside, onward = plan.aside_column, plan.onward_column
    looks_sine, looks_cosine = sin_cos(plan.facing)
    looks = np.float32(looks_sine), np.float32(looks_cosine)
    for actor in range(walk.shape[0]):
        if kind[actor] == PATH:
            _follow_path(table, plan, walk, feet, paths, path[actor], actor, scale[actor], now)
        else:
            x, z, size = translation[actor, 0], translation[actor, 2], scale[actor]
            sine, cosine = faced(rotation, actor, looks)
            heading = angle_of(sine, cosine)
            if _watch(walk, actor, x, z, heading, dt):
                last = slot_count[actor] - 1
                first = phase[actor, last] if motion[actor, last] == plan.motion else ZERO
                walk[actor, X], walk[actor, Z], walk[actor, FACES] = x, z, heading
                walk[actor, VX] = walk[actor, VZ] = walk[actor, TURN] = ZERO
                begin_gait(table, plan, walk, feet, actor, size, first)
            else:
                _walk(table, plan, walk, feet, actor, size, (x, z, heading), dt)
        walk[actor, WEIGHT] = _gait_share(plan.motion, slot_count, motion, fade_time, fade_duration, actor)
        for slot in range(slot_count[actor]):
            if motion[actor, slot] == plan.motion:
                phase[actor, slot], speed[actor, slot] = walk[actor, SHOWN], ZERO  # time does not drive it
        if aside >= 0:
            value[actor, aside] = target[actor, aside] = walk[actor, ASIDE]
        value[actor, onward] = target[actor, onward] = walk[actor, ONWARD]

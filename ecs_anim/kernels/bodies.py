"""Bodies of a chunk of actors: they walk wherever their roots go, and step where they stand badly.

Roots are watched, whoever moves them; those on paths do what was planned, a function of time alone.
"""

import numpy as np

from ecs_anim.body.movers import PATH
from ecs_anim.body.paths import NODE_ASIDE, NODE_LEAN, NODE_ONWARD, STANDS
from ecs_anim.body.state import (
    ASIDE,
    FACES,
    FRESH,
    FROM,
    LEAN,
    ONWARD,
    PHASE,
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
from ecs_anim.kernels.elementary import arctan2
from ecs_anim.kernels.motion import fade_progress
from ecs_anim.kernels.paths import node_at, node_value, root_at, shown_at, step_at
from ecs_anim.kernels.stepping import advance_gait, begin_gait, lead_feet, turned_by, within_one
from ecs_anim.kernels.types import BODY, GAIT_PLAN, MOVED, PATHS, PLAYED, REAL, void

ZERO, ONE = np.float32(0), np.float32(1)
LAG = 0.1  # [s], time constant of the speeds that a body takes from where its root is
LONGEST_STEP = 1 / 20  # [s] in which feet are moved at once
LEAP = 10.0  # [m/s], faster than which nobody goes: they were put elsewhere


@inlined
def _heading(moved, actor, facing):
    """What an actor faces [rad]."""
    half = arctan2(np.float64(moved.rotation[actor, 1]), np.float64(moved.rotation[actor, 3]))
    return np.float32(2.0 * half + facing)


@inlined
def _play(plan, walk, played, actor):
    """What the clips show: the phase and the parameters of the gait, and how much of the queue it is."""
    remaining, weight = ONE, ZERO
    for slot in range(played.slot_count[actor] - 1, -1, -1):
        share = remaining * fade_progress(played.fade_time, played.fade_duration, actor, slot)
        remaining -= share
        if played.motion[actor, slot] == plan.motion:
            played.phase[actor, slot], played.speed[actor, slot] = walk[actor, SHOWN], ZERO  # time does not drive it
            weight += share
    walk[actor, WEIGHT] = weight
    if plan.aside_column >= 0:
        played.value[actor, plan.aside_column] = played.target[actor, plan.aside_column] = walk[actor, ASIDE]
    played.value[actor, plan.onward_column] = played.target[actor, plan.onward_column] = walk[actor, ONWARD]


@helper
def _first_phase(plan, played, actor):
    """Phase at which the actor's gait was begun."""
    slot = played.slot_count[actor] - 1
    return played.phase[actor, slot] if played.motion[actor, slot] == plan.motion else ZERO


@inlined
def _watch(walk, moved, actor, heading, dt):
    """Take the root's speeds from how far it has come; whether the body was put elsewhere."""
    x, z = moved.translation[actor, 0] - walk[actor, X], moved.translation[actor, 2] - walk[actor, Z]
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
def _walk(plan, walk, feet, moved, actor, heading, dt):
    """Move a body to its root in steps of `LONGEST_STEP` at most."""
    parts = np.int64(np.ceil(dt / LONGEST_STEP - 1e-6))
    x, z, faces = walk[actor, X], walk[actor, Z], walk[actor, FACES]
    turn = turned_by(heading - faces)
    for part in range(1, parts + 1):
        share = np.float32(part / parts)
        walk[actor, X] = x + share * (moved.translation[actor, 0] - x)
        walk[actor, Z] = z + share * (moved.translation[actor, 2] - z)
        walk[actor, FACES] = turned_by(faces + share * turn)
        gait, sine, cosine = advance_gait(plan, walk, feet, actor, moved.scale[actor], np.float32(dt / parts))
        lead_feet(plan, walk, feet, actor, moved.scale[actor], gait, sine, cosine)


@inlined
def _follow_path(plan, walk, feet, paths, path, actor, now):
    """What was planned for this time."""
    x, z, faces = root_at(paths, path, now)
    node, t, late = node_at(paths, path, now)
    last = paths.first_node[path + 1] - 1
    shown = shown_at(paths, node, last, t) + np.float32(plan.idle_rate * late)
    walk[actor, X], walk[actor, Z], walk[actor, FACES] = x, z, turned_by(faces)
    walk[actor, SHOWN] = walk[actor, WANTED] = walk[actor, PHASE] = within_one(shown)
    walk[actor, ASIDE] = node_value(paths, node, last, t, NODE_ASIDE)
    walk[actor, ONWARD] = node_value(paths, node, last, t, NODE_ONWARD)
    walk[actor, LEAN] = node_value(paths, node, last, t, NODE_LEAN)
    walk[actor, UNEASY] = ZERO
    since, leg_count = now - paths.begin[path], feet.shape[1]
    for leg in range(leg_count):
        number = path * leg_count + leg
        step, swing = step_at(paths, number, since)
        before = max(step - 1, paths.first_step[number])
        feet[actor, leg, SWING], feet[actor, leg, FRESH] = swing, ZERO
        for axis in range(3):
            feet[actor, leg, TO + axis] = paths.step[step, STANDS + axis]
            feet[actor, leg, FROM + axis] = paths.step[before, STANDS + axis]


@kernel(void(GAIT_PLAN, MOVED, PATHS, REAL, REAL, PLAYED, BODY))
def walk_bodies(plan, moved, paths, now, dt, out_played, out_body):
    """Move the bodies of a chunk to where their roots are `now` [s], `dt` [s] after the last time.

    moved: `Moved`, the chunk's rows; paths: `Paths`, of the crowd; out_played: `Played`; out_body: `BodyState`.
    """
    walk, feet = out_body.walk, out_body.feet
    for actor in range(walk.shape[0]):
        if moved.kind[actor] == PATH:
            _follow_path(plan, walk, feet, paths, moved.path[actor], actor, now)
        else:
            heading = _heading(moved, actor, plan.facing)
            if _watch(walk, moved, actor, heading, dt):
                x, z, phase = (
                    moved.translation[actor, 0],
                    moved.translation[actor, 2],
                    _first_phase(plan, out_played, actor),
                )
                walk[actor, X], walk[actor, Z], walk[actor, FACES] = x, z, turned_by(heading)
                walk[actor, VX] = walk[actor, VZ] = walk[actor, TURN] = ZERO
                begin_gait(plan, walk, feet, actor, moved.scale[actor], phase)
            else:
                _walk(plan, walk, feet, moved, actor, heading, dt)
        _play(plan, walk, out_played, actor)

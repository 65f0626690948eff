"""Conversion between actors (rows of a crowd, x and z in the world) and agents (x and y on the plan)."""

import numpy as np
from numba import uint64

from ecs_anim.body.movers import STEERED, VELOCITY
from ecs_anim.kernels import inlined, kernel
from ecs_anim.kernels.elementary import sin_cos
from ecs_anim.kernels.movers import faced
from ecs_anim.kernels.types import AGENTS, COUNT, DECIDERS, FLOATS, LONGS, MOVERS, PLACEMENT, REAL, STEERING, void
from ecs_anim.steering import agents as col
from ecs_anim.steering.agents import NOBODY
from ecs_anim.steering.columns import WAY_SPEED, WAY_X, WAY_Z
from ecs_anim.steering.own import PARAMETER_COUNT

ZERO, ONE = np.float32(0), np.float32(1)
PROGRESS = np.float32(0.1)  # share of the desired speed; at this speed, the time without progress does not change
LONGEST = np.float32(12.0)  # [s], largest time without progress
NOWHERE = np.float32(1e-6)  # a shorter vector has no direction
NAME_MASK = 0x7FFFFFFF  # bits of an id that contain the name of the actor


@inlined
def _leaning(dx, dz, x, z):
    """Return the sum of the walking direction dx, dz and the sideways direction x, z as a unit vector."""
    if x == ZERO and z == ZERO:
        return dx, dz
    x, z = dx + x, dz + z
    size = np.sqrt(x * x + z * z)
    return (x / size, z / size) if size > NOWHERE else (dx, dz)


@kernel(void(REAL, COUNT, COUNT, DECIDERS, PLACEMENT, MOVERS, STEERING, COUNT, AGENTS))
def join_agents(facing, model, last_room, actors, placement, movers, crowd, begin, agents):
    """Write the actors `actors.rows` of a crowd to the rows of the `Agents` from `begin` on. `facing` [rad] is the
    direction of the rig without rotation. `model` is the number of the steering model in `Surroundings.models`, or
    NOBODY if the crowd does not decide now. Otherwise, the kernel also writes the `orientation` of actors that do not
    steer.
    """
    sine, cosine = sin_cos(facing)
    looks = np.float32(sine), np.float32(cosine)
    for number in range(len(actors.rows)):
        actor = uint64(actors.rows[number])
        room = min(actors.ids[actor] >> col.ROOM_BIT, last_room)
        row, x, z = uint64(begin + number), placement.translation[actor, 0], placement.translation[actor, 2]
        seen, own, identity = agents.seen[row], agents.own[row], agents.identity[row]
        steers, facing_now, way = movers.kind[actor] == STEERED, crowd.orientation[actor], crowd.way[actor]
        seen[col.VX], seen[col.VY] = ZERO, ZERO
        if steers or movers.kind[actor] == VELOCITY:
            seen[col.VX], seen[col.VY] = movers.velocity[actor, 0], -movers.velocity[actor, 1]
        to_x, to_z = facing_now[0], facing_now[1]
        if not steers:
            to_x, to_z = faced(placement.rotation, actor, looks)
            if model != NOBODY:
                facing_now[0], facing_now[1] = to_x, to_z
        seen[col.X], seen[col.Y], seen[col.EX], seen[col.EY] = x, -z, to_x, -to_z
        seen[col.RADIUS] = crowd.radius[actor]
        aside, onward = crowd.goal[actor, 0] - x, crowd.goal[actor, 1] - z
        # Only an actor that will stop at its goal has a distance to its final goal.
        stops = steers and (crowd.waypoint[actor] < 0 or crowd.halts[actor] == 1)
        seen[col.LEFT] = np.sqrt(aside * aside + onward * onward) if stops else np.float32(np.inf)
        dx, dz = _leaning(way[WAY_X], way[WAY_Z], crowd.lean[actor, 0], crowd.lean[actor, 1])
        own[col.DX], own[col.DY], own[col.SPEED], own[col.STUCK] = dx, -dz, way[WAY_SPEED], crowd.stuck[actor]
        for column in range(PARAMETER_COUNT):
            agents.parameters[row, column] = crowd.parameters[actor, column]
        identity[col.MODEL] = model if steers else NOBODY
        identity[col.NAME], identity[col.ROOM] = actors.ids[actor] & NAME_MASK, room


@inlined
def _time_stuck(before, velocity, way, dt):
    """Return the new time [s] for which an actor has made no progress. Fast progress reduces this time."""
    if way[WAY_SPEED] <= ZERO:
        return ZERO
    progress = (velocity[0] * way[WAY_X] + velocity[1] * way[WAY_Z]) / way[WAY_SPEED]
    return min(max(before + dt * (ONE - progress / PROGRESS), ZERO), LONGEST)


@kernel(void(AGENTS, COUNT, FLOATS, LONGS, MOVERS, STEERING))
def take_choices(agents, begin, seconds, rows, movers, crowd):
    """Copy the decisions of agents, from the row `begin` on, to the steering actors in `rows` of a crowd. A decision is
    valid for `seconds` [agent] [s], by which the kernel also advances the time without progress.
    """
    for number in range(len(rows)):
        actor, row = uint64(rows[number]), uint64(begin + number)
        if agents.identity[row, col.MODEL] != NOBODY:
            chosen, velocity, facing = agents.chosen[row], movers.velocity[actor], crowd.orientation[actor]
            velocity[0], velocity[1] = chosen[col.TO_VX], -chosen[col.TO_VY]
            facing[0], facing[1] = chosen[col.TO_EX], -chosen[col.TO_EY]
            crowd.stuck[actor] = _time_stuck(crowd.stuck[actor], velocity, crowd.way[actor], seconds[row])

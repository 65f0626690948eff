"""From the actors of a crowd to the agents of the world, and back."""

import numpy as np
from numba import uint64

from ecs_anim.body.movers import STEERED, VELOCITY
from ecs_anim.kernels import inlined, kernel
from ecs_anim.kernels.elementary import sin_cos
from ecs_anim.kernels.movers import faced
from ecs_anim.kernels.types import (
    AGENTS,
    COUNT,
    FLOATS_2D,
    LONGS,
    MOVERS,
    PLACEMENT,
    REAL,
    STEERING,
    void,
)
from ecs_anim.steering.agents import DX, DY, EX, EY, MODEL, NAME, NOBODY, PARAMETERS, RADIUS, SPEED, VX, VY, X, Y
from ecs_anim.steering.models import PARAMETER_COUNT, TIME_GAP

ZERO, ONE = np.float32(0), np.float32(1)
THERE = np.float32(0.1)  # [m] from a goal, nearer than which nobody goes on
NOWHERE = np.float32(1e-6)  # length of a direction that is none
NAMES = 0x7FFFFFFF


@inlined
def _take_next(goal, offset, waypoint, halts, actor, waypoints, near, x, z):
    """Where actors are off to once they are near a waypoint: the next one, round and round."""
    number = waypoint[actor]
    aside, onward = goal[actor, 0] - x, goal[actor, 1] - z
    if number >= 0 and not halts[actor] and aside * aside + onward * onward < near * near:
        number = (number + 1) % len(waypoints)
        waypoint[actor] = number
        goal[actor, 0] = waypoints[uint64(number), 0] + offset[actor, 0]
        goal[actor, 1] = waypoints[uint64(number), 1] + offset[actor, 1]


@inlined
def _aim(goal, x, z, speed, time_gap, is_last, or_x, or_z):
    """Direction and speed [m/s] towards a goal, slower where it is the last one and near."""
    aside, onward = goal[0] - x, goal[1] - z
    distance = np.sqrt(aside * aside + onward * onward)
    if distance > THERE:
        slower = distance / time_gap
        return aside / distance, onward / distance, (slower if is_last and slower < speed else speed)
    return or_x, or_z, (ZERO if is_last else speed)


@inlined
def _leaning(dx, dz, x, z):
    """A direction that leans to a side, a unit vector."""
    if x == ZERO and z == ZERO:
        return dx, dz
    x, z = dx + x, dz + z
    size = np.sqrt(x * x + z * z)
    return (x / size, z / size) if size > NOWHERE else (dx, dz)


@kernel(void(FLOATS_2D, REAL, REAL, COUNT, LONGS, PLACEMENT, MOVERS, STEERING, COUNT, AGENTS))
def join_agents(waypoints, near, facing, model, ids, placement, movers, steering, begin, agents):
    """Write a crowd's actors to the rows of the `Agents` from `begin` on, in plan coordinates.

    waypoints [n, 2], x and z [m], which count as reached where they are `near` [m]; facing [rad], where the rig looks
    before it is turned; model: of `MODELS`, or NOBODY where none of them steers now. Of the `SteeringColumns` writes
    `goal`, `waypoint` and, of actors who do not steer, `orientation`.
    """
    goal, offset, waypoint, speed, radius, orientation, parameters, halts, haste, lean = steering
    kind, _, velocity, _ = movers
    translation, rotation, _ = placement
    seen, own, who, _ = agents
    sine, cosine = sin_cos(facing)
    looks, reach = (np.float32(sine), np.float32(cosine)), np.float32(near)
    for actor in range(kind.shape[0]):
        row, x, z = uint64(begin + actor), translation[actor, 0], translation[actor, 2]
        steers = kind[actor] == STEERED
        vx, vz = ZERO, ZERO
        if steers or kind[actor] == VELOCITY:
            vx, vz = velocity[actor, 0], velocity[actor, 1]
        if steers:
            _take_next(goal, offset, waypoint, halts, actor, waypoints, reach, x, z)
        else:
            orientation[actor, 0], orientation[actor, 1] = faced(rotation, actor, looks)
        ex, ez = orientation[actor, 0], orientation[actor, 1]
        is_last = waypoint[actor] < 0 or halts[actor] == 1
        wants = haste[actor] * speed[actor]
        dx, dz, wanted = _aim(goal[actor], x, z, wants, parameters[actor, TIME_GAP], is_last, ex, ez)
        dx, dz = _leaning(dx, dz, lean[actor, 0], lean[actor, 1])
        seen[row, X], seen[row, Y], seen[row, VX], seen[row, VY] = x, -z, vx, -vz
        seen[row, EX], seen[row, EY], seen[row, RADIUS] = ex, -ez, radius[actor]
        own[row, DX], own[row, DY], own[row, SPEED] = dx, -dz, wanted
        for number in range(PARAMETER_COUNT):
            own[row, PARAMETERS + number] = parameters[actor, number]
        who[row, MODEL], who[row, NAME] = model if steers else NOBODY, ids[actor] & NAMES


@kernel(void(AGENTS, COUNT, MOVERS, STEERING))
def take_choices(agents, begin, movers, steering):
    """Have a crowd's actors who steer do what was chosen for the agents from row `begin` on."""
    _, _, who, chosen = agents
    kind, _, velocity, _ = movers
    orientation = steering[5]
    for actor in range(kind.shape[0]):
        row = uint64(begin + actor)
        if who[row, MODEL] != NOBODY:
            velocity[actor, 0], velocity[actor, 1] = chosen[row, 0], -chosen[row, 1]
            orientation[actor, 0], orientation[actor, 1] = chosen[row, 2], -chosen[row, 3]

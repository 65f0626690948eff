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
    LONGS,
    MOVERS,
    PLACEMENT,
    REAL,
    STEERING,
    void,
)
from ecs_anim.steering.agents import (
    DX,
    DY,
    EX,
    EY,
    LEFT,
    MODEL,
    NAME,
    NOBODY,
    PARAMETERS,
    RADIUS,
    SPEED,
    STUCK,
    VX,
    VY,
    X,
    Y,
)
from ecs_anim.steering.models import PARAMETER_COUNT

ZERO, ONE = np.float32(0), np.float32(1)
GETS_ON, LONGEST = np.float32(0.1), np.float32(12.0)  # share of the speed wanted; [s] that are counted
NOWHERE = np.float32(1e-6)  # length of a direction that is none
NAMES = 0x7FFFFFFF


@inlined
def _leaning(dx, dz, x, z):
    """A direction that leans to a side, a unit vector."""
    if x == ZERO and z == ZERO:
        return dx, dz
    x, z = dx + x, dz + z
    size = np.sqrt(x * x + z * z)
    return (x / size, z / size) if size > NOWHERE else (dx, dz)


@kernel(void(REAL, COUNT, LONGS, PLACEMENT, MOVERS, STEERING, COUNT, AGENTS))
def join_agents(facing, model, ids, placement, movers, steering, begin, agents):
    """Write a crowd's actors to the rows of the `Agents` from `begin` on, in plan coordinates.

    facing [rad], where the rig looks before it is turned; model: of `MODELS`, or NOBODY where none of them steers now.
    Of the `SteeringColumns` writes `orientation` of actors who do not steer.
    """
    goal, _, waypoint, _, radius, orientation, parameters, halts, _, lean, _, way, stuck, _ = steering
    kind, _, velocity, _, _ = movers
    translation, rotation, _ = placement
    seen, own, who, _ = agents
    sine, cosine = sin_cos(facing)
    looks = np.float32(sine), np.float32(cosine)
    for actor in range(kind.shape[0]):
        row, x, z = uint64(begin + actor), translation[actor, 0], translation[actor, 2]
        steers = kind[actor] == STEERED
        vx, vz = ZERO, ZERO
        if steers or kind[actor] == VELOCITY:
            vx, vz = velocity[actor, 0], velocity[actor, 1]
        if not steers:
            orientation[actor, 0], orientation[actor, 1] = faced(rotation, actor, looks)
        ex, ez = orientation[actor, 0], orientation[actor, 1]
        dx, dz = _leaning(way[actor, 0], way[actor, 1], lean[actor, 0], lean[actor, 1])
        seen[row, X], seen[row, Y], seen[row, VX], seen[row, VY] = x, -z, vx, -vz
        seen[row, EX], seen[row, EY], seen[row, RADIUS] = ex, -ez, radius[actor]
        aside, onward = goal[actor, 0] - x, goal[actor, 1] - z
        stands = steers and (waypoint[actor] < 0 or halts[actor] == 1)
        seen[row, LEFT] = np.sqrt(aside * aside + onward * onward) if stands else np.float32(np.inf)
        own[row, DX], own[row, DY], own[row, SPEED], own[row, STUCK] = dx, -dz, way[actor, 2], stuck[actor]
        for number in range(PARAMETER_COUNT):
            own[row, PARAMETERS + number] = parameters[actor, number]
        who[row, MODEL], who[row, NAME] = model if steers else NOBODY, ids[actor] & NAMES


@inlined
def _stuck(before, velocity, way, actor, dt):
    """For how long an actor has hardly got on [s], dt later: to get on makes up for it, the faster the more."""
    if way[actor, 2] <= ZERO:
        return ZERO
    onward = (velocity[actor, 0] * way[actor, 0] + velocity[actor, 1] * way[actor, 1]) / way[actor, 2]
    return min(max(before + dt * (ONE - onward / GETS_ON), ZERO), LONGEST)


@kernel(void(AGENTS, COUNT, REAL, MOVERS, STEERING))
def take_choices(agents, begin, dt, movers, steering):
    """Have a crowd's actors who steer do what was chosen for the agents from row `begin` on, for dt seconds."""
    _, _, who, chosen = agents
    kind, _, velocity, _, _ = movers
    orientation, way, stuck = steering[5], steering[11], steering[12]
    for actor in range(kind.shape[0]):
        row = uint64(begin + actor)
        if who[row, MODEL] != NOBODY:
            velocity[actor, 0], velocity[actor, 1] = chosen[row, 0], -chosen[row, 1]
            orientation[actor, 0], orientation[actor, 1] = chosen[row, 2], -chosen[row, 3]
            stuck[actor] = _stuck(stuck[actor], velocity, way, actor, np.float32(dt))

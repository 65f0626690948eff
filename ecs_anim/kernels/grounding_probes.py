"""Helpers of foot grounding: stances of actors, grounding weights, and start points of rays."""

from typing import Any, NamedTuple

import numpy as np

from ecs_anim.kernels import inlined
from ecs_anim.simd import any_true, gather, gather_each, not_nan, pointer

ZERO, ONE, TWO = np.float32(0), np.float32(1), np.float32(2)
MEMORY = 7  # columns of `FootState.pelvis`
FADE = 0.2  # share of the range, at its end, in which grounding fades out


class Stance(NamedTuple):
    """The size, position, heading and floor height of actors in a simulation step, as lanes."""

    size: Any  # [m], size of a rig unit
    sine: Any  # of the rotation about +Y
    cosine: Any
    x: Any  # [m]
    y: Any  # [m]
    z: Any  # [m]
    level: Any  # [m], world height of the flat floor of the clips
    floor: Any  # [rig units], height of this floor in the model


@inlined
def grounding_strength(settings, translation, weight, actor):
    """Return an actor's grounding weight. The weight is smaller if the actor is far from the viewer."""
    if settings.range == np.inf:
        return weight[actor]
    x = translation[actor, 0] - settings.viewer_x
    y = translation[actor, 1] - settings.viewer_y
    z = translation[actor, 2] - settings.viewer_z
    near = (settings.range - np.sqrt(x * x + y * y + z * z)) / (FADE * settings.range)
    return weight[actor] * np.float32(min(max(near, 0.0), 1.0))


@inlined
def upright_turn(rotation, rows):
    """Return sine and cosine of the headings of eight upright actors."""
    at = rows * 4
    y, w = gather(rotation, at, 1), gather(rotation, at, 3)
    return TWO * y * w, w * w - y * y


@inlined
def stance_of(placement, rows, floor):
    """Return the `Stance` of eight actors. `floor` [m] is the height of actors above the ground."""
    size, (x, y, z) = gather(placement.scale, rows, 0), gather_each(placement.translation, rows * 3, 0, 3)
    sine, cosine = upright_turn(placement.rotation, rows)
    return Stance(size, sine, cosine, x, y, z, y - floor, -floor / size)


@inlined
def turned_level(x, z, sine, cosine):
    """Return x and z of a vector after a rotation about +Y."""
    return cosine * x + sine * z, cosine * z - sine * x


@inlined
def forget(state, actor):
    """Reset the feet in the `FootState` of an actor that has no grounding or has jumped to another position."""
    state.pelvis[actor, 1] = np.nan
    for leg in range(state.locked.shape[1]):
        state.locked[actor, leg] = -1
        for contact in range(2):
            state.trace[actor, leg, contact, 2] = np.nan
            state.trace[actor, leg, contact, 4] = np.nan
            state.tilt[actor, leg, contact] = np.nan
            state.lock[actor, leg, 2 + contact] = ZERO


@inlined
def begin_eight(stance, length, rows, state):
    """Reset the feet of the eight actors that have moved farther than their leg length in one step."""
    x, y, z = gather_each(pointer(state.pelvis), rows * MEMORY, 0, 3)
    x, y, z, reach = stance.x - x, stance.y - y, stance.z - z, stance.size * length
    leaps = ~(x * x + y * y + z * z < reach * reach) & not_nan(y)
    if any_true(leaps):
        for lane in range(8):
            if leaps[lane]:
                forget(state, rows[lane])


@inlined
def place_below(point, stance, back):
    """Return the world position x, z [m] of a point in model space, moved by the offset `back` of a held foot."""
    x, z = turned_level(point[0], point[2], stance.sine, stance.cosine)
    return stance.x + stance.size * x + back[0], stance.z + stance.size * z + back[1]

"""Where a chunk of actors' feet look for the ground."""

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from ecs_anim.kernels import inlined
from ecs_anim.simd import any_true, gather, gather3, gather4, not_nan

ZERO, ONE, TWO = np.float32(0), np.float32(1), np.float32(2)
MEMORY = 7  # columns of what the pelvis remembers
FADE = 0.2  # share of the range over which grounding fades


class Stance(NamedTuple):
    """How eight actors stand in a step: lanes."""

    size: Any  # [m] of a rig unit
    sine: Any  # of the turn about +Y
    cosine: Any
    x: Any  # [m]
    y: Any  # [m]
    z: Any  # [m]
    level: Any  # [m], height in the world of the floor that clips are made for
    floor: Any  # [rig units], the same in the model
    decay: np.float32  # what is left, after the step, of a sudden step of the ground


@inlined
def grounding_strength(settings, translation, weight, actor):
    """An actor's weight, less what its distance from the viewer takes."""
    if settings.range == np.inf:
        return weight[actor]
    x = translation[actor, 0] - settings.viewer_x
    y = translation[actor, 1] - settings.viewer_y
    z = translation[actor, 2] - settings.viewer_z
    near = (settings.range - np.sqrt(x * x + y * y + z * z)) / (FADE * settings.range)
    return weight[actor] * np.float32(min(max(near, 0.0), 1.0))


@inlined
def grounding_strengths(settings, translation, weight, out_strength):
    """`grounding_strength` of all actors."""
    for actor in range(weight.shape[0]):
        out_strength[actor] = grounding_strength(settings, translation, weight, actor)


@inlined
def upright_turn(turns, rows):
    """`heading` of eight actors."""
    at = rows * 4
    y, w = gather(turns, at, 1), gather(turns, at, 3)
    return TWO * y * w, w * w - y * y


@inlined
def stance_of(placement, rows, floor, decay):
    """How eight actors stand; `placement`: its columns, flat; `floor` [m], by which actors stand above the ground."""
    places, turns, sizes = placement
    size, place = gather(sizes, rows, 0), gather3(places, rows * 3, 0)
    sine, cosine = upright_turn(turns, rows)
    return Stance(size, sine, cosine, place[0], place[1], place[2], place[1] - floor, -floor / size, decay)


@inlined
def turned_level(x, z, sine, cosine):
    """x and z of a vector turned about +Y."""
    return cosine * x + sine * z, cosine * z - sine * x


@njit(inline="always")
def _forget(state, actor):
    """The feet of who is not grounded, or was put elsewhere, begin anew."""
    pelvis, trace, tilt, lock, locked = state
    pelvis[actor, 1] = np.nan
    for leg in range(locked.shape[1]):
        locked[actor, leg] = -1
        for contact in range(2):
            trace[actor, leg, contact, 2] = np.nan
            trace[actor, leg, contact, 4] = np.nan
            tilt[actor, leg, contact] = np.nan
            lock[actor, leg, 2 + contact] = ZERO


@inlined
def forget_others(strength, translation, pelvis, state):
    """Feet forget all whose actor is not grounded; `begin_eight` does it for others."""
    for actor in range(strength.shape[0]):
        if not strength[actor] > ZERO and not np.isnan(translation[actor, 1] - pelvis[actor, 1]):
            _forget(state, actor)


@inlined
def begin_eight(stance, length, rows, pelvis, state):
    """Feet of eight grounded actors begin anew after a leap; pelvis: the state's, flat."""
    x, y, z, _ = gather4(pelvis, rows * MEMORY, 0)
    x, y, z, reach = stance.x - x, stance.y - y, stance.z - z, stance.size * length
    leaps = ~(x * x + y * y + z * z < reach * reach) & not_nan(y)
    if any_true(leaps):
        for lane in range(8):
            if leaps[lane]:
                _forget(state, rows[lane])


@inlined
def place_below(point, stance, back):
    """Where in the world [m], x and z, a point of the model is that is held back by so much."""
    x, z = turned_level(point[0], point[2], stance.sine, stance.cosine)
    return stance.x + stance.size * x + back[0], stance.z + stance.size * z + back[1]

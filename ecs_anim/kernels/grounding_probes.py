"""Where a chunk of actors' feet look for the ground."""

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from ecs_anim.kernels import inlined, kernel, maker
from ecs_anim.kernels.matrices import placed_in, read_matrix
from ecs_anim.kernels.types import FEET, FLOATS, FLOATS_3D, GROUNDING, LEGS, OUT_2D, PLACEMENT, void
from ecs_anim.simd import (
    any_true,
    borrow,
    gather,
    gather3,
    gather4,
    not_nan,
    pad_rows,
    pointer,
    rows_at,
    scatter,
)

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


@maker
def list_grounded(settings, translation, weight):
    """Rows of actors that are grounded, for blocks of eight, how many they are, and how much each is."""
    rows, strength = np.empty(weight.shape[0] + 7, np.int64), np.empty(weight.shape[0] + 7, np.float32)
    count = 0
    for actor in range(weight.shape[0]):
        own = grounding_strength(settings, translation, weight, actor)
        rows[count], strength[count] = actor, own
        count += own > ZERO
    pad_rows(rows, count)
    pad_rows(strength, count)
    return rows, count, strength


@inlined
def heading(rotation, actor):
    """Sine and cosine of an actor's turn about +Y; who is grounded stands upright."""
    y, w = rotation[actor, 1], rotation[actor, 3]
    return TWO * y * w, w * w - y * y


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


@inlined
def moved_since(memory, translation, actor):
    """How far an actor has moved since the step that the pelvis' memory [actor, 5] is of; NaN where there was none."""
    x = translation[actor, 0] - memory[actor, 0]
    y = translation[actor, 1] - memory[actor, 1]
    z = translation[actor, 2] - memory[actor, 2]
    return x, y, z


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
def forget_others(strength, placement, state):
    """Feet forget all whose actor is not grounded; `begin_eight` does it for others."""
    translation, pelvis = borrow(placement[0]), borrow(state[0])
    for actor in range(strength.shape[0]):
        if not strength[actor] > ZERO and not np.isnan(translation[actor, 1] - pelvis[actor, 1]):
            _forget(state, actor)


@inlined
def begin_eight(stance, length, rows, pelvis, state):
    """Feet of eight actors who are grounded begin anew, as `begin_step` says; pelvis: the state's, flat."""
    x, y, z, _ = gather4(pelvis, rows * MEMORY, 0)
    x, y, z, reach = stance.x - x, stance.y - y, stance.z - z, stance.size * length
    leaps = ~(x * x + y * y + z * z < reach * reach) & not_nan(y)
    if any_true(leaps):
        for lane in range(8):
            if leaps[lane]:
                _forget(state, rows[lane])


@inlined
def begin_step(strength, length, placement, state):
    """Feet begin anew whose actor is not grounded, or has moved by more than a leg's length [rig units] at once."""
    translation, scale, pelvis = borrow(placement[0]), borrow(placement[2]), borrow(state[0])
    for actor in range(scale.shape[0]):
        x, y, z = moved_since(pelvis, translation, actor)
        reach = scale[actor] * length
        if not (strength[actor] > ZERO and x * x + y * y + z * z < reach * reach) and not np.isnan(y):
            _forget(state, actor)  # a NaN: all is forgotten


@inlined
def place_below(point, stance, back):
    """Where in the world [m], x and z, a point of the model is that is held back by so much."""
    x, z = turned_level(point[0], point[2], stance.sine, stance.cosine)
    return stance.x + stance.size * x + back[0], stance.z + stance.size * z + back[1]


@kernel(void(GROUNDING, LEGS, FLOATS_3D, PLACEMENT, FLOATS, FEET, OUT_2D))
def place_probes(settings, legs, model, placement, weight, state, out_points):
    """Points above each contact, as high as the hip: a foot cannot step higher.

    Feet forget what was before if their actor is not grounded, or has moved by more than a leg's length at once.
    model [>= chunk, joint, 12]; weight [chunk]; writes the `FootState` and out_points [chunk x leg x 2, 3] [m], NaN
    where an actor is not grounded.
    """
    leg_count, width = legs.joints.shape[0], 12 * model.shape[1]
    joints, contacts = pointer(legs.joints), pointer(legs.contacts)
    locks, models, points, translation = pointer(state[3]), pointer(model), pointer(out_points), borrow(placement[0])
    columns, floor = (pointer(placement[0]), pointer(placement[1]), pointer(placement[2])), np.float32(settings.floor)
    strength = np.empty(weight.shape[0], np.float32)
    grounding_strengths(settings, translation, weight, strength)
    begin_step(strength, legs.length[0], placement, state)
    for actor in range(weight.shape[0]):
        if not strength[actor] > ZERO:
            for at in range(2 * leg_count * actor, 2 * leg_count * (actor + 1)):
                out_points[at, 0] = np.nan
    grounded, count, _ = list_grounded(settings, translation, weight)
    for first in range(0, count, 8):
        rows = rows_at(grounded, first)
        starts, stance = rows * width, stance_of(columns, rows, floor, ONE)
        of_legs = rows * leg_count
        locked, at = of_legs * 4, of_legs * 6
        for leg in range(leg_count):
            top = stance.y + stance.size * gather(models, starts, 12 * joints[4 * leg] + 7)
            ankle = read_matrix(models, starts, joints[4 * leg + 2])
            back = gather(locks, locked, 4 * leg + 2), gather(locks, locked, 4 * leg + 3)
            for number in range(6 * leg, 6 * leg + 6, 3):
                point = placed_in(ankle, (contacts[number], contacts[number + 1], contacts[number + 2]))
                x, z = place_below(point, stance, back)
                scatter(points, at, number, x)
                scatter(points, at, number + 1, top)
                scatter(points, at, number + 2, z)

"""Where a chunk of actors' feet look for the ground."""

import numpy as np
from numba import njit

from ecs_anim.kernels import inlined, kernel
from ecs_anim.kernels.types import FEET, FLOATS, FLOATS_3D, GROUNDING, LEGS, OUT_2D, PLACEMENT, void
from ecs_anim.kernels.vectors import origin_of, placed

ZERO, ONE, TWO = np.float32(0), np.float32(1), np.float32(2)
FADE = 0.2  # share of the range over which grounding fades


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
def heading(rotation, actor):
    """Sine and cosine of an actor's turn about +Y; who is grounded stands upright."""
    y, w = rotation[actor, 1], rotation[actor, 3]
    return TWO * y * w, w * w - y * y


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


@kernel(void(GROUNDING, LEGS, FLOATS_3D, PLACEMENT, FLOATS, FEET, OUT_2D))
def place_probes(settings, legs, model, placement, weight, state, out_points):
    """Points above each contact, as high as the hip: a foot cannot step higher.

    Feet forget what was before if their actor is not grounded, or has moved by more than a leg's length at once.
    model [>= chunk, joint, 12]; weight [chunk]; writes the `FootState` and out_points [chunk x leg x 2, 3] [m], NaN
    where an actor is not grounded.
    """
    translation, rotation, scale = placement
    pelvis, _, _, lock, _ = state
    joints, contacts = legs.joints, legs.contacts
    leg_count = joints.shape[0]
    for actor in range(scale.shape[0]):
        active = grounding_strength(settings, translation, weight, actor) > ZERO
        size, row = scale[actor], model[actor]
        x, y, z = moved_since(pelvis, translation, actor)
        reach = size * legs.length[0]
        if not (active and x * x + y * y + z * z < reach * reach):  # true for NaN
            _forget(state, actor)
        sine, cosine = heading(rotation, actor)
        for leg in range(leg_count):
            top = translation[actor, 1] + size * origin_of(row, joints[leg, 0])[1]
            for contact in range(2):
                at = (actor * leg_count + leg) * 2 + contact
                point = placed(row, joints[leg, 2], contacts[leg, contact])
                x, z = turned_level(point[0], point[2], sine, cosine)
                out_points[at, 0] = translation[actor, 0] + size * x + lock[actor, leg, 2] if active else np.nan
                out_points[at, 1] = top
                out_points[at, 2] = translation[actor, 2] + size * z + lock[actor, leg, 3]

"""Where a chunk of actors' feet look for the ground."""

import numpy as np
from numba import njit

from ecs_anim.kernels.types import FLOATS, FLOATS_2D, FLOATS_3D, GROUNDING, LEGS, OUT_2D, void
from ecs_anim.kernels.vectors import origin_of, placed, quaternion_rotation, turned

ZERO = np.float32(0)
FADE = 0.2  # share of the range over which grounding fades
FASTMATH = {"contract", "arcp", "nsz"}


@njit(inline="always")
def grounding_strength(settings, translation, weight, actor):
    """An actor's weight, less what its distance from the viewer takes."""
    if settings.range == np.inf:
        return weight[actor]
    x = translation[actor, 0] - settings.viewer_x
    y = translation[actor, 1] - settings.viewer_y
    z = translation[actor, 2] - settings.viewer_z
    near = (settings.range - np.sqrt(x * x + y * y + z * z)) / (FADE * settings.range)
    return weight[actor] * np.float32(min(max(near, 0.0), 1.0))


@njit(inline="always")
def actor_rotation(rotation, actor):
    """The rotation of an actor, from its quaternion."""
    return quaternion_rotation(rotation[actor, 0], rotation[actor, 1], rotation[actor, 2], rotation[actor, 3])


@njit(
    void(GROUNDING, LEGS, FLOATS_3D, FLOATS_2D, FLOATS_2D, FLOATS, FLOATS, FLOATS_3D, OUT_2D),
    cache=True,
    nogil=True,
    fastmath=FASTMATH,
)
def place_probes(settings, legs, model, translation, rotation, scale, weight, lock, out_points):
    """Points above each contact, as high as the hip: a foot cannot step higher.

    model [>= chunk, joint, 12]; translation [chunk, 3] [m]; rotation [chunk, 4]; scale, weight [chunk]; lock
    [chunk, leg, 4]; out_points [chunk x leg x 2, 3] [m], NaN where an actor is not grounded.
    """
    joints, contacts = legs.joints, legs.contacts
    leg_count = joints.shape[0]
    for actor in range(scale.shape[0]):
        active = grounding_strength(settings, translation, weight, actor) > ZERO
        turn, size, row = actor_rotation(rotation, actor), scale[actor], model[actor]
        for leg in range(leg_count):
            hip = turned(turn, origin_of(row, joints[leg, 0]))
            for contact in range(2):
                at = (actor * leg_count + leg) * 2 + contact
                point = turned(turn, placed(row, joints[leg, 2], contacts[leg, contact]))
                out_points[at, 0] = translation[actor, 0] + size * point[0] + lock[actor, leg, 2] if active else np.nan
                out_points[at, 1] = translation[actor, 1] + size * hip[1]
                out_points[at, 2] = translation[actor, 2] + size * point[2] + lock[actor, leg, 3]

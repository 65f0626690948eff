"""Models of external agents, made by code: a body with the footprint of the agent, and a dark window at its front.

Fronts face +Z.
"""

import numpy as np

from ecs_anim.assets.mesh import Material
from ecs_anim.assets.rig import Rig
from ecs_anim.rigs.prop_shapes import Shape, colored_mesh, joined, prop_rig, rounded_box, turned
from ecs_anim.rigs.surfaces import plain_mesh

LIFT = 0.04  # [m], height of the body above the ground
BEVEL = 0.03  # [m], width of the round edges
WINDOW, SKIRT = "#20262c", "#3c4247"


def agent_rig(half_length: float, half_width: float, radius: float, height: float, color: str) -> Rig:
    """Return a model of a footprint (`external.footprint.Footprint`) with a height [m]."""
    if half_width:
        parts = _box(half_length, half_width, height, color)
    else:
        parts = [_post(offset, radius, height, color) for offset in {-half_length, half_length}]
        if half_length:
            parts += _box(half_length, radius, height, color)
    front = half_length + radius
    width = 0.6 * max(half_width, radius)
    parts.append(rounded_box((-width, 0.72 * height, front - 0.1), (width, 0.9 * height, front + 0.01), WINDOW, 0.01))
    return prop_rig("agent", colored_mesh(Material("agent"), joined(parts)))


def unseen_rig(height: float) -> Rig:
    """Return a model with a height [m] that covers no pixel: a triangle without an area."""
    points = np.array([[0, 0, 0], [0, height, 0], [0, height, 0]], float)
    return prop_rig("unseen", plain_mesh(Material("unseen"), points, np.tile([0.0, 0, 1], (3, 1)), np.arange(3)[None]))


def _box(half_length: float, half_width: float, height: float, color: str) -> list[Shape]:
    bevel = min(BEVEL, half_length / 4, half_width / 4, height / 8)
    low, high = (-half_width, LIFT, -half_length), (half_width, height, half_length)
    middle = (-half_width - 0.004, LIFT, -half_length), (half_width + 0.004, 0.16 * height, half_length)
    return [rounded_box(low, high, color, bevel), rounded_box(*middle, SKIRT, bevel)]


def _post(offset: float, radius: float, height: float, color: str) -> Shape:
    bevel = min(BEVEL, radius / 4, height / 8)
    rings = [(0.0, LIFT), (radius - bevel, LIFT), (radius, LIFT + bevel), (radius, height - bevel)]
    shape = turned([*rings, (radius - bevel, height), (0.0, height)], color)
    return Shape(shape.positions + np.array([0.0, 0.0, offset]), shape.normals, shape.colors, shape.corners)

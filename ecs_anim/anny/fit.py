"""The fit of a body to the mannequin's skeleton.

All people share the skeleton and the clips of the mannequin, as the figures of the rig `people` do. A map of heights
moves the trunk and the head, so that hips, shoulders and neck have the mannequin's heights. The joints of the limbs
move and turn the points that follow them, stretch the points along the bone, and scale the points evenly across the
bone. The shoulders keep a part of their own breadth.
"""

from collections.abc import Mapping

import numpy as np

from ecs_anim.anny.base import Base
from ecs_anim.mannequin import proportions as P
from ecs_anim.mannequin.arrays import Array
from ecs_anim.mannequin.shapes import smooth_step

# joint at the end of each bone that turns
ENDS = {"Arm": "ForeArm", "ForeArm": "Hand", "Hand": "Finger", "UpLeg": "Leg", "Leg": "Foot", "Foot": "ToeBase"}
LEVELS = ("LeftUpLeg", "LeftArm", "Head")  # joints whose heights the map of the trunk keeps, from below
SHOULDER_SHIFT = 0.022  # [m], largest shift of arms from the mannequin's
HALF_HAND = 0.045  # [m], largest distance of a thumb from the axis of a relaxed hand
FINGERS, CLOSED = (0.07, 0.17), 0.65  # [m], knuckles and fingertips from the wrist; factor on the spread of fingertips
Heads = Mapping[str, Array]


def fitted(base: Base, points: Array) -> Array:
    """Return the vertices [v, 3] of a body on the mannequin's skeleton, in metres.

    `points` [n, 3] are the points of the body, in decimetres.
    """
    own = points / 10
    vertices = own[base.vertices]
    heads = {name: own[rows].mean(axis=0) for name, rows in base.joints.items()}
    scale = P.STATURE / float(np.ptp(vertices[:, 1]))
    limbs = [j for j, name in enumerate(P.JOINTS) if _sided(name)[1] in (*ENDS, "ToeBase")]
    trunk = 1 - base.weights[:, limbs].sum(axis=1)
    result = trunk[:, None] * _trunk(vertices, heads, scale)
    for j in limbs:
        rows = np.flatnonzero(base.weights[:, j])
        result[rows] += base.weights[rows, j, None] * _limb(P.JOINTS[j], vertices[rows], heads, scale)
    return result


def _trunk(vertices: Array, heads: Heads, scale: float) -> Array:
    """Return the positions of vertices that follow trunk, shoulders, neck and head."""
    own, goals = (np.array([at[name][1:] for name in LEVELS]) for at in (heads, _goals()))
    y = vertices[:, 1]
    near = np.clip(y, own[0, 0], own[-1, 0])
    height = np.interp(near, own[:, 0], goals[:, 0]) + scale * (y - near)
    shift = np.interp(near, own[:, 0], goals[:, 1] - scale * own[:, 1])
    return np.stack([scale * vertices[:, 0], height, scale * vertices[:, 2] + shift], axis=1)


def _goals() -> Heads:
    return {name: P.POSITIONS[P.INDEX[name]] for name in P.JOINTS}


def _limb(name: str, vertices: Array, heads: Heads, scale: float) -> Array:
    """Return the positions of vertices that follow the joint `name` of an arm or a leg."""
    side, rest = _sided(name)
    place = P.POSITIONS[P.INDEX[name]].copy()
    if rest in ("Arm", "ForeArm", "Hand"):
        more = scale * abs(heads[f"{side}Arm"][0]) - P.LEFT_POINTS["Arm"][0]
        place += np.clip(more, -SHOULDER_SHIFT, SHOULDER_SHIFT) * P.SIDES[side] * (1, 0, 0)
    offsets = (vertices - heads[name]) @ _matrix(side, rest, heads, scale).T
    if rest == "Hand":
        offsets = _relaxed(offsets, P.ARM_DIRECTION * P.SIDES[side])
    return offsets + place


def _relaxed(offsets: Array, axis: Array) -> Array:
    """Return the offsets [n, 3] from the wrist of a hand whose fingers and thumb are closer to its axis."""
    along = offsets @ axis
    across = offsets - along[:, None] * axis
    side = np.linalg.svd(across - across.mean(axis=0), full_matrices=False)[2][0]
    breadth = across @ side
    closed = 1 - (1 - CLOSED) * smooth_step(along, *FINGERS)
    wanted = closed * HALF_HAND * np.tanh(breadth / HALF_HAND)
    return offsets + (wanted - breadth)[:, None] * side


def _sided(name: str) -> tuple[str, str]:
    side = next((own for own in P.SIDES if name.startswith(own)), "")
    return side, name.removeprefix(side)


def _matrix(side: str, rest: str, heads: Heads, scale: float) -> Array:
    """Return the matrix [3, 3] from offsets of a body's joint to offsets of the mannequin's joint."""
    if rest not in ENDS:
        return np.eye(3) * scale
    bone = heads[side + ENDS[rest]] - heads[side + rest]
    length = float(np.linalg.norm(bone))
    axis = bone / length
    if rest == "Hand":
        goal = P.ARM_DIRECTION * P.SIDES[side] * length * scale
    else:
        goal = P.POSITIONS[P.INDEX[side + ENDS[rest]]] - P.POSITIONS[P.INDEX[side + rest]]
    stretch = scale * np.eye(3) + (float(np.linalg.norm(goal)) / length - scale) * np.outer(axis, axis)
    return _turn(axis, goal / np.linalg.norm(goal)) @ stretch


def _turn(a: Array, b: Array) -> Array:
    """Return the shortest rotation [3, 3] from the unit vector `a` to the unit vector `b`."""
    x, y, z = np.cross(a, b)
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    turned: Array = np.eye(3) + cross + cross @ cross / (1 + float(a @ b))
    return turned

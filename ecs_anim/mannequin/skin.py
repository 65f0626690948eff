"""The meshes of the mannequin at each level of detail, with texture coordinates and skin weights."""

import numpy as np

from ecs_anim.mannequin import body
from ecs_anim.mannequin import proportions as P
from ecs_anim.mannequin.arrays import Array
from ecs_anim.mannequin.gltf_writer import Level
from ecs_anim.mannequin.paint import BACK, CHARTS, FACE, FRONT, SIDE, on_face, texture_coordinates
from ecs_anim.mannequin.polygonise import Field, polygonise
from ecs_anim.mannequin.simplify import HalfMesh
from ecs_anim.mannequin.weights import skin_weights

CELL = 0.0115  # [m]
LOW, HIGH = (-0.03, -0.3005), (1.35, 1.80, 0.48)  # [m], (y, z) and (x, y, z)
TRIANGLES = (3520, 900, 250, 100)  # number of triangles of each level
MITTEN_TRIANGLES = 3000  # number of triangles of the finest mesh without fingers
CHIN = (1.50, 0.0)  # [m], y and z; no triangle further up and in front is part of the back of the head
BESIDE = 1.53  # [m], lowest y of triangles that use the side of the head
GROUND = 0.003  # [m]; vertices nearer to the ground are moved to the ground
# Factor that enlarges the hand on the grid, so that each finger has several grid cells. The factor across the hand
# rises over the length ENLARGED [m] behind the wrist. Enlarged points have at least the coordinate x = HAND_SIDE [m].
HAND_SCALE, ENLARGED, HAND_SIDE = 5.0, 0.06, 0.4
HAND_STEP = 0.001  # [m], distance of the points that define a normal on a hand
HAND_IMPORTANCE = 9.0


def levels() -> list[Level]:
    """Return the levels of detail of the mannequin. The finest level is first. Only the finest level has fingers."""
    finest = _half_mesh(lambda p: body.body_with_fingers(_reduced(p)), _reduced)
    coarse = _half_mesh(body.body, lambda p: p)
    coarse.simplify(MITTEN_TRIANGLES // 2)
    halves = [finest.simplify(TRIANGLES[0] // 2), *(coarse.simplify(count // 2) for count in TRIANGLES[1:])]
    return [_level(*half, is_finest=number == 0) for number, half in enumerate(halves)]


def _half_mesh(field: Field, placed: Field) -> HalfMesh:
    """Return the mesh of a distance field on a grid.

    `placed` returns the places of grid points on the body.
    """
    vertices, triangles = polygonise(field, LOW, HIGH, CELL)
    vertices = np.round(placed(vertices), 7)  # rounded for equal decisions on all machines
    return HalfMesh(vertices, triangles, np.round(_importance(vertices), 6))


def _reduced(p: Array) -> Array:
    """Return the places [..., 3] on the body of grid points `p` [..., 3]. On the grid, the hand is enlarged."""
    wrist = P.LEFT_POINTS["Hand"]
    along = (p - wrist) @ P.ARM_DIRECTION
    axis = along[..., None] * P.ARM_DIRECTION
    scale = 1 + (HAND_SCALE - 1) * np.clip(along / ENLARGED, 0, 1)[..., None]
    is_hand = (along > 0) & (p[..., 0] > HAND_SIDE)
    return np.where(is_hand[..., None], wrist + axis / HAND_SCALE + (p - wrist - axis) / scale, p)


def _importance(p: Array) -> Array:
    """Return the importance [n] of points.

    The importance is highest at hands, and second highest at head and neck. The importance at joints that bend is lower
    than at head and neck, but higher than elsewhere.
    """
    along, _ = body.arm_coordinates(p)
    elbow = np.exp(-(((along - P.UPPER_ARM) / 0.07) ** 2)) * (p[:, 0] > 0.25)
    knee = np.exp(-(((p[:, 1] - P.LEFT_POINTS["Leg"][1]) / 0.09) ** 2)) * (p[:, 0] < 0.25)
    head = 1 / (1 + np.exp(-(p[:, 1] - 1.48) / 0.01))
    return 1 + 1.5 * elbow + 1.0 * knee + 5 * head + HAND_IMPORTANCE * _on_hand(p)


def _level(vertices: Array, triangles: Array, is_finest: bool) -> Level:
    positions, triangles = _mirrored(vertices, triangles)
    positions[np.abs(positions[:, 1]) < GROUND, 1] = 0.0
    positions = positions.astype(np.float32).astype(np.float64)
    chart = _charts(positions[triangles], is_finest)
    # A vertex between charts of the texture becomes one vertex for each chart.
    used, flat = np.unique(CHARTS * triangles + chart[:, None], return_inverse=True)
    positions, chart = positions[used // CHARTS], used % CHARTS
    joints, weights = skin_weights(positions)
    normals = _finest_normals(positions) if is_finest else body.normals(positions)
    return Level(positions, normals, texture_coordinates(positions, chart), joints, weights, flat.reshape(-1, 3))


def _finest_normals(p: Array) -> Array:
    """Return the normals [n, 3] of points on the body with fingers."""
    smooth = body.normals(p, field=body.body_with_fingers)
    fine = body.normals(p, HAND_STEP, body.body_with_fingers)
    return np.where(_on_hand(body.on_left(p))[:, None], fine, smooth)


def _on_hand(p: Array) -> Array:
    """Return a mask [n] of the points [n, 3] that are on the left hand."""
    along, _ = body.arm_coordinates(p)
    return (along > P.UPPER_ARM + P.FOREARM) & (p[:, 0] > HAND_SIDE)


def _charts(corners: Array, is_finest: bool) -> Array:
    """Return the part of the texture [m] that each triangle uses: BACK, FRONT, FACE or SIDE.

    `corners` [m, 3, 3] are the corners of the triangles. The direction of a triangle selects BACK or FRONT. The
    underside of the chin also uses FRONT, because hair covers this part of BACK. Only the finest mesh uses FACE and
    SIDE.
    """
    a, b, c = np.moveaxis(corners, 1, 0)
    is_chin = np.all((corners[..., 1] > CHIN[0]) & (corners[..., 2] > CHIN[1]), axis=1)
    normal = np.cross(b - a, c - a)
    chart = np.where(is_chin | (normal[:, 2] >= 0), FRONT, BACK)
    if not is_finest:
        return chart
    face = on_face(corners).all(axis=1) & (chart == FRONT)
    beside = (corners[..., 1] > BESIDE).all(axis=1) & (np.abs(normal[:, 0]) > np.abs(normal[:, 2]))
    return np.select([beside, face], [SIDE, FACE], chart)


def _mirrored(vertices: Array, triangles: Array) -> tuple[Array, Array]:
    """Return the vertices and triangles of the whole mesh.

    The whole mesh is the half mesh and its mirror image, joined at x = 0.
    """
    off = vertices[:, 0] != 0
    other = np.arange(len(vertices))
    other[off] = len(vertices) + np.arange(off.sum())
    return np.concatenate([vertices, vertices[off] * (-1, 1, 1)]), np.concatenate(
        [triangles, other[triangles[:, ::-1]]]
    )

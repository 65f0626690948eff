"""The meshes of the mannequin at each level of detail, with texture coordinates and skin weights."""

import numpy as np

from ecs_anim.mannequin import body
from ecs_anim.mannequin import proportions as P
from ecs_anim.mannequin.arrays import Array
from ecs_anim.mannequin.gltf_writer import Level
from ecs_anim.mannequin.paint import BACK, CHARTS, FACE, FRONT, on_face, texture_coordinates
from ecs_anim.mannequin.polygonise import polygonise
from ecs_anim.mannequin.simplify import HalfMesh
from ecs_anim.mannequin.weights import skin_weights

CELL = 0.0115  # [m]
LOW, HIGH = (-0.03, -0.22), (0.78, 1.80, 0.26)  # [m], (y, z) and (x, y, z)
TRIANGLES = (3000, 900, 250, 100)
CHIN = (1.50, 0.0)  # [m], y and z; no triangle further up and in front is part of the back of the head
GROUND = 0.003  # [m]; vertices nearer to the ground are moved to the ground


def levels() -> list[Level]:
    """Return the levels of detail of the mannequin. The finest level is first."""
    vertices, triangles = polygonise(body.body, LOW, HIGH, CELL)
    vertices = np.round(vertices, 7)  # rounded for equal decisions on all machines
    half = HalfMesh(vertices, triangles, np.round(_importance(vertices), 6))
    return [_level(*half.simplify(count // 2), has_face=count == TRIANGLES[0]) for count in TRIANGLES]


def _importance(p: Array) -> Array:
    """Return the importance [n] of points.

    The importance is highest at head and neck. The importance at joints that bend is lower than at head and neck, but
    higher than elsewhere.
    """
    along, _ = body.arm_coordinates(p)
    elbow = np.exp(-(((along - P.UPPER_ARM) / 0.07) ** 2)) * (p[:, 0] > 0.25)
    knee = np.exp(-(((p[:, 1] - P.LEFT_POINTS["Leg"][1]) / 0.09) ** 2)) * (p[:, 0] < 0.25)
    head = 1 / (1 + np.exp(-(p[:, 1] - 1.48) / 0.01))
    return 1 + 1.5 * elbow + 1.0 * knee + 5 * head


def _level(vertices: Array, triangles: Array, has_face: bool) -> Level:
    positions, triangles = _mirrored(vertices, triangles)
    positions[np.abs(positions[:, 1]) < GROUND, 1] = 0.0
    positions = positions.astype(np.float32).astype(np.float64)
    chart = _charts(positions[triangles], has_face)
    # A vertex between charts of the texture becomes one vertex for each chart.
    used, flat = np.unique(CHARTS * triangles + chart[:, None], return_inverse=True)
    positions, chart = positions[used // CHARTS], used % CHARTS
    joints, weights = skin_weights(positions)
    normals = body.normals(positions)
    return Level(positions, normals, texture_coordinates(positions, chart), joints, weights, flat.reshape(-1, 3))


def _charts(corners: Array, has_face: bool) -> Array:
    """Return the part of the texture [m] that each triangle uses: BACK, FRONT or FACE.

    `corners` [m, 3, 3] are the corners of the triangles. The direction of a triangle selects BACK or FRONT. The
    underside of the chin also uses FRONT, because hair covers this part of BACK.
    """
    a, b, c = np.moveaxis(corners, 1, 0)
    is_chin = np.all((corners[..., 1] > CHIN[0]) & (corners[..., 2] > CHIN[1]), axis=1)
    chart = np.where(is_chin | (np.cross(b - a, c - a)[:, 2] >= 0), FRONT, BACK)
    face = has_face & on_face(corners).all(axis=1) & (chart == FRONT)
    return np.where(face, FACE, chart)


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

"""The mannequin's mesh at every level of detail, painted and bound."""

import numpy as np
from numpy.typing import NDArray

from ecs_anim.mannequin import body
from ecs_anim.mannequin.gltf_writer import Level
from ecs_anim.mannequin.polygonise import polygonise
from ecs_anim.mannequin.simplify import HalfMesh
from ecs_anim.mannequin.weights import skin_weights

CELL = 0.010  # [m]
LOW, HIGH = (-0.03, -0.22), (0.78, 1.80, 0.26)  # [m], (y, z) and (x, y, z)
TRIANGLES = (3000, 900, 250)
GROUND = 0.003  # [m], vertices as near the ground as this are put on it


def levels() -> list[Level]:
    """All levels of detail, finest first."""
    vertices, triangles = polygonise(body.body, LOW, HIGH, CELL)
    half = HalfMesh(vertices, triangles, _importance(vertices))
    return [_level(*half.simplify(count // 2)) for count in TRIANGLES]


def _importance(p: NDArray) -> NDArray:
    """How dearly each vertex [n] of the full mesh is kept: head, hands and joints above the rest."""
    return np.where(p[:, 1] > 1.5, 3.0, 1.0)


def _level(vertices: NDArray, triangles: NDArray) -> Level:
    positions, triangles = _mirrored(vertices, triangles)
    positions[np.abs(positions[:, 1]) < GROUND, 1] = 0.0
    positions = positions.astype(np.float32)
    joints, weights = skin_weights(positions.astype(np.float64))
    normals = body.normals(positions.astype(np.float64))
    uvs = np.zeros((len(positions), 2))
    return Level(positions, normals, uvs, joints, weights, triangles)


def _mirrored(vertices: NDArray, triangles: NDArray) -> tuple[NDArray, NDArray]:
    """Both halves of a half mesh, joined along x = 0."""
    off = vertices[:, 0] != 0
    other = np.arange(len(vertices))
    other[off] = len(vertices) + np.arange(off.sum())
    return np.concatenate([vertices, vertices[off] * (-1, 1, 1)]), np.concatenate([triangles, other[triangles[:, ::-1]]])

"""Helpers for tests of skinning: palettes, meshes with arbitrary weights, and independent references."""

from dataclasses import replace

import numpy as np
from scipy.spatial.transform import Rotation

from ecs_anim.assets.mesh import Mesh
from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.maths import affine, quaternion
from ecs_anim.maths.transform import Pose
from tests.helpers import random_rotations
from tests.helpers.gl import capsule

ENTRIES = 5


def bound_at(places: np.ndarray) -> Skeleton:
    """Return a chain of joints that are bound at `places` [n, 3]. Each joint has a palette entry, in reverse order."""
    count = len(places)
    rest = Pose.identity(count)
    rest.translation[:] = np.diff(places[::-1], axis=0, prepend=np.zeros((1, 3)))
    bind = np.concatenate([np.tile(np.eye(3), (count, 1, 1)), -places[:, :, None]], axis=-1).astype(np.float32)
    joints = np.arange(count, dtype=np.int32)
    names = tuple(f"joint_{i}" for i in range(count))
    return Skeleton(names, joints - 1, rest, joints[::-1].copy(), bind)


def any_weights(
    rng: np.random.Generator, influences: int = 4, entries: int = ENTRIES, mesh: Mesh | None = None
) -> Mesh:
    """Return a capsule. Random palette entries in random order move each vertex."""
    mesh = mesh or capsule()
    weights = np.zeros((mesh.vertex_count, 4))
    weights[:, :influences] = rng.uniform(0.05, 1, (mesh.vertex_count, influences))
    weights /= weights.sum(axis=1, keepdims=True)
    columns = rng.permutation(4)
    chosen = rng.integers(0, entries, (mesh.vertex_count, 4)).astype(np.uint16)
    return replace(mesh, weights=weights[:, columns].astype(np.float32), palette_indices=chosen)


def palettes(rng: np.random.Generator, actors: int, scale: float = 0.3, spread: float = 0.8) -> np.ndarray:
    """Return matrices [actors, ENTRIES, 3, 4] of joints with different rotations and scales, within limits."""
    turn = np.eye(4)[3] + spread * rng.normal(size=(actors, ENTRIES, 4))
    whole = random_rotations(rng, actors, 1)
    rotation = quaternion.multiply(whole, quaternion.normalize(turn))
    stretch = np.exp(scale * rng.normal(size=(actors, ENTRIES, 3)))
    return affine.compose(rng.normal(size=(actors, ENTRIES, 3)), rotation, stretch).astype(np.float32)


def kavan(mesh: Mesh, entries: np.ndarray) -> np.ndarray:
    """Return positions [vertex, 3] from the formulas of the paper in float64, one vertex after the other.

    `entries` [entry, 4, 4] has the layout of `dual_palette`.
    """
    out = np.empty((mesh.vertex_count, 3))
    for i in range(mesh.vertex_count):
        real, dual, place = np.zeros(4), np.zeros(4), np.zeros(3)
        chosen, weights = mesh.palette_indices[i], mesh.weights[i].astype(np.float64)
        pivot = entries[chosen[np.argmax(weights)], 0]
        for joint, weight in zip(chosen, weights, strict=True):
            q, t = entries[joint, 0].astype(np.float64), entries[joint, 1, :3].astype(np.float64)
            xx, yy, (zz, yz, zx, xy) = entries[joint, 1, 3], entries[joint, 2, 3], entries[joint, 3]
            stretch = np.array([[xx, xy, zx], [xy, yy, yz], [zx, yz, zz]], np.float64)
            place += weight * (stretch @ mesh.positions[i] + entries[joint, 2, :3])
            half = 0.5 * np.array([*(q[3] * t + np.cross(t, q[:3])), -t @ q[:3]])
            sign = -1 if q @ pivot < 0 else 1
            real += sign * weight * q
            dual += sign * weight * half
        size = np.linalg.norm(real)
        (d0, a0), (de, ae) = (real[:3] / size, real[3] / size), (dual[:3] / size, dual[3] / size)
        move = 2 * (a0 * de - ae * d0 + np.cross(d0, de))
        out[i] = place + 2 * np.cross(d0, np.cross(d0, place) + a0 * place) + move
    return out


def surface_normals(mesh: Mesh, matrices: np.ndarray) -> np.ndarray:
    """Return unit normals [vertex, 3] from the inverse transpose of matrices [vertex, 3, 3] in float64."""
    turned = np.einsum("vji,vj->vi", np.linalg.inv(matrices.astype(np.float64)), mesh.normals.astype(np.float64))
    return turned / np.linalg.norm(turned, axis=-1, keepdims=True)


def twisted(degrees: float, axis: tuple[float, float, float] = (0.0, 1.0, 0.0), height: float = 0.5) -> np.ndarray:
    """Return matrices [2, 3, 4] of two joints.

    The second joint is rotated about an axis through a point of the Y axis.
    """
    turn = Rotation.from_rotvec(np.radians(degrees) * np.array(axis)).as_matrix()
    place = np.array([0.0, height, 0.0])
    return np.stack([np.eye(3, 4), np.column_stack([turn, place - turn @ place])]).astype(np.float32)

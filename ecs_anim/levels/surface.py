"""A surface that joins the triangles of several meshes, and the search for nearest points on the surface."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.mesh import Mesh
from ecs_anim.assets.skinning import skin_linear

BLOCK = 512  # points that are processed together
HIDDEN_AREA = 0.4  # largest area of a hidden triangle, as a fraction of its largest area on a figure

Points = NDArray[np.float64]  # [..., 3]


@dataclass(frozen=True, eq=False)
class Surface:
    """A surface: the triangles and the vertices of several meshes, one mesh after the other."""

    meshes: tuple[Mesh, ...]
    triangles: NDArray[np.int64]  # [triangle_count, 3], indices into the vertices of all meshes

    @classmethod
    def of(cls, meshes: Sequence[Mesh]) -> Self:
        """Return the surface that contains the triangles of all `meshes`."""
        return cls(tuple(meshes), _joined(meshes, [mesh.indices.reshape(-1, 3) for mesh in meshes]))

    @classmethod
    def shown(cls, meshes: Sequence[Mesh]) -> Self:
        """Return the surface without the triangles that most figures hide, such as those of hats and bags."""
        return cls(tuple(meshes), _joined(meshes, [_shown(mesh) for mesh in meshes]))

    @cached_property
    def positions(self) -> Points:
        """Return the positions of all vertices in the bind pose [vertex_count, 3]."""
        return np.concatenate([mesh.positions for mesh in self.meshes]).astype(np.float64)


def _joined(meshes: Sequence[Mesh], triangles: Sequence[NDArray[np.uint32]]) -> NDArray[np.int64]:
    """Return triangles of each mesh [n, 3] as indices into the vertices of all meshes."""
    firsts = np.cumsum([0, *(mesh.vertex_count for mesh in meshes)])
    return np.concatenate([own + first for own, first in zip(triangles, firsts, strict=False)]).astype(np.int64)


def _shown(mesh: Mesh) -> NDArray[np.uint32]:
    """Return the triangles [n, 3] with an area that most figures show. Without such triangles, return all triangles."""
    triangles = mesh.indices.reshape(-1, 3)
    shown = _areas(mesh.positions[triangles].astype(np.float64)) != 0
    if mesh.figures is not None:
        rare = np.flatnonzero(shown & mesh.figures.rare_vertices()[triangles].any(axis=1))
        shown[rare] = ~_hidden(mesh, triangles[rare])
    return triangles[shown] if shown.any() else triangles


def _hidden(mesh: Mesh, triangles: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Return which triangles [n, 3] some figures show, although they are almost a line or a point without figures."""
    assert mesh.figures is not None
    corners = mesh.positions[triangles].astype(np.float64)
    largest = np.zeros(len(triangles))
    for offsets in mesh.figures.positions:
        largest = np.maximum(largest, _areas(corners + offsets[triangles]))
    return _areas(corners) < HIDDEN_AREA * largest


def _areas(corners: Points) -> NDArray[np.float64]:
    """Return the areas [n] of triangles with the corners `corners` [n, 3, 3]."""
    a, b, c = np.moveaxis(corners, 1, 0)
    return np.linalg.norm(np.cross(b - a, c - a), axis=1) / 2


@dataclass(frozen=True, eq=False)
class SurfacePoints:
    """Candidate points on a surface, stored as triangles with barycentric coordinates.

    There are several candidate points for each point of a search.
    """

    corners: NDArray[np.int64]  # [point, candidate, 3], vertex indices
    shares: NDArray[np.float64]  # [point, candidate, 3], barycentric coordinates with sum 1

    def on(self, vertices: Points) -> Points:
        """Return the positions [..., point, candidate, 3] of the candidate points.

        `vertices` [..., vertex_count, 3] are the vertex positions of the surface.
        """
        return np.sum(vertices[..., self.corners, :] * self.shares[..., None], axis=-2)


def posed_points(meshes: Sequence[Mesh], palettes: NDArray[np.float32]) -> Points:
    """Return all vertex positions [pose, vertex, 3] of `meshes` in the poses `palettes` [pose, entry, 3, 4]."""
    return np.concatenate([skin_linear(mesh, palettes)[0] for mesh in meshes], axis=1).astype(np.float64)


def nearest_points(points: Points, surface: Surface, count: int) -> SurfacePoints:
    """For each point [n, 3], return the `count` nearest triangles of `surface`, and the nearest point on each of these
    triangles.

    The search uses the surface in its bind pose.
    """
    corners = surface.positions[surface.triangles]
    count = min(count, len(corners))
    middles = corners.mean(axis=1)
    radii = np.linalg.norm(corners - middles[:, None], axis=-1).max(axis=1)
    chosen = []
    for first in range(0, len(points), BLOCK):
        away = _apart(points[first : first + BLOCK], middles) - radii
        chosen.append(np.argpartition(away, count - 1, axis=1)[:, :count])
    triangles = np.concatenate(chosen)
    return SurfacePoints(surface.triangles[triangles], closest_shares(points[:, None], corners[triangles]))


def closest_shares(points: Points, corners: Points) -> NDArray[np.float64]:
    """For each point [..., 3], return the nearest point on its triangle, as barycentric coordinates [..., 3].

    `corners` [..., 3, 3] are the corners of the triangles.
    """
    options = np.stack(
        [_inside_shares(points, corners), *(_edge_shares(points, corners, k) for k in range(3))], axis=-2
    )
    nearest = np.sum(options[..., None] * corners[..., None, :, :], axis=-2)
    away = np.linalg.norm(nearest - points[..., None, :], axis=-1)
    away[..., 0] = np.where((options[..., 0, :] >= 0).all(axis=-1), away[..., 0], np.inf)
    best = away.argmin(axis=-1)
    return np.take_along_axis(options, best[..., None, None], axis=-2)[..., 0, :]


def _apart(points: Points, others: Points) -> NDArray[np.float64]:
    """Return the approximate distances [n, m] between points [n, 3] and points [m, 3].

    For speed, the function uses matrix products.
    """
    squares = np.sum(points * points, axis=1)[:, None] + np.sum(others * others, axis=1) - 2 * points @ others.T
    return np.sqrt(np.maximum(squares, 0))


def _inside_shares(points: Points, corners: Points) -> NDArray[np.float64]:
    """Project each point onto the plane of its triangle, and return the barycentric coordinates of the projected
    points.

    If a projected point is outside its triangle, at least one barycentric coordinate is negative. For a degenerate
    triangle, the result is (-1, 1, 1).
    """
    a, b, c = np.moveaxis(corners, -2, 0)
    across = np.cross(b - a, c - a)
    area = np.sum(across * across, axis=-1)
    safe = np.where(area > 0, area, 1.0)
    second = np.sum(np.cross(points - a, c - a) * across, axis=-1) / safe
    third = np.sum(np.cross(b - a, points - a) * across, axis=-1) / safe
    shares = np.stack([1 - second - third, second, third], axis=-1)
    return np.where((area > 0)[..., None], shares, (-1.0, 1.0, 1.0))


def _edge_shares(points: Points, corners: Points, edge: int) -> NDArray[np.float64]:
    a, b = corners[..., edge, :], corners[..., (edge + 1) % 3, :]
    along = b - a
    length = np.sum(along * along, axis=-1)
    share = np.clip(np.sum((points - a) * along, axis=-1) / np.where(length > 0, length, 1.0), 0, 1)
    shares = np.zeros((*share.shape, 3))
    shares[..., edge], shares[..., (edge + 1) % 3] = 1 - share, share
    return shares

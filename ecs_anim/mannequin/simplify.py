"""Simplification of a mesh: collapse the edges with the smallest quadric error.

The method is from Garland and Heckbert, "Surface Simplification Using Quadric Error Metrics" (1997).

The input is the half x >= 0 of a mirror-symmetric mesh. The open border of the half mesh is at x = 0 and does not move.
The function collapses an edge only if the link condition of Dey and others (1999) holds. A manifold mesh therefore
stays a manifold.
"""

import heapq

import numpy as np

from ecs_anim.mannequin.arrays import Array

Point = tuple[float, float, float]

FLIP_COSINE = 0.3  # cosine of the largest allowed rotation of a triangle's normal in a collapse
MIRROR_WEIGHT = 4.0  # weight of the planes through the border
# Weight of the product of squared edge length and area, relative to the quadric error. The product keeps triangles well
# shaped.
SHAPE_WEIGHT = 3e-3


class HalfMesh:
    """One half of a mirror-symmetric mesh.

    Each call of `simplify` removes triangles from the mesh. Therefore, the target of each call must be smaller than the
    target of the previous call.
    """

    def __init__(self, vertices: Array, triangles: Array, importance: Array) -> None:
        """Create the half mesh from vertices [n, 3] in metres, triangles [m, 3] and importance [n].

        The simplification multiplies the error of a vertex by the importance of this vertex.
        """
        self.points = [tuple(p) for p in vertices.tolist()]
        self.faces: list[tuple[int, int, int] | None] = [tuple(t) for t in triangles.tolist()]
        self.face_count = len(self.faces)
        self.border = [p[0] == 0.0 for p in self.points]
        self.around: list[set[int]] = [set() for _ in self.points]
        for f, triangle in enumerate(triangles.tolist()):
            for v in triangle:
                self.around[v].add(f)
        self.importance = importance.tolist()
        self.quadrics = _quadrics(vertices, triangles, importance).tolist()
        self.version = [0] * len(self.points)
        self.heap: list[
            tuple[float, int, int, int, int, Point]
        ] = []  # cost, edge, versions of its ends, merged position
        for a, b in _edges(triangles):
            self._push(a, b)

    def simplify(self, target: int) -> tuple[Array, Array]:
        """Collapse the edges with the smallest cost until `target` triangles remain.

        Return the remaining vertices [n, 3] and triangles [m, 3].
        """
        while self.face_count > target and self.heap:
            _, a, b, version_a, version_b, point = heapq.heappop(self.heap)
            if self.version[a] == version_a and self.version[b] == version_b and self._allowed(a, b, point):
                self._collapse(a, b, point)
        triangles = np.array([f for f in self.faces if f is not None])
        used, flat = np.unique(triangles, return_inverse=True)
        return np.array([self.points[v] for v in used]), flat.reshape(-1, 3)

    def _push(self, a: int, b: int) -> None:
        q = [x + y for x, y in zip(self.quadrics[a], self.quadrics[b], strict=True)]
        border = self.border[a] or self.border[b]
        point, error = _best_point(q, self.points[a], self.points[b], border)
        dx, dy, dz = (x - y for x, y in zip(self.points[a], self.points[b], strict=True))
        length2 = dx * dx + dy * dy + dz * dz
        shape = SHAPE_WEIGHT * max(self.importance[a], self.importance[b]) * length2 * length2
        heapq.heappush(self.heap, (error + shape, a, b, self.version[a], self.version[b], point))

    def _neighbours(self, v: int) -> set[int]:
        return {w for f in self.around[v] for w in self.faces[f]} - {v}  # type: ignore[union-attr]

    def _allowed(self, a: int, b: int, point: Point) -> bool:
        shared = self.around[a] & self.around[b]
        if self.border[a] and self.border[b] and len(shared) != 1:
            return False
        if len(self._neighbours(a) & self._neighbours(b)) != len(shared):
            return False
        return not any(self._turns(f, v, point) for v in (a, b) for f in self.around[v] - shared)

    def _turns(self, f: int, v: int, point: Point) -> bool:
        triangle = self.faces[f]
        before = _normal(*(self.points[w] for w in triangle))  # type: ignore[union-attr]
        after = _normal(*(point if w == v else self.points[w] for w in triangle))  # type: ignore[union-attr]
        dot = before[0] * after[0] + before[1] * after[1] + before[2] * after[2]
        lengths = sum(x * x for x in before) * sum(x * x for x in after)
        return dot <= 0 or dot * dot < FLIP_COSINE**2 * lengths

    def _collapse(self, a: int, b: int, point: Point) -> None:
        """Move vertex `a` to `point`. Replace vertex `b` with `a` in all triangles."""
        for f in self.around[a] & self.around[b]:
            for v in self.faces[f]:  # type: ignore[union-attr]
                if v != b:
                    self.around[v].discard(f)
            self.around[b].discard(f)
            self.faces[f] = None
            self.face_count -= 1
        for f in self.around[b]:
            self.faces[f] = tuple(a if v == b else v for v in self.faces[f])  # type: ignore[union-attr,assignment]
        self.around[a] |= self.around[b]
        self.around[b] = set()
        self.points[a] = point
        self.border[a] = self.border[a] or self.border[b]
        self.importance[a] = max(self.importance[a], self.importance[b])
        self.quadrics[a] = [x + y for x, y in zip(self.quadrics[a], self.quadrics[b], strict=True)]
        self.version[a] += 1
        self.version[b] = -1
        for v in sorted(self._neighbours(a)):
            self._push(a, v)


def _edges(triangles: Array) -> list[tuple[int, int]]:
    pairs = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    return [tuple(e) for e in np.unique(np.sort(pairs, axis=1), axis=0).tolist()]


def _quadrics(vertices: Array, triangles: Array, importance: Array) -> Array:
    """Return the area-weighted error quadric of each vertex: the upper triangle [n, 10] of a symmetric 4 x 4 matrix."""
    corners = vertices[triangles]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    area = np.linalg.norm(normal, axis=1, keepdims=True) / 2
    normal = normal / np.maximum(2 * area, 1e-15)
    plane = np.concatenate([normal, -(normal * corners[:, 0]).sum(axis=1, keepdims=True)], axis=1)
    result = np.zeros((len(vertices), 10))
    for k in range(3):
        np.add.at(result, triangles[:, k], _outer(plane) * area)
        a, b = triangles[:, k], triangles[:, (k + 1) % 3]
        on = (vertices[a, 0] == 0) & (vertices[b, 0] == 0)
        _add_border(result, vertices, a[on], b[on])
    return np.round(result * importance[:, None], 14)  # rounded for equal results on all machines


def _add_border(result: Array, vertices: Array, a: Array, b: Array) -> None:
    """Add quadrics of the border edges to `result`.

    Each quadric measures the distance to a plane. The plane contains a border edge and is perpendicular to the mirror
    plane x = 0.

    With these quadrics, the outline of the mesh at x = 0 keeps its shape.
    """
    edge = vertices[b] - vertices[a]
    across = np.cross(edge, (1.0, 0.0, 0.0))
    length = np.linalg.norm(across, axis=1, keepdims=True)
    across = across / np.maximum(length, 1e-12)
    plane = np.concatenate([across, -(across * vertices[a]).sum(axis=1, keepdims=True)], axis=1)
    error = _outer(plane) * length**2 * MIRROR_WEIGHT
    np.add.at(result, a, error)
    np.add.at(result, b, error)


def _outer(plane: Array) -> Array:
    rows, columns = np.triu_indices(4)
    return plane[:, rows] * plane[:, columns]


def _best_point(q: list[float], a: Point, b: Point, border: bool) -> tuple[Point, float]:
    """Return the best point to which the edge a-b can collapse, and the error at this point. The best point has the
    smallest error.

    If the edge is on the border, the point has x = 0.
    """
    solved = _solve_border(q) if border else _solve(q)
    x, y, z = ((p + q) / 2 for p, q in zip(a, b, strict=True))
    if solved is None or _distance2(solved, (x, y, z)) > _distance2(a, b):
        solved = (0.0 if border else x, y, z)
    return solved, max(_error(q, solved), 0.0)


def _solve(q: list[float]) -> Point | None:
    xx, xy, xz, xw, yy, yz, yw, zz, zw, _ = q
    a, b, c = yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy
    det = xx * a + xy * b + xz * c
    scale = xx + yy + zz
    if det <= 1e-6 * scale * scale * scale:
        return None
    d, e, f = xx * zz - xz * xz, xy * xz - xx * yz, xx * yy - xy * xy
    return (-(a * xw + b * yw + c * zw) / det, -(b * xw + d * yw + e * zw) / det, -(c * xw + e * yw + f * zw) / det)


def _solve_border(q: list[float]) -> Point | None:
    _, _, _, _, yy, yz, yw, zz, zw, _ = q
    det = yy * zz - yz * yz
    if det <= 1e-5 * (yy + zz) ** 2:
        return None
    return (0.0, -(zz * yw - yz * zw) / det, -(yy * zw - yz * yw) / det)


def _error(q: list[float], p: Point) -> float:
    x, y, z = p
    return (
        x * (q[0] * x + 2 * (q[1] * y + q[2] * z + q[3]))
        + y * (q[4] * y + 2 * (q[5] * z + q[6]))
        + z * (q[7] * z + 2 * q[8])
        + q[9]
    )


def _distance2(a: Point, b: Point) -> float:
    return (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 + (a[2] - b[2]) ** 2


def _normal(a: Point, b: Point, c: Point) -> tuple[float, float, float]:
    ux, uy, uz = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    vx, vy, vz = c[0] - a[0], c[1] - a[1], c[2] - a[2]
    return (uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx)

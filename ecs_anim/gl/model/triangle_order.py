"""Reordering of the triangles of a mesh.

In the new order, triangles with shared vertices are near each other. GPUs and software renderers reuse the results of
recent vertices, so they skin a shared vertex only once. Reuse saves time, because the skinning of a vertex takes longer
than the drawing of a small triangle. Without the new order, many vertices of meshes from modelling tools are skinned
twice.
"""

import numpy as np
from numpy.typing import NDArray

CACHE_SIZE = 32  # [vertex], small enough for every OpenGL implementation
MAX_TRIANGLES = 30_000  # the reordering of so many triangles takes 0.25 s; larger meshes keep their order


def reuse_order(indices: NDArray[np.uint32], vertex_count: int) -> NDArray[np.uint32]:
    """Return the triangles [triangle_count * 3] u32 in an order that uses the vertex cache better.

    The order of the corners in a triangle does not change. The algorithm is Tipsify (Sander, Nehab and Barczak 2007).
    Tipsify first emits all triangles around one vertex. Then, it continues with a neighbouring vertex that the cache
    contains.
    """
    triangles = indices.reshape(-1, 3)
    if len(triangles) > MAX_TRIANGLES:
        return indices
    order = _Tipsify(triangles.tolist(), vertex_count).run()
    return np.ascontiguousarray(triangles[order].reshape(-1))


class _Tipsify:
    def __init__(self, triangles: list[list[int]], vertex_count: int) -> None:
        self.triangles = triangles
        self.around: list[list[int]] = [[] for _ in range(vertex_count)]
        for triangle, corners in enumerate(triangles):
            for vertex in corners:
                self.around[vertex].append(triangle)
        # number of triangles of each vertex that are not emitted yet
        self.left = [len(around) for around in self.around]
        self.entered = [0] * vertex_count  # time at which each vertex entered the cache
        self.clock = CACHE_SIZE + 1
        # Recently used vertices, the newest last. If no neighbour is left, the search continues at the newest vertex.
        self.recent: list[int] = []
        self.unvisited = 0

    def run(self) -> list[int]:
        emitted = [False] * len(self.triangles)
        order: list[int] = []
        fan = self._restart()
        while fan >= 0:
            ring: list[int] = []
            for triangle in self.around[fan]:
                if not emitted[triangle]:
                    emitted[triangle] = True
                    order.append(triangle)
                    ring += self.triangles[triangle]
                    self._touch(self.triangles[triangle])
            fan = self._next_fan(ring)
        return order

    def _touch(self, corners: list[int]) -> None:
        for vertex in corners:
            self.recent.append(vertex)
            self.left[vertex] -= 1
            if self.clock - self.entered[vertex] > CACHE_SIZE:
                self.entered[vertex] = self.clock
                self.clock += 1

    def _next_fan(self, ring: list[int]) -> int:
        """Return the neighbouring vertex with which the algorithm continues.

        The method prefers vertices that stay in the cache until their triangles are emitted. If several vertices stay
        in the cache, the method returns the vertex that entered the cache first.
        """
        best, best_age = -1, -1
        for vertex in ring:
            if self.left[vertex] > 0:
                age = self.clock - self.entered[vertex]
                age = age if age + 2 * self.left[vertex] <= CACHE_SIZE else 0
                if age > best_age:
                    best, best_age = vertex, age
        return best if best >= 0 else self._restart()

    def _restart(self) -> int:
        """Return a vertex with triangles that are not emitted yet, preferably a recently used vertex.

        If no triangles remain, return -1.
        """
        while self.recent:
            vertex = self.recent.pop()
            if self.left[vertex] > 0:
                return vertex
        while self.unvisited < len(self.left):
            if self.left[self.unvisited] > 0:
                return self.unvisited
            self.unvisited += 1
        return -1

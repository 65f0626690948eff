"""Flat shading with shared vertices: the choice of the provoking vertex of each triangle.

In OpenGL, a `flat` varying has the value of a triangle's last vertex. The last vertex is called the provoking vertex. A
vertex can be the provoking vertex of several triangles only if these triangles have equal normals. If their normals
differ, the vertex must be duplicated. The algorithm chooses provoking vertices so that few duplicates are necessary. A
closed surface has about twice as many triangles as vertices. The number of vertices after the duplication is therefore
about the number of different triangle normals.
"""

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.intp]


def provoking_corners(triangles: Ints, face_normal: Ints, vertex_count: int) -> tuple[Ints, Ints, Ints]:
    """Duplicate as few vertices as possible, and rotate triangles, so that the last corner of each triangle has the
    triangle's normal.

    `triangles` [triangle_count, 3] must use all `vertex_count` vertices. `face_normal` [triangle_count] is the index of
    each triangle's normal. Returns three arrays. For each new vertex, the first array contains the old vertex of which
    it is a copy. The second array contains the normal index of each new vertex. The third array contains the rotated
    triangles with new vertex indices.
    """
    if not len(triangles):
        return (np.zeros(0, np.intp),) * 2 + (triangles,)
    normal_count = int(face_normal.max()) + 1
    # A pair consists of a vertex and the normal of a triangle at this vertex. Each triangle has three possible pairs,
    # one for each corner.
    pairs, pair_of = np.unique(triangles * normal_count + face_normal[:, None], return_inverse=True)
    pair_of = pair_of.reshape(-1, 3)
    pair_vertex = pairs // normal_count
    chosen = _choose_free(triangles, pair_of, pair_vertex, vertex_count)
    chosen = _choose_rest(pair_of, chosen, len(pairs))
    return _emit(triangles, pair_of, chosen, pairs, normal_count, vertex_count)


def _choose_free(triangles: Ints, pair_of: Ints, pair_vertex: Ints, vertex_count: int) -> Ints:
    """Choose at most one normal for each vertex, among the normals of the triangles around the vertex.

    Return the number of each triangle's pair of vertex and normal, or -1 for a triangle without a pair. A triangle
    without a pair is called open. A vertex without a pair is called free. The algorithm works in rounds. In each round,
    every open triangle selects its free vertex with the fewest open triangles. A selected vertex gets the normal of one
    of the triangles that have selected it. All open triangles at the vertex with this normal then get the pair of the
    vertex and the normal.
    """
    chosen = np.full(len(triangles), -1, np.intp)
    free = np.ones(vertex_count, bool)
    while True:
        is_open = chosen < 0
        open_faces = np.bincount(triangles[is_open].ravel(), minlength=vertex_count)
        rarity = np.where(free[triangles] & is_open[:, None], open_faces[triangles], len(triangles) * 3 + 1)
        best = rarity.argmin(axis=1)
        proposers = np.flatnonzero(is_open & (rarity.min(axis=1) <= len(triangles) * 3))
        if not len(proposers):
            return chosen
        proposed = pair_of[proposers, best[proposers]]
        vertices, winner = np.unique(pair_vertex[proposed], return_index=True)
        free[vertices] = False
        chosen = _take(pair_of, chosen, proposed[winner], len(pair_vertex))


def _take(pair_of: Ints, chosen: Ints, taken: Ints, pair_count: int) -> Ints:
    """Assign the pairs in `taken` to open triangles. Return the pair of each triangle.

    An open triangle (a triangle without a pair) gets a pair of `taken` if one of its three possible pairs is in
    `taken`. If several of its pairs are in `taken`, the triangle gets the pair of the first of these corners.
    """
    is_taken = np.zeros(pair_count, bool)
    is_taken[taken] = True
    hit = is_taken[pair_of]
    first = pair_of[np.arange(len(pair_of)), hit.argmax(axis=1)]
    return np.where((chosen < 0) & hit.any(axis=1), first, chosen)


def _choose_rest(pair_of: Ints, chosen: Ints, pair_count: int) -> Ints:
    """Assign a pair of vertex and normal to each triangle without a pair.

    The function begins with the pairs that fit the most triangles.

    Each assigned pair adds one duplicate vertex.
    """
    while (is_open := chosen < 0).any():
        popularity = np.bincount(pair_of[is_open].ravel(), minlength=pair_count)
        rows = np.flatnonzero(is_open)
        best = pair_of[rows, popularity[pair_of[rows]].argmax(axis=1)]
        votes = np.bincount(best, minlength=pair_count)
        full = np.flatnonzero((votes > 0) & (votes == votes.max()))
        chosen = _take(pair_of, chosen, full, pair_count)
    return chosen


def _emit(
    triangles: Ints, pair_of: Ints, chosen: Ints, pairs: Ints, normal_count: int, vertex_count: int
) -> tuple[Ints, Ints, Ints]:
    """Return the new vertices and the rotated triangles.

    A vertex that is not a provoking vertex gets an arbitrary normal.
    """
    used = np.unique(chosen)
    lonely = np.setdiff1d(np.arange(vertex_count), pairs[used] // normal_count)
    spare = np.searchsorted(pairs, lonely * normal_count)  # first pair of each vertex that no triangle chose
    made = np.union1d(used, spare)
    vertex, normal = np.divmod(pairs[made], normal_count)
    # At a corner that is not the last corner of a triangle, any copy of the vertex is valid.
    stand_in = np.searchsorted(vertex, np.arange(vertex_count))
    corner = (pair_of == chosen[:, None]).argmax(axis=1)
    rows = np.arange(len(triangles))
    result = stand_in[np.stack([triangles[rows, (corner + 1) % 3], triangles[rows, (corner + 2) % 3], corner], axis=1)]
    result[:, 2] = np.searchsorted(made, chosen)
    return vertex, normal, result

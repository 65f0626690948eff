"""Flat shading with shared vertices: which corner of each face carries the face's normal.

A `flat` varying takes its value from a triangle's last vertex, the provoking one. So a vertex can be shared by
all faces around it as long as it is the last of one of them, or of several with the same normal. The goal is
a choice of corners that needs few extra vertices: about as many vertices as there are face normals, because a closed
surface has twice as many faces as vertices.
"""

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.intp]


def provoking_corners(triangles: Ints, face_normal: Ints, vertex_count: int) -> tuple[Ints, Ints, Ints]:
    """Split vertices just enough for each face to have its normal at its last corner.

    Takes triangles [triangle_count, 3] over `vertex_count` vertices, all used, and the normal of each face as an
    index [triangle_count]. Returns, for each vertex made, the vertex it copies and its normal's index, and the
    rotated triangles over the vertices made.
    """
    if not len(triangles):
        return (np.zeros(0, np.intp),) * 2 + (triangles,)
    normal_count = int(face_normal.max()) + 1
    # A pair is a vertex with one of the normals around it; a face has three to choose from.
    pairs, pair_of = np.unique(triangles * normal_count + face_normal[:, None], return_inverse=True)
    pair_of = pair_of.reshape(-1, 3)
    pair_vertex = pairs // normal_count
    chosen = _choose_free(triangles, pair_of, pair_vertex, vertex_count)
    chosen = _choose_rest(pair_of, chosen, len(pairs))
    return _emit(triangles, pair_of, chosen, pairs, normal_count, vertex_count)


def _choose_free(triangles: Ints, pair_of: Ints, pair_vertex: Ints, vertex_count: int) -> Ints:
    """Give each vertex one pair of its own, while faces last; the pair chosen for each face, -1 = none yet.

    In rounds: every open face proposes itself to its free corner with the fewest open faces, every free
    vertex takes one of its proposals, and with it all open faces of the same normal.
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
    """All open faces that have one of the pairs `taken` choose it (the first of their corners that does)."""
    is_taken = np.zeros(pair_count, bool)
    is_taken[taken] = True
    hit = is_taken[pair_of]
    first = pair_of[np.arange(len(pair_of)), hit.argmax(axis=1)]
    return np.where((chosen < 0) & hit.any(axis=1), first, chosen)


def _choose_rest(pair_of: Ints, chosen: Ints, pair_count: int) -> Ints:
    """The remaining faces choose the pair that most of them have: each pair costs one extra vertex."""
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
    """Vertices for the pairs in use, and for vertices that no face chose, with any normal."""
    used = np.unique(chosen)
    lonely = np.setdiff1d(np.arange(vertex_count), pairs[used] // normal_count)
    spare = np.searchsorted(pairs, lonely * normal_count)  # the first pair of each lonely vertex
    made = np.union1d(used, spare)
    vertex, normal = np.divmod(pairs[made], normal_count)
    stand_in = np.searchsorted(vertex, np.arange(vertex_count))  # any copy of a vertex will do where it is not last
    corner = (pair_of == chosen[:, None]).argmax(axis=1)
    rows = np.arange(len(triangles))
    result = stand_in[np.stack([triangles[rows, (corner + 1) % 3], triangles[rows, (corner + 2) % 3], corner], axis=1)]
    result[:, 2] = np.searchsorted(made, chosen)
    return vertex, normal, result

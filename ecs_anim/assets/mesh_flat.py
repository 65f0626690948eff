"""Flat shading with shared vertices: the choice of the corner that carries a face's normal.

A `flat` varying takes its value from a triangle's last vertex, the provoking vertex. All faces around a vertex can
therefore share the vertex if it is the last vertex of at most one face, or of several faces with equal normals. The
goal is a choice of corners that needs few extra vertices. The total is about the number of face normals, because a
closed surface has twice as many faces as vertices.
"""

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.intp]


def provoking_corners(triangles: Ints, face_normal: Ints, vertex_count: int) -> tuple[Ints, Ints, Ints]:
    """Split vertices so that each face has its normal at its last corner, with few extra vertices.

    The inputs are triangles [triangle_count, 3] that use all `vertex_count` vertices, and the index of each face's
    normal [triangle_count]. Returns for each new vertex the copied vertex and the index of its normal, and the rotated
    triangles over the new vertices.
    """
    if not len(triangles):
        return (np.zeros(0, np.intp),) * 2 + (triangles,)
    normal_count = int(face_normal.max()) + 1
    # A pair is a vertex and one of the normals around it. A face can choose from three pairs.
    pairs, pair_of = np.unique(triangles * normal_count + face_normal[:, None], return_inverse=True)
    pair_of = pair_of.reshape(-1, 3)
    pair_vertex = pairs // normal_count
    chosen = _choose_free(triangles, pair_of, pair_vertex, vertex_count)
    chosen = _choose_rest(pair_of, chosen, len(pairs))
    return _emit(triangles, pair_of, chosen, pairs, normal_count, vertex_count)


def _choose_free(triangles: Ints, pair_of: Ints, pair_vertex: Ints, vertex_count: int) -> Ints:
    """Give each vertex at most one pair of vertex and normal. Return the pair of each face, or -1 without a pair.

    A face without a pair is open, and a vertex without a pair is free. The algorithm works in rounds. Every open face
    sends a proposal to its free corner with the fewest open faces. Every free vertex accepts one face, and also all
    open faces around the vertex with the normal of the accepted face.
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
    """Let each open face with a pair of `taken` at one of its corners choose the pair.

    The first such corner decides.
    """
    is_taken = np.zeros(pair_count, bool)
    is_taken[taken] = True
    hit = is_taken[pair_of]
    first = pair_of[np.arange(len(pair_of)), hit.argmax(axis=1)]
    return np.where((chosen < 0) & hit.any(axis=1), first, chosen)


def _choose_rest(pair_of: Ints, chosen: Ints, pair_count: int) -> Ints:
    """Let the remaining faces choose the pair that most remaining faces share.

    Each chosen pair adds one extra vertex.
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
    """Return vertices for all used pairs. A vertex that no face chose gets an arbitrary normal."""
    used = np.unique(chosen)
    lonely = np.setdiff1d(np.arange(vertex_count), pairs[used] // normal_count)
    spare = np.searchsorted(pairs, lonely * normal_count)  # first pair of each vertex that no face chose
    made = np.union1d(used, spare)
    vertex, normal = np.divmod(pairs[made], normal_count)
    # Any copy of a vertex is valid at a corner that is not last.
    stand_in = np.searchsorted(vertex, np.arange(vertex_count))
    corner = (pair_of == chosen[:, None]).argmax(axis=1)
    rows = np.arange(len(triangles))
    result = stand_in[np.stack([triangles[rows, (corner + 1) % 3], triangles[rows, (corner + 2) % 3], corner], axis=1)]
    result[:, 2] = np.searchsorted(made, chosen)
    return vertex, normal, result

"""Decoders for indices (appendix A): triangles with codes for recent edges and vertices, and plain sequences."""

import numpy as np
from numpy.typing import NDArray

from ecs_anim.meshopt.stream import CUT, TOO_LONG, StreamError, unzigzag, varint

TRIANGLES, SEQUENCE = 0xE1, 0xD1  # first byte of a stream
TABLE, PADDING = 16, 4  # number of bytes at the end of a triangle stream, and of a sequence stream
FIFO = 16  # the decoder remembers this number of recent edges, and of recent vertices
WRAP = 0xFFFFFFFF
UNWRITTEN = -1

Indices = NDArray[np.uint32]


def decode_triangles(data: bytes, count: int) -> Indices:
    """Return the indices [count] u32 of a triangle list.

    `count` must be a multiple of 3. Raises StreamError for invalid data.
    """
    codes_end, end = 1 + count // 3, len(data) - TABLE
    _require_start(data, TRIANGLES)
    if codes_end > end:
        raise StreamError(CUT)
    reader = _Triangles(data, codes_end, end)
    for code in data[1:codes_end]:
        if code < 0xF0:
            reader.by_edge(code >> 4, code & 15)
        elif code < 0xFE:
            reader.by_vertices(reader.table[code & 15])
        else:
            reader.explicit(code == 0xFE)
    if reader.position != end:
        raise StreamError(TOO_LONG)
    return np.array(reader.found, np.int64).astype(np.uint32)


def decode_sequence(data: bytes, count: int) -> Indices:
    """Return the indices [count] u32 of a sequence.

    The stream stores each index as a difference from one of two previous indices. Raises StreamError for invalid data.
    """
    _require_start(data, SEQUENCE)
    position, end = 1, len(data) - PADDING
    if count > end - position:
        raise StreamError(CUT)
    last, found = [0, 0], []
    for _ in range(count):
        value, position = varint(data, position, end)
        own = value & 1
        last[own] = last[own] + unzigzag(value >> 1) & WRAP
        found.append(last[own])
    if position != end:
        raise StreamError(TOO_LONG)
    return np.array(found, np.int64).astype(np.uint32)


def _require_start(data: bytes, first: int) -> None:
    if not data or data[0] != first:
        raise StreamError(f"the meshopt stream must begin with byte {first} (got {data[0] if data else 'nothing'})")


class _Triangles:
    """Decoder state: all triangles so far, and the recent edges and vertices."""

    def __init__(self, data: bytes, position: int, end: int) -> None:
        self.table = data[end:]
        if any(self.table[-2:]) or any(byte >> 4 == 15 or byte & 15 == 15 for byte in self.table):
            raise StreamError("the meshopt stream must end with a valid table of codes")
        self.position = position  # position of the data that does not fit into the codes
        self.found: list[int] = []
        self._data, self._end = data, end
        self._next = self._last = 0
        self._edges = [(UNWRITTEN, UNWRITTEN)] * FIFO
        self._edge = 0  # position of the next edge in the memory of recent edges
        self._vertices = [UNWRITTEN] * FIFO
        self._vertex = 0

    def by_edge(self, edge: int, vertex: int) -> None:
        a, b = self._edges[(self._edge - 1 - edge) % FIFO]
        if a == UNWRITTEN:
            raise StreamError("the meshopt stream refers to an edge before the first edge")
        if vertex == 0:
            c = self._fresh()
        elif vertex < 13:
            c = self._recent(vertex)
        elif vertex < 15:
            self._last = c = self._last + (1 if vertex == 14 else -1) & WRAP
        else:
            c = self._stored()
        self._emit(a, b, c)
        self._push_edge(c, b)
        self._push_edge(a, c)
        if vertex == 0 or vertex >= 13:
            self._push(c)

    def by_vertices(self, pair: int) -> None:
        """Add a triangle from one new vertex and two vertices that are new or recent."""
        self._triangle(self._fresh(), pair)

    def explicit(self, fresh: bool) -> None:
        """Add a triangle. Each vertex of the triangle is new, recent or stored explicitly."""
        if self.position >= self._end:
            raise StreamError(CUT)
        pair = self._data[self.position]
        self.position += 1
        if pair == 0:
            self._next = 0
        self._triangle(self._fresh() if fresh else self._stored(), pair)

    def _triangle(self, a: int, pair: int) -> None:
        """Add a triangle from the vertex `a` and two vertices that the byte `pair` codes.

        Each half of the byte codes a vertex. The value 0 is a new vertex, and 15 is a vertex that is stored explicitly.
        All other values are recent vertices.
        """
        halves = (pair >> 4, pair & 15)
        b, c = (
            self._fresh() if half == 0 else self._stored() if half == 15 else self._recent(half - 1) for half in halves
        )
        self._emit(a, b, c)
        self._push_edge(b, a)
        self._push_edge(c, b)
        self._push_edge(a, c)
        self._push(a)
        for vertex, half in zip((b, c), halves, strict=True):
            if half in (0, 15):
                self._push(vertex)

    def _emit(self, a: int, b: int, c: int) -> None:
        self.found += (a, b, c)

    def _fresh(self) -> int:
        fresh = self._next
        self._next = fresh + 1 & WRAP
        return fresh

    def _recent(self, age: int) -> int:
        vertex = self._vertices[(self._vertex - 1 - age) % FIFO]
        if vertex == UNWRITTEN:
            raise StreamError("the meshopt stream refers to a vertex before the first vertex")
        return vertex

    def _stored(self) -> int:
        value, self.position = varint(self._data, self.position, self._end)
        self._last = self._last + unzigzag(value) & WRAP
        return self._last

    def _push_edge(self, a: int, b: int) -> None:
        self._edges[self._edge] = (a, b)
        self._edge = (self._edge + 1) % FIFO

    def _push(self, vertex: int) -> None:
        self._vertices[self._vertex] = vertex
        self._vertex = (self._vertex + 1) % FIFO

"""Stands around a pitch. The stands are steps along a rounded rectangle, with seats on the steps.

Aisles divide the stands into sections. An actor sits on the front edge of a step. The feet of the actor are on the step
below.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecs_anim.ground.surface import Color, Surface, quad_surface
from ecs_anim.maths import elementary, small_matrices

Points = NDArray[np.float64]

# [m], distance by which the origin of a seated actor lies in front of the edge of its seat
FEET = 0.15
SEAT_DEPTH = 0.42  # [m], depth of the painted area of a step
CHORD = math.radians(5.0)  # [rad], angle of one chord in the arc of a corner
UNDER = 0.15  # [m], length by which a step continues under the next step, so that no gap appears in the corners
WALKWAY = 2.0  # [m], width of the walkway behind the last row


@dataclass(frozen=True)
class Section:
    """A section: the part of the stands between the middles of two aisles. It is along a straight side, or along the
    arc of a corner.
    """

    # [2, 2] [m], x, z of two points, at which the normals at the start and at the end of the section begin
    core: Points
    # [rad], directions of the normals at the start and at the end of the section, from +Z towards +X
    angle: tuple[float, float]
    radius: float  # [m], distance along a normal from its start to the front edge

    def at(self, share: ArrayLike, offset: ArrayLike) -> Points:
        """Return points x, z [..., 2] [m] of the section, `offset` metres behind the front edge.

        `share` is the position along the section, 0 to 1.
        """
        share = np.asarray(share, float)[..., None]
        core = self.core[0] + (self.core[1] - self.core[0]) * share
        found: Points = core + self.normal(share[..., 0]) * (self.radius + np.asarray(offset, float)[..., None])
        return found

    def normal(self, share: ArrayLike) -> Points:
        """Return the unit normals [..., 2] at the positions `share` along the section.

        Normals point away from the pitch.
        """
        angle = self.yaw(share)
        return np.stack([elementary.sin(angle), elementary.cos(angle)], axis=-1)

    def yaw(self, share: ArrayLike) -> Points:
        """Return the yaws [...] [rad] of the normals at the positions `share` along the section."""
        return self.angle[0] + (self.angle[1] - self.angle[0]) * np.asarray(share, float)

    def length(self, offset: float) -> float:
        """Return the length [m] of the section, `offset` metres behind the front edge."""
        return float(small_matrices.length(self.core[1] - self.core[0]) + self.turn * (self.radius + offset))

    @property
    def turn(self) -> float:
        """Return the angle [rad] of the section's arc. On a straight side, the angle is 0."""
        return self.angle[1] - self.angle[0]


@dataclass(frozen=True)
class Stands:
    """The shape of stands. All lengths are in metres."""

    pitch: tuple[float, float]  # size along x and z
    margin: float = 5.0  # distance between the pitch and the front edge along the straight sides
    corner_radius: float = 14.0  # radius of the front edge at a corner
    rows: int = 20
    wall: float = 1.2  # height of the first step
    rise: float = 0.42  # height of each step and of each seat
    depth: float = 0.82  # depth of each step
    seat_width: float = 0.52
    section_width: float = 9.0  # approximate width of a section at the front edge
    aisle: float = 1.2

    def __post_init__(self) -> None:
        if min(self._core()) < 0:
            raise ValueError(
                "corner_radius must be at most the margin plus half of the shorter side of the pitch. Lower"
                " corner_radius."
            )
        if elementary.hypot(*np.maximum(np.array(self.pitch) / 2 - self._core(), 0)) > self.corner_radius:
            raise ValueError(
                "the corners of the pitch must not reach into the stands. Raise margin, or lower corner_radius."
            )

    def _core(self) -> Points:
        """Return the x and z coordinates [2] [m] of the centre of the arc at a corner of the stands."""
        return np.array(self.pitch) / 2 + self.margin - self.corner_radius

    def sections(self) -> Iterator[Section]:
        """Yield the sections around the pitch, from its corner at -x, +z: side, corner, side, corner and so on."""
        x, z = self._core()
        corners = np.array([(-x, z), (x, z), (x, -z), (-x, -z)])
        for side in range(4):
            angle = side * math.pi / 2
            first, last, turn = corners[side], corners[(side + 1) % 4], math.pi / 2
            yield from self._cut(first, last, angle, angle)
            yield from self._cut(last, last, angle, angle + turn)

    def _cut(self, first: Points, last: Points, start: float, end: float) -> Iterator[Section]:
        whole = Section(np.stack([first, last]), (start, end), self.corner_radius)
        count = round(whole.length(0.0) / self.section_width) or 1
        shares = np.linspace(0, 1, count + 1)
        for a, b in pairwise(shares):
            core = first + (last - first) * np.array([[a], [b]])
            if whole.length(0.0) > 0:
                yield Section(core, (float(whole.yaw(a)), float(whole.yaw(b))), self.corner_radius)

    def height(self, row: ArrayLike) -> Points:
        """Return the height [m] of the step below the feet of a row."""
        return self.wall + self.rise * np.asarray(row, float)

    def seats(self) -> Points:
        """Return the placement of an actor on each seat [seat_count, 3]: x, z [m], yaw [rad].

        The seats are sorted by row.
        """
        rows = [self._seats(section, row) for row in range(self.rows) for section in self.sections()]
        return np.concatenate(rows)

    def _seats(self, section: Section, row: int) -> Points:
        offset = (row + 1) * self.depth - FEET
        length = section.length(offset)
        count = max(int((length - self.aisle) / self.seat_width), 0)
        share = 0.5 + (np.arange(count) - (count - 1) / 2) * self.seat_width / length
        facing = section.yaw(share) + math.pi
        return np.concatenate([section.at(share, offset), facing[:, None]], axis=-1)

    def surfaces(self, concrete: Color, seat: Color, apron: Color) -> tuple[Surface, Surface, Surface]:
        """Return three surfaces: the bare steps, the seats, and the ground inside the stands."""
        bare, painted = [], []
        for section in self.sections():
            for row in range(self.rows + 1):
                steps, seats = self._row(section, row)
                bare += steps
                painted += seats
            bare += self._back(section)
            bare += [quad for row in range(self.rows) for quad in self._stair(section, row)]
        inside = np.concatenate([_apron(section) for section in self.sections()])
        to_sit_on = replace(quad_surface(painted, seat), kind="seat")
        return quad_surface(bare, concrete), to_sit_on, quad_surface([inside], apron)

    def _row(self, section: Section, row: int) -> tuple[list[Points], list[Points]]:
        """Return the quads [q, 4, 3] of a step in two lists.

        The first list contains the front and the bare top of the step. The second list contains the seats of the step.
        """
        front, top = row * self.depth, float(self.height(row))
        last = row == self.rows
        back = front + (WALKWAY if last else self.depth + UNDER)
        aisle = 0.5 * self.aisle / section.length(front)
        inner = np.linspace(aisle, 1 - aisle, max(math.ceil(section.turn / CHORD), 1) + 1)
        share = np.concatenate([[0.0], inner, [1.0]])
        riser = _ribbon(section, share, (front, top), (front, top - self.rise if row else 0.0))
        if row == 0:
            return [riser, _ribbon(section, share, (back, top), (front, top))], []
        edge = front + SEAT_DEPTH
        bare = [_ribbon(section, ends, (edge, top), (front, top)) for ends in (share[:2], share[-2:])]
        return [riser, _ribbon(section, share, (back, top), (edge, top)), *bare], [
            _ribbon(section, inner, (edge, top), (front, top))
        ]

    def _back(self, section: Section) -> list[Points]:
        """Return the quads of the wall behind the last row of a section."""
        back, top = self.rows * self.depth + WALKWAY, float(self.height(self.rows))
        return [_ribbon(section, _arc(section), (back, 0.0), (back, top))]

    def _stair(self, section: Section, row: int) -> list[Points]:
        """Return the quads of a half step in the aisle at the start of the section."""
        near, far = (row + 0.5) * self.depth, (row + 1) * self.depth
        low, high = float(self.height(row)), float(self.height(row + 0.5))
        across = section.normal(0.0)[::-1] * [1, -1] * (self.aisle / 2)
        corners = [section.at(0.0, offset) + side * across for offset in (near, far) for side in (-1, 1)]
        lower, upper = ([np.array([x, y, z]) for x, z in corners] for y in (low, high))
        faces = [
            (upper[0], upper[2], upper[3], upper[1]),
            (lower[0], upper[0], upper[1], lower[1]),
            (lower[2], upper[2], upper[0], lower[0]),
            (lower[1], upper[1], upper[3], lower[3]),
        ]
        return [np.array([face]) for face in faces]


def _arc(section: Section) -> Points:
    """Divide the arc of a section into straight chords. Return the positions of the chords' ends along the section, 0
    to 1.
    """
    return np.linspace(0, 1, max(math.ceil(section.turn / CHORD), 1) + 1)


def _apron(section: Section) -> Points:
    """Return quads [q, 4, 3] at height 0 between the front edge of a section and the middle of the pitch."""
    ribbon = _ribbon(section, _arc(section), (0.0, 0.0), (0.0, 0.0))
    ribbon[:, 2:] = 0.0
    return ribbon


def _ribbon(section: Section, share: Points, far: tuple[float, float], near: tuple[float, float]) -> Points:
    """Return quads [q, 4, 3] along a section between two curves.

    The front of the quads faces upwards or towards the pitch.

    `far` and `near` contain the offset and the height [m] of the two curves. `share` contains positions along the
    section.
    """
    edges = []
    for offset, height in (far, near):
        position = section.at(share, np.full(len(share), offset))
        edges.append(np.stack([position[:, 0], np.full(len(share), height), position[:, 1]], axis=-1))
    upper, lower = edges
    return np.stack([upper[:-1], upper[1:], lower[1:], lower[:-1]], axis=1)

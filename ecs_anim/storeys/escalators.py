"""The drawn parts of escalators: moving steps, balustrades with handrails, and the truss below the steps."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ground.moving import MovingShape
from ecs_anim.ground.surface import Color, Surface
from ecs_anim.maths.plan import space_from_plan
from ecs_anim.storeys.building import RAIL
from ecs_anim.storeys.parts import Flight
from ecs_anim.storeys.railings import HEIGHT
from ecs_anim.storeys.surfaces import BELOW, RISER, SIDE, Quads, painted

Reals = NDArray[np.float64]
PANEL, HANDRAIL, EDGE = (0.62, 0.66, 0.68), (0.03, 0.03, 0.035), (0.85, 0.62, 0.08)  # linear RGB
RAIL_HEIGHT, RAIL_WIDTH = 0.07, 0.09  # [m], size of a handrail
PANEL_WIDTH = RAIL * 0.8  # [m]
SKIRT, TRUSS = 0.28, 0.45  # [m], height of the panels above the steps, and depth of the truss below the steps
MARK = 0.035  # [m], width of the yellow edges of steps


def moving_steps(flight: Flight, travel: float, color: Color, storey: int) -> tuple[Surface, Surface]:
    """Return the surfaces of the steps of an escalator, and of their yellow edges.

    `travel` is the distance that the steps have moved uphill, 0 to 1 [step].
    """
    # distance along the flight of the riser in front of each step
    edges = (np.arange(flight.risers) + travel) * flight.going
    along = np.clip(np.concatenate([[0.0], edges, [flight.length]]), 0.0, flight.length)
    level = np.clip(np.arange(flight.risers + 1) + travel, 0.0, flight.risers)
    height = flight.base + level * flight.riser
    tops = _across(flight, along[:-1], height, along[1:], height)
    before = np.concatenate([[flight.base], height])
    after = np.concatenate([height, [flight.top]])
    fronts = _across(flight, along, before, along, after)
    quads = Quads(np.concatenate([tops, fronts]), np.concatenate([np.ones(len(tops)), np.full(len(fronts), RISER)]))
    marks = _across(flight, along[:-1], height + 0.003, np.minimum(along[:-1] + MARK, along[1:]), height + 0.003)
    surfaces = painted([quads], color), painted([Quads(marks, np.ones(len(marks)))], EDGE)
    return replace(surfaces[0], storey=storey), replace(surfaces[1], storey=storey)


def _across(flight: Flight, along: Reals, height: Reals, to: Reals, to_height: Reals) -> Reals:
    """Return quads [n, 4, 3] over the width of a flight, from the lines at `along` to the lines at `to`."""
    half = flight.width / 2
    lines = (along, height, -half), (to, to_height, -half), (to, to_height, half), (along, height, half)
    corners = [space_from_plan(flight.at(at, np.full(len(at), side)), level) for at, level, side in lines]
    return np.stack(corners, axis=1)


def escalator_body(flight: Flight, color: Color, storey: int) -> Iterator[Surface]:
    """Yield the surfaces of an escalator that do not move."""
    panels, rails = list[Quads](), list[Quads]()
    low = HEIGHT + flight.riser / 2 - RAIL_HEIGHT / 2  # handrails are above the front edges of the steps
    for side in (-1, 1):
        aside = side * (flight.width / 2 + RAIL / 2)
        panels.append(_beam(flight, aside, PANEL_WIDTH, -TRUSS, SKIRT, (1.0, SIDE)))
        rails.append(_beam(flight, aside, RAIL_WIDTH, low, low + RAIL_HEIGHT, (1.0, 0.9)))
    truss = _beam(flight, 0.0, flight.width + RAIL - PANEL_WIDTH, -TRUSS, -TRUSS + 0.05, (SIDE, BELOW))
    for quads, own in ((panels, PANEL), (rails, HANDRAIL), ([truss], color)):
        yield replace(painted(quads, own), storey=storey)


def _beam(flight: Flight, aside: float, width: float, low: float, high: float, shades: tuple[float, float]) -> Quads:
    """Return a beam along a flight, between two heights above the line through the middles of the steps [m]."""
    ends = np.array([0.0, flight.length])
    line = np.array([flight.base + flight.riser * 0.5, flight.top - flight.riser * 0.5])
    half = width / 2
    sections = (-half, low), (half, low), (half, high), (-half, high)
    corner = [
        space_from_plan(flight.at(ends, np.full(2, aside + side)), np.maximum(line + height, flight.base + 0.01))
        for side, height in sections
    ]
    rings = np.stack(corner, axis=1)  # [end, corner, 3]
    sides = [np.stack([rings[0, n], rings[0, (n + 1) % 4], rings[1, (n + 1) % 4], rings[1, n]]) for n in range(4)]
    corners = np.stack([*sides, rings[0, ::-1], rings[1]])
    return Quads(corners, np.array([shades[1], shades[1], shades[0], shades[1], shades[1], shades[1]]))


class MovingSteps:
    """The drawn steps of an escalator. The object stores the surfaces for the present position of the steps."""

    # number of different positions of the steps in one step length; the surfaces change only between these positions
    PHASES = 40

    def __init__(self, flight: Flight, color: Color, storey: int) -> None:
        self._flight, self._color, self._storey = flight, color, storey
        self._phase = -1  # number of the position for which `_made` contains the surfaces
        self._made: tuple[Surface, ...] = ()

    def surfaces(self, travel: float) -> tuple[Surface, ...]:
        """Return the surfaces of the steps. `travel` is the distance that the steps have moved uphill, 0 to 1
        [step].
        """
        phase = int(travel * self.PHASES) % self.PHASES
        if phase != self._phase:
            self._phase, self._made = phase, self._at(phase / self.PHASES)
        return self._made

    def shapes(self) -> tuple[MovingShape, ...]:
        """Return the shapes of the steps and of their edges. The state is the distance of the movement [step]."""
        full = MARK / self._flight.going  # the first edge has its full width from this state on
        states = (0.0, full, 1.0 - full, 1.0)
        each = zip(*map(self._at, states), strict=True)
        return tuple(MovingShape(states, surfaces, is_endless=True) for surfaces in each)

    def present(self, travel: float) -> list[tuple[float, float]]:
        """Return the state and the rise [m] of each shape. The argument is that of `surfaces`."""
        return [(travel, 0.0)] * 2

    def _at(self, travel: float) -> tuple[Surface, Surface]:
        return moving_steps(self._flight, travel, self._color, self._storey)

"""The drawn parts of lifts: posts, parapets and door frames of the shaft, the doors of all stops, and the car."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ground.moving import MovingShape
from ecs_anim.ground.surface import Color, Surface
from ecs_anim.maths.plan import space_from_plan
from ecs_anim.storeys.building import SHAFT, Building
from ecs_anim.storeys.lifts import Lift
from ecs_anim.storeys.surfaces import BELOW, SIDE, Quads, painted

Reals = NDArray[np.float64]
FRAME, GUARD = (0.16, 0.17, 0.19), (0.34, 0.36, 0.38)  # linear RGB of posts and door frames, and of parapets
DOOR, CAR = 2.1, 2.25  # [m], heights of doors and of the car
POST, PANEL = 0.09, 0.95  # [m], width of posts, and height of the panels of the car
PARAPET = 1.1  # [m], height of the parapets around a shaft at each stop
PLATE = 0.12  # [m], thickness of the floor and of the ceiling of the car
OPENS = 0.8  # [s], time in which the doors open
OVERLAP = 0.03  # [m], distance by which closed doors extend behind their frame
SLIDES = 0.92  # distance that a panel of a door moves, as a fraction of the panel's width
Span = tuple[float, float]


def lift_frames(building: Building) -> Iterator[Surface]:
    """Yield the posts of all shafts, and the frames of all doors with the parapets on the other sides of the shaft."""
    for lift in building.lifts:
        top, half, deep = lift.heights[-1] + CAR + 0.2, lift.width / 2 + SHAFT, lift.depth + SHAFT
        posts = [
            _box(lift, depth, aside, (lift.heights[0], top))
            for depth in ((-SHAFT, -SHAFT + POST), (deep - POST, deep))
            for aside in ((-half, -half + POST), (half - POST, half))
        ]
        yield replace(painted(posts, FRAME), storey=building.storey(lift.heights[0]))
        for height in lift.heights:
            inner, front = lift.door_width / 2, (-SHAFT, -SHAFT + 0.06)
            jambs = [_box(lift, front, side, (height, height + DOOR)) for side in ((-half, -inner), (inner, half))]
            lintel = _box(lift, front, (-half, half), (height + DOOR, height + CAR))
            yield replace(painted([*jambs, lintel], FRAME), storey=building.storey(height))
            sides = ((-half, -half + 0.04), (half - 0.04, half))
            parapets = [_box(lift, (-SHAFT + POST, deep), side, (height, height + PARAPET)) for side in sides]
            parapets.append(_box(lift, (deep - 0.04, deep), (-half + 0.04, half - 0.04), (height, height + PARAPET)))
            yield replace(painted(parapets, GUARD), storey=building.storey(height))


class MovingLift:
    """The drawn car and the doors of a lift at the present time."""

    def __init__(self, building: Building, lift: Lift, color: Color) -> None:
        self._building, self._lift, self._color = building, lift, color
        # height of the car [m] and opened share of the doors [percent] for which `_made` contains the surfaces
        self._state: tuple[float, int] | None = None
        self._made: tuple[Surface, ...] = ()

    def surfaces(self, height: float, open_seconds: float) -> tuple[Surface, ...]:
        """Return the surfaces of the car at a height [m], and of all doors.

        `open_seconds` is the time until the doors close. If the time is 0, all doors are closed.
        """
        share = self._opened(open_seconds)
        state = round(height, 3), round(100 * share)
        if state != self._state:
            stops = [share if self._is_at(stop, height) else 0.0 for stop in self._lift.heights]
            self._state, self._made = state, (*self._car(height, share), *self._doors(stops))
        return self._made

    def shapes(self) -> tuple[MovingShape, ...]:
        """Return the shapes of the car, of its door, and of the door at each stop. The state is the opened share."""
        half, wide = self._lift.door_width / 2, self._lift.width / 2
        slides = (wide - half - OVERLAP) / (half * SLIDES)  # up to this share, panels slide; then they only shorten
        shares = (0.0, min(max(slides, 0.01), 0.99), 1.0)
        car, door = zip(*(self._car(0.0, share) for share in shares), strict=True)
        doors = zip(*(self._doors([share] * len(self._lift.heights)) for share in shares), strict=True)
        riding = MovingShape((0.0,), car[:1], rides=True), MovingShape(shares, door, rides=True)
        return *riding, *(MovingShape(shares, own) for own in doors)

    def present(self, height: float, open_seconds: float) -> list[tuple[float, float]]:
        """Return the state and the rise [m] of each shape. The arguments are those of `surfaces`."""
        share = self._opened(open_seconds)
        stops = [(share if self._is_at(stop, height) else 0.0, 0.0) for stop in self._lift.heights]
        return [(0.0, height), (share, height), *stops]

    def _opened(self, open_seconds: float) -> float:
        return min((self._lift.dwell - open_seconds) / OPENS, 1.0) if open_seconds > 0 else 0.0

    @staticmethod
    def _is_at(stop: float, height: float) -> bool:
        return abs(stop - height) < 1e-6

    def _car(self, height: float, share: float) -> tuple[Surface, Surface]:
        """Return the car and its door."""
        lift, half = self._lift, self._lift.width / 2 - 0.02
        deep = (0.08, lift.depth - 0.02)
        car = [
            _box(lift, (0.0, deep[1]), (-half, half), (height - PLATE, height - 0.005)),
            _box(lift, deep, (-half, half), (height + CAR - PLATE, height + CAR)),
            _box(lift, (deep[1] - 0.04, deep[1]), (-half, half), (height, height + PANEL)),
        ]
        for side in ((-half, -half + 0.04), (half - 0.04, half)):
            car.append(_box(lift, deep, side, (height, height + PANEL)))
            car += [_box(lift, end, side, (height, height + CAR)) for end in ((0.08, 0.12), (deep[1] - 0.04, deep[1]))]
        door = self._door((0.02, 0.05), height, share)
        return self._painted(car, height), self._painted(door, height)

    def _doors(self, shares: Sequence[float]) -> list[Surface]:
        """Return the doors of all stops. `shares` contains the opened share of each door."""
        stops = zip(self._lift.heights, shares, strict=True)
        return [self._painted(self._door((-0.03, 0.0), stop, share), stop) for stop, share in stops]

    def _painted(self, quads: Sequence[Quads], height: float) -> Surface:
        return replace(painted(quads, self._color), storey=self._building.storey(height))

    def _door(self, depth: Span, height: float, share: float) -> Sequence[Quads]:
        """Return the two panels of a door. `share` is the opened share, 0 to 1."""
        half = self._lift.door_width / 2
        begin = half * share * SLIDES
        end = min(begin + half + OVERLAP, self._lift.width / 2)
        sides = (begin + 0.004, end), (-end, -begin - 0.004)
        return [_box(self._lift, depth, side, (height, height + DOOR)) for side in sides]


def _box(lift: Lift, depth: Span, aside: Span, height: Span) -> Quads:
    """Return a box. `depth` [m] is measured from the door into the car, and `aside` to the left of this direction."""
    (x, y), (dx, dy) = lift.door, lift.inward
    ring = np.array([(depth[0], aside[0]), (depth[1], aside[0]), (depth[1], aside[1]), (depth[0], aside[1])])
    plan = np.stack([x + ring[:, 0] * dx - ring[:, 1] * dy, y + ring[:, 0] * dy + ring[:, 1] * dx], axis=1)
    low, high = space_from_plan(plan, height[0]), space_from_plan(plan, height[1])
    sides = [np.stack([low[n], low[(n + 1) % 4], high[(n + 1) % 4], high[n]]) for n in range(4)]
    return Quads(np.stack([high, low[::-1], *sides]), np.array([1.0, BELOW, SIDE, SIDE, SIDE, SIDE]))

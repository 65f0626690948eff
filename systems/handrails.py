"""The system that puts hands on the handrails of stairs, ramps and escalators."""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.handrails import LEFT, RIGHT, Arms, HandRails
from ecs_anim.components.reach import Reach
from ecs_anim.components.storeys import Storeyed
from ecs_anim.components.transforms import Transforms
from ecs_anim.maths.plan import plan_from_space, space_from_plan
from ecs_anim.maths.quaternion import rotate
from ecs_anim.systems.chunk import Chunk

Reals = NDArray[np.float64]
Mask = NDArray[np.bool_]
SECONDS = 0.4  # [s], time in which a hand moves to a handrail, or back to the body
AHEAD = 0.12  # [m], distance between the shoulder and the hand in the walking direction
WRIST = 0.04  # [m], height of the wrist above the middle of the handrail
PALM = 0.03  # [m], horizontal distance from the wrist to the point on the handrail that the palm holds
# The shoulder must be near the handrail: a hand takes the handrail within the first of these shares of the arm's
# length, and releases the handrail beyond the second.
HOLDS, RELEASES = 0.95, 0.99
ALIGNED = 0.7  # cosine of the largest angle between an actor's direction and the flight


class HoldHandrails:
    """Move a hand of each actor that uses handrails to the handrail beside it.

    The hand glides along the handrail with the body. An actor holds only one handrail, and only with the hand beside
    this handrail.
    """

    name: ClassVar[str] = "handrails"
    components: ClassVar[tuple[type, ...]] = (HandRails, Reach, Storeyed, Transforms)

    def run(self, chunk: Chunk, own: HandRails, reach: Reach, storeyed: Storeyed, transforms: Transforms) -> None:
        """Write `flight` and `grip`. Write the weights and the targets of both arms."""
        grips, flights, goals = chunk.write(own.grip), chunk.write(own.flight), [reach.goals[i] for i in own.goals]
        number = chunk.read(storeyed.space) - own.rails.first
        is_on = (number >= 0) & (number < own.rails.count) & chunk.read(own.holds)  # the cabins of lifts follow flights
        rows = np.flatnonzero(is_on | (grips > 0).any(axis=1))
        if not rows.size:
            return
        flights[rows] = np.where(is_on[rows], number[rows], flights[rows])
        place = _Place(own, flights[rows], *(chunk.read(column)[rows] for column in transforms.placement))
        grip = grips[rows]
        reachable = place.is_within_reach(np.where(grip > 0, RELEASES, HOLDS)) & is_on[rows, None]
        wanted = reachable & _prefers(grip, place.distances)
        most = chunk.dt / SECONDS
        grips[rows] = grip = np.clip(grip + np.clip(wanted - grip, -most, most), 0.0, 1.0)
        for hand, goal in enumerate(goals):
            chunk.write(goal.weight)[rows] = grip[:, hand] ** 2 * (3 - 2 * grip[:, hand])  # starts and ends softly
            chunk.write(goal.target.position)[rows] = place.wrists[:, hand]


class _Place:
    """Actors on flights: the handrail beside each hand, and the position of the wrist when the hand holds the rail."""

    def __init__(
        self, own: HandRails, flight: NDArray[np.int32], translation: Reals, rotation: Reals, scale: Reals
    ) -> None:
        self._rails, self._flight = own.rails, flight
        way = plan_from_space(rotate(rotation.astype(np.float64), own.arms.forward))
        (dx, dy), at = own.rails.uphill[flight].T, plan_from_space(translation).astype(np.float64)
        x, y = (at - own.rails.foot[flight]).T
        self._along, self._aside = x * dx + y * dy, y * dx - x * dy
        self._ahead = way[:, 0] * dx + way[:, 1] * dy  # cosine of the angle to the direction uphill
        self._side = np.where(self._ahead >= 0, 1.0, -1.0)  # side of the left hand: 1 = left of the direction uphill
        self._shoulders, self._lengths = _shoulders(own.arms, translation, rotation, scale)
        self.wrists = np.stack([self._wrist(hand) for hand in (LEFT, RIGHT)], axis=1)
        away = self.wrists - self._shoulders
        self.distances: Reals = np.sqrt((away * away).sum(axis=-1))  # [actor, 2] [m], from the shoulder to the wrist

    def is_within_reach(self, shares: Reals) -> Mask:
        """Return a mask [actor, 2] of the hands that can hold the handrail beside them.

        A hand can hold the handrail if the wrist of the holding hand is at most a share `shares` [actor, 2] of the
        arm's length away from the shoulder. The actor must be beside the handrail, and face uphill or downhill.
        """
        is_beside = (self._along >= 0) & (self._along <= self._rails.length[self._flight])
        is_aligned = np.abs(self._ahead) > ALIGNED
        left_of_uphill = self._side > 0
        sides = self._rails.sides[self._flight]
        exists = np.stack([np.where(left_of_uphill, *sides.T), np.where(left_of_uphill, *sides.T[::-1])], axis=1)
        return (self.distances <= shares * self._lengths) & exists & (is_beside & is_aligned)[:, None]

    def _wrist(self, hand: int) -> Reals:
        """Return the positions [actor, 3] of the wrists of one hand on the handrail beside this hand."""
        rails, flight = self._rails, self._flight
        side = self._side if hand == LEFT else -self._side
        along = np.clip(self._along + self._side * AHEAD, 0.0, rails.length[flight])
        aside = side * (rails.aside[flight] - PALM)
        (dx, dy), foot = rails.uphill[flight].T, rails.foot[flight]
        point = foot + np.stack([along * dx - aside * dy, along * dy + aside * dx], axis=-1)
        return space_from_plan(point, rails.low[flight] + rails.slope[flight] * along + WRIST)


def _shoulders(arms: Arms, translation: Reals, rotation: Reals, scale: Reals) -> tuple[Reals, Reals]:
    """Return the positions [actor, 2, 3] of the shoulders, and the lengths [actor, 2] of the arms [m]."""
    offsets = arms.shoulders * scale.astype(np.float64)[:, None, None]
    turned = rotate(rotation.astype(np.float64)[:, None], offsets)
    return translation[:, None] + turned, arms.lengths * scale.astype(np.float64)[:, None]


def _prefers(grip: NDArray[np.float32], distances: Reals) -> Mask:
    """Return a mask [actor, 2] of the hand that an actor prefers: the hand that already holds, or the nearer hand."""
    left, right = grip[:, LEFT], grip[:, RIGHT]
    is_left = np.where(left == right, distances[:, LEFT] <= distances[:, RIGHT], left > right)
    return np.stack([is_left, ~is_left], axis=1)

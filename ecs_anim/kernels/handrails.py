"""Hands of actors on flights move to the handrail beside them. Plan points are x east, y north [m]."""

from typing import NamedTuple

import numpy as np

from ecs_anim.kernels import helper, kernel
from ecs_anim.kernels import types as t
from ecs_anim.kernels.chain_steps import apart, quaternion
from ecs_anim.kernels.columns import Columns
from ecs_anim.kernels.rotations import rotated
from ecs_anim.storeys.handrails import Arms, Rails

FIRST = np.int64(0)
LEFT, RIGHT = 0, 1  # columns of hands, and of the sides of a flight
AHEAD = 0.12  # [m], distance between the shoulder and the hand in the walking direction
WRIST = 0.04  # [m], height of the wrist above the middle of the handrail
PALM = 0.03  # [m], horizontal distance from the wrist to the point on the handrail that the palm holds
# The shoulder must be near the handrail: a hand takes the handrail within the first of these shares of the arm's
# length, and releases the handrail beyond the second.
HOLDS, RELEASES = 0.95, 0.99
ALIGNED = 0.7  # cosine of the largest angle between an actor's direction and the flight


class Hand(NamedTuple):
    """The goal of one arm of each actor."""

    weight: t.OUT  # [chunk]
    position: t.OUT_2D  # [chunk, 3] [m], target of the wrist


RAILS, ARMS = t.record(Rails, written=True), t.record(Arms, written=True)  # writable arrays of the crowd
HAND = Columns(Hand, [t.OUT, t.OUT_2D])


@helper
def _wrist(rails, flight, along, way, side):
    """Return the position of a wrist on the handrail on one side: 1 = left of the direction uphill, -1 = right.

    The shoulder is `along` [m] uphill. `way` is 1 uphill and -1 downhill.
    """
    along = min(max(along + way * AHEAD, 0.0), rails.length[flight])
    aside = side * (rails.aside[flight] - PALM)
    dx, dy = rails.uphill[flight, 0], rails.uphill[flight, 1]
    x, y = rails.foot[flight, 0] + (along * dx - aside * dy), rails.foot[flight, 1] + (along * dy + aside * dx)
    return x, rails.low[flight] + rails.slope[flight] * along + WRIST, -y


@helper
def _shoulder(arms, hand, at, turn, size):
    """Return the position of a shoulder of an actor."""
    own = arms.shoulders[hand, 0] * size, arms.shoulders[hand, 1] * size, arms.shoulders[hand, 2] * size
    x, y, z = rotated(turn, own)
    return at[0] + x, at[1] + y, at[2] + z


@helper
def _grip(now, wanted, most):
    """Return the next grip of a hand. The grip changes by at most `most`."""
    change = min(max((np.float32(1) if wanted else np.float32(0)) - now, -most), most)
    return min(max(now + change, np.float32(0)), np.float32(1))


@helper
def _move(hand, actor, grip, wrist):
    """Write the weight and the target of a hand. The movement starts and ends softly."""
    hand.weight[actor] = grip * grip * (np.float32(3) - np.float32(2) * grip)
    for axis in range(3):
        hand.position[actor, axis] = wrist[axis]


@helper
def _hold(rails, arms, placement, actor, flight, is_on, most, grip, left, right):
    """Move the hands of one actor to the handrails of a flight. If `is_on` is false, release the handrails."""
    x, y, z = placement.translation[actor, 0], placement.translation[actor, 1], placement.translation[actor, 2]
    at, turn = (np.float64(x), np.float64(y), np.float64(z)), quaternion(placement.rotation, actor, FIRST)
    turn = np.float64(turn[0]), np.float64(turn[1]), np.float64(turn[2]), np.float64(turn[3])
    dx, dy, size = rails.uphill[flight, 0], rails.uphill[flight, 1], np.float64(placement.scale[actor])
    along = (at[0] - rails.foot[flight, 0]) * dx + (-at[2] - rails.foot[flight, 1]) * dy
    facing = rotated(turn, (arms.forward[0], arms.forward[1], arms.forward[2]))
    ahead = facing[0] * dx - facing[2] * dy  # cosine of the angle to the direction uphill
    way, uphill = (1.0, True) if ahead >= 0 else (-1.0, False)
    can_hold = is_on and 0 <= along <= rails.length[flight] and abs(ahead) > ALIGNED
    wrists = _wrist(rails, flight, along, way, way), _wrist(rails, flight, along, way, -way)
    one = apart(wrists[0], _shoulder(arms, LEFT, at, turn, size))
    other = apart(wrists[1], _shoulder(arms, RIGHT, at, turn, size))
    held, held_right = grip[actor, LEFT], grip[actor, RIGHT]
    is_left = one <= other if held == held_right else held > held_right  # the hand that holds, or the nearer hand
    side = LEFT if is_left == uphill else RIGHT
    hand, away = (LEFT, one) if is_left else (RIGHT, other)
    share = RELEASES if grip[actor, hand] > 0 else HOLDS
    holds = can_hold and rails.sides[flight, side] and away <= share * (arms.lengths[hand] * size)
    grip[actor, LEFT], grip[actor, RIGHT] = (
        _grip(held, holds and is_left, most),
        _grip(held_right, holds and not is_left, most),
    )
    _move(left, actor, grip[actor, LEFT], wrists[0])
    _move(right, actor, grip[actor, RIGHT], wrists[1])


@kernel(t.void(t.INTS, RAILS, ARMS, t.PLACEMENT, t.REAL, t.OUT_INTS, t.OUT_2D, HAND, HAND))
def hold_handrails(on, rails, arms, placement, most, flight, grip, left, right):
    """Move the hands of actors to the handrails beside them, and back. `on` [actor] is the flight below an actor that
    uses handrails, or -1. `most` is the largest change of a grip. `flight` and `grip` are as in `HandRails`.
    """
    for actor in range(len(on)):
        if on[actor] >= 0:
            flight[actor] = on[actor]
        if on[actor] >= 0 or grip[actor, LEFT] > 0 or grip[actor, RIGHT] > 0:
            _hold(rails, arms, placement, actor, flight[actor], on[actor] >= 0, np.float32(most), grip, left, right)

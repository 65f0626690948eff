"""Footfalls of a clip: the times at which the feet land, and the durations of the stances. The module measures both
from the movement of the feet in the clip.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.clip import Clip
from ecs_anim.assets.hierarchy import model_matrices
from ecs_anim.ik.foot_contacts import SUPPORT, contact_curves
from ecs_anim.ik.legs import BALL, Leg
from ecs_anim.maths import affine, elementary
from ecs_anim.runtime.gait import ground_turn

SAMPLES = 96  # number of samples in a cycle
STANDS = 0.5  # a foot counts as standing if its pin weight is at least this value
BRIEF = 0.3  # a stance that is shorter than this share of the longest stance of its foot does not count


class Footfall(NamedTuple):
    """The stance of one leg in a clip's cycle."""

    land: float  # phase of the landing, 0 to 1
    duty: float  # share of the cycle in which the foot stands, 0 to 1

    @property
    def centre(self) -> float:
        """Return the phase in the middle of the stance."""
        return (self.land + self.duty / 2) % 1.0


def footfalls(clip: Clip, legs: Sequence[Leg], velocity: tuple[float, float], facing: float) -> list[Footfall]:
    """Return the longest stance of each leg of a clip.

    `velocity` [rig units/s] contains the speeds to the left and ahead. `facing` [rad] is the direction of the character
    from +Z. If a foot never stands still, each stance lasts from the foremost position of the foot to its rearmost
    position (Zeni, Richards and Higginson 2008). Raises ValueError for a clip in which a foot never leaves the ground.
    """
    return [own[0] for own in _falls(clip, legs, velocity, facing)]


def with_measured_contacts(clip: Clip, legs: Sequence[Leg], velocity: tuple[float, float], facing: float) -> Clip:
    """Return a copy of the clip whose extras contain the measured stances of all legs as `contacts`.

    A clip can contain several strides, with several stances of each leg. `footfalls` describes the arguments and the
    errors.
    """
    return _with_contacts(clip, _falls(clip, legs, velocity, facing))


def _falls(clip: Clip, legs: Sequence[Leg], velocity: tuple[float, float], facing: float) -> list[list[Footfall]]:
    """Return the stances of each leg of a clip, the longest first."""
    curves = contact_curves(clip, legs, velocity, facing, ground_turn(clip))
    pins = curves[:-1, :, :SUPPORT].max(axis=-1).astype(np.float64)
    if (pins.max(axis=0) <= STANDS).any():
        return [[fall] for fall in _by_reach(clip, legs, velocity, facing)]
    return [_stances(pins[:, leg], clip.name) for leg in range(len(legs))]


def _by_reach(clip: Clip, legs: Sequence[Leg], velocity: tuple[float, float], facing: float) -> list[Footfall]:
    phase = np.arange(SAMPLES) / SAMPLES
    model = model_matrices(clip.skeleton, clip.sample(clip.start + phase * clip.duration, loop=False))
    side, ahead = velocity
    sine, cosine = elementary.sin(facing), elementary.cos(facing)
    way_x, way_z = ahead * sine + side * cosine, ahead * cosine - side * sine
    falls = []
    for leg in legs:
        ball = affine.transform_points(model[:, leg.ankle].astype(np.float64), leg.contacts[BALL].astype(np.float64))
        along = ball[:, 0] * way_x + ball[:, 2] * way_z
        land, leave = phase[int(np.argmax(along))], phase[int(np.argmin(along))]
        falls.append(Footfall(float(land), float((leave - land) % 1.0)))
    return falls


def with_footfalls(clip: Clip, falls: Sequence[Footfall]) -> Clip:
    """Return a copy of the clip whose extras contain the footfalls as `contacts`.

    Blending uses `contacts` to synchronise clips.
    """
    return _with_contacts(clip, [[fall] for fall in falls])


def _with_contacts(clip: Clip, falls: Sequence[Sequence[Footfall]]) -> Clip:
    """Return a copy of the clip whose extras contain the stances of each leg as `contacts`."""
    contacts = {
        str(leg): [span for fall in own for span in _written(fall, clip.duration)] for leg, own in enumerate(falls)
    }
    return replace(clip, extras={**clip.extras, "contacts": contacts})


def _stances(pins: NDArray[np.float64], name: str) -> list[Footfall]:
    """Return the intervals of the cyclic samples `pins` [n] with values above `STANDS`, the longest first.

    The result does not contain intervals that are much shorter than the longest interval.
    """
    stands = pins > STANDS
    starts = np.flatnonzero(stands & ~np.roll(stands, 1))
    if not len(starts):
        raise ValueError(
            f"clip {name!r}: each foot must stand on the ground for a part of the clip, and swing during the rest."
            " Use a clip of walking or running."
        )
    runs = [(int(start), int(np.argmin(np.roll(stands, -start)))) for start in starts]
    longest = max(run for _, run in runs)
    kept = sorted((own for own in runs if own[1] >= BRIEF * longest), key=lambda own: -own[1])
    return [_footfall(pins, start, start + run) for start, run in kept]


def _footfall(pins: NDArray[np.float64], start: int, end: int) -> Footfall:
    """Return the stance from the sample `start` to the sample before `end` of the cyclic samples `pins` [n].

    The function interpolates linearly between samples to find the two ends of the stance.
    """
    count = len(pins)
    land = start - _share(pins[start % count], pins[(start - 1) % count])
    leave = end - 1 + _share(pins[(end - 1) % count], pins[end % count])
    return Footfall(float(land / count) % 1.0, float((leave - land) / count))


def _share(above: float, below: float) -> float:
    """Return the place at which the line between two samples crosses the value `STANDS`, as a share of the interval, 0
    to 1.

    `above` is the value of the sample above `STANDS`, and `below` is the value of the sample below `STANDS`. The share
    is measured from the sample above `STANDS`.
    """
    return float((above - STANDS) / (above - below))


def _written(fall: Footfall, duration: float) -> list[list[float]]:
    """Return the time spans [s] of a stance. A stance across the end of the cycle has two spans."""
    end = fall.land + fall.duty
    spans = [[fall.land, end]] if end <= 1 else [[0.0, end - 1], [fall.land, 1.0]]
    return [[edge * duration for edge in span] for span in spans]

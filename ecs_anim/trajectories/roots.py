"""Roots: where bodies go, how fast, what they face, in which part of a stride; at any time."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecs_anim.maths.plan import QUARTER
from ecs_anim.trajectories.rows import Reals, Whole
from ecs_anim.trajectories.spline import hermite, hermite_velocity
from ecs_anim.trajectories.stretches import Stretches


@dataclass(frozen=True, eq=False)
class Moment:
    """Bodies at some time."""

    xy: Reals  # [n, 2], plan points [m]
    velocity: Reals  # [n, 2], [m/s]; zero before a stretch begins and after it ends
    heading: Reals  # [n], [rad], counter-clockwise from east
    phase: Reals  # [n], [strides]; at whole numbers the left foot is in mid-stance, at halves the right one


@dataclass(frozen=True, eq=False)
class Roots:
    """Paths of bodies, a stretch each: a person with long gaps or jumps has several.

    Between samples a path is the cubic that has the positions and velocities at both; yaw and phase are linear.
    """

    ids: Whole  # [stretches], whose; by person, then time
    starts: NDArray[np.intp]  # [stretches + 1], first samples, and the end
    times: Reals  # [samples], [s], rising in each stretch
    xy: Reals  # [samples, 2], plan points [m]
    velocity: Reals  # [samples, 2], [m/s]
    yaw: Reals  # [samples], [rad], as `maths.plan` defines it, without leaps from pi to -pi
    phase: Reals  # [samples], [strides], never falling; whole: left mid-stance, half: right mid-stance
    evidence: NDArray[np.int8]  # [samples], what shows the phase: `step_phase.PRIOR`, SPEED or SWAY
    sway: Reals  # [samples], [m], of the head to the side; 0 where it was not looked for
    away: Reals  # [samples], [m], of the recorded head from the root
    cut: Stretches  # what was cut and mended

    @property
    def heading(self) -> Reals:
        """Headings [samples] [rad], counter-clockwise from east, without leaps from pi to -pi."""
        return self.yaw - QUARTER

    def at(self, stretches: ArrayLike, time: ArrayLike) -> Moment:
        """The bodies of these stretches [n] at a time [s], one for all or each its own; before and after, at rest."""
        rows = np.atleast_1d(np.asarray(stretches, np.intp))
        when = np.broadcast_to(np.asarray(time, np.float64), rows.shape)
        first, last = self.starts[rows], self.starts[rows + 1] - 1
        inside = (when >= self.times[first]) & (when <= self.times[last])
        held = np.clip(when, self.times[first], self.times[last])
        near = self._sample_before(first, last, held)
        far = np.minimum(near + 1, last)
        span = np.where(far > near, self.times[far] - self.times[near], 1.0)
        share = (held - self.times[near]) / span
        column, points, velocities = share[:, None], (self.xy[near], self.xy[far]), (
            self.velocity[near], self.velocity[far],
        )  # fmt: skip
        velocity = hermite_velocity(column, span[:, None], points, velocities)
        return Moment(
            hermite(column, span[:, None], points, velocities),
            np.where((inside & (last > first))[:, None], velocity, 0.0),
            self.heading[near] * (1 - share) + self.heading[far] * share,
            self.phase[near] * (1 - share) + self.phase[far] * share,
        )

    def _sample_before(self, first: NDArray[np.intp], last: NDArray[np.intp], when: Reals) -> NDArray[np.intp]:
        """The last sample of each stretch at or before a time that it holds, and never its final one (bisection)."""
        low, high = first, np.maximum(last, first + 1)
        while np.any(high - low > 1):
            middle = (low + high) // 2
            before = self.times[np.minimum(middle, last)] <= when
            low, high = np.where(before, middle, low), np.where(before, high, middle)
        return np.minimum(low, np.maximum(last - 1, first))

    def __repr__(self) -> str:
        return f"<Roots: {len(np.unique(self.ids))} people, {len(self.ids)} stretches, {len(self.times)} samples>"

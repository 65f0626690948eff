"""The paths of bodies. A path defines the position, velocity, heading and stride phase of a body at any time."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecs_anim.maths.plan import QUARTER
from ecs_anim.trajectories.rows import Reals, Whole
from ecs_anim.trajectories.spline import hermite, hermite_velocity
from ecs_anim.trajectories.stretches import Stretches


@dataclass(frozen=True, eq=False)
class Moment:
    """The state of the bodies of some stretches at one time."""

    xy: Reals  # [n, 2], plan points [m]
    velocity: Reals  # [n, 2], [m/s]; zero before the start of a stretch and after its end
    heading: Reals  # [n], [rad], counter-clockwise from east
    phase: Reals  # [n], [strides]; at whole numbers the left foot is in mid-stance, at halves the right one


@dataclass(frozen=True, eq=False)
class Roots:
    """Paths of bodies, one path per stretch. A person with long gaps or jumps has several stretches.

    Between two samples, the path is a cubic curve with the positions and velocities of both samples. Between two
    samples, yaw and phase change linearly.
    """

    ids: Whole  # [stretches], ids of the people; sorted by person, then by time
    starts: NDArray[np.intp]  # [stretches + 1], first samples, and the end
    times: Reals  # [samples], [s], rising in each stretch
    xy: Reals  # [samples, 2], plan points [m]
    velocity: Reals  # [samples, 2], [m/s]
    yaw: Reals  # [samples], [rad], as `maths.plan` defines it, without jumps between pi and -pi
    phase: Reals  # [samples], [strides], never decreasing; whole: left mid-stance, half: right mid-stance
    evidence: NDArray[np.int8]  # [samples], evidence for the phase: `step_phase.PRIOR`, SPEED or SWAY
    sway: Reals  # [samples], [m], sideways amplitude of the head; 0 if it was not measured
    away: Reals  # [samples], [m], distance of the recorded head from the root
    cut: Stretches  # the stretches with their cuts and repairs

    @property
    def heading(self) -> Reals:
        """Return headings [samples] [rad], counter-clockwise from east, without jumps between pi and -pi."""
        return self.yaw - QUARTER

    def at(self, stretches: ArrayLike, time: ArrayLike) -> Moment:
        """Return the state of the bodies of stretches [n] at `time` [s].

        `time` has one time for all stretches, or one time for each stretch. Before the start of a stretch and after its
        end, the body stands still.
        """
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
        """Return the index of each stretch's last sample at or before the time `when`, by bisection.

        The result is never the final sample of a stretch.
        """
        low, high = first, np.maximum(last, first + 1)
        while np.any(high - low > 1):
            middle = (low + high) // 2
            before = self.times[np.minimum(middle, last)] <= when
            low, high = np.where(before, middle, low), np.where(before, high, middle)
        return np.minimum(low, np.maximum(last - 1, first))

    def __repr__(self) -> str:
        return f"<Roots: {len(np.unique(self.ids))} people, {len(self.ids)} stretches, {len(self.times)} samples>"

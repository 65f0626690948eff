"""The report on the computed body positions (roots).

The report states gaps and jumps in the recording, distances between roots and recorded heads, and the source of the
footsteps.
"""

from dataclasses import dataclass

import numpy as np

from ecs_anim.maths.small_matrices import length
from ecs_anim.trajectories.roots import Roots
from ecs_anim.trajectories.step_phase import SPEED, SWAY
from ecs_anim.trajectories.steps import Gap, Jump


@dataclass(frozen=True)
class RootReport:
    """Differences between the computed body positions (roots) and the recorded head positions."""

    people: int
    stretches: int
    closed_gaps: tuple[Gap, ...]  # gaps that were filled
    open_gaps: tuple[Gap, ...]  # gaps that stay open: the person leaves and comes back
    jumps: tuple[Jump, ...]  # jumps: the person leaves and comes back elsewhere
    dropped: tuple[Jump, ...]  # single samples far away, which were left out
    head_distance: float  # [m], root mean square distance between recorded heads and roots
    head_distance_most: float  # [m], largest of these distances
    speed: float  # [m/s], median speed of roots
    speed_difference: float  # [m/s], root mean square difference between speeds of roots and heads, over one second
    shown_by_sway: float  # share of samples with a phase from the sway
    shown_by_speed: float  # share of samples with a phase from the speed, which does not show left and right
    sway: float  # [m], median amplitude of the sway
    stride_rate: float  # [Hz], median stride rate from the sway


def root_report(own: Roots) -> RootReport:
    """Return the report on the roots of a recording."""
    by_sway = own.evidence == SWAY
    return RootReport(
        people=len(np.unique(own.ids)),
        stretches=len(own.ids),
        closed_gaps=own.cut.closed,
        open_gaps=own.cut.left_open,
        jumps=own.cut.jumps,
        dropped=own.cut.dropped,
        head_distance=float(np.sqrt(np.mean(own.away * own.away))) if len(own.away) else 0.0,
        head_distance_most=float(own.away.max(initial=0.0)),
        speed=float(np.median(length(own.velocity))) if len(own.velocity) else 0.0,
        speed_difference=_speed_difference(own),
        shown_by_sway=float(by_sway.mean()) if len(by_sway) else 0.0,
        shown_by_speed=float((own.evidence == SPEED).mean()) if len(by_sway) else 0.0,
        sway=float(np.median(own.sway[by_sway])) if by_sway.any() else 0.0,
        stride_rate=_stride_rate(own),
    )


def _speed_difference(own: Roots) -> float:
    """Return the root mean square difference [m/s] between the speeds of roots and heads.

    Each speed is the distance over one second.
    """
    usual = own.cut.usual
    window = max(1, round(1 / usual)) if usual else 1
    stretch = np.repeat(np.arange(len(own.ids)), np.diff(own.starts))
    chosen = np.flatnonzero(stretch[window:] == stretch[:-window]) if len(stretch) > window else np.zeros(0, np.intp)
    if not len(chosen):
        return 0.0
    seconds = own.times[chosen + window] - own.times[chosen]
    went, recorded = (length(xy[chosen + window] - xy[chosen]) / seconds for xy in (own.xy, own.cut.xy))
    return float(np.sqrt(np.mean((went - recorded) ** 2)))


def _stride_rate(own: Roots) -> float:
    both = np.flatnonzero((own.evidence[1:] == SWAY) & (own.evidence[:-1] == SWAY) & (np.diff(own.times) > 0))
    if not len(both):
        return 0.0
    return float(np.median(np.diff(own.phase)[both] / np.diff(own.times)[both]))

"""Stretches of samples. A stretch contains consecutive samples of one person, without long gaps and without jumps."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ecs_anim.trajectories.record import Trajectories
from ecs_anim.trajectories.rows import Reals, Whole
from ecs_anim.trajectories.steps import Gap, Jump, gaps_of, is_gap, is_jump, jumps_of, steps_of


@dataclass(frozen=True, eq=False)
class Stretches:
    """The samples of a recording, divided into stretches, and the gaps and jumps that separate the stretches."""

    ids: Whole  # [stretches], the person of each stretch; a person can have several
    starts: NDArray[np.intp]  # [stretches + 1], first samples, and the end
    times: Reals  # [samples], [s]
    xy: Reals  # [samples, 2], [m]
    heading_vectors: Reals | None  # [samples, 2]
    usual: float  # [s], median time between samples; 0 if no person has two samples
    closed: tuple[Gap, ...]  # gaps inside stretches
    left_open: tuple[Gap, ...]  # gaps that end a stretch
    jumps: tuple[Jump, ...]  # jumps; each ends a stretch
    dropped: tuple[Jump, ...]  # jumps to single samples far from their neighbours; these samples are left out
    heights: Reals | None = None  # [samples] [m], ground below people; None = one plane


def stretches_of(own: Trajectories, most_gap: float, fastest: float) -> Stretches:
    """Return the stretches of a recording.

    A stretch ends at a gap longer than `most_gap` [s] and at a movement faster than `fastest` [m/s].
    """
    ids, times, xy, headings = own.ids[own.people], own.times, own.xy, own.heading_vectors
    kept, dropped = _without_outliers(ids, times, xy, fastest)
    ids, times, xy = ids[kept], times[kept], xy[kept]
    headings = None if headings is None else headings[kept]
    steps = steps_of(ids, times, xy)
    usual = float(np.median(steps.seconds)) if len(steps.seconds) else 0.0
    gaps, jumps = is_gap(steps, usual), is_jump(steps, fastest)
    open_gaps = gaps & ((steps.seconds > most_gap) | jumps)
    cut = np.ones(len(ids), bool)
    cut[steps.first + 1] = jumps | open_gaps
    starts = np.flatnonzero(cut)
    return Stretches(
        ids[starts],
        np.append(starts, len(ids)),
        times,
        xy,
        headings,
        usual,
        tuple(gaps_of(ids, times, steps, gaps & ~open_gaps)),
        tuple(gaps_of(ids, times, steps, open_gaps)),
        tuple(jumps_of(ids, times, steps, jumps)),
        dropped,
        None if own.heights is None else own.heights[kept],
    )


def _without_outliers(
    ids: Whole, times: Reals, xy: Reals, fastest: float
) -> tuple[NDArray[np.bool_], tuple[Jump, ...]]:
    """Return a mask of the samples that are not outliers, and the jumps to the outliers.

    A sample is an outlier if two conditions hold. First, the movement to the sample and the movement from the sample
    are both jumps. Second, the movement from the previous sample to the next sample is not a jump.
    """
    steps = steps_of(ids, times, xy)
    jumps = is_jump(steps, fastest)
    before, after = np.zeros(len(ids), bool), np.zeros(len(ids), bool)
    before[steps.first + 1] = after[steps.first] = jumps
    alone = np.flatnonzero(before & after)
    moves, seconds = xy[alone + 1] - xy[alone - 1], times[alone + 1] - times[alone - 1]
    alone = alone[np.sum(moves * moves, axis=-1) <= (fastest * seconds) ** 2]
    kept = np.ones(len(ids), bool)
    kept[alone] = False
    leading = jumps & ~kept[np.minimum(steps.first + 1, len(ids) - 1)]
    return kept, tuple(jumps_of(ids, times, steps, leading))

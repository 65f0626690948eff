"""Measurements for the verification tests of NIST Technical Note 1822 (Ronchi and others 2013)."""

from collections.abc import Iterator

import numpy as np

from ecs_anim.profiling.validation.crowd_measures import Watched, crossing_times, empty_at, last_seen
from ecs_anim.profiling.validation.finding import Finding

OPPOSED = (0, 10, 50, 100)  # people that walk towards 100 people
TOGETHER = 4.0  # [m], largest distance of two people of a group


def measure_rooms(seen: Watched) -> Iterator[Finding]:
    """Measure the time in which 100 people reach another room while other people walk in the opposite direction. The
    number of these other people increases from run to run.
    """
    for count in OPPOSED:
        x = seen.crowds[f"eastward against {count}"][:, :, 0]
        taken = float(crossing_times(seen.times, x, 20.0).max())
        most = float(seen.times[-1]) if count == 0 else None
        yield Finding(f"rooms, seconds against {count} people", taken, None, most)


def measure_groups(seen: Watched) -> Iterator[Finding]:
    """Measure the largest distance between two people of a group, and the time between the first and the last arrival
    of its people.
    """
    for name, most in (("together", TOGETHER), ("separate", None)):
        positions = seen.crowds[name]
        arrived = crossing_times(seen.times, positions[:, :, 0], 40.0)
        walking = positions[seen.times < arrived.min()]
        apart = np.linalg.norm(walking[:, :, None] - walking[:, None], axis=-1)
        yield Finding(f"groups, largest distance, {name}", float(apart.max()), None, most)
        yield Finding(f"groups, seconds between arrivals, {name}", float(np.ptp(arrived)), None, most)


def measure_disabilities(seen: Watched) -> Iterator[Finding]:
    """Compare the time in which 24 people cross a ramp with the time if one of these people uses a wheelchair."""
    alone, others, wheelchair = (
        crossing_times(seen.times, seen.crowds[name][:, :, 0], 7.2).max()
        for name in ("without a wheelchair", "with a wheelchair", "wheelchair")
    )
    yield Finding("disabilities, seconds without a wheelchair", float(alone), None, float(seen.times[-1]))
    ratio = float(max(others, wheelchair) / alone)
    yield Finding("disabilities, time with a wheelchair divided by time without", ratio, 1.0, 10.0)


CLOSED = 8.0  # [s]; people that passed the door before it closed at 5 s have left by then


def measure_closing(seen: Watched) -> Iterator[Finding]:
    """Measure the share of people that leave, and the number of people that use an exit after it has closed."""
    positions = seen.crowds["people"]
    left = np.array([empty_at(seen.times, positions[:, [person]]) for person in range(positions.shape[1])])
    late = (last_seen(positions)[:, 0] < 0.0) & (left > CLOSED)
    yield Finding("closing, share that leaves", float(np.isnan(positions[-1, :, 0]).mean()), 1.0, 1.0)
    yield Finding("closing, people through the closed exit", float(late.sum()), None, 0.0)


def measure_affiliation(seen: Watched) -> Iterator[Finding]:
    """Measure the share of people that leave through the farther exit, which all people know."""
    for name, share in (("one exit known", 1.0), ("both exits known", 0.0)):
        farther = last_seen(seen.crowds[name])[:, 0] > 20.0
        yield Finding(f"affiliation, share through the farther exit, {name}", float(farther.mean()), share, share)
    left = [np.isnan(positions[-1, :, 0]).mean() for positions in seen.crowds.values()]
    yield Finding("affiliation, share that leaves", float(np.mean(left)), 1.0, 1.0)

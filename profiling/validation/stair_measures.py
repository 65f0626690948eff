"""Measures of people on stairs, on ramps and in lifts between the levels of a building."""

from collections.abc import Iterator

import numpy as np

from ecs_anim.profiling.validation.crowd_measures import (
    Reals,
    Watched,
    are_in_boxes,
    crossing_times,
    empty_at,
    flow,
    stair_times,
)
from ecs_anim.profiling.validation.finding import Finding

STAIRS = {"up": 0.61, "down": 0.694}  # [m/s] (Weidmann 1993)
TOLERANCE = 0.05  # relative tolerance of times and speeds on stairs


def measure_stairs(seen: Watched) -> Iterator[Finding]:
    """Measure the times in which people walk 10 m up stairs and 10 m down stairs. The stairs begin 2 m after the start
    of the people.
    """
    for name, speed in STAIRS.items():
        x = seen.crowds[name][:, :, 0]
        begin, end = (crossing_times(seen.times, np.abs(x - x[0]), line)[0] for line in (2.1, 12.1))
        least, most = (10.0 / speed * (1 + beside) for beside in (-TOLERANCE, TOLERANCE))
        yield Finding(f"stairs {name}, seconds", float(end - begin), least, most)


# [1/(m s)]: least flow at level of service E, 13 people per minute and foot (Fruin 1971), and the largest flow down
# stairs (Weidmann 1993)
STAIR_FLOWS = 0.71, 0.98


def measure_storeys(seen: Watched) -> Iterator[Finding]:
    """Measure the speeds of two people on stairs between storeys, and the flows of two crowds on other stairs."""
    for name, speed in STAIRS.items():
        walked = 3.5 / float(np.ptp(stair_times(seen, name)[:, 0]))
        yield Finding(f"storeys {name}, m/s", walked, speed * (1 - TOLERANCE), speed * (1 + TOLERANCE))
        passed = np.sort(stair_times(seen, f"crowd {name}")[1])
        yield Finding(f"storeys, flow {name}, 1/(m s)", 50 / float(passed[69] - passed[19]) / 1.5, *STAIR_FLOWS)


# densities on stairs [1/m²] of which the speeds are compared, and whether the comparison has a bound
CROWDED = {1.5: True, 2.0: True, 2.5: False}
BESIDE = 0.25  # half of the range of densities [1/m²]


def measure_stair_speeds(seen: Watched) -> Iterator[Finding]:
    """Compare the speeds of two crowds on stairs at equal densities: people must be faster down than up."""
    for density, is_bound in CROWDED.items():
        up, down = (_speed_on_stairs(seen, f"crowd {way}", density) for way in STAIRS)
        yield Finding(f"stair_speeds, m/s up at {density:g} a square metre", up)
        yield Finding(f"stair_speeds, m/s down at {density:g} a square metre", down, up if is_bound else None)


def _speed_on_stairs(seen: Watched, name: str, density: float) -> float:
    """Return the mean speed [m/s] of a crowd on 3.5 m of stairs with a width of 1.5 m, near a density [1/m²]."""
    y = seen.crowds[name][:, :, 1]
    is_on = (y[:-1] > -2.0) & (y[:-1] < 1.5)
    is_near = np.abs(is_on.sum(axis=1) / (3.5 * 1.5) - density) < BESIDE
    speeds = np.abs(np.diff(y, axis=0)) / np.diff(seen.times)[:, None]
    counted = is_on & is_near[:, None] & np.isfinite(speeds)
    return float(speeds[counted].mean()) if counted.any() else np.inf


def measure_stair_widths(seen: Watched) -> Iterator[Finding]:
    """Measure the flow over stairs of several widths. The flow must increase with the width."""
    flows = {}
    for name, positions in seen.crowds.items():
        flows[name] = flow(crossing_times(seen.times, -positions[:, :, 1], 2.5))
        yield Finding(f"stair_widths, people per second over {name}", flows[name])
    # stairs of 1 m and of 1.2 m have equal flows, so the bounds hold for steps of 0.4 m
    for wide, narrow in (("1.4 m", "1 m"), ("1.8 m", "1.4 m")):
        ratio = flows[wide] / flows[narrow] if flows[narrow] else 0.0
        yield Finding(f"stair_widths, flow over {wide} divided by flow over {narrow}", ratio, 1.0, None)


HELD_UP = 0.5  # smallest loss of flow [1/s] due to stairs; two crowds on level ground differ by less


def measure_congestion(seen: Watched) -> Iterator[Finding]:
    """Compare the flows into a corridor, onto the stairs at its end, and through another corridor without stairs."""
    (into, up), (_, level) = (
        [flow(crossing_times(seen.times, seen.crowds[name][:, :, 0], line), (0.0, 1.0)) for line in (0.0, 12.0)]
        for name in ("stairs", "level")
    )
    yield Finding("congestion, inflow minus flow upstairs, people per second", into - up, 0.05, None)
    yield Finding("congestion, level flow minus flow upstairs, people per second", level - up, HELD_UP, None)
    yield Finding("congestion, flow upstairs, people per second", up, 1.0, None)


def measure_detour(seen: Watched) -> Iterator[Finding]:
    """Measure how many people walk over the stairs, and how many people use the detour. The length of the detour
    determines which of these routes is faster.
    """
    for name, south, quick in (("long detour", 0.0, 1.0), ("short detour", 24.0, 0.0)):
        positions = seen.crowds[name]
        lower = are_in_boxes(positions, np.array([[10.0, south, 20.0, south + 4.0]]))
        yield Finding(f"detour, share over the stairs, {name}", float(lower.any(axis=0).mean()), quick, quick)
        yield Finding(f"detour, share that arrives, {name}", float((positions[-1, :, 0] > 26.5).mean()), 1.0, 1.0)


CAR = np.array([[9.2, 0.0, 12.0, 20.0]])  # west, south, east and north of both lift cars [m]
CAPACITY = 4
# [s]: 16.3 m of walking and a ride of 3.5 m at 1 m/s. The upper limit includes a second ride of the car, and open doors
# for 5 s at three stops.
RIDE = 19.8, 38.3


def measure_lift(seen: Watched) -> Iterator[Finding]:
    """Measure the time in which one person leaves by lift, and the largest number of people in the car of the lift."""
    yield Finding("lift, seconds of one person", empty_at(seen.times, seen.crowds["one person"]), *RIDE)
    crowd: Reals = seen.crowds["crowd"]
    yield Finding("lift, most people in the car", float(are_in_boxes(crowd, CAR).sum(axis=1).max()), 1.0, CAPACITY)
    yield Finding("lift, share that leaves, crowd", float(np.isnan(crowd[-1, :, 0]).mean()), 1.0, 1.0)
    yield Finding("lift, seconds of a crowd of 12 people", empty_at(seen.times, crowd))

"""Measures of crowds with force models: speeds of single people and of columns, and flows through doors."""

from collections.abc import Iterator

from ecs_anim.profiling.validation.crowd_measures import Watched, crossing_times, flow, speed_and_density
from ecs_anim.profiling.validation.finding import Finding

# 5th and 95th percentile of recorded speeds [m/s] by density [1/m²]; see `checks.RECORDED`
RECORDED = {"0.5": (0.97, 1.87), "1": (0.87, 1.78)}
CORRIDOR = 2.4  # width of the corridors [m]
# flow [1/s] of 200 people through a door of 1 m: 0.90 to 0.97 in JuPedSim 1.4.2 with three seeds, plus or minus 10 %
JUPEDSIM = (0.81, 1.07)
DOORS = {"social force, door of 1 m": 15.2, "centrifugal force, door of 1.2 m": 10.2}  # x [m] behind each door


def measure_forces(seen: Watched) -> Iterator[Finding]:
    """Measure speeds and flows of both force models.

    For the centrifugal force model, only the walking time of a single person has limits.
    """
    for model in ("social force", "centrifugal force"):
        x = seen.crowds[f"{model}, alone"][:, :, 0]
        taken = float(crossing_times(seen.times, x - x[0], 40.0)[0])
        yield Finding(f"{model}, seconds of the corridor", taken, 26.0, 34.0)
    late = seen.within(5.0, 20.0)
    for name in (name for name in late.crowds if "square metre" in name):
        speed, density = speed_and_density(late.times, late.crowds[name][:, :, 0], CORRIDOR, 0.25, 0.6)
        model, _, said = name.partition(", ")
        least, most = RECORDED[said.split()[0]] if model == "social force" else (None, None)
        yield Finding(f"{model}, speed at {said}", speed, least, most, at=density)
    for name, line in DOORS.items():
        through = flow(crossing_times(seen.times, seen.crowds[name][:, :, 0], line))
        least, most = JUPEDSIM if name.startswith("social") else (None, None)
        yield Finding(f"{name}, people per second", through, least, most)

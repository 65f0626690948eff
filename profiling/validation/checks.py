"""Checks against published results. A check runs a built-in scene and measures the positions of people.

The command `ecs-anim validate` runs the checks. A name such as "RiMEA 4" contains the number of a test in the RiMEA
guideline for microscopic evacuation analyses. The limits of the measured values come from the checks of JuPedSim 0.8.
The checks read only the positions of people, their premovement times and, on stairs, their feet.
"""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.crowd import Crowd
from ecs_anim.components.journeys import Journeys
from ecs_anim.profiling.validation.crowd_measures import (
    Reals,
    Watched,
    are_in_boxes,
    closest,
    crossing_times,
    empty_at,
    flow,
    lane_order,
    last_seen,
    speed_and_density,
)
from ecs_anim.profiling.validation.finding import Check, Finding
from ecs_anim.profiling.validation.force_measures import measure_forces
from ecs_anim.profiling.validation.nist_measures import (
    measure_affiliation,
    measure_closing,
    measure_disabilities,
    measure_groups,
    measure_rooms,
)
from ecs_anim.profiling.validation.stair_feet import RecordFeet, measure_stair_feet
from ecs_anim.profiling.validation.stair_measures import (
    measure_congestion,
    measure_detour,
    measure_lift,
    measure_stair_speeds,
    measure_stair_widths,
    measure_stairs,
    measure_storeys,
)
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.loader import read_scene
from ecs_anim.scenes.shipped import CHECKS_FOLDER
from ecs_anim.support.arguments import unknown
from ecs_anim.systems.chunk import Side
from ecs_anim.systems.crowd_handle import CrowdHandle, crowds
from ecs_anim.systems.placement import System

DIAMETER = 0.3  # diameter of people in the scenes of checks [m]
NEARLY = 0.02  # [m/s], tolerance of measured speeds


def watch(scene: str, seconds: float, look: float, seed: int | None, poses: bool = False) -> Watched:
    """Run a scene, and store the positions of people every `look` seconds. With `poses`, also store the feet of people
    after each step. Raises InputError for an invalid scene.
    """
    file = read_scene(f"{CHECKS_FOLDER}/{scene}")
    step, looks, times = 1 / file.model.frame_rate, [], []
    every = max(round(look / step), 1)
    recorder = RecordFeet()
    systems: list[tuple[System, Side, str]] = [(recorder, "after", "step_feet")] if poses else []
    with load_scene(file, seed=seed, threads=1, systems=systems) as world:
        reactions = {crowd.name: journeys.rest.astype(float) for _, (crowd, journeys) in world.query(Crowd, Journeys)}
        begun = {own.name: own.ids for own in crowds(world)}
        recorder.frames.clear()  # the loader has computed poses before the first step
        for frame in range(round(seconds / step) + 1):
            if frame % every == 0:
                times.append(world.time)
                looks.append({own.name: _positions(own, begun[own.name]) for own in crowds(world)})
            world.step(step, posed=poses)
    crowds_seen = {name: np.stack([seen[name] for seen in looks]) for name in begun}
    return Watched(np.array(times), crowds_seen, reactions, recorder.feet())


def _positions(own: CrowdHandle, ids: NDArray[np.int64]) -> Reals:
    """Return the plan points [n, 2] [m] of the people with the ascending ids `ids` [n]. NaN = the person has left."""
    found = np.full((len(ids), 2), np.nan)
    found[np.searchsorted(ids, own.ids)] = own.positions
    return found


def chosen_checks(names: Sequence[str]) -> list[Check]:
    """Return the checks `names`. If `names` is empty, return all checks. Raises InputError for an unknown name."""
    known = {check.name: check for check in CHECKS}
    for name in names:
        if name not in known:
            raise unknown("check", name, known, of="checks are")
    return [check for check in CHECKS if not names or check.name in names]


def findings(checks: Sequence[Check], seed: int | None) -> Iterator[Finding]:
    """Run `checks`, and yield their findings. Checks with the same scene use the same run. Raises InputError if a scene
    is invalid.
    """
    seen: dict[tuple[str, int | None], Watched] = {}
    for check in checks:
        runs = []
        for own in _seeds(seed, check.runs):
            if (check.scene, own) not in seen:
                sharing = [other for other in checks if other.scene == check.scene]
                seconds, look = max(other.seconds for other in sharing), min(other.look for other in sharing)
                poses = any(other.poses for other in sharing)
                seen[check.scene, own] = watch(check.scene, seconds, look, own, poses)
            runs.append(list(check.measure(seen[check.scene, own].within(0.0, check.seconds))))
        for found in zip(*runs, strict=True):
            yield _mean(found, f"{CHECKS_FOLDER}/{check.scene}")


def _seeds(seed: int | None, runs: int) -> list[int | None]:
    """Return one seed for each run. The first seed is `seed`, where None is the seed of the scene. Each further seed is
    larger by 1,000.
    """
    return [seed, *((seed or 0) + 1000 * run for run in range(1, runs))]


def _mean(runs: Sequence[Finding], scene: str) -> Finding:
    """Return a finding with the mean of the values and of the limits over several runs."""
    columns = zip(*((own.least, own.most, own.at) for own in runs), strict=True)
    least, most, at = (None if None in own else float(np.mean(own)) for own in columns)
    return Finding(runs[0].name, float(np.mean([own.value for own in runs])), least, most, scene, at)


def _corridor(seen: Watched) -> Iterator[Finding]:
    """Measure the time that people need to walk 40 m."""
    x = seen.crowds["people"][:, :, 0]
    yield Finding("corridor, seconds", float(crossing_times(seen.times, x - x[0], 40.0)[0]), 26.0, 34.0)


REACTIONS = (10.0, 100.0)  # limits of the premovement times [s]
STIRRED = 1e-3  # distance from the start [m] from which a person counts as moving


def _reaction(seen: Watched) -> Iterator[Finding]:
    """Measure the premovement times, and the times at which people start to move.

    One finding is the largest difference [frames] between the premovement time of a person and the time of the person's
    first movement.
    """
    positions, drawn = seen.crowds["people"], seen.reactions["people"]
    gone = np.linalg.norm(positions - positions[0], axis=-1)
    beside = np.abs(crossing_times(seen.times, gone, STIRRED) - drawn) / seen.times[1]
    yield Finding("reaction, shortest premovement time, seconds", float(drawn.min()), REACTIONS[0], None)
    yield Finding("reaction, longest premovement time, seconds", float(drawn.max()), None, REACTIONS[1])
    yield Finding("reaction, error of premovement times, frames", float(beside.max()), None, 2.0)


# 5th and 95th percentile of speeds [m/s] by density [1/m²] within one metre, in recordings that PedPy provides.
# Densities up to 2 come from a corridor (uo-050-180-180) and a corner. Higher densities come from bottlenecks, where
# some people wait.
RECORDED = {
    0.5: (0.97, 1.87),
    1.0: (0.87, 1.78),
    1.5: (0.78, 1.64),
    2.0: (0.62, 1.22),
    2.5: (0.02, 1.26),
    3.0: (0.01, 0.97),
}
CORRIDOR = 2.4  # width of the corridor [m]


def _density(seen: Watched) -> Iterator[Finding]:
    """Measure the speed of people in the middle of a group, for each density of people."""
    late = seen.within(5.0, 20.0)
    for name, positions in late.crowds.items():
        speed, density = speed_and_density(late.times, positions[:, :, 1], CORRIDOR, 0.25, 0.6)
        least, most = RECORDED.get(float(name.split()[0]), (None, None))
        yield Finding(f"speed at {name}", speed, least, most, at=density)


CORNER = np.array([[0.0, 0.0, 12.0, 2.0], [10.0, 0.0, 12.0, 60.0]])


def _corner(seen: Watched) -> Iterator[Finding]:
    """Measure the share of people that pass the corner. Also count the samples in which a person is inside a wall."""
    positions = seen.crowds["people"]
    yield Finding("corner, samples of actors in a wall", float((~are_in_boxes(positions, CORNER)).sum()), None, 0.0)
    yield Finding("corner, share that arrives", float((positions[-1, :, 1] > 4.0).mean()), 1.0, 1.0)


def _corners(seen: Watched) -> Iterator[Finding]:
    """Compare the walking time round a corner with the walking times in two straight corridors.

    One corridor is as long as the inner wall of the corner. The other corridor is as long as the outer wall.
    """
    for people in ("50 people", "250 people"):
        short, corner, long = (
            empty_at(seen.times, seen.crowds[f"{room}, {people}"]) for room in ("short", "corner", "long")
        )
        yield Finding(f"corners, seconds of the short corridor, {people}", short)
        yield Finding(f"corners, seconds round the corner, {people}", corner, short, long)
        yield Finding(f"corners, seconds of the long corridor, {people}", long, None, float(seen.times[-1]))


AGES = {"children": (0.58, 1.61), "twenties": (1.41, 1.54), "fifties": (0.68, 1.41), "old people": (0.46, 0.76)}


def _ages(seen: Watched) -> Iterator[Finding]:
    """Measure the speeds of the slowest and the fastest person in each age group."""
    for name, (least, most) in AGES.items():
        x = seen.crowds[name][:, :, 0]
        speeds = (x[-1] - x[0]) / seen.times[-1]
        yield Finding(f"{name}, slowest", float(speeds.min()), least - NEARLY, None)
        yield Finding(f"{name}, fastest", float(speeds.max()), None, most + NEARLY)


def _exits(seen: Watched) -> Iterator[Finding]:
    """Measure the share of people that use their assigned exit."""
    for name, axis, line in (("to the east exit", 0, 12.2), ("to the north exit", 1, 10.2)):
        yield Finding(f"{name}, share", float((seen.crowds[name][-1, :, axis] > line).mean()), 1.0, 1.0)


ALIKE = "as usual"


def _parameters(seen: Watched) -> Iterator[Finding]:
    """Compare evacuation times. If one parameter is changed, the evacuation must take longer than with all default
    values.
    """
    usual = empty_at(seen.times, seen.crowds[ALIKE])
    yield Finding(f"parameters, seconds {ALIKE}", usual, None, float(seen.times[-1]))
    for name in (name for name in seen.crowds if name != ALIKE):
        taken = empty_at(seen.times, seen.crowds[name])
        yield Finding(f"parameters, time divided by the usual time, {name}", taken / usual, 1.0, 10.0)


# limits for the share of people at the second exit, by crowd size; all people start near the first exit
OTHERS = {"many": (0.1, 0.5), "a few": (0.0, 0.0)}


def _choice(seen: Watched) -> Iterator[Finding]:
    """Measure how many people use the farther exit because many people wait at the nearer exit."""
    for name, (least, most) in OTHERS.items():
        positions = seen.crowds[name]
        further = last_seen(positions)[:, 0] > 30.0
        yield Finding(f"choice, share through the farther exit, {name}", float(further.mean()), least, most)
        yield Finding(f"choice, share that leaves, {name}", float(np.isnan(positions[-1, :, 0]).mean()), 1.0, 1.0)


def _halls(seen: Watched) -> Iterator[Finding]:
    """Compare the evacuation times of 1000 people with two exits and with four exits."""
    seconds = {name: empty_at(seen.times, positions) for name, positions in seen.crowds.items()}
    for name, taken in seconds.items():
        yield Finding(f"halls, seconds with {name}", taken)
    yield Finding(
        "halls, time with two exits divided by time with four", seconds["two exits"] / seconds["four exits"], 1.6, 2.4
    )


def _jam(seen: Watched) -> Iterator[Finding]:
    """Compare the flow of people into a passage with the flow of people out of the passage."""
    crossed = [crossing_times(seen.times, seen.crowds["people"][:, :, 1], line) for line in (0.0, 5.0)]
    into, out = (flow(times, (0.0, 1.0)) for times in crossed)
    yield Finding("jam, inflow minus outflow, people per second", into - out, -0.05, None)
    yield Finding("jam, outflow, people per second", out, 1.0, None)


def _passages(seen: Watched) -> Iterator[Finding]:
    """Compare the times in which people leave rooms. People must need more time if the goal is farther from the
    passage, and if the passage is longer.
    """
    near, far, long = (empty_at(seen.times, seen.crowds[name]) for name in ("near goal", "far goal", "long passage"))
    yield Finding("passages, seconds with a goal 1 m behind the passage", near, None, float(seen.times[-1]))
    yield Finding("passages, time with a goal 9 m behind the passage divided by this time", far / near, 1.0, 10.0)
    yield Finding("passages, time with a passage of 5 m divided by time with 0.2 m", long / far, 1.0, 10.0)


DOOR = (2.0, 2.6)  # recorded flow through a door of 1.2 m [1/s]
PER_METRE = (1.5, 2.3)  # flow through wider doors: the recorded 1.9 [1/(m s)] plus or minus 20 %


def _bottleneck(seen: Watched) -> Iterator[Finding]:
    """Measure the flow through doors with different widths."""
    for name, positions in seen.crowds.items():
        width = float(name.split()[0])
        through = flow(crossing_times(seen.times, positions[:, :, 1], 0.2))
        bounds: tuple[float | None, float | None] = PER_METRE[0] * width, PER_METRE[1] * width
        if width <= 1.2:  # in narrow doors, two people can block each other for seconds
            bounds = DOOR if width == 1.2 else (None, None)
        yield Finding(f"flow, people per second through {name}", through, *bounds, at=width)


LEAST_SHARE = 0.95  # smallest allowed distance of two people, divided by the diameter of a person


def _overlap(seen: Watched) -> Iterator[Finding]:
    """Measure the smallest distance between two people, divided by the diameter of a person."""
    for name, positions in seen.crowds.items():
        yield Finding(
            f"smallest distance divided by diameter, {name}", closest(positions) / DIAMETER, LEAST_SHARE, None
        )


def _streams(seen: Watched) -> Iterator[tuple[str, Reals, Reals]]:
    """For each corridor, yield its name, the positions [frames, people, 2] and the walking directions [people] (1 =
    east, -1 = west) of its people.
    """
    for name in {name.partition(", ")[2]: None for name in seen.crowds}:
        east, west = (seen.crowds[f"{way}, {name}"] for way in ("eastward", "westward"))
        ways = np.repeat([1.0, -1.0], [east.shape[1], west.shape[1]])
        yield name, np.concatenate([east, west], axis=1), ways


LOOSE = 1.2  # up to this density, two opposite streams must not block each other [1/m²]


def _lanes(seen: Watched) -> Iterator[Finding]:
    """Measure the lane order of two opposite streams. A random mixture has a lane order of about 0.05."""
    for name, positions, ways in _streams(seen):
        orders = []
        for x, y in np.moveaxis(positions, 2, 1):
            east, west = x[ways > 0], x[ways < 0]
            mixed = (max(east.min(), west.min()) <= x) & (x <= min(east.max(), west.max()))
            if mixed.mean() > 0.5:
                orders.append(lane_order(y[mixed], ways[mixed]))
        least = LANES if float(name.split()[0]) < LOOSE else None
        yield Finding(f"lanes, order at {name}", float(np.mean(orders)) if orders else 0.0, least, None)


LANES = 0.4  # smallest lane order
SLOWEST = 0.6  # smallest mean speed in counter-flow of low density [m/s]


def _counterflow(seen: Watched) -> Iterator[Finding]:
    """Measure the speeds of two opposite streams."""
    for name, positions, ways in _streams(seen):
        speed = ((positions[-1, :, 0] - positions[0, :, 0]) * ways).mean() / np.ptp(seen.times)
        density = float(name.split()[0])
        least = SLOWEST if density < LOOSE else None
        yield Finding(f"speed in counter-flow at {name}", float(speed), least, at=density)


CHECKS = (
    Check("corridor", "corridor", 40.0, _corridor, "RiMEA 1, NIST 2.1"),
    Check("stairs", "stairs", 25.0, measure_stairs, "RiMEA 2 and 3, NIST 2.2"),
    Check("storeys", "storeys", 110.0, measure_storeys, "RiMEA 2 and 3, Weidmann, Fruin"),
    Check("stair_speeds", "storeys", 110.0, measure_stair_speeds, "RiMEA 13"),
    Check("stair_widths", "stair_widths", 110.0, measure_stair_widths, "ISO 12", look=0.1),
    Check("stair_feet", "stair_feet", 20.0, measure_stair_feet, "bounds of this project", look=1 / 60, poses=True),
    Check("reaction", "reaction", 102.0, _reaction, "RiMEA 5, NIST 1.1"),
    Check("density", "density", 20.0, _density, "RiMEA 4, recorded speeds"),
    Check("corner", "corner", 30.0, _corner, "RiMEA 6, NIST 2.3"),
    Check("corners", "corners", 160.0, _corners, "RiMEA 15", look=0.5, runs=3),
    Check("ages", "ages", 10.0, _ages, "RiMEA 7, NIST 2.4"),
    Check("exits", "exits", 40.0, _exits, "RiMEA 10, NIST 3.1"),
    Check("parameters", "parameters", 150.0, _parameters, "RiMEA 8", look=0.5),
    Check("choice", "choice", 240.0, _choice, "RiMEA 11", look=0.5),
    Check("detour", "detour", 60.0, measure_detour, "RiMEA 14, ISO 17", look=0.1),
    Check("halls", "halls", 300.0, _halls, "RiMEA 9", look=0.5),
    Check("passages", "passages", 180.0, _passages, "RiMEA 12a and 12b", look=0.1, runs=3),
    Check("jam", "jam", 90.0, _jam, "RiMEA 12c"),
    Check("congestion", "congestion", 150.0, measure_congestion, "RiMEA 3.0 (13), NIST 5.1"),
    Check("lift", "lift", 150.0, measure_lift, "NIST 2.7", look=0.1),
    Check("rooms", "rooms_counterflow", 200.0, measure_rooms, "NIST 2.8", look=0.5),
    Check("groups", "groups", 100.0, measure_groups, "NIST 2.9", look=0.1),
    Check("disabilities", "disabilities", 60.0, measure_disabilities, "NIST 2.10", look=0.1),
    Check("affiliation", "affiliation", 60.0, measure_affiliation, "NIST 3.3", look=0.1),
    Check("closing", "closing", 60.0, measure_closing, "NIST 4.1", look=0.1),
    Check("bottleneck", "bottleneck", 60.0, _bottleneck, "RiMEA 12d, recorded flows, NIST 5.2"),
    Check("lanes", "counterflow", 15.0, _lanes, "recorded lanes"),
    Check("counterflow", "counterflow", 15.0, _counterflow, "recorded speeds"),
    Check("overlap", "bottleneck", 60.0, _overlap, "bounds of this project"),
    Check("forces", "forces", 150.0, measure_forces, "JuPedSim, recorded speeds", look=0.1),
)

"""The timeline system: it runs the cues of a scene at their times."""

import math
from bisect import bisect_left
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.timeline import Cue, Sector, Timeline
from ecs_anim.ecs.world import World
from ecs_anim.systems.connections import change_connections
from ecs_anim.systems.crowd_handle import CrowdHandle, crowds
from ecs_anim.systems.doors import move_known_doors
from ecs_anim.systems.stops import move_holds


class RunTimeline:
    """Run the cues of the scene that are due in this step.

    For any step length, each cue runs exactly once for each of its times.
    """

    name = "timeline"

    def run(self, world: World, dt: float) -> None:
        """Run the due cues. A cue can fade motions, set parameters, open doors, and release actors at goals."""
        cues = [cue for _, (timeline,) in world.query(Timeline) for cue in timeline.cues]
        due = [(cue, count) for cue in cues if (count := cue.due(world.time + dt)) > cue.fired]
        handles = crowds(world) if due else []
        for cue, count in due:
            reached = [(number, handle) for number, handle in enumerate(handles) if cue.crowd in (None, handle.name)]
            while cue.fired < count:
                for number, handle in reached:
                    _fire(cue, handle, number)
                if cue.opens or cue.closes:
                    move_known_doors(world, cue.opens, cue.closes)
                if cue.opens or cue.closes or cue.starts or cue.stops or cue.reverses:
                    change_connections(world, cue)
                if cue.releases or cue.holds:
                    move_holds(world, cue)
                cue.fired += 1

    def free_steps(self, world: World, ends: NDArray[np.float64]) -> int:
        """Return the number of steps before the next cue."""
        cues = [cue for _, (timeline,) in world.query(Timeline) for cue in timeline.cues]
        return min((_before(cue, ends) for cue in cues), default=len(ends))


def _before(cue: Cue, ends: NDArray[np.float64]) -> int:
    """Return the number of steps before the next run of a cue. `ends` contains the end time [s] of each step."""
    return bisect_left(ends, True, key=lambda end: cue.fired < cue.due(float(end)))


def _fire(cue: Cue, handle: CrowdHandle, crowd_number: int) -> None:
    """Run a cue for one crowd. Random values depend on the seed, the crowd and the number of the run."""
    rng = np.random.default_rng((cue.seed, crowd_number, cue.fired))
    chosen = np.flatnonzero(rng.random(handle.actor_count) < cue.share)
    if cue.sector is not None:
        chosen = chosen[_within(cue.sector, handle.angles_around(cue.sector.center), rng)[chosen]]
    if cue.fade_to:
        handle.fade_to(chosen, _draw_motions(cue, handle, rng, len(chosen)), cue.fade, phase=_phase(cue))
    for parameter, (low, high) in cue.targets.items():
        handle.set_parameter(chosen, parameter, low + (high - low) * rng.random(len(chosen)))
    for trigger in cue.triggers:
        handle.trigger(chosen, trigger)


def _within(sector: Sector, angles: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.bool_]:
    """Return which of the angles [actor_count] [rad] are in a sector.

    The start of a sector belongs to the sector, and the end of a sector does not.

    The scene key `sweep` divides the circle into sectors, and each sector has its own cue. All sectors of one sweep use
    equal random offsets. Therefore, each actor is in exactly one sector.
    """
    early = sector.spread * (2 * rng.random(len(angles)) - 1)
    return np.mod(angles + early - sector.start, math.tau) < sector.width


def _draw_motions(cue: Cue, handle: CrowdHandle, rng: np.random.Generator, count: int) -> NDArray[np.int64]:
    numbers = np.array([handle.motions.index(name) for name in cue.fade_to])
    return rng.choice(numbers, count)


def _phase(cue: Cue) -> Literal["match"] | float:
    return "match" if cue.match_phase else 0.0

"""Test whether the people of a crowd avoid collisions and make progress.

Run `python -m ecs_anim.profiling.validation.study_crowds SCENE`.

The study draws no pictures. Every 0.05 s, plain numpy code reads all positions and measures four figures:

- The overlap of two people, as a share of the sum of their radii.
- The time that a person is inside a wall, such as a closing door.
- The turning rate of a person.
- The time that a person stays within one metre although the person wants to move and a direction is free.

The exit code is 1 if a figure exceeds its limit.
"""

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.crowd import Crowd
from ecs_anim.components.journeys import Journeys
from ecs_anim.components.steering import Steering
from ecs_anim.ecs.world import World
from ecs_anim.maths.plan import mirrored
from ecs_anim.profiling.validation.crowd_measures import Reals
from ecs_anim.scenes.build import load_scene
from ecs_anim.steering.columns import GOES
from ecs_anim.support.errors import InputError
from ecs_anim.support.progress import frames_with_progress
from ecs_anim.support.terminal import print_line
from ecs_anim.systems.crowd_handle import CrowdHandle
from ecs_anim.systems.queries import stage_of
from ecs_anim.walls.arrays import WallArrays, no_walls
from ecs_anim.walls.queries import is_clear, may_be_at

STEP = 1 / 20  # time between two samples [s]
ASKED = 20  # number of samples between two tests of walls and free directions
ON, WANTS = 1.0, 0.1  # a stuck person stays within this radius [m] and wants to walk at least this speed [m/s]
# length of a free path [m], and its possible angles to the wanted direction
FREE, SIDES = 1.0, np.radians([0.0, 30.0, -30.0, 60.0, -60.0])
MOST = {"overlap": 0.05, "in a wall s": 2.0, "stuck s": 20.0, "turn deg/s": 90.0}  # limits of the figures


@dataclass
class People:
    """All people that steer at one time, with one row per person."""

    ids: NDArray[np.int64]  # ids of the people [n]
    at: Reals  # [n, 2], plan points [m]
    headings: Reals  # [n], [rad]
    radius: Reals  # [n], [m]
    way: Reals  # [n, 2], wanted directions: unit vectors on the plan
    wants: NDArray[np.bool_]  # [n], whether a person wants to move

    def ordered(self, rows: NDArray[np.intp]) -> "People":
        """Return the people in the order of the row numbers `rows`.

        The function omits people without a row number in `rows`.
        """
        return People(*(getattr(self, name)[rows] for name in self.__dataclass_fields__))


@dataclass
class Seen:
    """The results so far, and the state of each person at the last sample, by id."""

    overlap: float = 0.0  # largest overlap, as a share of the sum of the two radii
    in_wall: float = 0.0  # longest time of a person inside a wall [s]
    held: float = 0.0  # longest time that a person that wants to move stayed within the radius `ON` [s]
    stuck: float = 0.0  # longest such time with a free direction [s]
    where: tuple[float, float, float] = (0.0, 0.0, 0.0)  # plan point [m] and time [s] of the largest `stuck`
    overlapped: tuple[float, float, float] = (0.0, 0.0, 0.0)  # plan point [m] and time [s] of the largest overlap
    most: int = 0  # largest number of people at one time
    # [rad/s], turning rates of all people at each sample
    turns: list[NDArray[np.float32]] = field(default_factory=list)
    ids: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    headings: Reals = field(default_factory=lambda: np.zeros(0))
    anchors: Reals = field(default_factory=lambda: np.zeros((0, 2)))  # first position [m] of the current stay
    since: Reals = field(default_factory=lambda: np.zeros(0))  # start time of the current stay [s]
    free: Reals = field(default_factory=lambda: np.zeros(0))  # time with a free direction during the current stay [s]
    inside: Reals = field(default_factory=lambda: np.zeros(0))  # time inside a wall [s]

    def figures(self) -> dict[str, Any]:
        """Return the tested figures, the largest number of people at one time, and the longest time that a person
        stayed in one place although the person wants to move.

        For the worst case of each figure, the result also contains the plan point [m] and the time [s].
        """
        turns = np.concatenate(self.turns) if self.turns else np.zeros(1)
        return {
            "people": self.most,
            "overlap": round(self.overlap, 4),
            "overlap at": [round(number, 1) for number in self.overlapped],
            "in a wall s": self.in_wall,
            "stuck s": round(self.stuck, 1),
            "stuck at": [round(number, 1) for number in self.where],
            "held up s": round(self.held, 1),
            "turn deg/s": round(float(np.degrees(np.percentile(turns, 95))), 1),
        }


def study(scene: str, seconds: float, seed: int | None, threads: int) -> Seen:
    """Run a scene and measure its people. Raises InputError for a scene without steering."""
    seen = Seen()
    with load_scene(scene, seed=seed, threads=threads) as world:
        if not any(world.query(Steering)):
            raise InputError(
                f"scene {scene!r}: at least one crowd must have the key `steering`. Add `steering` to a crowd."
            )
        for step in frames_with_progress(round(seconds / STEP), "watching crowds"):
            world.step(STEP, posed=False)
            people = people_of(world)
            look(seen, people, world.time)
            if step % ASKED == 0:
                walls = stage_of(world).walls
                ask(seen, people, walls.arrays if walls else no_walls(), world.time)
    return seen


def people_of(world: World) -> People:
    """Return all people that steer, in the order of their ids."""
    parts = [_crowd(world, entity, steering) for entity, (_, steering) in world.query(Crowd, Steering)]
    everybody = People(*(np.concatenate(column) for column in zip(*parts, strict=True)))
    return everybody.ordered(np.argsort(everybody.ids))


def _crowd(world: World, entity: int, steering: Steering) -> tuple[NDArray[Any], ...]:
    """Return the columns of `People` for one crowd."""
    own, journeys = CrowdHandle(world, entity), world.find(entity, Journeys)
    way = steering.way.astype(float)
    wants = (way[:, 2] > WANTS) & (True if journeys is None else journeys.stage == GOES)
    return own.ids, own.positions, own.headings, steering.radius.astype(float), mirrored(way[:, :2]), wants


def look(seen: Seen, people: People, now: float) -> None:
    """Add the overlaps, the turning rates and the stays of people at the time `now` [s] to `seen`.

    If a person has moved more than `ON` metres, a new stay begins.
    """
    seen.most = max(seen.most, len(people.ids))
    overlap, who = deepest(people.at, people.radius)
    if overlap > seen.overlap:
        seen.overlap, seen.overlapped = overlap, (*people.at[who].tolist(), now)
    rows = np.searchsorted(seen.ids, people.ids)
    rows[rows == len(seen.ids)] = 0
    known = seen.ids[rows] == people.ids if len(seen.ids) else np.zeros(len(people.ids), bool)
    was = rows[known]
    turned = (people.headings[known] - seen.headings[was] + np.pi) % (2 * np.pi) - np.pi
    seen.turns.append(np.abs(turned / STEP).astype(np.float32))
    anchors, since = people.at.copy(), np.full(len(people.ids), now)
    free, inside = np.zeros((2, len(people.ids)))
    anchors[known], since[known], free[known], inside[known] = (
        column[was] for column in (seen.anchors, seen.since, seen.free, seen.inside)
    )
    got_on = ~people.wants | (np.hypot(*(people.at - anchors).T) > ON)
    anchors[got_on], since[got_on], free[got_on] = people.at[got_on], now, 0.0
    seen.ids, seen.headings = people.ids, people.headings
    seen.anchors, seen.since, seen.free, seen.inside = anchors, since, free, inside
    seen.held = max(seen.held, float((now - since).max(initial=0.0)))


def ask(seen: Seen, people: People, walls: WallArrays, now: float) -> None:
    """Add the times that people are inside walls, and the times that people do not move although a direction is free,
    to `seen`.
    """
    if len(walls.segments):
        seen.inside = np.where(may_be_at(walls, people.at), 0.0, seen.inside + ASKED * STEP)
        seen.in_wall = max(seen.in_wall, float(seen.inside.max(initial=0.0)))
    held = np.flatnonzero(now - seen.since > 1.0)
    is_free = np.zeros(len(held), bool)
    for to in ways(people.way[held]):
        is_free |= is_way_free(people, held, to) & is_clear(
            walls, people.at[held], people.at[held] + (FREE + people.radius[held])[:, None] * to
        )
    seen.free[held] += np.where(is_free, ASKED * STEP, 0.0)
    if len(held) and seen.free.max() > seen.stuck:
        worst = seen.free.argmax()
        seen.stuck, seen.where = float(seen.free[worst]), (*people.at[worst].tolist(), now)


def deepest(at: Reals, radius: Reals) -> tuple[float, int]:
    """Return the largest overlap of two people, and the row of one of the two overlapping people.

    The positions are `at` [n, 2] [m], and the radii are `radius` [n] [m]. The overlap is a share of the sum of the two
    radii. If no people overlap, the function returns 0 and -1.
    """
    order, most, who = np.argsort(at[:, 0]), 0.0, -1
    at, radius = at[order], radius[order]
    widest = 2 * radius.max(initial=0.0)
    for step in range(1, len(at)):
        apart = at[step:] - at[:-step]
        near = np.flatnonzero(apart[:, 0] < widest)
        if not len(near):
            break  # all further people are farther away
        shares = 1 - np.hypot(*apart[near].T) / (radius[near] + radius[near + step])
        if shares.max() > most:
            most, who = float(shares.max()), int(order[near[shares.argmax()]])
    return most, who


def ways(wanted: Reals) -> Iterator[Reals]:
    """For each angle in `SIDES`, yield the directions `wanted` [n, 2] rotated by this angle."""
    for cosine, sine in zip(np.cos(SIDES), np.sin(SIDES), strict=True):
        yield wanted @ np.array([[cosine, sine], [-sine, cosine]])


def is_way_free(people: People, rows: NDArray[np.intp], to: Reals) -> NDArray[np.bool_]:
    """For each person in `rows`, return whether a path of `FREE` metres in the direction `to` [n, 2] contains no other
    people.

    The tested path of a person is as wide as this person and the other person together.
    """
    free = np.zeros(len(rows), bool)
    for number, (row, way) in enumerate(zip(rows, to, strict=True)):
        x, y = (people.at - people.at[row]).T
        touching = people.radius + people.radius[row]
        ahead, aside = x * way[0] + y * way[1], np.abs(x * way[1] - y * way[0])
        free[number] = not ((ahead > 0) & (ahead < FREE + touching) & (aside < touching)).any()
    return free


@click.command()
@click.argument("scenes", nargs=-1, required=True, metavar="SCENE...")
@click.option("--seconds", type=click.FloatRange(STEP), default=600.0, show_default=True)
@click.option(
    "--seed", "seeds", type=int, multiple=True, help="Use this seed in place of the scene's seed. Can be repeated."
)
@click.option("--threads", type=click.IntRange(1), default=1, show_default=True)
@click.option("--json", "as_json", type=click.Choice(["-"]), help="Print JSON, one line per run.")
def main(scenes: Sequence[str], seconds: float, seeds: Sequence[int], threads: int, as_json: str | None) -> None:
    """Run each SCENE with each seed, and measure the people that steer."""
    holds = True
    for scene in scenes:
        for seed in seeds or (None,):
            try:
                figures = study(scene, seconds, seed, threads).figures()
            except InputError as error:
                raise SystemExit(str(error)) from None
            holds &= all(figures[name] <= most for name, most in MOST.items())
            told = {"scene": scene, "seed": seed, "seconds": seconds, **figures}
            print_line(json.dumps(told) if as_json else "  ".join(f"{name} {value}" for name, value in told.items()))
    sys.exit(0 if holds else 1)


if __name__ == "__main__":
    main()

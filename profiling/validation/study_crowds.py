"""Whether crowds that steer stay clear and get on: `python -m ecs_anim.profiling.validation.study_crowds SCENE`.

Nothing is drawn. Where everybody is is looked at from outside, in plain numpy, each twentieth of a second: how far two
overlap, as a share of their radii together; for how long anybody is in a wall, as in a door that closes; how fast
people turn; and for how long a person that wants to move stays within a metre though a way is free. Exit code 1 where
more comes out than may.
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

STEP = 1 / 20  # [s]
ASKED = 20  # steps from one look for walls and free ways to the next
ON, WANTS = 1.0, 0.1  # [m], the radius of a person that is stuck, and [m/s], the least wanted speed
FREE, SIDES = 1.0, np.radians([0.0, 30.0, -30.0, 60.0, -60.0])  # [m] of a way that is free, and where it may lead
MOST = {"overlap": 0.05, "in a wall s": 2.0, "stuck s": 20.0, "turn deg/s": 90.0}  # what may come out


@dataclass
class People:
    """All people that steer, at one time; a row for each."""

    ids: NDArray[np.int64]  # [n]
    at: Reals  # [n, 2], plan points [m]
    headings: Reals  # [n], [rad]
    radius: Reals  # [n], [m]
    way: Reals  # [n, 2], unit vectors on the plan: where they want to go
    wants: NDArray[np.bool_]  # [n], whether they want to get on

    def ordered(self, rows: NDArray[np.intp]) -> "People":
        """Some of them, or all in another order."""
        return People(*(getattr(self, name)[rows] for name in self.__dataclass_fields__))


@dataclass
class Seen:
    """Results so far, and the state of each person at the last look, by id."""

    overlap: float = 0.0  # of the sum of both radii, the most
    in_wall: float = 0.0  # [s] for which anybody was in a wall, the most
    held: float = 0.0  # [s], the longest time that a person that wants to move stayed within `ON`
    stuck: float = 0.0  # the same while a way was free
    where: tuple[float, float, float] = (0.0, 0.0, 0.0)  # plan point [m], and when [s] that was
    overlapped: tuple[float, float, float] = (0.0, 0.0, 0.0)  # the same of the overlap
    most: int = 0  # people at a time
    turns: list[NDArray[np.float32]] = field(default_factory=list)  # [rad/s], of each at each look
    ids: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    headings: Reals = field(default_factory=lambda: np.zeros(0))
    anchors: Reals = field(default_factory=lambda: np.zeros((0, 2)))  # where they have been since
    since: Reals = field(default_factory=lambda: np.zeros(0))  # [s]
    free: Reals = field(default_factory=lambda: np.zeros(0))  # [s] for which a way was free since
    inside: Reals = field(default_factory=lambda: np.zeros(0))  # [s] for which they have been in a wall

    def figures(self) -> dict[str, Any]:
        """Return the judged figures, the largest number of people, and the longest delay.

        Positions of the worst cases are plan points [m] and times [s].
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
    """Run a scene and watch it. Raises InputError for a scene without steering."""
    seen = Seen()
    with load_scene(scene, seed=seed, threads=threads) as world:
        if not any(world.query(Steering)):
            raise InputError(f"scene {scene!r}: a crowd must steer. Set the key 'steering' of a crowd")
        for step in frames_with_progress(round(seconds / STEP), "watching crowds"):
            world.step(STEP, posed=False)
            people = people_of(world)
            look(seen, people, world.time)
            if step % ASKED == 0:
                walls = stage_of(world).walls
                ask(seen, people, walls.arrays if walls else no_walls(), world.time)
    return seen


def people_of(world: World) -> People:
    """Return all people that steer, by id."""
    parts = [_crowd(world, entity, steering) for entity, (_, steering) in world.query(Crowd, Steering)]
    everybody = People(*(np.concatenate(column) for column in zip(*parts, strict=True)))
    return everybody.ordered(np.argsort(everybody.ids))


def _crowd(world: World, entity: int, steering: Steering) -> tuple[NDArray[Any], ...]:
    """The columns of `People` of one crowd."""
    own, journeys = CrowdHandle(world, entity), world.find(entity, Journeys)
    way = steering.way.astype(float)
    wants = (way[:, 2] > WANTS) & (True if journeys is None else journeys.stage == GOES)
    return own.ids, own.positions, own.headings, steering.radius.astype(float), mirrored(way[:, :2]), wants


def look(seen: Seen, people: People, now: float) -> None:
    """Note distances and turns of people, and the people that have moved."""
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
    """Note the people in walls, and the people that stay though a way is free."""
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
    """How far any two of people at [n, 2] [m] overlap, as a share of the sum of their radii [n] [m], and one of them.

    0 and -1 where none do.
    """
    order, most, who = np.argsort(at[:, 0]), 0.0, -1
    at, radius = at[order], radius[order]
    widest = 2 * radius.max(initial=0.0)
    for step in range(1, len(at)):
        apart = at[step:] - at[:-step]
        near = np.flatnonzero(apart[:, 0] < widest)
        if not len(near):
            break  # those further along are further away
        shares = 1 - np.hypot(*apart[near].T) / (radius[near] + radius[near + step])
        if shares.max() > most:
            most, who = float(shares.max()), int(order[near[shares.argmax()]])
    return most, who


def ways(wanted: Reals) -> Iterator[Reals]:
    """Directions about those wanted [n, 2]."""
    for cosine, sine in zip(np.cos(SIDES), np.sin(SIDES), strict=True):
        yield wanted @ np.array([[cosine, sine], [-sine, cosine]])


def is_way_free(people: People, rows: NDArray[np.intp], to: Reals) -> NDArray[np.bool_]:
    """Return whether the next `FREE` metres of some people's ways [n, 2] are free of others, as wide as both bodies."""
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
    """Watch the people that steer in each SCENE, with each seed."""
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

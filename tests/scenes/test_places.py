"""Shipped scenes with route finding: no actor goes through another actor or a wall, and all make progress."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial import cKDTree

import ecs_anim as ea
from ecs_anim.components.crowd import Crowd
from ecs_anim.components.journeys import Journeys
from ecs_anim.steering.columns import GOES
from ecs_anim.systems.queries import stage_of
from ecs_anim.walls.queries import may_be_at, nearest_walls
from tests.helpers import EXHAUSTIVE, FEW

DT = 1 / 20  # [s]
FLAT_STATION = Path(__file__).with_name("flat_station.toml")
TOUCHING = 0.4  # [m] between two whose radius is 0.2
PUSHED = 0.02  # [m] that some overlap for a moment, where many want through: a twentieth
pytestmark = pytest.mark.skipif(bool(FEW), reason="without compiling, whole worlds take minutes")


@dataclass
class Seen:
    """Observations of a scene, once a second."""

    closest: list[float]  # [m] between any two
    from_walls: list[float]  # [m], of anybody
    present: list[set[tuple[int, int]]]  # present actors, by crowd and id
    paths: dict[tuple[int, int], list[np.ndarray]]  # each one's positions [m] on the plan, from when they came

    def standing(self, seconds: int) -> set[tuple[int, int]]:
        """Return the actors that are still there and stayed within 1 m during the last seconds."""
        lasts = {one: np.array(self.paths[one][-seconds:]) for one in self.present[-1]}
        return {
            one
            for one, last in lasts.items()
            if len(last) == seconds and np.linalg.norm(last - last[-1], axis=1).max() < 1
        }


def stages(world: ea.World) -> np.ndarray:
    """Return the journey stage of all actors, crowd by crowd. Actors without a journey have the stage GOES."""
    parts = [
        np.full(crowd.actor_count, GOES) if journeys is None else journeys.stage
        for crowd, journeys in ((crowd, world.find(entity, Journeys)) for entity, (crowd,) in world.query(Crowd))
    ]
    return np.concatenate(parts)


def watched(world: ea.World, seconds: int) -> Seen:
    seen = Seen([], [], [], {})
    crowds = ea.crowds(world)
    for _ in range(seconds):
        for _ in range(round(1 / DT)):
            world.step(DT, posed=False)
        walls = stage_of(world).walls.arrays
        points = np.concatenate([crowd.positions for crowd in crowds])
        who = [(number, int(name)) for number, crowd in enumerate(crowds) for name in crowd.ids]
        seen.closest.append(cKDTree(points).query(points, k=2)[0][:, 1].min())
        assert may_be_at(walls, points).all()
        seen.from_walls.append(nearest_walls(walls, points)[0][:, 2].min())
        seen.present.append(set(who))
        for one, point in zip(who, points, strict=True):
            seen.paths.setdefault(one, []).append(point)
    return seen


def lasting(name: str, seconds: int, seed: int | None = None) -> dict[str, float]:
    """Return observations of a scene, once a second: the least distance between two actors [m], the number of actors
    that stood for 20 s though they were on their way, and the 95th percentile of the turning speed [degree/s].
    """
    closest, turns, since, stuck = [], [], {}, set()
    with ea.load_scene(name, seed=seed) as world:
        for _ in range(seconds):
            for _ in range(round(1 / DT) - 1):
                world.step(DT, posed=False)
            before = headings(world)
            world.step(DT, posed=False)
            after = headings(world)
            turns += [abs((after[i] - before[i] + np.pi) % (2 * np.pi) - np.pi) / DT for i in after.keys() & before]
            points = np.concatenate([crowd.positions for crowd in ea.crowds(world)])
            closest.append(cKDTree(points).query(points, k=2)[0][:, 1].min())
            for one, point, stage in zip(after, points, stages(world), strict=True):
                if stage != GOES or one not in since or np.linalg.norm(point - since[one][1]) > 1.0:
                    since[one] = (world.time, point)
                elif world.time - since[one][0] > 20.0:
                    stuck.add(one)
    return {"closest": min(closest), "stuck": len(stuck), "turn": float(np.degrees(np.percentile(turns, 95)))}


def headings(world: ea.World) -> dict[int, float]:
    """Return the heading [rad] of each actor by id, crowd by crowd."""
    return {int(name): own for crowd in ea.crowds(world) for name, own in zip(crowd.ids, crowd.headings, strict=True)}


def assert_alive(name: str, seconds: int, seed: int | None = None) -> None:
    found = lasting(name, seconds, seed)
    assert found["closest"] > TOUCHING - PUSHED, found
    assert found["stuck"] == 0, found
    assert found["turn"] < 90, found


@EXHAUSTIVE
def test_on_the_plaza_nobody_goes_through_anybody_and_nobody_is_stuck():
    assert_alive("plaza", 60)


@EXHAUSTIVE
@pytest.mark.parametrize(("name", "seed"), [("plaza", 3), ("crossing", None)])
def test_nobody_is_stuck_for_ten_minutes(name, seed):
    assert_alive(name, 600, seed)


@EXHAUSTIVE
def test_a_thousand_leave_a_hall_and_go_round_to_another_exit_where_one_was_closed():
    with ea.load_scene("evacuation") as world:
        before = watched(world, 39)
        assert ea.doors(world).is_open["south east"]
        after = watched(world, 106)
        assert not ea.doors(world).is_open["south east"]
    assert min(before.closest + after.closest) > TOUCHING - PUSHED
    assert min(before.from_walls) > 0.19
    counts = [len(there) for there in before.present + after.present]
    assert counts[0] == 1008
    assert counts[38] < 800
    assert counts[-1] < 20
    assert not after.standing(10)
    ways = [np.array(path) for path in after.paths.values() if len(path) > 2]
    outs = [way[np.argmax(way[:, 1] < -12.2), 0] for way in ways if way[2, 1] > -11.5 and way[:, 1].min() < -12.2]
    assert sum(-12 < x < -9 for x in outs) > 100  # actors inside as the other door closed
    assert not any(9 < x < 12 for x in outs)


@EXHAUSTIVE
@pytest.mark.parametrize("seed", [2])
def test_people_of_the_station_use_stairs_escalators_and_the_lift_and_leave(seed):
    """After 300 s, no actor is where it was 120 s ago. The doors of the train open every 90 s."""
    used, since = set(), {}
    with ea.load_scene("station", seed=seed) as world:
        crowds = ea.crowds(world)
        for second in range(300):
            for _ in range(round(1 / DT)):
                world.step(DT, posed=False)
            there = [(crowd.name, own) for crowd in crowds for own in crowd.ids.tolist()]
            points = np.concatenate([crowd.positions for crowd in crowds])
            used |= {(crowd.name, level.split(".")[0]) for crowd in crowds for level in set(crowd.levels)}
            since = {
                one: since[one] if one in since and np.linalg.norm(point - since[one][1]) < 1 else (second, point)
                for one, point in zip(there, points, strict=True)
            }
    assert max(299 - begin for begin, _ in since.values()) < 120
    to, off = "to the train", "off the train"
    assert used >= {(to, "down"), (to, "stairs"), (off, "up"), (off, "stairs"), (f"{to}, by lift", "lift")}
    assert not used & {(to, "up"), (off, "down"), (f"{to}, by lift", "stairs"), (f"{off}, by lift", "stairs")}


@EXHAUSTIVE
def test_people_of_a_flat_station_queue_get_in_and_out_and_nobody_is_stuck():
    with ea.load_scene(FLAT_STATION) as world:
        names = [crowd.name for crowd in ea.crowds(world)]
        seen = watched(world, 58)
    assert min(seen.closest) > TOUCHING - PUSHED
    assert min(seen.from_walls) > 0.15
    assert 150 < len(seen.present[-1]) < 300
    assert all(seen.paths[one][-1][1] > 4 for one in seen.standing(15))  # they wait on the platforms
    gone = set().union(*seen.present) - seen.present[-1]
    assert {names[crowd] for crowd, _ in gone} >= {n for n in names if not n.startswith("buyers")}
    for number, x in ((names.index("buyers, western"), -5.0), (names.index("buyers, eastern"), 5.0)):
        ways = [np.array(path) for (crowd, _), path in seen.paths.items() if crowd == number]
        served = [way for way in ways if (np.linalg.norm(way - (x, -11.6), axis=1) < 0.5).any()]
        assert len(served) > 3
        assert any((way[:, 1] > 1.0).any() for way in served)  # on the platform, with a ticket

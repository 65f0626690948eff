"""Figures of steering crowds, for people with a known story."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

from ecs_anim.profiling.validation.study_crowds import ASKED, STEP, People, Seen, ask, deepest, look, main
from ecs_anim.walls.arrays import no_walls
from ecs_anim.walls.build import walls_from_text
from tests.helpers import FEW

ROOM = walls_from_text("POLYGON ((-5 -5, 5 -5, 5 5, -5 5, -5 -5))").arrays


def people(at, headings=None, way=(1.0, 0.0), wants=True):
    """Return people at plan points [n, 2] that want to go in one direction."""
    at = np.array(at, float)
    count = len(at)
    headings = np.zeros(count) if headings is None else np.array(headings, float)
    return People(np.arange(count), at, headings, np.full(count, 0.2), np.tile(way, (count, 1)), np.full(count, wants))


def watched(story, seconds=30.0, walls=ROOM):
    """Return the figures of a story, which gives people by the time [s]."""
    seen = Seen()
    for step in range(round(seconds / STEP)):
        now = (step + 1) * STEP
        look(seen, story(now), now)
        if step % ASKED == 0:
            ask(seen, story(now), walls, now)
    return seen.figures()


@pytest.mark.parametrize("seed", range(3))
def test_the_deepest_overlap_is_that_of_all_pairs(seed):
    rng = np.random.default_rng(seed)
    at, radius = rng.uniform(0, 4, (60, 2)), rng.uniform(0.1, 0.3, 60)
    apart = np.linalg.norm(at[:, None] - at, axis=-1) / (radius[:, None] + radius)
    np.fill_diagonal(apart, np.inf)
    overlap, who = deepest(at, radius)
    assert overlap == pytest.approx(1 - apart.min())
    assert who in np.argwhere(apart == apart.min())
    assert deepest(at * 100, radius) == (0.0, -1)


@pytest.mark.parametrize(
    ("others", "at", "stuck"),
    [
        ([], (0.0, 0.0), True),
        ([(0.6, 0.0)], (0.0, 0.0), True),  # they may pass beside
        ([(0.45, 0.0), (0.1, 0.44), (0.1, -0.44)], (0.0, 0.0), False),
        ([], (4.7, 0.0), False),  # before a wall
        ([(4.25, 0.0)], (4.7, 4.7), False),
    ],
)
def test_who_stays_is_stuck_where_a_way_is_free(others, at, stuck):
    found = watched(lambda now: people([at, *others], wants=np.arange(1 + len(others)) == 0))
    assert found["held up s"] == pytest.approx(30.0, abs=0.2)
    assert found["stuck s"] == (pytest.approx(28.0, abs=2.1) if stuck else 0.0)


def test_who_goes_or_wants_nothing_is_not_held_up():
    assert watched(lambda now: people([(0.5 * now - 5, 0.0)]), 15.0)["held up s"] < 2.2
    assert watched(lambda now: people([(0.0, 0.0)], wants=False))["held up s"] == 0.0


def test_turns_overlaps_and_walls_are_told():
    found = watched(lambda now: people([(5.5 if now < 3.02 else 4.0, 0.0), (0, 0), (0, 0.3)], [now, 0, 0]), 10.0)
    assert found["overlap"] == pytest.approx(0.25)
    assert found["overlap at"][:2] == [0.0, pytest.approx(0.15, abs=0.16)]
    assert found["in a wall s"] == 3.0  # of those looks that are a second apart
    assert found["turn deg/s"] == pytest.approx(np.degrees(1.0), abs=0.2)
    assert found["people"] == 3
    assert watched(lambda now: people([(5.5, 0.0)]), 3.0, no_walls())["in a wall s"] == 0.0


def test_who_leaves_and_comes_is_told_apart_by_id():
    def story(now):
        own = people([(0.0, 0.0), (1.0, 0.0)])
        return own if now < 10.0 else own.ordered(np.array([1]))

    assert watched(story, 15.0)["held up s"] == pytest.approx(15.0, abs=0.2)
    assert watched(lambda now: people([(0.0, 0.0)]) if now > 10.0 else people(np.zeros((0, 2))), 15.0)[
        "held up s"
    ] == pytest.approx(5.0, abs=0.2)


@pytest.mark.skipif(bool(FEW), reason="without compiling, it takes minutes")
@pytest.mark.parametrize(("scene", "count"), [("rooms", 32), ("crossing", 120)])  # with walls and without
def test_it_runs_a_scene(scene, count):
    done = CliRunner().invoke(main, [scene, "--seconds", "1", "--seed", "3", "--json", "-"])
    assert done.exit_code == 0, done.output
    found = json.loads(done.output)
    assert (found["scene"], found["seed"], found["seconds"], found["people"]) == (scene, 3, 1.0, count)


def test_it_says_so_where_nobody_steers():
    refused = CliRunner().invoke(main, ["single", "--seconds", "1"])
    assert refused.exit_code == 1
    assert "at least one crowd must have the key `steering`" in str(refused.output) + str(refused.exception)

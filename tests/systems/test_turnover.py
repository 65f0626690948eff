"""Turnover: times and places of arrivals at sources, departures, ids, reproducible bits, and snapshots."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ecs_anim as ea
from ecs_anim.components.presence import Presence
from ecs_anim.components.sources import Source, Sources
from ecs_anim.components.steering import Surroundings
from ecs_anim.support.errors import InputError
from tests.helpers import EXHAUSTIVE
from tests.systems.test_steering_world import DT, closest, component, plan, state, steps

SCENE = """
seed = 3
[rigs.people]
model = "mannequin"
[walls]
wkt = "POLYGON ((-12 -3, 12 -3, 12 3, -12 3, -12 -3))"
[[crowds]]
name = "people"
rig = "people"
{body}
[crowds.steering]
goal = [10.0, 0.0]
goal_radius = 1.0
leave = true
starts_empty = true
radius = 0.2
sources = [{sources}]
"""
WEST = "area = [[-11, -2], [-9, -2], [-9, 2], [-11, 2]]"
BODY, BAKED = "body = {}", 'path = "baked"\nclips = [{ name = "idle" }, { name = "walk" }]'


def text(sources, body=BODY):
    return SCENE.format(sources=sources, body=body)


def test_a_source_says_how_many_are_due():
    one = Source(np.zeros((1, 2)), np.array([2.0, 6.0]), np.array([1.5, 0.0]), np.zeros(2), 100)
    assert [one.due(time) for time in (0.0, 2.0, 2.6, 2.67, 4.0, 6.0, 99.0)] == [0, 0, 0, 1, 3, 6, 6]
    one.most = 4
    assert one.due(99.0) == 4
    listed = Source(np.zeros((1, 2)), np.array([1.0, 3.0]), np.zeros(2), np.array([2.0, 5.0]), 100)
    assert [listed.due(time) for time in (0.99, 1.0, 2.99, 3.0, 50.0)] == [0, 2, 2, 7, 7]


@EXHAUSTIVE
@given(st.lists(st.tuples(st.floats(0.1, 50), st.floats(0, 9), st.integers(0, 20)), min_size=1), st.integers(1, 5))
def test_a_source_counts_all_spans_that_went_by(spans, together):
    lasting, rates, counts = (np.array(column, float) for column in zip(*spans, strict=True))
    source = Source(np.zeros((1, 2)), np.cumsum(lasting), rates, counts, 200, together)
    for time in np.linspace(0, source.times[-1] + 20, 30):
        went_by = np.clip(np.minimum(time, np.append(source.times[1:], np.inf)) - source.times, 0, None)
        come = np.floor(rates * went_by / together + 1e-6) * together + counts
        assert source.due(time) == min(come[source.times <= time].sum(), 200)


@EXHAUSTIVE
@pytest.mark.parametrize("body", [BODY, BAKED])
def test_people_come_walk_through_and_leave(body):
    sources = f"{{ {WEST}, rate_per_second = 1.5, to_seconds = 8.0 }}, {{ {WEST}, timetable = [[2.0, 3], [4.0, 2]] }}"
    with ea.load_scene(text(sources, body)) as world:
        (people,) = ea.crowds(world)
        assert people.actor_count == 0
        seen = {}
        for _ in range(int(30 / DT)):
            world.step(DT, posed=False)
            for actor, point in zip(people.ids.tolist(), plan(people), strict=True):
                seen.setdefault(actor, []).append(point)
            assert people.actor_count < 2 or closest(people) > 0.37
        assert people.actor_count == 0
        assert len(seen) == 12 + 5  # 1.5 a second for 8 s, and the timetable
        for way in seen.values():
            assert -11.1 < way[0][0] < -8.9  # from the area ...
            assert abs(way[0][1]) < 2.1
            assert np.linalg.norm(way[-1] - [10, 0]) < 2.1  # ... to the goal
            assert 16 / 1.34 < len(way) * DT < 2 * 21 / 1.34  # people in a throng take longer


@EXHAUSTIVE
def test_whoever_comes_into_the_exit_leaves():
    corners = "[[2, -3], [4, -3], [3, 0], [4, 3], [2, 3]]"
    scene = text(f"{{ {WEST}, timetable = [[0.0, 6]] }}", BAKED).replace("leave = true", f"leave = {corners}")
    with ea.load_scene(scene) as world:
        (people,) = ea.crowds(world)
        last = {}
        for _ in range(int(25 / DT)):
            world.step(DT, posed=False)
            last |= dict(zip(people.ids.tolist(), plan(people).tolist(), strict=True))
        assert people.actor_count == 0
        assert len(last) == 6
        np.testing.assert_allclose([x for x, _ in last.values()], 2.0, atol=0.05)  # a step or less inside


@EXHAUSTIVE
def test_whoever_has_no_room_waits():
    with ea.load_scene(text("{ area = [[-11, 0]], timetable = [[0.0, 5]] }")) as world:
        (people,) = ea.crowds(world)
        counts = []
        for _ in range(240):
            world.step(DT, posed=False)
            counts.append(people.actor_count)
            assert people.actor_count < 2 or closest(people) > 0.4
        assert counts[0] == 1
        assert sorted(counts) == counts
        assert counts[-1] == 5
        came = [counts.index(number) * DT for number in range(1, 6)]
        assert np.diff(came).min() > 0.45 / 1.34  # the one before has gone on by their width


@EXHAUSTIVE
def test_people_fade_in_as_they_come_and_out_as_they_leave():
    with ea.load_scene(text("{ area = [[8.5, 0]], timetable = [[0.0, 1]] }")) as world:
        (people,), sizes = ea.crowds(world), []
        while world.time < 6.0 and (people.actor_count or not sizes):
            world.step(DT)
            if people.actor_count:
                sizes.append(float(component(world, Presence).coverage(world.time)[0]))
        assert sizes[0] < 0.2
        assert max(sizes) == 1.0
        assert sizes[-1] < 0.2
        top = sizes.index(1.0)
        assert sizes[: top + 1] == sorted(sizes[: top + 1])
        assert ea.render(world, (64, 36)).shape == (36, 64, 3)  # no actor is there any more


@EXHAUSTIVE
def test_threads_chunks_and_snapshots_do_not_matter(tmp_path):
    sources = f"{{ {WEST}, rate_per_second = 4.0 }}, {{ area = [[0, -2], [0, 2]], timetable = [[1.0, 4]] }}"
    scene = text(sources).replace("goal = [10.0, 0.0]", "goal = [-5.0, 0.0]")  # rows are others' soon
    with ea.load_scene(scene, threads=1, chunk_size=64) as world:
        steps(world, 4.01)
        world.save(tmp_path / "x.npz")
        steps(world, 4.0)
        assert component(world, Sources).sources[0].let_in > ea.crowds(world)[0].actor_count
        expected = state(world)
    for threads, chunk_size in ((2, 512), (4, 4096)):
        with ea.load_scene(scene, threads=threads, chunk_size=chunk_size) as world:
            steps(world, 4.01)
            steps(world, 4.0)
            assert state(world) == expected
    with ea.load_world(tmp_path / "x.npz", scene, threads=2) as world:
        steps(world, 4.0)
        assert state(world) == expected


def test_those_who_come_keep_clear_of_other_crowds_and_walls():
    with ea.load_scene(text("{ area = [[-12, -3], [-10, -3], [-10, 3], [-12, 3]], timetable = [[0.0, 30]] }")) as world:
        (people,) = ea.crowds(world)
        world.step(DT)
        assert people.actor_count > 10
        assert plan(people)[:, 0].min() >= -11.81
        assert np.abs(plan(people)[:, 1]).max() <= 2.81
        assert (component(world, Surroundings).walls.segments != 0).any()


@pytest.mark.parametrize(
    ("sources", "message"),
    [
        (f"{{ {WEST} }}", "crowds[0].steering.sources[0]: rate_per_second: a source needs a rate"),
        (
            f"{{ {WEST}, rate_per_second = 1.0, from_seconds = 3.0, to_seconds = 2.0 }}",
            "to_seconds: the end must be later than from_seconds (got from_seconds = 3 and to_seconds = 2)",
        ),
        (f"{{ {WEST}, timetable = [[2.0, 1], [1.0, 1]] }}", "timetable: times must not decrease"),
        (f"{{ {WEST}, timetable = [[2.0, 0]] }}", "crowds[0].steering.sources[0].timetable[0]"),
        ("{ area = [], rate_per_second = 1.0 }", "crowds[0].steering.sources[0].area"),
        (f"{{ {WEST}, rat = 1.0 }}", "crowds[0].steering.sources[0].rat"),
        ("", "empty: the crowd has no sources, so no actor would arrive. Add sources"),
    ],
)
def test_mistakes_are_told_with_their_scene_key(sources, message):
    with pytest.raises(InputError) as caught:
        ea.load_scene(text(sources))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)

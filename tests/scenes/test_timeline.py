"""Cues: each fires on time and once, whatever the steps; the actors that they choose, and their effects."""

from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ecs_anim.components.parameters import Parameters
from ecs_anim.components.playback import Playback
from ecs_anim.components.timeline import Cue, Timeline
from ecs_anim.profiling.measure import poses_hash
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.loader import parse_scene
from ecs_anim.support.errors import InputError
from ecs_anim.systems import timeline
from ecs_anim.systems.crowd_handle import crowd


def fired(cues, steps):
    """(step, cue, crowd, repetition) of everything that fires in a world of two crowds."""
    found, numbers = [], {id(cue): number for number, cue in enumerate(cues)}
    world = SimpleNamespace(time=0.0, step=0, query=lambda _: [(1, (Timeline(cues),))])
    names = [SimpleNamespace(name="a"), SimpleNamespace(name="b")]

    def fire(cue, handle, number):
        assert names[number] is handle
        found.append((world.step, numbers[id(cue)], handle.name, cue.fired))

    with mock.patch.object(timeline, "crowds", return_value=names), mock.patch.object(timeline, "_fire", fire):
        for world.step, dt in enumerate(steps):
            timeline.RunTimeline().run(world, dt)
            world.time += dt
    return found


def cue(at, every=np.inf, name=None):
    return Cue(at=at, every=every, crowd=name, share=1.0, seed=0)


sixteenths = st.integers(0, 80).map(lambda n: n / 16)  # exact in binary, so that the oracle is too


@given(
    st.lists(st.tuples(sixteenths, st.integers(1, 60).map(lambda n: n / 16) | st.just(np.inf)), max_size=3),
    st.lists(sixteenths | st.just(0.0), max_size=20),
)
def test_each_repetition_falls_into_the_step_that_holds_its_time(times, steps):
    cues = [cue(at, every) for at, every in times]
    expected, time = [], 0.0
    for step, dt in enumerate(steps):
        for number, (at, every) in enumerate(times):
            last = 0 if every == np.inf else int((time + dt) / every) + 1
            due = [k for k in range(last + 1) if time <= (at + k * every if k else at) < time + dt]
            expected += [(step, number, name, k) for k in due for name in ("a", "b")]
        time += dt
    assert fired(cues, steps) == expected


@pytest.mark.parametrize("dt", [1 / 60, 0.1, 0.07, 0.33, 7.7])
@pytest.mark.parametrize("every", [0.1, 1 / 3, 0.25])
def test_steps_that_do_not_divide_the_period_lose_and_double_nothing(dt, every):
    steps = [dt] * round(60 / dt)
    repetitions = [k for _, _, name, k in fired([cue(0.05, every)], steps) if name == "a"]
    assert repetitions == list(range(len(repetitions)))
    assert len(repetitions) == pytest.approx((sum(steps) - 0.05) / every, abs=1)


def test_a_cue_may_name_its_crowd():
    assert {row[2] for row in fired([cue(0.0, 0.5, "b")], [0.3] * 9)} == {"b"}


COUNT = 1000
SCENE = """
seed = 3
[rigs.people]
model = "mannequin"
[[crowds]]
rig = "people"
count = {count}
parameters = {{ speed = {{ initial = 1.0, max_change_per_second = 2.0 }}, mood = 0.5 }}
triggers = ["greet", "stop"]
clips = [{{ name = "walk" }}, {{ name = "run", weight = 0 }}, {{ name = "lean_left", weight = 0 }}]
[[timeline]]
{cue}
"""


def load(cue, count=COUNT, **options):
    return load_scene(parse_scene(SCENE.format(cue=cue, count=count), "x.toml", Path()), **{"threads": 1} | options)


def parameters_of(world):
    ((_, (parameters,)),) = world.query(Parameters)
    return parameters


def test_a_share_of_the_actors_is_drawn_anew_each_time():
    with load('at_seconds = 0.0\nevery_seconds = 1.0\nshare = 0.3\ntrigger = "greet"') as world:
        target, drawn = parameters_of(world).target, []
        for _ in range(4):
            target[:] = 0
            world.step(1.0)
            drawn.append(target[:, 2] == 1)
            assert drawn[-1].mean() == pytest.approx(0.3, abs=0.06)
        for one, other in pairwise(drawn):
            assert (one & other).mean() == pytest.approx(0.09, abs=0.04)
        assert (target[:, 3] == 0).all()


@pytest.mark.parametrize(("share", "chosen"), [(0.0, 0), (1.0, COUNT)])
def test_nobody_and_everybody(share, chosen):
    with load(f'at_seconds = 0.0\nshare = {share}\ntrigger = ["greet", "stop"]') as world:
        world.step(0.01)
        assert (parameters_of(world).target[:, 2:] == 1).sum() == 2 * chosen


def test_ranges_are_drawn_from_and_approached_at_the_parameters_rate():
    with load("at_seconds = 0.5\nset = { speed = [2.0, 3.0], mood = [0.9, -0.1] }") as world:
        parameters = parameters_of(world)
        world.step(0.5)
        assert (parameters.target[:, :2] == [1, 0.5]).all(), "the cue's time is where the next step begins"
        world.step(0.25)
        speed, mood = parameters.target[:, :2].T
        for drawn, low, high in ((speed, 2, 3), (mood, -0.1, 0.9)):
            assert low <= drawn.min() < low + 0.05
            assert high - 0.05 < drawn.max() <= high + 1e-6
            assert drawn.mean() == pytest.approx((low + high) / 2, abs=0.05)
        people = crowd(world, "people")
        np.testing.assert_allclose(people.parameter("speed"), 1.5, rtol=1e-6)
        np.testing.assert_array_equal(people.parameter("mood"), mood)
        world.step(1.0)
        np.testing.assert_array_equal(people.parameter("speed"), speed)


def test_each_actor_draws_one_of_several_motions():
    with load('at_seconds = 0.0\nfade_to = ["run", "lean_left"]\nfade_seconds = 0.4\nmatch_phase = true') as world:
        ((_, (playback,)),) = world.query(Playback)
        before = playback.phase[:, 0].copy()
        world.step(0.01)
        playing = np.array(crowd(world, "people").playing())
        assert (playing == "run").mean() == pytest.approx(0.5, abs=0.06)
        assert set(playing) == {"run", "lean_left"}
        assert (playback.fade_duration[:, 1] == np.float32(0.4)).all()
        running = playing == "run"
        moved = np.mod(playback.phase[running, 1] - before[running], 1)
        np.testing.assert_allclose(moved, 0.01 / 0.7, atol=1e-5)


def everything(**options):
    when, what = "at_seconds = 0.1\nevery_seconds = 0.2\nshare = 0.4", 'fade_to = ["run", "lean_left", "walk"]'
    text = f"{when}\n{what}\nset = {{ speed = [0, 3] }}"
    with load(text, count=150, **options) as world:
        for _ in range(10):
            world.step(0.1)
        return poses_hash(world), parameters_of(world).target.tobytes()


def test_what_is_drawn_comes_from_the_seed_alone():
    expected = everything()
    assert everything(threads=3, chunk_size=16) == expected
    assert everything(seed=3) == expected
    assert everything(seed=4) != expected


def test_time_zero_is_the_first_step_not_the_loading():
    with load('at_seconds = 0.0\ntrigger = "greet"', count=2) as world:
        assert (parameters_of(world).target[:, 2] == 0).all()
        world.step(0.0)
        assert (parameters_of(world).target[:, 2] == 0).all()
        world.step(1e-6)
        assert (parameters_of(world).target[:, 2] == 1).all()


TWO = """
[rigs.people]
model = "mannequin"
[[crowds]]
name = "many"
rig = "people"
count = 9
clips = [{ name = "walk" }]
[[crowds]]
name = "few"
rig = "people"
clips = [{ name = "run" }]
[[timeline]]
at_seconds = 0.0
crowd = "few"
fade_to = "run"
"""


def test_a_cue_for_a_crowd_that_was_left_without_actors_does_nothing():
    with load_scene(parse_scene(TWO, "x.toml", Path()), actors=1, threads=1) as world:
        world.step(0.1)


def test_crowds_of_one_name_are_all_checked():
    text = TWO.replace('"few"', '"many"')
    with pytest.raises(InputError, match=r"x\.toml: timeline\[0\]\.fade_to: crowd 'many' has no motion 'run'"):
        load_scene(parse_scene(text, "x.toml", Path()), threads=1)

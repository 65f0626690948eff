"""Clip events: none lost, none doubled, whatever the steps; and how they reach user code."""

import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ecs_anim.components.playback import Playback
from ecs_anim.ecs.records import sealed
from ecs_anim.kernels.events import find_events
from ecs_anim.kernels.playback import advance_playback
from ecs_anim.runtime.clip_table import build_tables
from ecs_anim.runtime.motion import Member, Motion, build_motion_set
from ecs_anim.runtime.records import EventArrays
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.loader import parse_scene
from tests.helpers import clip_motions, one_motion, random_clip, random_skeleton

SKELETON = random_skeleton(np.random.default_rng(0), 3)
CLIP = random_clip(np.random.default_rng(0), SKELETON, key_count=37)
LOOP, ONCE = clip_motions([CLIP]), clip_motions([CLIP], loops=False)
DURATION = LOOP.arrays.member["duration"][0]
ONE = np.ones(1, np.float32)


def event_arrays(first, phases):
    return sealed(EventArrays(np.array(first, np.int32), np.array(phases, np.float32)))


class Actor:
    """One actor of one motion, stepped as the schedule does: events first, then playback."""

    def __init__(self, motions, events, phase=0.0, speed=1.0):
        self.motions, self.queue = motions, one_motion(0, [phase], speed)
        self.events = event_arrays([0, len(events)], events)

    def step(self, dt):
        """How often each event is passed."""
        out, nothing = np.empty((1000, 2), np.int32), np.zeros((1, 0), np.float32)
        found = find_events(self.motions.arrays, nothing, ONE, dt, tuple(self.queue), self.events, 7, out)
        assert found <= len(out)
        assert (out[:found, 1] == 7).all()
        advance_playback(self.motions.arrays, nothing, ONE, dt, 1, tuple(self.queue))
        return np.bincount(out[:found, 0], minlength=len(self.events.event_phase))

    def cycles(self, before, dt):
        """Whole cycles on top of the phase that is stored now, since it was `before`."""
        rate = Fraction(float(self.queue.speed[0, 0] / DURATION))
        return round(before + rate * Fraction(dt) - self.stored)

    @property
    def stored(self):
        return Fraction(float(self.queue.phase[0, 0]))


def between(low, high, event):
    """How many of event + k, k whole, are in (low, high]."""
    return math.floor(high - event) - math.floor(low - event)


phases = st.one_of(
    st.floats(0, 1, width=32), st.sampled_from([0.0, 1.0, 0.5, 1e-40, 1e-20, float(np.float32(1 - 2**-24))])
)
speeds = st.one_of(st.floats(-6, 6, width=32), st.sampled_from([0.0, 1.0, -1.0, float(DURATION), -float(DURATION)]))
steps = st.lists(st.one_of(st.floats(0, 4), st.sampled_from([0.0, 1 / 60, 1e-9, 0.5, 1.0, 2.0])), max_size=30)
events = st.lists(phases, min_size=1, max_size=4)


@pytest.mark.exhaustive
@given(events, phases, speeds, steps)
@settings(max_examples=300)
def test_a_loop_passes_its_events_as_often_as_its_unwrapped_phase_does(events, phase, speed, steps):
    """The counts of a whole run come from where it began and ended alone."""
    actor = Actor(LOOP, events, phase, speed)
    began = where = actor.stored
    counts = np.zeros(len(events), int)
    for dt in steps:
        before = actor.stored
        counts += actor.step(dt)
        where += actor.cycles(before, dt) + actor.stored - before
    at = [Fraction(float(event)) for event in actor.events.event_phase]
    if speed >= 0:
        expected = [between(began, where, event) for event in at]
    else:
        expected = [between(-began, -where, -event) for event in at]
    assert counts.tolist() == expected


@pytest.mark.exhaustive
@given(events, phases, st.lists(st.tuples(speeds, st.floats(0, 4)), max_size=30))
@settings(max_examples=200)
def test_turning_back_and_forth_passes_events_there_and_back(events, phase, moves):
    actor = Actor(LOOP, events, phase)
    at = [Fraction(float(event)) for event in actor.events.event_phase]
    for speed, dt in moves:
        actor.queue.speed[:] = speed
        before = actor.stored
        found = actor.step(dt)
        after = actor.cycles(before, dt) + actor.stored
        sign = 1 if speed >= 0 else -1
        assert found.tolist() == [between(sign * before, sign * after, sign * event) for event in at]


@pytest.mark.exhaustive
@given(events, phases, speeds, steps)
@settings(max_examples=200)
def test_what_does_not_loop_passes_each_event_once_at_most(events, phase, speed, steps):
    actor = Actor(ONCE, events, phase, speed)
    began = actor.queue.phase[0, 0]
    counts = sum((actor.step(dt) for dt in steps), np.zeros(len(events), int))
    ended = actor.queue.phase[0, 0]
    for event, count in zip(actor.events.event_phase, counts, strict=True):
        if began == ended:
            expected = False
        elif speed > 0:
            expected = began < event <= ended or (began == 0 and event == 0)
        else:
            expected = ended <= event < began or (began == 1 and event == 1)
        assert count == expected


def test_the_end_and_the_beginning_of_what_does_not_loop():
    actor = Actor(ONCE, [0.0, 1.0])
    found = [actor.step(float(DURATION) / 3).tolist() for _ in range(6)]
    assert found[0] == [1, 0]
    assert np.sum(found, axis=0).tolist() == [1, 1]
    assert actor.queue.phase[0, 0] == 1
    actor.queue.speed[:] = -1
    found = [actor.step(float(DURATION) / 3).tolist() for _ in range(6)]
    assert np.sum(found, axis=0).tolist() == [1, 1], "backwards likewise"


@pytest.mark.parametrize("event", [0.0, 1.0])
@pytest.mark.parametrize("speed", [1.0, -1.0])
def test_the_seam_of_a_loop_is_one_place(event, speed):
    actor = Actor(LOOP, [event], 0.5, speed)
    assert sum(int(actor.step(float(DURATION) / 7)[0]) for _ in range(7 * 5)) == 5


def test_many_loops_in_one_step():
    assert Actor(LOOP, [0.3, 0.9], 0.5).step(10.0 * float(DURATION)).tolist() == [10, 10]


def test_what_exceeds_the_capacity_is_counted_but_not_written():
    actor = Actor(LOOP, [0.25])
    out = np.full((5, 2), -1, np.int32)
    nothing, dt = np.zeros((1, 0), np.float32), 20.5 * float(DURATION)
    found = find_events(LOOP.arrays, nothing, ONE, dt, tuple(actor.queue), actor.events, 0, out[:3])
    assert found == 21
    assert (out[:3] == 0).all()
    assert (out[3:] == -1).all()


def test_of_a_blend_space_the_heaviest_members_clip_counts():
    clips = [random_clip(np.random.default_rng(i), SKELETON, f"clip_{i}", 10 + i) for i in range(3)]
    space = Motion("space", tuple(Member(c, (0, 0), (float(i), 0)) for i, c in enumerate(clips)), True, ("x",))
    arrays = build_motion_set([space], build_tables(SKELETON, clips), ("x",)).arrays
    x = np.array([[-1], [0.4], [0.6], [1.4], [1.6], [9]], np.float32)
    scale, queue = np.ones(len(x), np.float32), one_motion(0, np.full(len(x), 0.4))
    out = np.empty((20, 2), np.int32)
    events = event_arrays([0, 1, 2, 4], [0.5, 0.5, 0.5, 0.6])
    found = find_events(arrays, x, scale, 0.3, tuple(queue), events, 100, out)
    expected = [(0, 100), (0, 101), (1, 102), (1, 103), (2, 104), (3, 104), (2, 105), (3, 105)]
    assert [tuple(row) for row in out[:found].tolist()] == expected


SCENE = """
[rigs.people]
model = "mannequin"
[[crowds]]
name = "walkers"
rig = "people"
count = 40
clips = [
    { name = "walk", speed = [0.5, 3.0], event_seconds = { left = [0.0], right = [0.5], any = [0.0, 0.5] } },
    { name = "run", event_seconds = { left = [0.7] } },
]
[[crowds]]
name = "waver"
rig = "people"
clips = [{ name = "wave", loop = false, phase = 0.0, event_seconds = { peak = [1.2], over = [3.0] } }]
"""
EVENTS = {0: [("left", 0.0), ("right", 0.5), ("any", 0.0), ("any", 0.5)], 1: [("left", 1.0)]}


def batches(steps, threads=1, chunk_size=512):
    """Return the events of each step, the walkers' phases before and after each step, and the motions."""
    heard, phases = [], []
    with load_scene(parse_scene(SCENE, "x", Path()), threads=threads, chunk_size=chunk_size) as world:
        playback = next(iter(world.query(Playback)))[1][0]
        world.on("clip_event", lambda event: heard[-1].append(event))
        for dt in steps:
            heard.append([])
            before = playback.phase[:, 0].copy()
            world.step(dt)
            phases.append((before, playback.phase[:, 0].copy()))
        return heard, phases, playback.motion[:, 0].copy()


def told(heard):
    return [[(e.crowd, e.clip, e.event, e.actors.tolist()) for e in step] for step in heard]


STEPS = [0.02, 0.11, 0.005, 0.2, 0.0, 0.13, 1 / 60] * 8


def test_handlers_get_one_batch_a_crowd_clip_and_event_sorted_by_actor():
    heard, phases, motion = batches(STEPS)
    for step, (before, after) in zip(heard, phases, strict=True):
        expected = {}
        for actor, number in enumerate(motion.tolist()):
            for name, at in EVENTS[number]:
                passed = between(float(before[actor]), float(after[actor] + (after[actor] < before[actor])), at)
                expected.setdefault(("walkers", ("walk", "run")[number], name), []).extend([actor] * passed)
        found = [(e.crowd, e.clip, e.event) for e in step]
        assert len(set(found)) == len(found)
        assert found == sorted(found, key=lambda key: (key[0], key[1] != "walk")), "crowd by crowd, clip by clip"
        own = {(e.crowd, e.clip, e.event): e.actors.tolist() for e in step if e.crowd == "walkers"}
        assert own == {key: actors for key, actors in expected.items() if actors}
    other = [(e.event, e.actors.tolist()) for step in heard for e in step if e.crowd == "waver"]
    assert other == [("peak", [0]), ("over", [0])]


@pytest.mark.parametrize(("threads", "chunk_size"), [(1, 7), (2, 512), (3, 4), (2, 1)])
def test_batches_depend_neither_on_threads_nor_on_chunks(threads, chunk_size):
    assert told(batches(STEPS, threads, chunk_size)[0]) == told(batches(STEPS)[0])


def test_a_step_with_more_events_than_actors():
    heard, _, motion = batches([100.0], chunk_size=8)
    counts = {(e.clip, e.event): np.bincount(e.actors, minlength=40) for e in heard[0] if e.crowd == "walkers"}
    walking = motion == 0
    assert (counts["walk", "any"] == counts["walk", "left"] + counts["walk", "right"]).all()
    assert (counts["walk", "left"][walking] >= 49).all()
    assert (counts["run", "left"] == np.where(walking, 0, counts["run", "left"].max())).sum() >= walking.sum()
    assert set(counts["run", "left"][~walking].tolist()) <= {142, 143}
    for event in heard[0]:
        assert (np.diff(event.actors) >= 0).all()


def test_worlds_do_not_hear_each_other():
    with load_scene(parse_scene(SCENE, "x", Path())) as one, load_scene(parse_scene(SCENE, "x", Path())) as other:
        heard = []
        one.on("clip_event", lambda event: heard.append("one"))
        other.on("clip_event", lambda event: heard.append("other"))
        other.step(1.0)
        assert set(heard) == {"other"}

"""The state machine kernel against a plain simulation of the machine as written."""

import operator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ecs_anim.kernels.controller import run_machines
from ecs_anim.kernels.playback import advance_playback
from ecs_anim.runtime.clip_table import build_tables
from ecs_anim.runtime.motion import Member, Motion, build_motion_set
from ecs_anim.runtime.records import FadeQueue
from ecs_anim.runtime.state_machine import Transition, build_machine, parse_condition
from tests.helpers import random_clip, random_skeleton

COMPARE = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
PARAMETERS, TRIGGERS = ("a", "b", "go", "stop"), ("go", "stop")
ACTORS, SLOTS = 5, 4
RNG = np.random.default_rng(23)
SKELETON = random_skeleton(RNG, 3)
CLIPS = [random_clip(RNG, SKELETON, f"clip_{i}", 8 + 6 * i) for i in range(4)]
LOOPS = [True, False, True, False]
MOTIONS = build_motion_set(
    [Motion(c.name, (Member(c, (0, 0)),), loops) for c, loops in zip(CLIPS, LOOPS, strict=True)],
    build_tables(SKELETON, CLIPS),
    PARAMETERS,
)


class Crowd:
    """Columns as the systems have them, and what was written of the machine."""

    def __init__(self, states, start, written):
        self.states, self.written = states, written
        transitions = [
            Transition(source, target, tuple(parse_condition(t, PARAMETERS, TRIGGERS) for t in texts), fade, keeps)
            for source, target, texts, fade, keeps in written
        ]
        self.names = list(states)
        self.machine = build_machine(states, start, transitions)
        self.state = np.full(ACTORS, self.machine.start, np.int32)
        self.elapsed = np.zeros(ACTORS, np.float32)
        self.value, self.target = np.zeros((2, ACTORS, len(PARAMETERS)), np.float32)
        self.count = np.ones(ACTORS, np.int32)
        self.motion = np.zeros((ACTORS, SLOTS), np.int32)
        self.motion[:, 0] = states[start]
        self.phase, self.speed, self.fade_time, self.fade_duration = np.zeros((4, ACTORS, SLOTS), np.float32)
        self.speed[:] = 1

    @property
    def playback(self):
        return FadeQueue(self.count, self.motion, self.phase, self.speed, self.fade_time, self.fade_duration)

    def run(self, dt):
        parameters, queue = (self.value, self.target), tuple(self.playback)
        run_machines(self.machine.arrays, MOTIONS.arrays, dt, self.state, self.elapsed, parameters, queue)

    def play(self, dt):
        advance_playback(MOTIONS.arrays, self.value, np.ones(ACTORS, np.float32), dt, 1, tuple(self.playback))

    def newest(self, actor):
        """(motion, phase, speed, fade time, fade duration) of what was asked for last."""
        slot = self.count[actor] - 1
        return tuple(column[actor, slot].item() for column in self.playback[1:])

    def expected(self, actor, dt):
        """What a step should make of an actor: state, elapsed, parameters, newest slot, and whether it cuts."""
        elapsed = np.float32(self.elapsed[actor] + dt)
        name, newest = self.names[self.state[actor]], self.newest(actor)
        values = dict(zip(PARAMETERS, self.value[actor], strict=True))
        values |= {"elapsed": elapsed, "phase": newest[1]}
        values["finished"] = newest[1] == 1 and not LOOPS[newest[0]]
        own = [w for w in self.written if w[0] == name]
        for _, target, texts, fade, keeps_phase in own + [w for w in self.written if w[0] is None and w[1] != name]:
            if all(holds(text, values) for text in texts):
                after = [
                    0.0 if p in TRIGGERS and p in texts else v
                    for p, v in zip(PARAMETERS, self.value[actor], strict=True)
                ]
                wanted = self.states[target]
                if wanted != newest[0]:
                    newest = (wanted, newest[1] if keeps_phase else 0.0, 1.0, 0.0, float(np.float32(fade)))
                return target, 0.0, after, newest, fade == 0 and newest[3:] == (0, 0)
        return name, elapsed, list(self.value[actor]), newest, False


def holds(text, values):
    words = text.split()
    if len(words) == 1:
        return values[words[0]] > 0.5
    return COMPARE[words[1]](values[words[0]], np.float32(words[2]))


def conditions():
    numbers = st.sampled_from(["0", "0.5", "1", "1.5"])
    names = st.sampled_from(["a", "b", "elapsed", "phase"])
    comparison = st.builds("{} {} {}".format, names, st.sampled_from(list(COMPARE)), numbers)
    return st.lists(st.one_of(comparison, st.sampled_from(["go", "stop", "finished"])), min_size=1, max_size=3)


@st.composite
def machines(draw):
    names = ["s0", "s1", "s2", "s3"][: draw(st.integers(1, 4))]
    states = {name: draw(st.integers(0, len(CLIPS) - 1)) for name in names}
    source = st.sampled_from([None, *names])
    written = st.tuples(source, st.sampled_from(names), conditions(), st.sampled_from([0.0, 0.1, 0.3]), st.booleans())
    return states, draw(st.sampled_from(names)), draw(st.lists(written, max_size=8))


@pytest.mark.exhaustive
@given(machines(), st.integers(0, 2**32 - 1))
@settings(max_examples=120)
def test_machines_do_what_is_written(machine, seed):
    crowd, rng = Crowd(*machine), np.random.default_rng(seed)
    for _ in range(8):
        crowd.value[:, :2] = rng.choice([0, 0.5, 1, 1.5], (ACTORS, 2))
        pulled = rng.random((ACTORS, 2)) < 0.3
        crowd.value[:, 2:][pulled] = crowd.target[:, 2:][pulled] = 1
        before_target = crowd.target.copy()
        dt = float(rng.choice([0.0, 1 / 64, 0.25, 3.0]))
        expected = [crowd.expected(actor, dt) for actor in range(ACTORS)]
        crowd.run(dt)
        for actor, (state, elapsed, values, newest, cut) in enumerate(expected):
            assert crowd.names[crowd.state[actor]] == state
            assert crowd.elapsed[actor] == elapsed
            np.testing.assert_array_equal(crowd.value[actor], values)
            used = np.array(values) != np.where(before_target[actor] > 0, 1, values)
            np.testing.assert_array_equal(crowd.target[actor], np.where(used, 0, before_target[actor]))
            assert crowd.newest(actor) == newest
            if cut:
                assert crowd.count[actor] == 1
        crowd.play(dt)


def test_one_transition_an_actor_and_step():
    chain = [("x", "y", ["a >= 0"], 0.1, False), ("y", "z", ["a >= 0"], 0.1, False)]
    crowd = Crowd({"x": 0, "y": 1, "z": 2}, "x", chain)
    seen = []
    for _ in range(3):
        crowd.run(0.1)
        seen.append(crowd.state[0].item())
    assert seen == [1, 2, 2]


def test_a_trigger_waits_for_the_transition_that_uses_it():
    written = [("x", "y", ["a > 1", "go"], 0.1, False), ("x", "z", ["b > 1"], 0.1, False)]
    crowd = Crowd({"x": 0, "y": 1, "z": 2}, "x", written)
    crowd.value[:, 2] = crowd.target[:, 2] = 1
    crowd.run(0.1)
    assert crowd.value[0, 2] == crowd.target[0, 2] == 1, "its other condition does not hold"
    crowd.value[1, 1] = 2
    crowd.value[0, 0] = 2
    crowd.run(0.1)
    assert crowd.state.tolist() == [1, 2, 0, 0, 0]
    assert crowd.value[:, 2].tolist() == [0, 1, 1, 1, 1], "who took another transition still has it"
    np.testing.assert_array_equal(crowd.value[:, 2], crowd.target[:, 2])


def test_finished_means_the_end_of_a_motion_that_does_not_loop():
    crowd = Crowd({"x": 1, "y": 0}, "x", [("x", "y", ["finished"], 0.2, False), ("y", "x", ["finished"], 0.2, False)])
    steps = 0
    while crowd.state[0] == 0:
        crowd.run(0.1)
        assert (crowd.state[0] == 1) == (crowd.phase[0, 0] == 1)
        crowd.play(0.1)
        steps += 1
        assert steps < 100
    for _ in range(40):
        crowd.run(0.1)
        crowd.play(0.1)
        assert crowd.state[0] == 1, "a loop never finishes"


def test_elapsed_counts_from_the_entry():
    crowd = Crowd(
        {"x": 0, "y": 2}, "x", [("x", "y", ["elapsed >= 0.5"], 0, False), ("y", "x", ["elapsed > 0.7"], 0, False)]
    )
    seen = []
    for _ in range(16):
        crowd.run(0.25)
        seen.append(crowd.state[0].item())
    assert seen == [0, 1, 1, 1, 0] * 3 + [0]

"""Jumps: the same to the bit as all the steps, and taken at once wherever what happens follows from time alone."""

import itertools
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ecs_anim.components.crowd import Crowd
from ecs_anim.components.parameters import Parameters
from ecs_anim.components.playback import Playback
from ecs_anim.components.timeline import Timeline
from ecs_anim.components.transforms import Transforms
from ecs_anim.ecs.jump import step_ends
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.loader import parse_scene
from ecs_anim.scenes.starting import skipping_text
from ecs_anim.support.errors import InputError
from ecs_anim.systems.crowd_handle import crowd
from tests.ecs.test_snapshot import require_same, state
from tests.helpers import EXHAUSTIVE, FEW, some

DT = 1 / 60
SCENES = sorted(path.stem for path in (Path(__file__).parents[2] / "scenes").glob("*.toml"))
FROM_TIME = ("single", "grid", "twist", "materials", "ik_chains")  # in every frame
ACTORS = {"actors": FEW or 24, "seed": 3, "threads": 1}
FRAMES = (1, 9, 25) if FEW else (1, 34, 150)

BLENDS = """
[rigs.people]
model = "mannequin"
[[crowds]]
name = "people"
rig = "people"
count = 20
layout = { kind = "grid", spacing = 1 }
parameters = { speed = [0.0, 3.0], share = [0.0, 1.0], aim = [-1.0, 1.0] }
clips = [{ name = "wave", loop = false, phase = 0.2, speed = [-0.5, 0.5] }]
blend_spaces = [{ name = "gait", parameters = ["speed"], members = [{ clip = "idle" }, { clip = "run" }] }]
layers = [
    { clip = "lean_left", weight = "share", phase = "time", speed = 0.3 },
    { clip = "wave", weight = 0.5, phase = "share" },
    { clip = "jump", weight = 0.5, phase = "time", loop = false },
]
"""
EVENTS = """
[rigs.people]
model = "mannequin"
[[crowds]]
name = "people"
rig = "people"
count = 9
layout = { kind = "grid", spacing = 1 }
clips = [{ name = "walk", event_seconds = { left = [0.1], right = [0.6] } }]
"""


def made(text, **options):
    return load_scene(parse_scene(text, "made.toml", Path()), threads=1, **options)


def step_through(world, steps):
    for _ in range(steps):
        world.step(DT)


@pytest.mark.parametrize("name", some(SCENES, "single", "throng", "controllers", "hills", "look_at"))
def test_a_jump_ends_where_the_steps_end(name):
    with load_scene(name, **ACTORS) as world, load_scene(name, **ACTORS) as other:
        for before, frame in itertools.pairwise((0, *FRAMES)):
            step_through(world, frame - before)
            other.skip(frame - before, DT)
            require_same(state(other), state(world))
        with load_scene(name, **ACTORS) as jumped:
            jumped.skip(FRAMES[-1], DT)
            require_same(state(jumped), state(world))


@pytest.mark.parametrize("name", FROM_TIME)
def test_what_follows_from_time_is_not_stepped(name):
    with load_scene(name, **ACTORS) as world:
        world.skip(3_000_000, DT)
        assert world.jump.stepped == 0
        assert world.frame == 3_000_000


@EXHAUSTIVE
def test_blends_layers_and_clips_that_end_skip_too():
    with made(BLENDS) as world, made(BLENDS) as jumped:
        step_through(world, 200)
        jumped.skip(60, DT)
        jumped.skip(140, DT)
        assert jumped.jump.stepped == 0
        require_same(state(jumped), state(world))


@pytest.mark.parametrize("name", ["blend", "crossfade", "additive", "morph"])
def test_only_what_is_in_flight_is_stepped(name):
    """Steps that begin in the midst of a fade or of a change, and those with a cue; counted where all are taken."""
    frames, needed = 75 if FEW else 320, 0
    with load_scene(name, **ACTORS) as world, load_scene(name, **ACTORS) as jumped:
        for _ in range(frames - 1):
            busy = any((playback.slot_count > 1).any() for _, (playback,) in world.query(Playback))
            busy |= any((own.value != own.target).any() for _, (own,) in world.query(Parameters))
            fired = [cue.fired for _, (timeline,) in world.query(Timeline) for cue in timeline.cues]
            world.step(DT)
            after = [cue.fired for _, (timeline,) in world.query(Timeline) for cue in timeline.cues]
            needed += busy or fired != after
        world.step(DT)
        jumped.skip(frames, DT)
        assert jumped.jump.stepped == needed
        require_same(state(jumped), state(world))
        assert needed < frames - 1 or name == "crossfade"


def test_who_was_stepped_is_told():
    with load_scene("throng", actors=4, threads=1) as world:
        world.skip(10, DT)
        assert skipping_text(world) == "at frame 10, 0.17 s; 9 steps were simulated one by one, for people (locomotion)"
    with load_scene("additive", threads=1) as world:
        world.skip(130, DT)
        assert "for timeline, leaners (parameters)" in skipping_text(world)
        world.skip(1, DT)
        assert skipping_text(world) == f"at frame 131, {131 / 60:.2f} s"


@given(st.floats(0, 1e6), st.floats(1e-9, 1e3), st.integers(1, 300))
def test_the_clock_is_the_sum_of_all_steps(time, dt, steps):
    ends = step_ends(time, dt, steps).tolist()
    for end in ends:
        time += dt
        assert end == time
    assert len(ends) == steps


@given(st.lists(st.integers(0, 40), max_size=6))
@settings(max_examples=6)
@EXHAUSTIVE
def test_jumps_add_up(parts):
    with made(BLENDS, actors=5) as world, made(BLENDS, actors=5) as whole:
        for steps in parts:
            world.skip(steps, DT)
        whole.skip(sum(parts), DT)
        assert world.time == whole.time
        if parts and parts[-1]:
            require_same(state(world), state(whole))


@pytest.mark.parametrize(("steps", "dt"), [(-1, DT), (3, 0.0), (3, -DT), (3, math.inf), (3, math.nan)])
def test_jumps_go_forward_by_finite_steps(steps, dt):
    with load_scene("single", threads=1) as world, pytest.raises(ValueError, match="must be"):
        world.skip(steps, dt)


def test_whoever_listens_to_clip_events_hears_those_of_each_step():
    heard, expected = [], []
    with made(EVENTS) as world, made(EVENTS) as jumped:
        for own, found in ((world, expected), (jumped, heard)):
            own.on("clip_event", lambda event, found=found: found.append((event.event, event.actors.tolist())))
        step_through(world, 90)
        jumped.skip(90, DT)
        assert heard == expected
        assert len(heard) > 5
        assert skipping_text(jumped).endswith("for dispatch")


def test_events_of_skipped_steps_are_not_kept_for_later():
    heard, expected = [], []
    with made(EVENTS) as world, made(EVENTS) as jumped:
        step_through(world, 90)
        jumped.skip(90, DT)
        assert jumped.jump.stepped == 0
        for own, found in ((world, expected), (jumped, heard)):
            own.on("clip_event", lambda event, found=found: found.append((event.event, event.actors.tolist())))
            step_through(own, 40)
        assert heard == expected
        assert heard


def test_a_walk_that_an_actor_is_asked_for_meanwhile_counts():
    with load_scene("grid", **ACTORS) as world, load_scene("grid", **ACTORS) as jumped:
        for own, go in ((world, step_through), (jumped, lambda own, steps: own.skip(steps, DT))):
            go(own, 50)
            people = crowd(own, own.get(next(own.query(Crowd))[0], Crowd).name)
            people.fade_to([1, 3], "run", 0.5)
            go(own, 90)
        require_same(state(jumped), state(world))
        assert 25 < jumped.jump.stepped < 35


class Turn:
    """Turns about: x of the rotation counts steps, so that a step too few or too many shows."""

    name, components = "turn", (Transforms,)

    def run(self, chunk, transforms):
        if chunk.dt > 0:
            transforms.translation[chunk.rows, 0] += 1


class TurnAtOnce(Turn):
    def __init__(self):
        self.at_once = []

    def can_skip(self, transforms):
        return bool((transforms.translation[:, 0] >= 10).all())

    def skip(self, chunk, steps, transforms):
        self.at_once.append(steps)
        transforms.translation[chunk.rows, 0] += steps


class Watch:
    """A world system of a user's own."""

    name = "watch"

    def __init__(self):
        self.frames = []

    def run(self, world, dt):
        self.frames.append(world.frame)


class WatchTens(Watch):
    """Needs the steps from a frame that is a multiple of ten."""

    def free_steps(self, world, ends):
        return min(-world.frame % 10, len(ends))


def test_systems_of_the_users_own_are_stepped():
    with load_scene("single", threads=1, systems=[(Turn(), "after", "playback")]) as world:
        world.skip(30, DT)
        assert next(world.query(Transforms))[1][0].translation[0, 0] == 30
        assert world.jump.stepped == 29
        assert "(turn)" in skipping_text(world)
    watch = Watch()
    with load_scene("single", threads=1, systems=[(watch, "before", "chunks")]) as world:
        world.skip(30, DT)
    assert watch.frames == [0, *range(30)]


def test_systems_of_the_users_own_may_skip_when_they_say_so():
    own, watch = TurnAtOnce(), WatchTens()
    with load_scene("single", threads=1, systems=[(own, "after", "playback"), (watch, "after", "dispatch")]) as world:
        world.skip(45, DT)
        assert next(world.query(Transforms))[1][0].translation[0, 0] == 45
    assert own.at_once == [9, 9, 9, 3]  # from the first step after 10, to the next multiple of ten, to the last step
    assert watch.frames == [0, *range(11), 20, 30, 40, 44]


@pytest.mark.parametrize(("free", "steps"), [(-1, range(30)), (math.inf, [29])])
def test_a_system_that_says_an_impossible_number_is_taken_at_the_nearest_one(free, steps):
    class Odd(Watch):
        def free_steps(self, world, ends):
            return free

    watch = Odd()
    with load_scene("single", threads=1, systems=[(watch, "before", "chunks")]) as world:
        world.skip(30, DT)
        assert world.frame == 30
    assert watch.frames == [0, *steps]


def test_half_a_skip_is_refused():
    class Half(Turn):
        def can_skip(self, transforms):
            return True

    class Other(Watch):
        def free_steps(self, world):
            return 0

    with pytest.raises(InputError, match=r"Half must have a method skip\(self, chunk, steps, Transforms\)"):
        load_scene("single", systems=[(Half(), "after", "playback")])
    with pytest.raises(InputError, match=r"Other must have a method free_steps\(self, world, ends\)"):
        load_scene("single", systems=[(Other(), "after", "dispatch")])


def test_threads_and_chunks_do_not_matter():
    states = []
    for threads, chunk_size in [(1, 512), (3, 1)]:
        with load_scene("grid", threads=threads, chunk_size=chunk_size) as world:
            world.skip(12345, DT)
            states.append(state(world))
    require_same(*states)
    assert np.isfinite(states[0][2])

"""Gaits brought into step: after it, feet touch down together, as measured on the poses."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ecs_anim.assets.clip import Clip
from ecs_anim.assets.track import Track
from ecs_anim.maths import quaternion
from ecs_anim.runtime.phase_sync import (
    contact_spans,
    phase_shown,
    retime,
    source_phase,
    synchronise,
)
from ecs_anim.scenes.rigs import load_model
from tests.helpers import contact_phases, random_skeleton

SKELETON = random_skeleton(np.random.default_rng(0), 3)
FEET = ("joint_1", "joint_2")
GRAIN = 0.02  # of the measured phases: the keys of two clips, 1/120 s apart at most


def stepper(name, duration, spans, start=0.5):
    """A clip whose feet are at height 0 within their spans (of phase, which may go on beyond 1), and higher outside."""
    phase = np.linspace(0, 1, 241)
    tracks, contacts = [], {}
    for joint, own in enumerate(spans, 1):
        down = np.zeros(len(phase), bool)
        contacts[FEET[joint - 1]] = []
        for first, last in own:
            down |= np.mod(phase - first, 1) <= last - first + 1e-9
            parts = [(0, last - 1), (first, 1)] if last > 1 else [(first, last)]
            contacts[FEET[joint - 1]] += [[a * duration, b * duration] for a, b in parts]
        values = np.stack([0 * phase, np.where(down, 0.0, 1.0), 0 * phase], axis=-1).astype(np.float32)
        tracks.append(Track(joint, "translation", "LINEAR", (start + phase * duration).astype(np.float32), values))
    times = tracks[0].times
    return Clip(name, SKELETON, tuple(tracks), float(times[0]), float(times[-1]), {"contacts": contacts})


def measured(clip):
    """Phases at which each foot comes down, from the poses."""
    phase = np.arange(2000) / 2000
    height = clip.sample(clip.start + phase * clip.duration).translation[:, 1:, 1]
    down = height < 0.5
    return [np.flatnonzero(down[:, foot] & ~np.roll(down[:, foot], 1)) / 2000 for foot in (0, 1)]


def assert_in_step(clips):
    wanted = measured(clips[0])
    for clip in clips[1:]:
        for own, other in zip(wanted, measured(clip), strict=True):
            assert len(own) == len(other)
            apart = np.abs(np.mod(own[:, None] - other + 0.5, 1) - 0.5).min(axis=1)
            assert apart.max() < GRAIN


WALK = stepper("walk", 1.0, [[(0.0, 0.6)], [(0.5, 1.1)]])
CASES = {
    "in step already": stepper("run", 0.7, [[(0.0, 0.36)], [(0.5, 0.86)]]),
    "later": stepper("run", 0.7, [[(0.2, 0.55)], [(0.7, 1.1)]]),
    "earlier, over the seam": stepper("run", 0.7, [[(0.9, 1.3)], [(0.4, 0.8)]]),
    "the other foot first": stepper("run", 0.7, [[(0.5, 0.86)], [(0.0, 0.36)]]),
    "limping": stepper("run", 1.4, [[(0.1, 0.5)], [(0.4, 1.05)]]),
}


@pytest.mark.parametrize("other", CASES.values(), ids=CASES)
def test_feet_touch_down_together(other):
    clips = synchronise([WALK, other])
    assert_in_step(clips)
    assert [clip.duration for clip in clips] == [WALK.duration, other.duration]
    for clip in clips:
        found = measured(clip)
        for foot, name in enumerate(FEET):
            written = [start for start, _ in contact_spans(clip)[name]]
            assert np.abs(np.mod(found[foot] - written + 0.5, 1) - 0.5).max() < GRAIN, "contacts are re-timed as well"


@given(st.lists(st.tuples(st.floats(0.05, 0.95), st.floats(0.3, 0.7), st.floats(0.8, 1.5)), min_size=2, max_size=3))
@settings(max_examples=25)
def test_any_two_footed_gaits_fall_into_step(gaits):
    """However they are turned against each other, and however much they limp."""
    clips = [
        stepper(f"gait_{i}", duration, [[(left, left + 0.1)], [((left + gap) % 1, (left + gap) % 1 + 0.1)]])
        for i, (left, gap, duration) in enumerate(gaits)
    ]
    assert_in_step(synchronise(clips))


def test_two_steps_of_a_foot():
    first = stepper("first", 1.0, [[(0.0, 0.2), (0.5, 0.7)], [(0.3, 0.4)]])
    other = stepper("other", 1.0, [[(0.1, 0.2), (0.75, 0.85)], [(0.35, 0.5)]])
    assert_in_step(synchronise([first, other]))


def test_clips_in_step_are_left_alone():
    clips = [WALK, CASES["in step already"]]
    assert synchronise(clips) == clips


def test_the_mannequin_walks_and_runs_in_step():
    clips = load_model("mannequin").clips
    walk, run = clips["walk"], clips["run"]
    assert synchronise([walk, run]) == [walk, run], "its contacts fall at the same phases"
    late = retime(run, contact_phases(run) + 0.3, contact_phases(run))
    assert contact_phases(late) == pytest.approx([0.3, 0.8])
    both = synchronise([walk, late])
    np.testing.assert_allclose(contact_phases(both[0]), contact_phases(both[1]), atol=1e-4)
    phase = np.arange(50) / 50
    shown = both[1].sample(run.start + phase * run.duration)
    expected = run.sample(run.start + np.mod(phase - 0.15, 1) * run.duration)
    apart = quaternion.angle_between(shown.rotation.astype(np.float64), expected.rotation.astype(np.float64))
    assert apart.max() < np.radians(2)


def test_where_a_retimed_clip_shows_what():
    late = retime(WALK, np.array([0.1, 0.8]), np.array([0.0, 0.5]))
    np.testing.assert_allclose(phase_shown(late, [0.0, 0.25, 0.5, 0.75, 1.0]), [0.1, 0.45, 0.8, 0.95, 0.1])
    phase = np.linspace(0, 0.999, 50)
    np.testing.assert_allclose(source_phase(late, phase_shown(late, phase)), phase, atol=1e-9)
    np.testing.assert_array_equal(phase_shown(WALK, phase), phase)
    np.testing.assert_array_equal(source_phase(WALK, [0, 1]), [0, 1])


def test_a_retimed_loop_closes():
    late = retime(WALK, np.array([0.13, 0.9]), np.array([0.02, 0.5]))
    ends = late.sample(np.array([late.start, late.end]), loop=False)
    np.testing.assert_array_equal(ends.translation[0], ends.translation[1])


def with_contacts(contacts, duration=1.0):
    return replace(WALK, end=WALK.start + duration, extras={"contacts": contacts})


@pytest.mark.parametrize(
    ("contacts", "phases"),
    [
        ({"a": [[0.0, 0.6]], "b": [[0.0, 0.1], [0.5, 1.0]]}, [0, 0.5]),
        ({"a": [[0.2, 0.6]]}, [0.2]),
        ({"a": [[0.5, 1.0], [0.0, 0.1]]}, [0.5]),
        ({"a": [[0.0, 0.1], [0.3, 0.4], [0.9, 0.9998]]}, [0.3, 0.9]),
        ({"a": [[0.0, 0.1], [0.9, 0.99]]}, [0, 0.9]),
        ({"a": [], "b": [[0.25, 0.5]]}, [0.25]),
        ({"a": [[0.5, 0.75]], "b": [[0.5, 0.75]]}, [0.5, 0.5]),
    ],
)
def test_contacts_begin_where_a_foot_comes_down(contacts, phases):
    assert contact_phases(with_contacts(contacts)) == pytest.approx(phases)


def test_contacts_in_rounded_seconds_still_meet_at_the_seam():
    clip = with_contacts({"a": [[0.0, 0.1], [0.5, 1.0583]]}, duration=127 / 120)
    assert contact_phases(clip) == pytest.approx([0.5 / (127 / 120)])


@pytest.mark.parametrize(
    ("contacts", "message"),
    [
        (None, "extras must contain"),
        ({}, "extras must contain"),
        ([], "extras must contain"),
        ({"a": []}, "extras must contain"),
        ({"a": [[0.0, 1.0]]}, "each foot must leave the ground"),
        ({"a": 3}, "must be an interval"),
        ({"a": "long"}, "must be an interval"),
        ({"a": [[0.1, 0.2, 0.3]]}, "must be an interval"),
        ({"a": [[0.1]]}, "must be an interval"),
        ({"a": {"x": 1}}, "must be an interval"),
        ({"a": [[0.1, 1.2]]}, "within the duration of the clip, 1 s"),
        ({"a": [[-0.1, 0.2]]}, "within the duration of the clip"),
        ({"a": [[0.3, 0.2]]}, "within the duration of the clip"),
        ({"a": [[0.3, float("nan")]]}, "within the duration of the clip"),
    ],
)
def test_contacts_that_cannot_be_are_told(contacts, message):
    with pytest.raises(ValueError, match=f"clip 'walk'.*{message}"):
        contact_phases(with_contacts(contacts))


def test_gaits_that_do_not_go_together_are_told():
    hop = stepper("hop", 1.0, [[(0.2, 0.5)], []])
    with pytest.raises(ValueError, match="clip 'hop' must have as many foot contacts as clip 'walk': 2 .got 1."):
        synchronise([WALK, hop])
    two_left = stepper("skip", 1.0, [[(0.2, 0.3), (0.6, 0.7)], []])
    with pytest.raises(ValueError, match="the feet in clip 'skip' must touch down in the same order as in clip 'walk'"):
        synchronise([WALK, two_left])

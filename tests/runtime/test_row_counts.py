"""How many rows clips get: whole numbers of frames, counted back from float32 times; and the limit on memory."""

import re
from itertools import pairwise

import numpy as np
import pytest

from ecs_anim.assets.clip import Clip
from ecs_anim.assets.keyframes import KeyframeCurve
from ecs_anim.assets.morphs import MorphTargets, MorphTrack
from ecs_anim.assets.track import Track
from ecs_anim.runtime.clip_table import build_tables
from ecs_anim.runtime.even_times import BLOCK, even_times
from ecs_anim.runtime.morph_tables import build_morph_tables
from ecs_anim.runtime.phase_sync import retime
from ecs_anim.runtime.row_counts import MAX_RATE, check_rows, intervals_at, is_above_max_rate, key_interval_count
from ecs_anim.support.errors import InputError
from tests.helpers import random_clip, random_skeleton

RNG = np.random.default_rng(17)
SKELETON = random_skeleton(RNG, 4)
RATES = (24.0, 25.0, 29.97, 30.0, 48.0, 60.0, 100.0, 120.0, 240.0)
COUNTS = [*range(1, 400), 999, 3600, 20_001]


def lasting(start, end):
    return Clip("a", SKELETON, (), float(start), float(end))


def frame_times(frames, rate):
    """Times of frames [n] f32, two ways in which exporters count them."""
    frames = np.asarray(frames)
    yield (frames / rate).astype(np.float32)
    yield frames.astype(np.float32) * np.float32(1 / rate)


def clips_of_frames(rate):
    """Clips of n frames that begin at different ones, with n."""
    for first in (0, 1, 7, 480):
        for count in COUNTS:
            for start, end in frame_times([first, first + count], rate):
                yield count, lasting(start, end)


@pytest.mark.parametrize("rate", RATES)
def test_whole_frames_get_as_many_intervals(rate):
    wrong = [count for count, clip in clips_of_frames(rate) if intervals_at(clip, rate) != count]
    assert wrong == []


def test_a_part_of_a_frame_gets_an_interval_of_its_own():
    for count in COUNTS:
        assert intervals_at(lasting(0, np.float32((count + 0.02) / 30)), 30) == count + 1
    assert intervals_at(lasting(0.5, 0.5), 30) == 0
    assert intervals_at(lasting(1e6, np.float32(1e6 + 0.0625)), 30) == 1, "shorter than its rounding"


@pytest.mark.parametrize("rate", [rate for rate in RATES if rate >= 15])
def test_rows_fall_on_keys(rate):
    for count in (3, 36, 191, 4000, 20_001):
        for first in (0, 480):
            for times in frame_times(np.arange(first, first + count + 1), rate):
                assert key_interval_count(lasting(times[0], times[-1]), [times]) == count


def test_sparse_keys_get_rows_between():
    times = np.float32([0, 0.5, 1.0, 1.5])
    assert key_interval_count(lasting(0, 1.5), [times]) == 24, "15 a second: 7.5 for each key, so 8"
    assert key_interval_count(lasting(0, 1.5), [times, np.float32([0, 0.1, 0.2])]) == 30
    assert key_interval_count(lasting(0, 2.0), []) == 30


def test_the_highest_rate_is_not_above_itself():
    assert not [count for count, clip in clips_of_frames(MAX_RATE) if is_above_max_rate(clip, count)]
    assert not [count for count, clip in clips_of_frames(MAX_RATE) if not is_above_max_rate(clip, count + 1)]


@pytest.mark.parametrize("steps", [0, 1, 8, 2 * BLOCK])
@pytest.mark.parametrize("overlap", [0, 1])
def test_blocks_of_times_are_all_times(steps, overlap):
    clip = lasting(0.25, 2.0)
    blocks = list(even_times(clip, steps, overlap))
    assert max(map(len, blocks)) * (SKELETON.joint_count + SKELETON.palette_count) <= BLOCK
    assert all(len(block) % 8 == overlap for block in blocks[:-1])
    assert all(a[-1] == b[0] for a, b in pairwise(blocks) if overlap)
    times = np.concatenate([blocks[0], *(block[overlap:] for block in blocks[1:])])
    np.testing.assert_allclose(times, np.linspace(0.25, 2.0, steps + 1) if steps else [0.25], rtol=1e-15)


def long_clip(seconds, *, moves=True):
    """From one key to another, of a joint and of a morph target."""
    times = np.float32([0, seconds])
    track = Track(1, "translation", "LINEAR", times, np.float32([[0, 0, 0], [1, 1, 1]]))
    weights = MorphTrack(np.array([0], np.int32), KeyframeCurve("LINEAR", times, np.float32([[0], [1]])))
    targets = MorphTargets(("smile",), np.zeros(1, np.int32), np.zeros(1, np.float32))
    return Clip("long", SKELETON, (track,) * moves, 0.0, float(times[1]), {}, targets, (weights,))


@pytest.mark.parametrize("seconds", [1e6, 1e30, 3e38])
def test_what_would_not_fit_is_told_before_it_is_made(seconds):
    clip, phases = long_clip(seconds), np.array([0.2, 0.7])
    made = {
        "Shorten": [lambda: build_tables(SKELETON, [clip]), lambda: build_morph_tables([clip])],
        "phase": [lambda: retime(clip, phases, phases)],
    }
    for advice, calls in made.items():
        for call in calls:
            with pytest.raises(InputError, match=rf"clip 'long' of {re.escape(f'{clip.duration:g}')} s .*{advice}"):
                call()


def test_the_limit_is_of_all_clips_together_and_can_be_raised(monkeypatch):
    clips = [random_clip(RNG, SKELETON, name) for name in "abc"]
    tables = build_tables(SKELETON, clips)
    needed = len(tables.rows) * 1024
    assert tables.rows.nbytes <= needed, "narrow rows count for a kilobyte"
    monkeypatch.setenv("ECS_ANIM_LIMIT_ROW_BYTES", str(needed))
    np.testing.assert_array_equal(build_tables(SKELETON, clips).rows, tables.rows)
    monkeypatch.setenv("ECS_ANIM_LIMIT_ROW_BYTES", str(needed - 1))
    with pytest.raises(
        InputError, match=f"clip 'c'.* besides {len(tables.rows) - len(tables.clip_rows(2))} rows of other"
    ):
        build_tables(SKELETON, clips)
    for wrong in ("-1", "1e9", "much", "\u00b2", "9" * 5000):
        monkeypatch.setenv("ECS_ANIM_LIMIT_ROW_BYTES", wrong)
        with pytest.raises(InputError, match="must be a positive integer"):
            build_tables(SKELETON, clips)


def test_wide_rows_count_for_what_they_take(monkeypatch):
    monkeypatch.setenv("ECS_ANIM_LIMIT_ROW_BYTES", str(10 * 4 * 1000))
    check_rows(lasting(0, 1), 9, 1000, 0, "")
    with pytest.raises(InputError, match="10 rows of 1001 numbers"):
        check_rows(lasting(0, 1), 9, 1001, 0, "")

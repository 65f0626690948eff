"""Roots from heads: walkers whose steps are known by construction."""

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

from ecs_anim.maths.plan import heading_of_direction
from ecs_anim.support.errors import InputError
from ecs_anim.trajectories import ReadOptions, RootOptions, Trajectories, load, root_report, roots
from ecs_anim.trajectories.step_phase import PRIOR, SPEED, SWAY
from tests.helpers import EXHAUSTIVE

MIDDLE = slice(75, -75)  # three seconds from the ends, at 25 Hz


def people(times, paths, **more):
    """Return trajectories of people seen at times [n] on paths [n, 2] each."""
    counts = [len(own) for own in times]
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.intp)
    return Trajectories(np.arange(len(times)), starts, np.concatenate(times), np.concatenate(paths), **more)


def walker(speed, stride_rate, *, sway=0.035, ahead=0.0, phase=0.0, heading=0.0, turn=0.0, rate=25.0, seconds=20.0):
    """Return times, path of the head, path of the body and phase of a person that turns by `turn` [rad/s].

    The head is furthest left where the phase is whole, and `ahead` of the body as recordings show it.
    """
    times = np.arange(round(seconds * rate)) / rate
    angle = heading + turn * times  # counter-clockwise on the map, from east
    forward = np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    if turn:
        body = speed / turn * np.stack([np.sin(angle), -np.cos(angle)], axis=-1)
    else:
        body = speed * times[:, None] * forward
    phases = phase + stride_rate * times
    left = np.stack([-forward[:, 1], forward[:, 0]], axis=-1)
    aside = sway * np.cos(2 * np.pi * phases)
    along = ahead * np.cos(4 * np.pi * phases + np.radians(42))
    return times, body + aside[:, None] * left + along[:, None] * forward, body, phases


def apart(a, b, period=1.0):
    """How far phases are apart, at most half a period."""
    return np.abs((a - b + period / 2) % period - period / 2)


@pytest.mark.parametrize("phase", [0.0, 0.3, 0.8])
@pytest.mark.parametrize("heading", [0.0, 1.0, 4.0])
@pytest.mark.parametrize(
    ("speed", "stride_rate", "turn"), [(1.36, 0.96, 0), (1.43, 1.0, 0.2), (1.0, 0.88, -0.2), (0.53, 0.68, 0.05)]
)
@EXHAUSTIVE
def test_steps_are_found_where_sway_shows_them_and_left_is_left(speed, stride_rate, turn, heading, phase):
    """Speeds and stride rates are those of recordings (MOVEMENT.md): not what the prior says."""
    times, heads, body, phases = walker(speed, stride_rate, phase=phase, heading=heading, turn=turn)
    own = roots(people([times], [heads]))
    assert np.all(own.evidence[MIDDLE] == SWAY)
    assert apart(own.phase, phases)[MIDDLE].max() < 0.04
    assert np.sqrt(np.sum((own.xy - body) ** 2, axis=-1))[MIDDLE].max() < 0.012
    assert np.abs(own.sway[MIDDLE] - 0.035).max() < 0.006
    assert np.all(np.diff(own.phase) >= 0)


@EXHAUSTIVE
def test_a_mirrored_map_swaps_the_feet():
    times, heads, _, phases = walker(1.3, 0.95)
    mirrored = roots(people([times], [heads * [1, -1]]))
    assert apart(mirrored.phase, phases + 0.5)[MIDDLE].max() < 0.04


@EXHAUSTIVE
def test_speed_shows_steps_where_sway_does_not():
    """Not which foot's: the phase is right up to half a stride."""
    times, heads, _, phases = walker(1.36, 0.96, sway=0.0, ahead=0.008)
    own = roots(people([times], [heads]))
    assert np.all(own.evidence[MIDDLE] == SPEED)
    assert apart(own.phase, phases, 0.5)[MIDDLE].max() < 0.05


@EXHAUSTIVE
def test_noise_shows_no_steps_and_the_prior_keeps_the_walk_ratio():
    """Step length by cadence is 0.0065 m by steps a minute (Sekiya and others 1996)."""
    times, heads, _, _ = walker(1.4, 1.0, sway=0.0)
    heads = heads + np.random.default_rng(0).normal(0, 0.002, heads.shape)
    own = roots(people([times], [heads]))
    assert np.all(own.evidence[MIDDLE] == PRIOR)
    steps_a_minute = 2 * 60 * (own.phase[-1] - own.phase[0]) / (times[-1] - times[0])
    assert 1.4 / (steps_a_minute / 60) / steps_a_minute == pytest.approx(0.0065, rel=0.01)


def test_bodies_that_stand_take_no_steps():
    still = np.zeros((200, 2))
    own = roots(people([np.arange(200) / 25], [still]))
    assert not own.phase.any()
    assert not own.velocity.any()
    assert own.heading.tolist() == [-np.pi / 2] * 200


# Facing


def test_bodies_face_where_they_go_a_tenth_of_a_second_later():
    """A first-order lag behind an even turn is the turn in that time; turning left adds to the heading."""
    times, _, body, _ = walker(1.3, 1, sway=0, turn=0.5, heading=0.3)
    own = roots(people([times], [body]))
    wanted = heading_of_direction(np.stack([np.cos(0.3 + 0.5 * times), np.sin(0.3 + 0.5 * times)], axis=-1))
    late = np.unwrap(wanted)[MIDDLE] - own.heading[MIDDLE]
    np.testing.assert_allclose(late - 2 * np.pi * np.rint(late / (2 * np.pi)), 0.05, atol=0.002)


def test_bodies_keep_their_facing_while_they_hardly_move():
    """East, then slowly north, then north: they turn only with the last."""
    speeds = np.repeat([[1.2, 0.0], [0.0, 0.12], [0.0, 1.2]], 150, axis=0)
    times = np.arange(450) / 25
    own = roots(people([times], [np.cumsum(speeds, axis=0) / 25]))
    east, north = heading_of_direction(np.array([1.0, 0.0])), heading_of_direction(np.array([0.0, 1.0]))
    np.testing.assert_allclose(own.heading[75:130], east, atol=0.02)
    np.testing.assert_allclose(own.heading[200:270], own.heading[200], atol=1e-12)
    assert abs(own.heading[-1] - north) < 1e-3
    turning = np.abs(np.diff(own.heading)) * 25
    assert turning.max() < np.radians(700)


def test_who_never_walks_faces_where_the_recording_says():
    still, times = np.zeros((50, 2)), np.arange(50) / 25
    headings = np.tile([1.0, 0.0], (50, 1))
    headings[:3] = 0.0  # not known yet
    own = roots(people([times], [still], heading_vectors=headings))
    np.testing.assert_allclose(own.heading, 0.0, atol=1e-12)


def test_headings_of_zero_in_a_file_are_not_known(tmp_path):
    """Person 1 stands, and one row in three says where they face; person 2 goes north, and no row does."""
    rows = ["id,frame,x_m,y_m,ori_x,ori_y"]
    rows += [f"1,{k},0,0,{int(k % 3 == 1)},0" for k in range(50)] + [f"2,{k},5,{k / 25},0,0" for k in range(50)]
    (tmp_path / "x.csv").write_text("\n".join(rows))
    read = load(tmp_path / "x.csv", ReadOptions(rate=25))
    assert np.isnan(read.headings[:3]).tolist() == [True, False, True]
    own = roots(read)
    east, north = heading_of_direction(np.array([1.0, 0.0])), heading_of_direction(np.array([0.0, 1.0]))
    np.testing.assert_allclose(own.heading[:50], east, atol=1e-6)
    np.testing.assert_allclose(np.cos(own.heading[50:] - north), 1, atol=1e-6)


@pytest.mark.parametrize("cutoff", [0.6, None], ids=["heads", "no heads"])
def test_headings_of_the_recording_count_for_more_than_the_path_and_lose_what_is_fast(cutoff):
    """They go east and look north, and shake their head three times a second."""
    times = np.arange(300) / 25
    angle = np.pi / 2 + 0.4 * np.sin(2 * np.pi * 3 * times)
    headings = np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    path = np.stack([1.2 * times, 0 * times], axis=-1)
    own = roots(people([times], [path], heading_vectors=headings), RootOptions(cutoff=cutoff))
    assert apart(own.heading[MIDDLE], heading_of_direction(np.array([0.0, 1.0])), 2 * np.pi).max() < 0.03


def test_turns_of_a_simulation_are_as_calm_as_those_of_heads():
    """A person that zigzags three times a second faces the mean direction, and keeps its positions."""
    times = np.arange(300) / 25
    path = np.stack([1.2 * times, 0.05 * np.sin(2 * np.pi * 3 * times)], axis=-1)
    own = roots(people([times], [path]), RootOptions(cutoff=None))
    np.testing.assert_array_equal(own.xy, path)
    assert apart(own.heading[MIDDLE], heading_of_direction(np.array([1.0, 0.0])), 2 * np.pi).max() < 0.03


@pytest.mark.parametrize("pace", [0.65, 1.0, 1.45])
def test_people_may_step_much_more_often_or_seldom_than_most(pace):
    stride_rate = pace * 0.5 * np.sqrt(1.2 / 0.39)
    times, heads, _, phases = walker(1.2, stride_rate, phase=0.2)
    own = roots(people([times], [heads]))
    assert np.all(own.evidence[MIDDLE] == SWAY)
    assert apart(own.phase, phases)[MIDDLE].max() < 0.06


def test_facing_does_not_leap():
    times, _, body, _ = walker(1.3, 1, sway=0, turn=1.0, seconds=30)
    own = roots(people([times], [body]))
    assert np.abs(np.diff(own.heading)).max() < 0.1
    assert abs(own.heading[-1] - own.heading[0]) > 4 * np.pi


# Gaps and jumps


def test_short_gaps_are_closed_and_long_ones_left_open():
    times = np.arange(500) / 25
    kept = np.ones(500, bool)
    kept[100:125] = kept[300:400] = False  # 1.04 s, 4.04 s
    path = np.stack([1.2 * times, 0 * times], axis=-1)
    own = roots(people([times[kept]], [path[kept]]))
    assert own.ids.tolist() == [0, 0]
    report = root_report(own)
    assert [(gap.id, round(gap.start, 9), round(gap.seconds, 9)) for gap in report.closed_gaps] == [(0, 3.96, 1.04)]
    assert [(gap.id, round(gap.start, 9), round(gap.seconds, 9)) for gap in report.open_gaps] == [(0, 11.96, 4.04)]
    np.testing.assert_allclose(own.at([0], 4.5).xy, [[5.4, 0.0]], atol=1e-3)


def test_jumps_cut_and_single_samples_far_away_are_left_out():
    times = np.arange(300) / 25
    path = np.stack([1.2 * times, 0 * times], axis=-1)
    path[200:] += [0.0, 3.0]
    path[100] += [2.0, 0.0]
    own = roots(people([times], [path]))
    report = root_report(own)
    assert [(jump.id, jump.time) for jump in report.jumps] == [(0, 8.0)]
    assert report.jumps[0].metres == pytest.approx(np.hypot(1.2 / 25, 3.0))
    assert [(jump.id, jump.time) for jump in report.dropped] == [(0, 4.0)]
    assert len(own.ids) == report.stretches == 2
    np.testing.assert_allclose(own.at([0], 4.0).xy, [[4.8, 0.0]], atol=1e-3)


def test_steps_in_time_that_differ_too_much_are_told_before_they_are_made_even():
    """A microsecond in the median, and a second now and then: a million samples for each."""
    times = np.cumsum(np.tile([1e-6, 1e-6, 1.5], 20_000))
    path = np.stack([times, 0 * times], axis=-1)
    with pytest.raises(
        InputError, match=r"resampling to one sample per 1e-06 s takes too much memory: .* Remove samples"
    ):
        roots(people([times], [path]))


# Sparse samples


@pytest.mark.parametrize("rate", [1.0, 2.5])
def test_sparse_samples_become_smooth_paths_through_their_points(rate):
    rng = np.random.default_rng(5)
    times = [np.arange(30) / rate, 4 + np.arange(11) / rate, np.array([1.0]), np.array([0.0, 1 / rate])]
    paths = [rng.normal(size=(len(own), 2)).cumsum(axis=0) / rate for own in times]
    own = roots(people(times, paths))
    np.testing.assert_array_equal(own.xy, np.concatenate(paths))
    assert not own.away.any()
    assert not own.evidence.any()
    for k, (when, path) in enumerate(zip(times, paths, strict=True)):
        if len(when) < 2:
            continue
        curve = CubicSpline(when, path, bc_type="natural")
        ask = rng.uniform(when[0], when[-1], 50)
        moment = own.at(np.full(50, k), ask)
        np.testing.assert_allclose(moment.xy, curve(ask), atol=1e-9)
        np.testing.assert_allclose(moment.velocity, curve(ask, 1), atol=1e-9)


def test_bodies_rest_before_and_after_their_stretch():
    times, _, body, _ = walker(1.3, 1)
    own = roots(people([times + 5], [body]))
    for when, sample in ((0.0, 0), (1e6, -1)):
        moment = own.at([0], when)
        np.testing.assert_allclose(moment.xy, own.xy[[sample]], atol=1e-12)
        assert not moment.velocity.any()
        assert moment.phase[0] == own.phase[sample]


def test_points_that_are_no_heads_are_gone_through():
    times, heads, _, _ = walker(1.3, 1)
    own = roots(people([times], [heads]), RootOptions(cutoff=None))
    np.testing.assert_array_equal(own.xy, heads)


def test_nobody_has_no_roots():
    own = roots(people([np.zeros(0)], [np.zeros((0, 2))]))
    assert (len(own.ids), root_report(own).stretches) == (0, 0)


@EXHAUSTIVE
def test_a_persons_roots_do_not_depend_on_others():
    """Roots are equal to the last bit, for any other people in the batch and any length of stay."""
    walkers = [walker(1.0 + 0.1 * k, 0.9, phase=0.1 * k, seconds=6 + 2.3 * k, turn=0.1 * k) for k in range(7)]
    together = roots(people([own[0] for own in walkers], [own[1] for own in walkers]))
    for k, own in enumerate(walkers):
        alone = roots(people([own[0]], [own[1]]))
        span = slice(together.starts[k], together.starts[k + 1])
        for name in ("times", "xy", "velocity", "heading", "phase", "evidence", "sway"):
            np.testing.assert_array_equal(getattr(alone, name), getattr(together, name)[span], err_msg=name)


@pytest.mark.parametrize("name", ["cutoff", "most_gap", "fastest", "lag", "still"])
def test_options_that_cannot_be_are_told(name):
    for value in (0.0, -1.0, float("nan"), float("inf")):
        with pytest.raises(InputError, match=rf"{name}: the value must be a finite number above 0"):
            RootOptions(**{name: value})
    times, heads, _, _ = walker(1.3, 1)
    with pytest.raises(InputError, match=r"must be less than half of the sample rate of 25 Hz \(got 13 Hz"):
        roots(people([times], [heads]), RootOptions(cutoff=13))

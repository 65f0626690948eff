"""Facing in jams: bodies turn as slowly as people do, and still turn where people turn."""

import importlib.util

import numpy as np
import pytest
from scipy.ndimage import gaussian_filter1d

from ecs_anim.maths.plan import heading_of_direction
from ecs_anim.profiling.validation.facing_rates import LIMIT, facing_rates, percentile, root_rates
from ecs_anim.profiling.validation.jupedsim_crowds import Run, simulate
from ecs_anim.profiling.validation.study_facing import HELD_OUT
from ecs_anim.trajectories import RootOptions, load, roots
from tests.helpers import EXHAUSTIVE, FEW, some
from tests.trajectories.test_roots import apart, people

needs_jupedsim = pytest.mark.skipif(importlib.util.find_spec("jupedsim") is None, reason="jupedsim is not installed")
RATES = some([1.0, 2.5, 5.0, 10.0, 25.0, 50.0], "1.0", "2.5", "10.0")  # [Hz]
FINE = 100  # [Hz] of what is sampled
SIMULATED = RootOptions(cutoff=None)


def directions(angles):
    """Unit vectors [n, 2] of angles [n] [rad], counter-clockwise from east."""
    return np.stack([np.cos(angles), np.sin(angles)], axis=-1)


def sampled(rate, xy, headings=None):
    """One person at FINE samples a second, of whom `rate` a second are recorded."""
    every = round(FINE / rate)
    times = np.arange(len(xy))[::every] / FINE
    more = {} if headings is None else {"heading_vectors": headings[::every]}
    return people([times], [xy[::every]], **more)


def rate_of(own):
    """Return the 95th percentile of the turning rate [degrees/s]."""
    return percentile(*root_rates(own))


def noise(seconds, seed, width):
    """Normal numbers [n, 2] that are alike within `width` seconds."""
    count = round(seconds * FINE)
    drawn = gaussian_filter1d(np.random.default_rng(seed).normal(size=(count, 2)), width * FINE, axis=0)
    return drawn / drawn.std(axis=0)


def jammed(seed, speed=0.12, shake=0.08):
    """Return the path of a person that creeps north in a jam and is pushed about by 8 cm within a second."""
    seconds = 60
    return np.stack([0 * np.arange(seconds * FINE), np.arange(seconds * FINE) * speed / FINE], -1) + shake * noise(
        seconds, seed, 0.3
    )


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("options", [RootOptions(), SIMULATED], ids=["heads", "bodies"])
def test_people_who_are_pushed_about_hardly_turn(rate, options):
    found = [roots(sampled(rate, jammed(seed)), options) for seed in range(3)]
    assert np.mean([rate_of(own) for own in found]) < 30


@EXHAUSTIVE
@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("spread", [0.5, 1.0, 2.0])
def test_headings_that_scatter_turn_bodies_slowly_about_their_mean(rate, spread):
    """Each heading is off by a normal angle, another one each fifth of a second."""
    found, north = [], heading_of_direction(np.array([0.0, 1.0]))
    for seed in range(3):
        angles = np.pi / 2 + spread * noise(60, seed, 0.1)[:, 0]
        own = roots(sampled(rate, jammed(seed), directions(angles)), SIMULATED)
        found.append(rate_of(own))
        if spread < 2:
            assert np.median(apart(own.heading, north, 2 * np.pi)) < 0.4
    assert np.mean(found) < LIMIT


@pytest.mark.parametrize("rate", [2.5, 10.0, 25.0])
@pytest.mark.parametrize("has_headings", [False, True])
def test_a_corner_at_walking_pace_is_turned_as_it_is_walked(rate, has_headings):
    """A quarter of a circle of 1.5 m: the body is behind it by the lag of 0.1 s, and what 0.5 Hz take of its ends."""
    turn = 1.3 / 1.5  # [rad/s]
    angles = np.clip((np.arange(10 * FINE) / FINE - 4) * turn, 0, np.pi / 2)
    path = np.cumsum(1.3 * directions(angles), axis=0) / FINE
    own = roots(sampled(rate, path, directions(angles) if has_headings else None), SIMULATED)
    wanted = heading_of_direction(directions(np.interp(own.times, np.arange(len(angles)) / FINE, angles)))
    off = np.degrees(apart(own.heading, wanted, 2 * np.pi))
    assert off.max() < 15
    assert np.median(off) < 1
    middle = np.interp(4 + np.pi / 4 / turn, own.times, np.unwrap(own.heading))
    late = 0.0 if has_headings else 0.1 * turn
    np.testing.assert_allclose(middle, heading_of_direction(directions(np.array([np.pi / 4])))[0] - late, atol=0.06)


@pytest.mark.parametrize("rate", [2.5, 10.0, 25.0])
@pytest.mark.parametrize("speed", [1.3, 0.7, 0.4])
def test_people_who_turn_back_turn_round(rate, speed):
    """East for 8 s, then west."""
    along = np.clip(8 - np.arange(16 * FINE) / FINE, -0.5, 0.5) * 2 * speed
    path = np.stack([np.cumsum(along) / FINE, np.zeros(len(along))], axis=-1)
    own = roots(sampled(rate, path), SIMULATED)
    east, west = heading_of_direction(np.array([[1.0, 0.0], [-1.0, 0.0]]))
    assert apart(own.heading[own.times < 6.5], east, 2 * np.pi).max() < 0.1
    assert apart(own.heading[own.times > 10.5], west, 2 * np.pi).max() < 0.1


def test_people_who_turn_where_they_stand_turn_as_their_headings_do():
    """Half a turn in two seconds, on the spot."""
    angles = np.clip((np.arange(10 * FINE) / FINE - 4) / 2, 0, 1) * np.pi
    own = roots(sampled(25.0, np.zeros((len(angles), 2)), directions(angles)), SIMULATED)
    wanted = heading_of_direction(directions(angles[:: FINE // 25]))
    assert np.degrees(apart(own.heading, wanted, 2 * np.pi)).max() < 15
    assert np.degrees(np.abs(np.diff(own.heading))).max() * 25 < 241


@EXHAUSTIVE
@needs_jupedsim
@pytest.mark.skipif(bool(FEW), reason="without compiling, whole worlds take minutes")
@pytest.mark.parametrize("model", ["CollisionFreeSpeedModelV2", "SocialForceModel"])
def test_bodies_of_a_simulated_jam_turn_as_people_do(tmp_path, model):
    """A third of the agents of the recordings below, for 12 s."""
    path = simulate(Run("bottleneck", 0.8, model, seed=5, seconds=12.0, agents=50), tmp_path)
    assert facing_rates(path).holds
    bare = load(path)
    assert rate_of(roots(people([own[0] for own in each(bare)], [own[1] for own in each(bare)]), SIMULATED)) < LIMIT


def each(own):
    """Times and points of each person."""
    spans = [slice(*span) for span in zip(own.starts[:-1], own.starts[1:], strict=True)]
    return [(own.times[span], own.xy[span]) for span in spans]


@needs_jupedsim
@pytest.mark.parametrize("run", HELD_OUT[::10], ids=lambda run: run.name)
@EXHAUSTIVE
def test_bodies_of_other_simulations_turn_as_people_do(tmp_path, run):
    """`python -m ecs_anim.profiling.validation.study_facing` measures all of them."""
    try:
        path = simulate(run, tmp_path)
    except RuntimeError as error:
        pytest.skip(f"{run.model} stops: {error}")
    assert facing_rates(path).holds

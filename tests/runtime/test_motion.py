"""What kernels ask of motions, against plain numpy: weights, rates, speeds over the ground."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import njit

from ecs_anim.kernels import motion as kernels
from ecs_anim.runtime.clip_table import build_tables
from ecs_anim.runtime.motion import MAX_MEMBERS, Member, Motion, build_motion_set
from ecs_anim.scenes.rigs import load_model
from tests.helpers import EXHAUSTIVE, random_clip, random_skeleton
from tests.oracles.blend_weights import weights_1d, weights_2d

RNG = np.random.default_rng(5)
SKELETON = random_skeleton(RNG, 4)
CLIPS = [random_clip(RNG, SKELETON, f"clip_{i}", 10 + 7 * i) for i in range(5)]
X = [-0.9, 0.0, 1.4, 3.5]
XY = [(0.0, 0.0), (0.0, 1.4), (0.0, 3.5), (0.8, 0.0), (-0.8, 0.0)]


def space(places, parameters, *, keeps_pace=False):
    members = [
        Member(clip, (at[0] if len(parameters) == 2 else 0.0, at[-1]), at if len(at) == 2 else (at[0], 0.0))
        for clip, at in zip(CLIPS, places, strict=False)
    ]
    return Motion("space", tuple(sorted(members, key=lambda m: m.at)), True, parameters, keeps_pace)


MOTIONS = [
    Motion("clip", (Member(CLIPS[0], (0.5, 1.5)),)),
    space([(x,) for x in X], ("x",)),
    space(XY, ("x", "y")),
    space([(x,) for x in X], ("x",), keeps_pace=True),
    space(XY, ("x", "y"), keeps_pace=True),
]
SET = build_motion_set(MOTIONS, build_tables(SKELETON, CLIPS), ("y", "x"))


@njit
def _ask(motions, motion, phase, speed, parameters, scale, dt):
    table, members, stride, travel = motions
    weights = np.zeros(MAX_MEMBERS, np.float32)
    kernels.member_weights(table, members, motion, parameters, 0, weights)
    rate = kernels.phase_rate(table, members, stride, motion, speed, parameters, 0, scale, weights)
    now = *kernels.actors_parameters(table, motion, parameters, 0), speed, scale
    side, ahead = kernels.ground_velocity(table, members, stride, travel, motion, phase, now, dt, weights)
    return weights, rate, side, ahead


def ask(motion, x=0.0, y=0.0, phase=0.25, speed=1.0, scale=1.0, dt=0.01, motions=SET):
    weights, *rest = _ask(
        motions.arrays,
        motion,
        np.float32(phase),
        np.float32(speed),
        np.array([[y, x]], np.float32),
        np.float32(scale),
        dt,
    )
    return weights[: motions.arrays.motion["member_count"][motion]], *(float(value) for value in rest)


parameters = st.floats(-2, 5, width=32)


@given(parameters, parameters)
@EXHAUSTIVE
def test_weights_are_the_readable_ones(x, y):
    points = np.array([member.at for member in MOTIONS[2].members])
    np.testing.assert_allclose(ask(1, x)[0], weights_1d(X, x), atol=1e-5)
    np.testing.assert_allclose(ask(2, x, y)[0], weights_2d(points, [x, y]), atol=2e-4)
    np.testing.assert_array_equal(ask(0, x, y)[0], [1])


@pytest.mark.parametrize("speed", [1.0, -2.0, 0.5])
def test_a_clip_goes_at_its_own_length_and_speed(speed):
    _, rate, side, ahead = ask(0, speed=speed, scale=2.0)
    assert rate == pytest.approx(speed / CLIPS[0].duration, rel=1e-6)
    assert (side, ahead) == pytest.approx((1.0 * speed, 3.0 * speed), rel=1e-5)


def test_a_space_goes_at_the_mean_length_of_its_members():
    weights, rate, _, _ = ask(1, 0.7)
    durations = [member.clip.duration for member in MOTIONS[1].members]
    assert rate == pytest.approx(1 / np.dot(weights, durations), rel=1e-5)


@given(st.floats(0.3, 3.4), st.floats(0.5, 2))
def test_a_space_that_keeps_pace_covers_the_ground_its_parameter_asks_for(x, scale):
    """Over a whole cycle: the phase advances by 1 while the actor goes one stride."""
    weights, rate, side, _ = ask(3, x, scale=scale, phase=0.0, dt=1e-3)
    assert side == 0
    cycle = 1 / rate
    assert ask(3, x, scale=scale, phase=0.0, dt=cycle)[3] == pytest.approx(x, rel=1e-4)
    stride = sum(w * m.clip.duration * m.velocity[1] for w, m in zip(weights, MOTIONS[3].members, strict=True))
    assert rate * stride * scale == pytest.approx(x, rel=2e-2)  # no rig to measure: the mean of the clips


@given(st.floats(-0.7, 0.7), st.floats(0.3, 3.0))
def test_a_2d_space_that_keeps_pace_moves_as_its_parameters_say(x, y):
    _, rate, side, ahead = ask(4, x, y)
    assert (side, ahead) == pytest.approx((x, y), rel=1e-5)
    assert rate > 0


def test_walking_backwards_plays_a_backward_clip_forwards():
    _, rate, _, ahead = ask(3, -0.9)
    assert rate > 0
    assert ahead == pytest.approx(-0.9, rel=1e-3)


def test_standing_in_a_space_that_keeps_pace_breathes_on():
    _, rate, _, ahead = ask(3, 0.0)
    assert rate == pytest.approx(1 / CLIPS[1].duration, rel=1e-5)
    assert ahead == 0


@EXHAUSTIVE
def test_the_gait_of_the_mannequin_keeps_its_feet_on_the_ground():
    """Measured strides lie between the clips' own, and travel rises over the cycle from 0 to 1."""
    rig = load_model("mannequin")
    walk, run = rig.clips["walk"], rig.clips["run"]
    members = (Member(walk, (0, 1.4), (1.4, 0.0)), Member(run, (0, 3.5), (3.5, 0.0)))
    gait = Motion("gait", members, True, ("x",), True)
    arrays = build_motion_set([gait], build_tables(rig.skeleton, [walk, run]), ("x",), rig).arrays
    strides = arrays.stride[0, :9]
    assert strides[0] == pytest.approx(1.4 * walk.duration, rel=1e-6)
    assert strides[-1] == pytest.approx(3.5 * run.duration, rel=1e-6)
    assert np.all(np.diff(strides) > 0)
    travel = arrays.travel[0, :9]
    np.testing.assert_allclose(travel[:, [0, -1]], [[0, 1]] * 9, atol=1e-6)
    assert np.all(np.diff(travel, axis=1) > 0)


@pytest.mark.parametrize(
    ("motion", "message"),
    [
        (Motion("m", (), True, ("x",)), "1 to 8 members"),
        (Motion("m", tuple(Member(CLIPS[0], (0, 0), (i, 0)) for i in range(9)), True, ("x",)), "1 to 8 members"),
        (Motion("m", (Member(CLIPS[0], (0, 0)), Member(CLIPS[1], (0, 0))), True, ("x",)), "the same position"),
        (Motion("m", (Member(CLIPS[0], (0, 0), (2, 0)), Member(CLIPS[1], (0, 0))), True, ("x",)), "sorted by position"),
        (Motion("m", (Member(CLIPS[0], (0, 0)),), True, ("z",)), "z"),
    ],
)
def test_a_space_that_cannot_be_is_refused(motion, message):
    with pytest.raises(ValueError, match=message):
        build_motion_set([motion], build_tables(SKELETON, CLIPS), ("x", "y"))

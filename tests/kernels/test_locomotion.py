"""The walking kernel against plain trigonometry."""

import math

import numpy as np
import pytest

from ecs_anim.kernels.locomotion import walk
from tests.helpers import (
    as_spaces,
    clip_motions,
    one_motion,
    random_clip,
    random_playback,
    random_rotations,
    random_skeleton,
)

SKELETON = random_skeleton(np.random.default_rng(0), 3)
CLIP = random_clip(np.random.default_rng(0), SKELETON)


def step(
    position,
    heading,
    *,
    speed=1.4,
    side=0.0,
    turn=0.0,
    playback=1.0,
    scale=1.0,
    turn_rate=1.0,
    facing=0.0,
    radius=math.inf,
    dt=0.1,
):
    translation = np.array([[position[0], 0.5, position[1]]], np.float32)
    half = (heading - facing) / 2
    rotation = np.array([[0, math.sin(half), 0, math.cos(half)]], np.float32)
    walk(
        clip_motions([CLIP], velocity=(side, speed), turn=turn).arrays,
        np.zeros((1, 0), np.float32),
        tuple(one_motion(0, [0.0], playback)),
        np.array([turn_rate], np.float32),
        facing,
        (0.0, 0.0, radius),
        dt,
        (translation, rotation, np.array([scale], np.float32)),
    )
    assert translation[0, 1] == 0.5, "walking keeps the height"
    turned = 2 * math.atan2(rotation[0, 1], rotation[0, 3]) + facing
    return translation[0, [0, 2]], math.remainder(turned, math.tau)


@pytest.mark.parametrize("heading", [0.0, 0.5, math.pi / 2, 3.0, -2.0])
@pytest.mark.parametrize("facing", [0.0, math.pi / 2])
def test_actors_walk_where_they_face(heading, facing):
    place, turned = step((1, 2), heading, playback=0.5, scale=2.0, facing=facing)
    np.testing.assert_allclose(place, [1 + 0.14 * math.sin(heading), 2 + 0.14 * math.cos(heading)], rtol=1e-5)
    assert turned == pytest.approx(heading, abs=1e-6)


def test_sidestepping_goes_to_the_actors_left():
    place, turned = step((0, 0), 0.0, speed=0.0, side=0.8)
    np.testing.assert_allclose(place, [0.08, 0], atol=1e-6)  # +X is the left of who faces +Z
    assert turned == pytest.approx(0, abs=1e-6)
    np.testing.assert_allclose(step((0, 0), math.pi / 2, speed=0.0, side=0.8)[0], [0, -0.08], atol=1e-6)


@pytest.mark.parametrize("facing", [0.0, 1.0])
def test_who_plays_a_clip_that_turns_does_so_and_goes_where_they_face_on_the_way(facing):
    """As fast as they play it, however large they are; their way is that of half the turn. Who stands turns there."""
    place, turned = step((1, 2), 0.5, turn=-0.8, playback=2.0, scale=3.0, facing=facing)
    assert turned == pytest.approx(0.5 - 0.16, abs=1e-6)
    midway = 0.5 - 0.08
    np.testing.assert_allclose(place, [1 + 0.84 * math.sin(midway), 2 + 0.84 * math.cos(midway)], rtol=1e-5)
    place, turned = step((1, 2), 3.1, speed=0.0, turn=1.0, facing=facing)
    assert turned == pytest.approx(math.remainder(3.2, math.tau), abs=1e-6)
    np.testing.assert_array_equal(place, [1, 2])


@pytest.mark.parametrize("facing", [0.0, 1.0])
def test_outside_the_area_they_turn_back_no_faster_than_they_may(facing):
    _, turned = step((0, 10), 0.5, radius=5.0, turn_rate=1.0, facing=facing)
    assert turned == pytest.approx(0.5 + 0.1, abs=1e-5)  # the middle lies behind; the near way round is to the left
    _, turned = step((0, 10), math.pi - 0.05, radius=5.0, turn_rate=1.0, facing=facing)
    assert turned == pytest.approx(math.pi, abs=1e-5) or turned == pytest.approx(-math.pi, abs=1e-5)


def test_inside_the_area_they_do_not_turn():
    assert step((0, 4), 0.5, radius=5.0)[1] == pytest.approx(0.5, abs=1e-6)


def test_who_stands_does_not_turn():
    place, turned = step((0, 10), 0.5, speed=0.0, radius=5.0)
    np.testing.assert_array_equal(place, [0, 10])
    assert turned == pytest.approx(0.5, abs=1e-6)


@pytest.mark.exhaustive
def test_nobody_leaves_for_good():
    place, heading = np.array([4.9, 0.0]), 1.3
    for _ in range(400):
        place, heading = step(place, heading, radius=5.0, turn_rate=1.0, dt=1 / 30)
        assert np.linalg.norm(place) < 5 + 2 * 1.4 / 1.0 + 0.1  # one turning circle


def test_plain_clips_carry_as_blend_spaces_of_one_clip_do():
    rng = np.random.default_rng(5)
    motions = clip_motions([CLIP, random_clip(rng, SKELETON, "other", 20)], velocity=(0.3, 1.4))
    columns = random_playback(rng, 2, 300)
    scale, rate = rng.uniform(0.5, 2, 300).astype(np.float32), rng.uniform(0, 2, 300).astype(np.float32)
    places = rng.normal(size=(300, 3)).astype(np.float32)
    moved = []
    for these in (motions, as_spaces(motions)):
        parameters = np.zeros((300, len(these.motions[0].parameters)), np.float32)
        translation, rotation = places.copy(), random_rotations(np.random.default_rng(6), 300)
        placement = (translation, rotation, scale)
        walk(these.arrays, parameters, tuple(columns), rate, 0.2, (0.1, 0.3, 1.0), 0.05, placement)
        moved.append((translation, rotation))
    for a, b in zip(*moved, strict=True):
        np.testing.assert_array_equal(a, b)
    assert np.all(np.any(moved[0][0] != places, axis=1))

"""Inertial fades, against the polynomial as it was published and scipy's rotations."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import ecs_anim as ea
from ecs_anim.kernels.inertia import settle_fades
from ecs_anim.runtime.inertia import new_inertia_state
from ecs_anim.runtime.records import FadeQueue
from ecs_anim.support.errors import InputError

WIDTH = 8  # rotation columns; then there are 3 numbers besides
DT = 1 / 60


def quintic(x, v, t, duration):
    """Bollo, GDC 2018: coefficients of the inertialisation curve, with the acceleration that he chooses."""
    a = (-8 * v * duration - 20 * x) / duration**2
    a5 = -(a * duration**2 + 6 * v * duration + 12 * x) / (2 * duration**5)
    a4 = (3 * a * duration**2 + 16 * v * duration + 30 * x) / (2 * duration**4)
    a3 = -(3 * a * duration**2 + 12 * v * duration + 20 * x) / (2 * duration**3)
    return a5 * t**5 + a4 * t**4 + a3 * t**3 + a / 2 * t**2 + v * t + x


def queue_of(since, duration):
    """One actor, who fades from one motion to another."""
    slots = np.zeros((1, 2), np.float32)
    time, durations = np.float32([[0, since]]), np.float32([[0, duration]])
    return tuple(FadeQueue(np.int32([2]), np.zeros((1, 2), np.int32), slots, slots + 1, time, durations))


def pose_row(rotations, numbers):
    return np.float32([[*rotations.as_quat().T.ravel(), *numbers]])


def shown(old, new, duration, dt=DT, steps=60):
    """Pose rows, step by step; `old` and `new` tell rotations [8] and numbers [3] at a time; the fade is from 0 on."""
    state, rows = new_inertia_state(1, 4 * WIDTH + 3), []
    for step in range(-3, steps):
        row = pose_row(*(old if step < 1 else new)(step * dt))
        queue = queue_of(max(step, 0) * dt if step > 0 else 99.0, duration)
        settle_fades(queue, np.ones(1, np.int32), WIDTH, dt, tuple(state), row)
        rows.append(row[0].copy())
    return np.array(rows)


def rotations_of(rows):
    return [Rotation.from_quat(row[: 4 * WIDTH].reshape(4, WIDTH).T) for row in rows]


AXIS = np.array([0.48, 0.6, 0.64])
LANES = np.linspace(0.2, 1.0, WIDTH)


def about_one_axis(angle, number):
    """Rotations about one axis, column by column of another size, and numbers."""
    return lambda t: (Rotation.from_rotvec(LANES[:, None] * angle(t) * AXIS), number(t) * np.array([1.0, 2.0, -1.0]))


def test_about_one_axis_it_is_the_published_polynomial():
    old = about_one_axis(lambda t: 1.0 + 0.8 * t, lambda t: 0.5 + 0.3 * t)
    new = about_one_axis(lambda t: 0.2 - 1.5 * t, lambda t: -0.1 + 0.7 * t)
    rows, duration = shown(old, new, 0.4), 0.4
    for step, rotation in enumerate(rotations_of(rows), -3):
        since, t = (step - 1) * DT, step * DT
        angle, number = (1.0 + 0.8 * t, 0.5 + 0.3 * t) if step < 1 else (0.2 - 1.5 * t, -0.1 + 0.7 * t)
        if step > 0 and t < duration - 1e-6:  # what is off is taken after a step, in which the body went on
            angle += quintic(0.8 + 2.3 * DT, 2.3, since, duration - DT)
            number += quintic(0.6 - 0.4 * DT, -0.4, since, duration - DT)
        np.testing.assert_allclose(rotation.as_rotvec(), LANES[:, None] * angle * AXIS, atol=2e-4)
        np.testing.assert_allclose(rows[step + 3, 4 * WIDTH :], number * np.array([1.0, 2.0, -1.0]), atol=2e-4)


def test_about_any_axes_speeds_do_not_jump_and_the_new_motion_is_reached():
    """Fine steps: from step to step an angular velocity changes by no more than it does later in the fade."""
    rng, dt = np.random.default_rng(5), 1 / 1000
    begin, other = Rotation.random(WIDTH, rng), Rotation.from_rotvec(rng.normal(0, 0.5, (WIDTH, 3)))
    turns = rng.normal(0, 1.5, (2, WIDTH, 3))
    old = lambda t: (Rotation.from_rotvec(t * turns[0]) * begin, np.full(3, t))  # noqa: E731
    new = lambda t: (Rotation.from_rotvec(t * turns[1]) * other * begin, np.full(3, 1 - t))  # noqa: E731
    rows = shown(old, new, 0.3, dt, 330)
    rotations = rotations_of(rows)
    speeds = np.array([(b * a.inv()).as_rotvec() / dt for a, b in pairwise(rotations)])
    changes = np.abs(np.diff(speeds, axis=0)).max(axis=(1, 2))
    assert changes[:8].max() < 0.5  # rad/s; a cut makes hundreds, and a cross-fade's first step 3
    assert changes.max() < 0.5
    expected, _ = new(329 * dt)
    assert (rotations[-1] * expected.inv()).magnitude().max() < 1e-4


SCENE = """
[rigs.people]
model = "mannequin"
[[crowds]]
name = "people"
rig = "people"
count = 3
layout = {{ kind = "grid", spacing = 2.0 }}
clips = [{{ name = "walk" }}, {{ name = "run", weight = 0 }}, {{ name = "wave", weight = 0 }}]
{more}
"""
INERTIAL = 'blend = "inertial"'


def opened(more=INERTIAL):
    return ea.load_scene(SCENE.format(more=more), threads=1)


def run_scene(world, steps, first=0, **options):
    people, seen = ea.crowd(world, "people"), []
    for step in range(first, first + steps):
        if step == 20:
            people.fade_to([0, 2], "wave", 0.5, **options)
        if step == 32:
            people.fade_to([0], "run", 0.4, **options)
        world.step(DT)
        seen.append(people.palettes().copy())
    return np.array(seen)


def test_in_a_scene_fades_begin_as_bodies_move_and_end_as_others_do():
    with opened() as world, opened("") as plain:
        own, cross = run_scene(world, 90), run_scene(plain, 90)
    np.testing.assert_array_equal(own[:, 1], cross[:, 1])  # who fades not
    np.testing.assert_array_equal(own[60:], cross[60:])
    np.testing.assert_array_equal(own[:20], cross[:20])
    assert np.abs(own[20:50, 0] - cross[20:50, 0]).max() > 0.02
    changes = np.abs(np.diff(own[:, 0, :, :, 3], 2, axis=0)).max(axis=(1, 2))
    for start in (20, 32):  # nothing jumps as a fade begins, in the middle of another one either
        assert changes[start - 2] < 1.5 * changes[:18].max()


def test_a_fade_may_be_of_the_other_kind():
    with opened() as world, opened("") as plain:
        np.testing.assert_array_equal(run_scene(world, 60, blend="cross"), run_scene(plain, 60))
        with pytest.raises(InputError, match="does not store the poses that the blend .inertial. needs"):
            ea.crowd(plain, "people").fade_to([0], "run", blend="inertial")


def test_a_snapshot_in_the_middle_of_a_fade_goes_on_to_the_bit(tmp_path):
    with opened() as world:
        run_scene(world, 40)
        world.save(tmp_path / "x.npz")
        expected = run_scene(world, 20, 40)
    with ea.load_world(tmp_path / "x.npz", SCENE.format(more=INERTIAL)) as world:
        np.testing.assert_array_equal(run_scene(world, 20, 40), expected)


def test_newcomers_and_leavers_keep_to_their_own_poses():
    with opened() as world, opened() as other:
        people = ea.crowd(world, "people")
        run_scene(world, 25), run_scene(other, 25)
        people.add(2)
        people.remove([0])
        mine = ea.crowd(other, "people")
        for _ in range(20):
            world.step(DT), other.step(DT)
            row = int(np.flatnonzero(people.ids == mine.ids[2])[0])
            np.testing.assert_array_equal(people.palettes()[row], mine.palettes()[2])
            assert np.isfinite(people.palettes()).all()


@pytest.mark.parametrize("path", ["baked", "auto"])
def test_crowds_that_the_gpu_poses_cannot_have_it(path):
    with pytest.raises(InputError, match=r"crowds\[0\]\.blend: "):
        opened(f'{INERTIAL}\npath = "{path}"')

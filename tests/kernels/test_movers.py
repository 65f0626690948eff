"""Roots that are told a velocity, against plain sums."""

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.body.movers import CLIP, STEERED, VELOCITY
from ecs_anim.components.movers import Movers
from ecs_anim.components.playback import Playback
from ecs_anim.components.transforms import Transforms
from tests.helpers.body import DT, steps, walking_world


def transforms_of(world):
    return next(row[0] for _, row in world.query(Transforms))


def heading(rotation):
    return 2 * np.arctan2(rotation[:, 1], rotation[:, 3])


def test_roots_go_as_fast_as_they_are_told_after_they_have_taken_it_up(tmp_path):
    world, people = walking_world(tmp_path, 3)
    asked = np.array([[1.0, 0.5], [0.0, -1.4], [-0.3, 0.0]])
    people.set_velocity(ea.ALL, asked)
    begin = transforms_of(world).translation.copy()
    velocity, place = np.zeros((3, 2)), np.zeros((3, 2))
    for _ in range(180):
        missing = asked - velocity
        size = np.linalg.norm(missing, axis=-1, keepdims=True)
        velocity += missing * np.minimum(1, 2.5 * DT / np.maximum(size, 1e-12))
        place += velocity * DT
        world.step(DT)
    moved = transforms_of(world).translation - begin
    np.testing.assert_allclose(moved[:, [0, 2]], place * [1, -1], atol=1e-4)  # north is -Z
    np.testing.assert_allclose(heading(transforms_of(world).rotation), np.arctan2(asked[:, 0], -asked[:, 1]), atol=0.02)
    world.close()


def test_slow_roots_face_what_they_faced_and_headings_are_kept(tmp_path):
    world, people = walking_world(tmp_path, 2)
    people.set_velocity([0], [0.1, 0.0])
    people.set_velocity([1], [1.0, 0.0], [2.0 - np.pi / 2])
    steps(world, 4.0)
    found = heading(transforms_of(world).rotation)
    np.testing.assert_allclose(found, [0.0, 2.0], atol=1e-3)
    world.close()


def test_turns_are_bounded_and_round_turns_do_not_stick(tmp_path):
    world, people = walking_world(tmp_path)
    people.set_velocity(ea.ALL, [0.0, 0.0], 3.1415926 - np.pi / 2)
    last, most = 0.0, 0.0
    for _ in range(120):
        world.step(DT)
        now = float(heading(transforms_of(world).rotation)[0])
        most, last = max(most, abs((now - last + np.pi) % (2 * np.pi) - np.pi) / DT), now
    assert abs(abs(last) - np.pi) < 0.02
    assert 3.5 < most < 4.01
    world.close()


def test_who_steers_faces_where_they_go_on_the_whole(tmp_path):
    """Not each way that jams push them within a tenth of a second; but who goes back for good turns round soon."""
    world, _ = walking_world(tmp_path, 2)
    movers, transforms = next(row for _, row in world.query(Movers, Transforms))
    movers.kind[:] = STEERED
    headings = []
    for tick in range(120):
        movers.velocity[:] = [[1.33 if tick % 6 < 3 else -1.33, 0.1], [0.0, -1.2]]
        world.step(DT)
        headings.append(heading(transforms.rotation))
    faced = np.unwrap(np.array(headings), axis=0)
    assert np.ptp(faced[:, 0]) < 0.03
    assert np.abs(np.cos(faced[80:, 1]) + 1).max() < 0.02
    assert np.abs(np.diff(faced[:, 1])).max() < 4.01 * DT
    world.close()


@pytest.mark.exhaustive
def test_what_plays_moves_actors_until_they_are_told_otherwise(tmp_path):
    more = 'locomotion = {}\nclips = [{ name = "walk" }]'
    world, people = walking_world(tmp_path, 2, more=more)
    movers, playback = (next(row[0] for _, row in world.query(kind)) for kind in (Movers, Playback))
    assert (movers.kind == CLIP).all()
    steps(world, 1.0)
    began = transforms_of(world).translation.copy()
    people.set_velocity([1], [0.0, 0.0])
    steps(world, 1.5)
    moved = np.linalg.norm(transforms_of(world).translation - began, axis=-1)
    assert moved[0] == pytest.approx(1.4 * 1.5, rel=0.01)
    assert moved[1] < 0.9  # 1.4 m/s are taken back by 2.5 m/s each second
    assert movers.kind.tolist() == [CLIP, VELOCITY]
    assert people.playing() == ["walk", "body"]
    assert playback.slot_count[1] == 1
    world.close()


def test_a_speed_of_what_keeps_pace_is_refused(tmp_path):
    world, people = walking_world(tmp_path, more='clips = [{ name = "wave", weight = 0 }]')
    people.fade_to(ea.ALL, "wave", speed=2.0)
    with pytest.raises(ValueError, match="the body sets this speed"):
        people.fade_to(ea.ALL, "body", speed=2.0)
    world.close()
    with ea.load_scene("locomotion", actors=3) as world:
        crowd = ea.crowds(world)[0]
        space = next(m.name for m in crowd._now.character.motions.motions if m.keeps_pace)
        with pytest.raises(ValueError, match="sets this speed"):
            crowd.fade_to(ea.ALL, space, speed=2.0)


def test_a_crowd_without_a_body_says_so():
    with ea.load_scene("single") as world, pytest.raises(ValueError, match="body = {}"):
        ea.crowds(world)[0].set_velocity(ea.ALL, [1.0, 0.0])

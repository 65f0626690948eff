"""Paths: where actors are at a time, and that any time is reached at once."""

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.body.paths import Paths, chosen, flaw_of, joined
from ecs_anim.body.state import VX, VZ
from ecs_anim.components.body import Body
from ecs_anim.components.palette import Palette
from ecs_anim.components.transforms import Transforms
from tests.helpers.body import DT, Watch, footwork, steps, walking_world

TIMES = np.arange(0, 12.01, 0.2)
CIRCLE = np.stack([3 * np.sin(TIMES / 3), 3 * np.cos(TIMES / 3)], axis=-1)  # 1 m/s
STOP_AND_GO = np.stack([np.cumsum(np.clip(np.sin(TIMES), 0, 1)) * 0.2, 0 * TIMES], axis=-1)


def followed(folder, xy, seconds, *, watch=None, times=TIMES):
    world, people = walking_world(folder, watch=watch)
    people.follow(people.ids, [times], [xy])
    return world


@pytest.mark.exhaustive
@pytest.mark.parametrize("xy", [CIRCLE, STOP_AND_GO], ids=["circle", "stop and go"])
def test_roots_are_on_the_path_at_each_time_and_feet_stand(xy, tmp_path):
    watch = Watch()
    world = followed(tmp_path, xy, 12.0, watch=watch)
    transforms = next(row[0] for _, row in world.query(Transforms))
    off = []
    for _ in range(round(12 / DT)):
        world.step(DT)
        x, y = (np.interp(world.time, TIMES, xy[:, axis]) for axis in range(2))
        off.append(np.hypot(transforms.translation[0, 0] - x, -transforms.translation[0, 2] - y))
    assert np.percentile(off, 95) < 0.01
    did = footwork(watch)
    assert did.slides.max() < 2e-3
    assert did.stretch <= 0.995
    world.close()


@pytest.mark.parametrize("phase_seconds", [0.0, 0.13, 0.31, 0.47])
def test_who_begins_in_full_walk_begins_in_the_middle_of_a_step(phase_seconds, tmp_path):
    """From the first moment on nothing is out of the ordinary: neither feet that hurry, nor knees, nor hips."""
    watch, begin = Watch(), 0.1 + phase_seconds
    line = np.stack([0 * TIMES, 1.4 * TIMES], axis=-1)
    world = followed(tmp_path, line, 3.0, watch=watch, times=TIMES + begin)
    steps(world, begin + 3.0)
    did = footwork(watch, skip=begin + DT)
    assert did.slides.max() < 1e-3
    assert did.jerks < 10
    assert did.bounce < 30
    joints, contacts, _ = (np.stack(parts) for parts in zip(*watch.frames, strict=True))
    first = round(begin / DT) + 1
    apart = contacts[first:, 0, :, 1, 2] - joints[first:, 0, :, 0, 2]
    assert np.abs(apart).max() < 0.62  # no ball is further from its hip than in any other step
    world.close()


def test_bodies_on_paths_know_how_fast_they_go(tmp_path):
    world = followed(tmp_path, CIRCLE, 12.0)
    body, transforms = next(row for _, row in world.query(Body, Transforms))
    steps(world, 2.0)
    for _ in range(30):
        before = transforms.translation[0, [0, 2]].copy()
        world.step(DT)
        moved = (transforms.translation[0, [0, 2]] - before) / DT
        np.testing.assert_allclose(body.state.walk[0, [VX, VZ]], moved, atol=0.03)
    world.close()


def test_a_skip_is_the_same_to_the_bit_and_takes_no_steps(tmp_path):
    def palette(world):
        return next(row[0] for _, row in world.query(Palette)).matrices.copy()

    stepped, skipped = followed(tmp_path, CIRCLE, 12.0), followed(tmp_path, CIRCLE, 12.0)
    for _ in range(400):
        stepped.step(DT)
    skipped.skip(400, DT)
    assert skipped.jump.stepped == 0
    np.testing.assert_array_equal(palette(stepped), palette(skipped))
    np.testing.assert_array_equal(
        *(next(row[0] for _, row in world.query(Body)).state.feet for world in (stepped, skipped))
    )
    stepped.close()
    skipped.close()


def test_who_follows_faces_where_the_path_leads_and_never_spins(tmp_path):
    world = followed(tmp_path, CIRCLE, 12.0)
    rotation = next(row[0] for _, row in world.query(Transforms)).rotation
    found = []
    for _ in range(round(11 / DT)):
        world.step(DT)
        found.append(2 * np.arctan2(rotation[0, 1], rotation[0, 3]))
    rates = np.abs(np.diff(np.unwrap(found))) / DT
    assert np.percentile(rates, 95) < np.radians(60)
    ahead = found[300]
    x, y = (np.interp(300 * DT + np.array([0.0, 0.1]), TIMES, CIRCLE[:, axis]) for axis in range(2))
    assert abs(np.angle(np.exp(1j * (ahead - np.arctan2(np.diff(x)[0], -np.diff(y)[0]))))) < 0.1
    world.close()


@pytest.mark.exhaustive
def test_before_and_after_actors_stand_at_the_ends(tmp_path):
    watch = Watch()
    world = followed(tmp_path, CIRCLE, 0, watch=watch, times=TIMES + 1.0)
    translation = next(row[0] for _, row in world.query(Transforms)).translation
    steps(world, 0.5)
    np.testing.assert_allclose(translation[0, [0, 2]], CIRCLE[0] * [1, -1], atol=1e-5)
    steps(world, 15.0)
    np.testing.assert_allclose(translation[0, [0, 2]], CIRCLE[-1] * [1, -1], atol=1e-5)
    assert watch.frames[-1][2].all()
    world.close()


def test_actors_take_another_path_and_others_keep_theirs(tmp_path):
    world, people = walking_world(tmp_path, 3)
    people.follow(people.ids, [TIMES] * 3, [CIRCLE, CIRCLE + 10, CIRCLE + 20])
    steps(world, 1.0)
    people.follow(people.ids[1:2], [TIMES], [CIRCLE + 11])
    steps(world, 2.0)
    x = next(row[0] for _, row in world.query(Transforms)).translation[:, 0]
    np.testing.assert_allclose(x - x[0], [0, 11, 20], atol=1e-3)
    people.set_velocity(ea.ALL, [0.0, 0.0])
    steps(world, 2.0)
    assert (np.abs(next(row[0] for _, row in world.query(Transforms)).translation[:, 0] - x) < 1e-6).all()
    world.close()


@pytest.mark.exhaustive
@pytest.mark.parametrize("begin", [0.0, 6.0], ids=["on its way", "later"])
def test_who_is_elsewhere_goes_over_to_a_path_and_no_foot_slides(begin, tmp_path):
    watch = Watch()
    world, people = walking_world(tmp_path, watch=watch)
    people.set_velocity(ea.ALL, [1.0, 0.0])
    transforms = next(row[0] for _, row in world.query(Transforms))
    roots, turns = [], []

    def note(_):
        roots.append(transforms.translation[0, [0, 2]].astype(float))
        turns.append(2 * np.arctan2(transforms.rotation[0, 1], transforms.rotation[0, 3]))

    steps(world, 1.5, note)
    people.follow(people.ids, [TIMES + begin], [CIRCLE])
    steps(world, 8.0, note)
    speeds = np.sqrt(np.sum(np.diff(roots, axis=0) ** 2, axis=-1)) / DT
    assert speeds.max() < 1.0 + 1.4 + 0.05
    assert np.abs(np.diff(np.unwrap(turns))).max() / DT < 8.0  # no leap, which is more than a hundred
    assert footwork(watch, skip=0.5).slides.max() < 6e-3
    x, y = (np.interp(world.time, TIMES + begin, CIRCLE[:, axis]) for axis in range(2))
    np.testing.assert_allclose(transforms.translation[0, [0, 2]], [x, -y], atol=0.01)
    world.close()


@pytest.mark.parametrize(
    ("times", "xy", "said"),
    [
        ([0.0, 0.0], [[0, 0], [1, 0]], "later than the previous"),
        ([0.0, np.nan], [[0, 0], [1, 0]], "finite"),
        ([0.0, 1.0], [[0, 0, 0], [1, 0, 0]], "positions"),
        ([0.0, 1e6], [[0, 0], [1, 0]], "Split the path"),
    ],
)
def test_paths_that_cannot_be_are_told(times, xy, said, tmp_path):
    world, people = walking_world(tmp_path)
    with pytest.raises(ValueError, match=said):
        people.follow(people.ids, [times], [xy])
    world.close()


FAR = r"must be at most 16384 m from the origin \(got .*\)\. Subtract the position of one corner"


def test_places_so_far_away_that_bodies_are_torn_are_told(tmp_path):
    world, people = walking_world(tmp_path)
    before, far = people.positions, [500_000.0, 5_600_000.0]
    with pytest.raises(ValueError, match=f"^positions {FAR}"):
        people.place(ea.ALL, far)
    with pytest.raises(ValueError, match=f"^path 0: positions {FAR}"):
        people.follow(people.ids, [[0.0, 1.0]], [[[0, 0], far]])
    for positions in ([far], [[0, 0, 2e4]]):
        with pytest.raises(ValueError, match=f"^positions {FAR}"):
            people.add(1, positions=positions)
    assert np.array_equal(people.positions, before)
    world.close()


def test_paths_that_end_too_far_from_now_are_told(tmp_path):
    world, people = walking_world(tmp_path)
    world.step(DT)
    with pytest.raises(ValueError, match="at most 86400 s after the current time"):
        people.follow(people.ids, [[1e6, 1e6 + 1]], [[[0, 0], [1, 0]]])
    world.close()


def test_stores_are_joined_and_chosen_from():
    rng = np.random.default_rng(2)

    def one(nodes, steps):
        return Paths(
            rng.random(1),
            np.array([0, nodes], np.int32),
            rng.random((nodes, 7)).astype(np.float32),
            np.cumsum([0, *steps]).astype(np.int32),
            rng.random((sum(steps), 5)).astype(np.float32),
            rng.random(nodes).astype(np.float32),
        )

    parts = [one(3, (2, 1)), one(5, (1, 4)), one(2, (3, 3))]
    whole = joined(parts)
    assert flaw_of(whole, 2) == ""
    back = chosen(whole, np.array([2, 0], np.int32), 2)
    for found, wanted in zip(back, joined([parts[2], parts[0]]), strict=True):
        np.testing.assert_array_equal(found, wanted)
    assert "first_node" in flaw_of(whole._replace(first_node=whole.first_node[:-1]), 2)
    assert "rise" in flaw_of(whole._replace(rise=whole.rise[1:]), 2)

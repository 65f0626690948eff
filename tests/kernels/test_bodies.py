"""The walking body: steps by the walk ratio, feet that stand still, legs that are not over-stretched."""

import json
from importlib.resources import files

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.body.state import FACES, LEAN, SWING, TO
from ecs_anim.components.body import Body
from ecs_anim.components.movers import Movers
from ecs_anim.components.palette import Palette
from ecs_anim.components.transforms import Transforms
from tests.helpers import some
from tests.helpers.body import DT, Watch, footwork, steps, walking_world


@pytest.fixture
def two_clips(tmp_path):
    """The mannequin with `idle` and `walk` alone."""
    source = files("ecs_anim.mannequin").joinpath("mannequin.glb").read_bytes()
    length = int.from_bytes(source[12:16], "little")
    document = json.loads(source[20 : 20 + length])
    document["animations"] = [own for own in document["animations"] if own["name"] in ("idle", "walk")]
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    rest = source[20 + length :]
    path = tmp_path / "two.glb"
    head = b"glTF" + (2).to_bytes(4, "little") + (20 + len(text) + len(rest)).to_bytes(4, "little")
    path.write_bytes(head + len(text).to_bytes(4, "little") + b"JSON" + text + rest)
    return path


WALK_RATIO = 0.39  # [m s], speed over the square of steps a second (Sekiya and others 1996)


def walked(folder, velocity, seconds, **options):
    watch = Watch()
    world, people = walking_world(folder, watch=watch, **options)
    people.set_velocity(ea.ALL, velocity, -np.pi / 2)
    steps(world, seconds)
    world.close()
    return footwork(watch)


SPEEDS = (0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.4, 2.0, 3.0)  # [m/s]


@pytest.mark.exhaustive
@pytest.mark.parametrize("speed", some(SPEEDS, "0.05", "0.3", "0.7", "1.4", "3.0"))
def test_steps_keep_the_walk_ratio_and_feet_stand_still(speed, tmp_path):
    did = walked(tmp_path, [0.0, -speed], 2.0 + 6.0 / np.sqrt(speed))
    assert len(did.lengths) >= 6
    if speed < 2:
        wanted = np.sqrt(speed / WALK_RATIO)
        assert did.cadence == pytest.approx(wanted, rel=0.08)
        assert did.lengths.mean() == pytest.approx(speed / wanted, rel=0.08)
    assert did.lengths.mean() * did.cadence == pytest.approx(speed, rel=0.03)
    assert did.slides.max() < 1e-3
    assert np.percentile(did.lifts, 5) > 0.015
    assert did.stretch <= 0.995
    assert did.sunk < 1e-4
    if speed < 2:
        assert did.jerks < 10
        assert did.bounce < 30


@pytest.mark.exhaustive
@pytest.mark.parametrize("speed", some((1.8, 2.2, 2.6, 3.0, 3.5), "2.6", "3.0"))
def test_feet_of_who_runs_never_go_back_in_the_air(speed, tmp_path):
    """Nor do hips come down again and again: nobody hurries because of a foot that stands where it should."""
    watch, more = Watch(), f"steering = {{ goal = [0.0, -60.0], desired_speed_m_s = {speed} }}"
    world, _ = walking_world(tmp_path, more=more, watch=watch)
    steps(world, 6.0)
    world.close()
    contacts, hips = (np.array([frame[part][0] for frame in watch.frames]) for part in (1, 0))
    assert np.diff(contacts[..., 2], axis=0).min() > -0.03  # [m] in a frame; they go to +z
    assert hips[90:, :, 0, 1].min() > 0.8


def test_who_sets_off_to_the_side_turns_and_does_not_squat(tmp_path):
    watch = Watch()
    world, _ = walking_world(tmp_path, more="steering = { goal = [60.0, 0.0], desired_speed_m_s = 1.3 }", watch=watch)
    steps(world, 4.0)
    world.close()
    hips = np.array([frame[0][0, :, 0, 1].mean() for frame in watch.frames])
    assert hips[:120].min() > 0.94 * np.median(hips[120:])
    assert footwork(watch, 0.0).slides.max() < 1e-3


@pytest.mark.exhaustive
@pytest.mark.parametrize("speed", some((0.7, 1.0, 1.34, 2.0), "1.34"))
def test_who_sets_off_at_full_speed_takes_quick_steps_and_does_not_lunge(speed, tmp_path):
    """Steering knows no inertia: within a step people who stood go as fast as they ever will."""
    watch, more = Watch(), f"steering = {{ goal = [0.0, -60.0], desired_speed_m_s = {speed} }}"
    world, _ = walking_world(tmp_path, more=more, watch=watch)
    steps(world, 4.0)
    world.close()
    hips = np.array([frame[0][0, :, 0, 1].mean() for frame in watch.frames])
    assert hips[:90].min() > 0.95 * np.median(hips[90:])
    did = footwork(watch, 0.0)
    assert did.slides.max() < 1e-3
    assert did.stretch <= 0.995


@pytest.mark.exhaustive
@pytest.mark.parametrize("velocity", [[0.6, 0.0], [-0.6, 0.0], [0.0, 0.7], [0.4, -0.4]], ids=str)
def test_to_the_side_and_backward_feet_stand_still_too(velocity, tmp_path):
    did = walked(tmp_path, velocity, 8.0)
    assert len(did.slides) > 4
    assert did.slides.max() < 1e-3
    assert did.stretch <= 0.995


@pytest.mark.exhaustive
def test_two_clips_are_enough_and_go_backward_too(tmp_path, two_clips):
    for velocity in ([0.0, -0.8], [0.0, 0.6], [0.5, 0.0]):
        did = walked(tmp_path, velocity, 6.0, model=two_clips.as_posix())
        assert len(did.slides) > 3
        assert did.slides.max() < 1e-3
        assert did.stretch <= 0.995


@pytest.mark.exhaustive
def test_a_walk_that_drifts_aside_a_little_is_a_walk(tmp_path, two_clips):
    """As motion capture says of itself."""
    source = two_clips.read_bytes()
    assert source.count(b'"ground_velocity": [0.0, 1.4]') == 1
    two_clips.write_bytes(source.replace(b'"ground_velocity": [0.0, 1.4]', b'"ground_velocity": [0.01,1.4]'))
    found = walked(tmp_path, [0.0, 1.0], 4.0, model=str(two_clips))
    assert found.cadence == pytest.approx((1.0 / WALK_RATIO) ** 0.5, rel=0.03)


def test_who_stands_takes_no_steps(tmp_path):
    watch = Watch()
    world, _ = walking_world(tmp_path, 4, watch=watch)
    steps(world, 3.0)
    contacts = np.stack([frame[1] for frame in watch.frames[1:]])
    assert np.ptp(contacts[..., [0, 2]], axis=0).max() < 1e-4
    assert all(frame[2].all() for frame in watch.frames)
    world.close()


def test_who_is_turned_on_the_spot_steps_round(tmp_path):
    watch = Watch()
    world, people = walking_world(tmp_path, watch=watch)
    people.set_velocity(ea.ALL, [0.0, 0.0], 3.0 - np.pi / 2)
    steps(world, 4.0)
    body = next(row[0] for _, row in world.query(Body))
    assert body.state.walk[0, FACES] == pytest.approx(3.0, abs=0.02)
    foot_yaws = body.state.feet[0, :, TO + 2]
    assert np.cos(foot_yaws - 3.0).min() > 0.88
    down = np.stack([frame[2] for frame in watch.frames])
    contacts = np.stack([frame[1] for frame in watch.frames])[..., [0, 2]]
    moved = np.abs(np.diff(contacts, axis=0)).max(axis=-1).min(axis=-1)
    assert moved[down[1:] & down[:-1]].max() < 1e-4
    assert (~down).any(axis=0).all()  # both feet have stepped
    world.close()


def test_who_stops_comes_to_stand_on_both_feet(tmp_path):
    world, people = walking_world(tmp_path)
    people.set_velocity(ea.ALL, [0.0, -1.4])
    steps(world, 2.0)
    people.set_velocity(ea.ALL, [0.0, 0.0])
    steps(world, 3.0)
    body, transforms = next(row for _, row in world.query(Body, Transforms))
    feet = body.state.feet[0]
    assert (feet[:, SWING] == 1).all()
    middle = feet[:, [TO, TO + 1]].mean(axis=0)
    assert np.linalg.norm(middle - transforms.translation[0, [0, 2]]) < 0.15
    before = feet.copy()
    steps(world, 2.0)
    np.testing.assert_array_equal(body.state.feet[0, :, TO:8], before[:, TO:8])
    world.close()


@pytest.mark.exhaustive
def test_a_body_follows_a_root_that_others_write(tmp_path):
    """Place called again and again walks: nobody says a velocity."""
    watch = Watch()
    world, people = walking_world(tmp_path, watch=watch)
    steps(world, 6.0, lambda time: people.place(ea.ALL, [0.0, -1.2 * time], np.pi / 2))
    did = footwork(watch)
    assert did.cadence == pytest.approx(np.sqrt(1.2 / WALK_RATIO), rel=0.08)
    assert did.slides.max() < 1e-3
    world.close()


@pytest.mark.exhaustive
def test_the_body_of_a_root_that_trembles_does_not(tmp_path):
    """In jams, roots may go back and forth at full speed ten times a second; and then the body is where its root is."""
    watch = Watch()
    world, people = walking_world(tmp_path, watch=watch)
    steps(world, 3.0, lambda time: people.place(ea.ALL, [0.067 * abs(20 * time % 2 - 1), 0.0]))
    people.place(ea.ALL, [0.5, 0.0])
    steps(world, 3.0)
    world.close()
    hips = np.array([frame[0][0, :, 0, 0].mean() for frame in watch.frames])
    assert np.ptp(hips[60:180]) < 0.02
    assert hips[-1] == pytest.approx(0.5, abs=0.07)  # who stands shifts their weight


@pytest.mark.exhaustive
def test_a_foot_that_is_led_elsewhere_goes_there_in_time(tmp_path):
    """In jams people change their minds while a foot is in the air: it does not leap from frame to frame."""
    watch, rng, count = Watch(), np.random.default_rng(4), 40
    world, people = walking_world(tmp_path, count, watch=watch)
    positions, velocity = people.positions, np.zeros((count, 2))
    for number in range(360):
        if number % 3 == 0:
            anew = rng.random(count) < 0.3
            velocity[anew] = rng.normal(0, 0.4, (anew.sum(), 2))
        positions += velocity * DT
        people.place(ea.ALL, positions)
        world.step(DT)
    world.close()
    balls = np.array([frame[1][:, :, 1, [0, 2]] for frame in watch.frames])
    flies = np.array([~frame[2] for frame in watch.frames])
    flies = flies[:-2] & flies[1:-1] & flies[2:]
    changes = np.linalg.norm(np.diff(balls, n=2, axis=0), axis=-1)[flies]
    assert len(changes) > 2000
    assert changes.max() < 0.12


def test_bodies_lean_in_bends_that_last(tmp_path):
    world, people = walking_world(tmp_path)
    body = next(row[0] for _, row in world.query(Body))
    people.set_velocity(ea.ALL, [0.0, -1.3], -np.pi / 2)
    steps(world, 2.0)
    people.set_velocity(ea.ALL, [0.0, -1.3], 0.7 - np.pi / 2)
    most = 0.0
    for _ in range(30):
        steps(world, DT)
        most = max(most, abs(body.state.walk[0, LEAN]))
    assert most < 0.08
    steps(world, 4.0, lambda time: people.set_velocity(ea.ALL, [1.3 * np.sin(time), -1.3 * np.cos(time)]))
    assert body.state.walk[0, LEAN] == pytest.approx(1.3 / 9.81, abs=0.02)
    world.close()


def test_bits_do_not_depend_on_threads_and_chunks(tmp_path):
    def run(threads, chunk_size):
        world, people = walking_world(tmp_path, 300, threads=threads, chunk_size=chunk_size)
        rng = np.random.default_rng(5)
        people.set_velocity(ea.ALL, rng.uniform(-1.5, 1.5, (300, 2)))
        people.follow(people.ids[:20], [np.array([0.0, 2.0])] * 20, list(rng.uniform(-3, 3, (20, 2, 2))))
        steps(world, 0.5)
        found = next(row for _, row in world.query(Palette, Transforms))
        bits = found[0].matrices.copy(), found[1].translation.copy()
        world.close()
        return bits

    one, two = run(1, 2048), run(2, 64)
    for a, b in zip(one, two, strict=True):
        np.testing.assert_array_equal(a, b)


def test_actors_come_and_go_and_a_saved_world_goes_on_to_the_bit(tmp_path):
    world, people = walking_world(tmp_path, 5)
    people.set_velocity(ea.ALL, [[0.1 * n, -1.0] for n in range(5)])
    people.follow(people.ids[3:4], [[0.0, 4.0]], [[[0.0, 0.0], [4.0, 1.0]]])
    steps(world, 1.0)
    people.remove(slice(1, 2))
    ids = people.add(3)
    people.set_velocity(people.rows(ids), [1.0, 0.0])
    steps(world, 0.5)
    world.save(tmp_path / "saved.npz")
    steps(world, 0.5)
    again = ea.load_world(tmp_path / "saved.npz", tmp_path / "walk.toml")
    steps(again, 0.5)
    for kind in (Transforms, Palette):
        (_, (here,)), (_, (there,)) = next(world.query(kind)), next(again.query(kind))
        name = "translation" if kind is Transforms else "matrices"
        np.testing.assert_array_equal(getattr(here, name), getattr(there, name))
    world.close()
    again.close()


def test_a_snapshot_that_would_lead_out_of_the_paths_is_refused(tmp_path):
    world, _ = walking_world(tmp_path, 2)
    movers = next(row[0] for _, row in world.query(Movers))
    movers.path[:] = 7
    world.save(tmp_path / "bad.npz")
    with pytest.raises(ea.InputError, match="path must be"):
        ea.load_world(tmp_path / "bad.npz", tmp_path / "walk.toml")
    world.close()


def test_long_steps_of_time_walk_as_well(tmp_path):
    world, people = walking_world(tmp_path)
    people.set_velocity(ea.ALL, [0.0, -1.4])
    for _ in range(40):
        world.step(0.1)
    body, transforms = next(row for _, row in world.query(Body, Transforms))
    away = np.linalg.norm(body.state.feet[0, :, [TO, TO + 1]].T - transforms.translation[0, [0, 2]], axis=-1)
    assert away.max() < 1.2  # a stride ahead, where it swings to
    world.close()

"""Plans of feet: turns against scipy, heights against planes and plain formulas of time."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from ecs_anim.kernels.grounding_plans import TALLEST_STEP
from ecs_anim.kernels.grounding_plans import foot_turn as helper
from tests.helpers import FEW, called
from tests.helpers.grounding import (
    AHEAD,
    ANKLE,
    GOAL,
    PITCH,
    ROLL,
    SETTINGS,
    SHIFT,
    TOE,
    Actors,
    at,
    contact_points,
    legs,
    level,
    poses,
    rest,
    slope,
)

foot_turn = called(helper)

COUNT = FEW or 200
FREE = SETTINGS._replace(lock_share=0.0)  # feet that do not lock
LENGTH = float(legs().length[0])
DT = 1 / 60
sines = st.floats(-0.9, 0.9)


def turns(plan):
    """The planned rotations of feet [actor, leg] by scipy, as matrices."""
    ahead_x, ahead_z, roll, pitch = np.moveaxis(plan[..., [AHEAD, AHEAD + 1, ROLL, PITCH]].reshape(-1, 4), -1, 0)
    heading = Rotation.from_rotvec(np.outer(np.arctan2(ahead_x, ahead_z), [0, 1, 0]))
    tilt = Rotation.from_euler("zx", np.column_stack([np.arcsin(roll), -np.arcsin(pitch)]))
    return (heading * tilt * heading.inv()).as_matrix().reshape(*plan.shape[:2], 3, 3)


def goals(plan):
    return plan[..., GOAL : GOAL + 3].astype(np.float64)


def planned_contacts(model, plan):
    """Heels and balls [actor, leg, 2, 3] in model space as the plan has them."""
    away = contact_points(model) - at(model, legs().joints[:, ANKLE])[:, :, None]
    return goals(plan)[:, :, None] + np.einsum("alij,alcj->alci", turns(plan), away)


def unchanged(model, plan, where=slice(None)):
    ankles = at(model, legs().joints[:, ANKLE])
    np.testing.assert_allclose(goals(plan)[where], ankles[where], atol=2e-6)
    np.testing.assert_allclose(plan[where][..., [ROLL, PITCH, TOE]], 0, atol=2e-5)


@settings(max_examples=60)
@given(st.floats(-np.pi, np.pi), sines, sines)
def test_feet_roll_and_pitch_about_their_own_axes(heading, roll, pitch):
    found = foot_turn(*(np.float32(v) for v in (np.sin(heading), np.cos(heading), roll, pitch)))
    yaw = Rotation.from_rotvec([0, heading, 0])
    own = Rotation.from_rotvec([-np.arcsin(pitch), 0, 0]) * Rotation.from_rotvec([0, 0, np.arcsin(roll)])
    np.testing.assert_allclose(np.reshape(found, (3, 3)), (yaw * own * yaw.inv()).as_matrix(), atol=2e-6)


def test_flat_ground_changes_nothing():
    """But for feet that sink into the floor of their own clip."""
    actors, model = Actors(COUNT, level), poses(COUNT)
    plan = actors.plan(model)
    above = contact_points(model)[..., 1].min(axis=-1) >= 0
    assert above.mean() > 0.4
    unchanged(model, plan, above)
    assert (planned_contacts(model, plan)[..., 1] > -1e-6).all()
    np.testing.assert_allclose(plan[..., SHIFT], 0, atol=1e-6)


def test_planted_feet_stand_on_the_flat():
    actors, model = Actors(COUNT, level), poses(COUNT, clips=["idle"])
    actors.pin[:] = 1
    np.testing.assert_allclose(planned_contacts(model, actors.plan(model))[..., 1], 0, atol=2e-6)


def test_a_floor_above_the_ground_is_where_feet_stand():
    """Some rigs' soles lie below their origin: actors stand that much higher."""
    actors, model = Actors(COUNT, level, SETTINGS._replace(floor=0.05)), poses(COUNT, clips=["idle"])
    actors.pin[:] = 1
    model[..., 7] -= (0.05 / actors.scale)[:, None]
    height = actors.world(planned_contacts(model, actors.plan(model)))[..., 1]
    np.testing.assert_allclose(height, 0, atol=5e-6)


def test_without_weight_there_is_no_plan_and_no_memory():
    actors, model = Actors(COUNT, slope(0.3, 0.1)), poses(COUNT)
    actors.plan(model)
    actors.weight[::2] = 0
    plan = actors.plan(model)
    assert np.isnan(plan[::2]).all()
    assert np.isfinite(plan[1::2]).all()
    assert np.isnan(actors.state.trace[::2, ..., 2]).all()
    assert np.isnan(actors.state.tilt[::2]).all()
    assert (actors.state.locked[::2] == -1).all()


def test_half_the_weight_moves_feet_half_the_way():
    model = rest(COUNT)
    for height in (0.1, -0.2):
        actors = Actors(COUNT, level, weight=0.5, size=(1, 1))
        actors.pin[:] = 1
        actors.ground = slope(0, 0, height)
        moved = goals(actors.plan(model)) - at(model, legs().joints[:, ANKLE])
        np.testing.assert_allclose(moved, np.broadcast_to([0, height / 2, 0], moved.shape), atol=2e-3)


@pytest.mark.parametrize("plane", [(0.2, 0.0), (0.0, -0.3), (0.25, 0.2), (-0.1, -0.05)])
@pytest.mark.parametrize("clip", ["idle", "walk"])
def test_planted_feet_lie_on_slopes(plane, clip):
    """Both contacts of every planted foot are as high as the plane below where they were."""
    actors, model = Actors(COUNT, slope(*plane)), poses(COUNT, clips=[clip])
    actors.pin[:] = 1
    plan = actors.plan(model)
    before, after = (actors.world(points) for points in (contact_points(model), planned_contacts(model, plan)))
    free = np.abs(plan[..., PITCH]) < SETTINGS.slope_sine - 1e-4
    assert free.mean() > 0.5
    expected = actors.ground(before[..., 0], before[..., 2])[0]
    np.testing.assert_allclose(after[free][..., 1], expected[free], atol=2e-5)


@pytest.mark.parametrize("plane", [(0.2, 0.0), (0.0, -0.3), (0.25, 0.2), (-0.1, -0.05)])
def test_soles_are_parallel_to_slopes(plane):
    """Of who stands with flat feet: within two degrees, as roll and pitch are found apart."""
    actors, model = Actors(COUNT, slope(*plane)), rest(COUNT)
    actors.pin[:] = 1
    normal = np.array([-plane[0], 1, -plane[1]]) / np.linalg.norm([plane[0], 1, plane[1]])
    plan = actors.plan(model)
    world = np.einsum("aij,alj->ali", actors.turn.as_matrix(), turns(plan)[..., 1])
    assert np.degrees(np.arccos(np.clip(world @ normal, -1, 1))).max() < 2.0
    contacts = actors.world(planned_contacts(model, plan))
    gap = contacts[..., 1] - actors.ground(contacts[..., 0], contacts[..., 2])[0]
    assert np.abs(gap / actors.scale[:, None, None]).max() < 0.004


def test_feet_are_turned_no_further_than_the_limit():
    gentle = FREE._replace(slope_sine=float(np.sin(np.radians(10))))
    actors, model = Actors(COUNT, slope(0.6, -0.5), gentle), poses(COUNT)
    actors.pin[:] = 1
    plan = actors.plan(model)
    assert np.abs(plan[..., [ROLL, PITCH, TOE]]).max() <= gentle.slope_sine + 1e-6
    assert (np.abs(plan[..., PITCH]) > gentle.slope_sine - 1e-6).any()
    contacts = contact_points(model)
    expected = actors.ground(*np.moveaxis(actors.world(contacts)[..., [0, 2]], -1, 0))[0]
    deepest = (actors.world(planned_contacts(model, plan))[..., 1] - expected).min(axis=-1)
    np.testing.assert_array_less(-1e-5, deepest)  # a foot that does not lie on the slope stands on it


def test_toes_pitch_with_the_ground_below_the_ball():
    actors, model = Actors(COUNT, slope(0.0, 0.3)), rest(COUNT)
    plan = actors.plan(model)
    foot = np.diff(contact_points(model), axis=2)[:, :, 0]
    along = np.einsum("aij,alj->ali", actors.turn.as_matrix(), foot)
    rise = 0.3 * along[..., 2] / np.hypot(along[..., 0], along[..., 2])
    np.testing.assert_allclose(plan[..., TOE], rise / np.hypot(1, rise), atol=1e-5)


def test_free_feet_keep_their_height_above_the_ground():
    """Over a plane they are as far above it as they were above the floor of the clip."""
    actors, model = Actors(COUNT, slope(0.15, -0.1), FREE), poses(COUNT, clips=["walk", "run"])
    before = contact_points(model)
    place = actors.world(before)
    expected = actors.ground(place[..., 0], place[..., 2])[0]
    expected = expected + actors.scale[:, None, None] * np.maximum(before[..., 1], 0)
    plan = actors.plan(model)
    foot = np.diff(before, axis=2)[:, :, 0]
    flat_enough = np.abs(foot[..., 1]) < 0.8 * np.linalg.norm(foot, axis=-1)
    free = flat_enough & (np.abs(plan[..., PITCH]) < SETTINGS.slope_sine - 1e-4)
    assert free.mean() > 0.7
    np.testing.assert_allclose(actors.world(planned_contacts(model, plan))[free][..., 1], expected[free], atol=3e-5)


def test_walls_are_no_steps():
    """Ground higher than a leg can step moves a foot by a share of the leg's length at most."""
    for height, way in ((5.0, 1), (-5.0, -1)):
        actors, model = Actors(COUNT, level), rest(COUNT)
        actors.ground = slope(0, 0, height)
        np.testing.assert_allclose(actors.plan(model)[..., SHIFT], way * TALLEST_STEP * LENGTH, rtol=1e-5)


def height_of(actors, model, dt):
    return actors.world(planned_contacts(model, actors.plan(model, dt)))[..., 1]


@pytest.mark.parametrize("rate", [30, 60, 144])
@pytest.mark.parametrize("step", [0.2, -0.15])
def test_steps_are_taken_bit_by_bit_at_any_frame_rate(rate, step):
    """What is left of a sudden step after a time is the exponential of that time."""
    actors, model = Actors(20, level, FREE, size=(1, 1)), rest(20)
    actors.pin[:] = 1
    np.testing.assert_allclose(height_of(actors, model, 1 / rate), 0, atol=1e-5)
    actors.ground = slope(0, 0, step)
    for frame in range(1, rate // 3):
        left = step * np.exp(-frame / rate / FREE.step_seconds)
        np.testing.assert_allclose(height_of(actors, model, 1 / rate), step - left, atol=2e-5)


def test_steps_that_come_one_after_the_other_add_up():
    actors, model = Actors(5, level, FREE, size=(1, 1)), rest(5)
    actors.pin[:] = 1
    left, before = 0.0, 0.0
    for height in (0.0, 0.1, 0.1, 0.25, 0.0, 0.0, 0.05, 0.05):
        actors.ground = slope(0, 0, height)
        left = (left + height - before) * np.exp(-DT / FREE.step_seconds) if height != before or left else 0.0
        before = height
        np.testing.assert_allclose(height_of(actors, model, DT), height - left, atol=2e-5)


def test_a_slope_is_no_step():
    """Who walks up and down keeps touching the ground."""
    actors, model = Actors(COUNT, slope(0.3, -0.2), FREE), rest(COUNT)
    actors.pin[:] = 1
    for _ in range(20):
        actors.translation[:, [0, 2]] += actors.turn.apply([0, 0, 2.0 * DT])[:, [0, 2]].astype(np.float32)
        actors.stand()
        contacts = actors.world(contact_points(model))
        expected = actors.ground(contacts[..., 0], contacts[..., 2])[0]
        np.testing.assert_allclose(height_of(actors, model, DT), expected, atol=1e-4)


def test_ground_too_steep_to_walk_is_a_step():
    actors, model = Actors(COUNT, slope(0.0, 3.0), FREE, size=(1, 1)), rest(COUNT)
    actors.plan(model)
    actors.translation[:, 2] += 0.03
    shifts = actors.plan(model)[..., SHIFT]
    before = contact_points(model)
    rise = (actors.world(before)[..., 2] - actors.translation[:, None, None, 2]) * 3 + 0.09
    expected = np.clip(rise - 0.09 * np.exp(-DT / FREE.step_seconds), -TALLEST_STEP * LENGTH, TALLEST_STEP * LENGTH)
    np.testing.assert_allclose(shifts, expected.max(axis=-1), atol=1e-4)


@pytest.mark.parametrize("rate", [30, 120])
def test_pins_press_feet_down_at_once_and_let_them_go_bit_by_bit(rate):
    actors, model = Actors(20, level, FREE, size=(1, 1)), rest(20)
    model[..., 7] += 0.08
    above = contact_points(model)[..., 1]
    np.testing.assert_allclose(height_of(actors, model, 1 / rate), above, atol=1e-5)
    actors.pin[:] = 0.5
    np.testing.assert_allclose(height_of(actors, model, 1 / rate), 0.5 * above, atol=1e-5)
    actors.pin[:] = 1
    np.testing.assert_allclose(height_of(actors, model, 1 / rate), 0, atol=1e-5)
    actors.pin[:] = 0
    for frame in range(1, 10):
        left = np.exp(-frame / rate / FREE.step_seconds)
        np.testing.assert_allclose(height_of(actors, model, 1 / rate), above * (1 - left), atol=2e-5)


def walk_ahead(actors, seconds, dt, speed=0.4):
    """Carry actors ahead; yields their planned contacts in the world after each step."""
    model = rest(actors.count)
    for _ in range(round(seconds / dt)):
        yield actors.world(planned_contacts(model, actors.plan(model, dt)))
        actors.translation += actors.turn.apply([0, 0, speed * dt]).astype(np.float32)
        actors.stand()


@pytest.mark.parametrize("contact", [0, 1])
@pytest.mark.parametrize("plane", [(0.0, 0.0), (0.2, -0.15)])
def test_a_planted_contact_stays_where_it_was(contact, plane):
    actors = Actors(COUNT, slope(*plane), size=(0.8, 1.5))
    actors.pin[..., contact] = 1
    places = np.stack([step[:, :, contact] for step in walk_ahead(actors, 0.2, DT)])
    assert np.ptp(actors.state.lock[..., 2:], axis=0).max() > 0.02, "actors did move on"
    np.testing.assert_allclose(places, np.broadcast_to(places[0], places.shape), atol=2e-3 if any(plane) else 3e-5)


def test_a_foot_is_held_back_no_further_than_its_share():
    actors = Actors(COUNT, level)
    actors.pin[..., 1] = 1
    for _ in walk_ahead(actors, 1.0, DT, speed=1.0):
        pass
    back = np.linalg.norm(actors.state.lock[..., 2:], axis=-1)
    np.testing.assert_allclose(back, np.repeat(0.15 * LENGTH * actors.scale[:, None], 2, axis=1), rtol=1e-4)


def test_the_ball_takes_over_from_the_heel_without_a_jump():
    actors, before = Actors(COUNT, level, size=(1, 2)), None
    actors.pin[..., 0] = 1
    for step, contacts in enumerate(walk_ahead(actors, 0.4, DT, speed=0.25)):
        if step == 8:
            actors.pin[..., 1] = 1
        if step == 16:
            actors.pin[..., 0] = 0
        if before is not None:
            assert np.linalg.norm(contacts - before, axis=-1).max() < 1e-4
        before = contacts
    assert (actors.state.locked == 1).all()


@pytest.mark.parametrize("rate", [30, 60, 120])
def test_a_lifted_foot_forgets_where_it_was_held(rate):
    actors = Actors(20, level, size=(1, 1))
    actors.pin[..., 1] = 1
    for _ in walk_ahead(actors, 0.2, 1 / rate):
        pass
    actors.plan(rest(20), 1 / rate)
    actors.pin[:] = 0
    held = actors.state.lock[..., 2:].copy()
    assert np.linalg.norm(held, axis=-1).min() > 0.05
    for frame in range(1, rate // 3):
        actors.plan(rest(20), 1 / rate)
        left = np.exp(-frame / rate / SETTINGS.release_seconds)
        np.testing.assert_allclose(actors.state.lock[..., 2:], held * left, atol=1e-5)
    assert (actors.state.locked == -1).all()


def test_pins_that_flicker_about_a_half_do_not_let_go():
    actors = Actors(5, level)
    for pin, contact in ((0.45, -1), (0.55, 1), (0.45, 1), (0.42, 1), (0.39, -1), (0.49, -1), (0.51, 1)):
        actors.pin[..., 1] = pin
        actors.plan(rest(5))
        assert (actors.state.locked == contact).all()


def test_feet_that_do_not_lock_move_on():
    actors = Actors(COUNT, level, FREE)
    actors.pin[:] = 1
    for _ in walk_ahead(actors, 0.2, DT):
        pass
    np.testing.assert_array_equal(actors.state.lock, 0)


def nothing(x, z):
    return np.full_like(x, -np.inf), 0.0, 0.0


def test_over_a_hole_feet_stay_on_the_actors_own_level():
    actors, model = Actors(COUNT, nothing), rest(COUNT)
    actors.pin[:] = 1
    unchanged(model, actors.plan(model))


def test_ground_that_ends_is_left_bit_by_bit():
    actors, model = Actors(COUNT, slope(0, 0, 0.2), FREE, size=(1, 1)), rest(COUNT)
    actors.translation[:, 1] = 0
    actors.pin[:] = 1
    assert height_of(actors, model, DT) == pytest.approx(0.2, abs=1e-5)
    actors.ground = nothing
    for frame in range(1, 10):
        expected = 0.2 * np.exp(-frame * DT / FREE.step_seconds)
        np.testing.assert_allclose(height_of(actors, model, DT), expected, atol=1e-5)


def edge(x, z):
    """Ground behind z = 0, none ahead of it."""
    return np.where(z < 0, 0.1, -np.inf), 0.0, 0.0


def test_nothing_is_lost_at_the_edge_of_a_hole():
    actors, model = Actors(COUNT, edge), poses(COUNT)
    actors.translation[:, 2] *= 0.02
    actors.pin[:] = np.random.default_rng(0).random(actors.pin.shape)
    for _ in range(5):
        plan = actors.plan(model)
        assert np.isfinite(plan).all()
        turn = turns(plan)
        np.testing.assert_allclose(turn @ np.swapaxes(turn, -1, -2), np.broadcast_to(np.eye(3), turn.shape), atol=1e-5)


def test_who_is_grounded_again_begins_anew():
    """No rest of a step, no lock, no tilt is left from before."""
    actors, model = Actors(COUNT, slope(0.2, 0.1)), poses(COUNT)
    actors.pin[:] = 1
    fresh = actors.plan(model)
    actors.ground = slope(-0.2, 0.1, 0.4)
    actors.plan(model)
    actors.weight[:] = 0
    actors.plan(model)
    actors.weight[:], actors.ground = 1, slope(0.2, 0.1)
    np.testing.assert_allclose(actors.plan(model), fresh, atol=1e-6)


def test_who_is_put_elsewhere_begins_anew():
    """A jump of the actor is no step of the ground, and feet are not held where they were."""
    actors, model = Actors(COUNT, slope(0.2, 0.1)), rest(COUNT)
    actors.pin[:] = 1
    for _ in walk_ahead(actors, 0.1, DT):
        pass
    actors.translation[:, [0, 2]] += [[7.0, -3.0]]
    actors.stand()
    moved = actors.plan(model)
    anew = Actors(COUNT, slope(0.2, 0.1))
    anew.translation[:], anew.pin[:] = actors.translation, 1
    np.testing.assert_allclose(moved, anew.plan(model), atol=2e-5)
    np.testing.assert_array_equal(actors.state.lock[..., 2:], 0)


def test_time_that_stands_still_changes_nothing():
    actors, model = Actors(COUNT, slope(0.1, 0.2)), poses(COUNT)
    actors.pin[:] = np.random.default_rng(3).random(actors.pin.shape)
    first = actors.plan(model)
    np.testing.assert_allclose(actors.plan(model, 0.0), first, atol=1e-5)


def test_a_foot_on_its_tip_points_ahead():
    """Straight down it points nowhere on the level."""
    actors, model = Actors(3, level), rest(3)
    ankle = legs().joints[0, ANKLE]
    heel, ball = legs().contacts[0].astype(np.float64)
    down = Rotation.align_vectors([[0, -1, 0]], [ball - heel])[0].as_matrix()
    for row in range(3):
        model[:, ankle, 4 * row : 4 * row + 3] = down[row]
    model[:, ankle, 7] += 0.3
    plan = actors.plan(model)
    assert np.isfinite(plan).all()
    np.testing.assert_allclose(plan[:, 0, AHEAD : AHEAD + 2], [[0, 1]] * 3, atol=1e-6)

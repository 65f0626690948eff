"""Ways along paths, against closed forms; and the steps that are planned on them."""

import numpy as np

from ecs_anim.body.gait_plan import first_stance
from ecs_anim.body.ways import STANDS_ON, TICK_RATE, Line, smooth_through, way_of
from ecs_anim.components.body import Body
from ecs_anim.systems.path_plans import plan_paths
from tests.helpers.body import walking_world

TIMES = np.arange(0, 10.01, 0.1)


def test_cubics_go_through_their_points_and_parabolas_are_exact():
    values = 0.3 * TIMES**2 - TIMES
    at = np.linspace(0.1, 9.9, 777)
    np.testing.assert_allclose(smooth_through(TIMES, values, at), 0.3 * at**2 - at, atol=1e-9)
    np.testing.assert_allclose(smooth_through(TIMES, np.sin(TIMES), TIMES), np.sin(TIMES), atol=1e-12)


def test_a_way_has_the_speed_and_the_direction_of_its_path():
    way = way_of(Line(TIMES, np.stack([1.2 * TIMES, 0.5 * TIMES], axis=-1)))
    inside = slice(10, -round(STANDS_ON * TICK_RATE) - 10)
    np.testing.assert_allclose(way.vx[inside], 1.2, atol=1e-9)
    np.testing.assert_allclose(way.vz[inside], -0.5, atol=1e-9)
    np.testing.assert_allclose(way.faces[inside], np.arctan2(1.2, -0.5), atol=1e-9)
    np.testing.assert_allclose(way.turn, 0, atol=1e-9)


def test_who_stands_turns_in_time_to_where_they_will_go():
    xy = np.stack([np.minimum(TIMES, 4.0), np.maximum(TIMES - 7.0, 0.0)], axis=-1)  # east, a rest, north
    way = way_of(Line(TIMES, xy))
    at = (np.array([3.0, 5.0, 9.0]) * TICK_RATE).astype(int)
    np.testing.assert_allclose(way.faces[at], [np.pi / 2, np.pi / 2, np.pi], atol=0.02)
    assert np.abs(way.turn).max() < 1.2


def test_planned_steps_are_as_the_walk_ratio_has_them_and_in_order(tmp_path):
    world, _ = walking_world(tmp_path)
    body = next(row[0] for _, row in world.query(Body))
    times = np.array([0.0, 30.0])
    paths = plan_paths(
        body.table,
        body.plan,
        2,
        [Line(times, np.stack([0.9 * times, 0 * times], axis=-1))],
        np.ones(1, np.float32),
        np.zeros(1),
    )
    cadence = np.sqrt(0.9 / 0.39)
    for leg in range(2):
        step = paths.step[paths.first_step[leg] : paths.first_step[leg + 1]]
        assert (step[1:, 1] > step[1:, 0]).all()
        assert (step[2:, 0] >= step[1:-1, 1]).all()
        np.testing.assert_allclose(np.diff(step[3:-3, 1]), 2 / cadence, atol=0.05)
        np.testing.assert_allclose(np.diff(step[3:-3, 2]), 2 * 0.9 / cadence, atol=0.06)
    world.close()


def test_steps_come_when_the_strides_of_a_line_say_and_left_is_left(tmp_path):
    """A tenth more often than most people step at that speed, and begun half a stride off."""
    world, _ = walking_world(tmp_path)
    body = next(row[0] for _, row in world.query(Body))
    times = np.linspace(0.0, 30.0, 301)
    strides = 1.1 * 0.5 * np.sqrt(1.2 / 0.39) * times
    line = Line(times, np.stack([1.2 * times, 0 * times], axis=-1), strides=strides)
    begin = np.array([(first_stance(body.table, body.plan) + 0.5) % 1.0])
    paths = plan_paths(body.table, body.plan, 2, [line], np.ones(1, np.float32), begin)
    for leg in range(2):
        step = paths.step[paths.first_step[leg] : paths.first_step[leg + 1]]
        stances = (step[3:-1, 1] + step[4:, 0]) / 2  # from landing to lifting
        off = np.interp(stances, times, strides) - leg / 2
        assert np.abs(off - np.rint(off))[stances[:] > 8].max() < 0.06
    world.close()


def test_a_body_that_looks_elsewhere_turns_to_its_path():
    way = way_of(Line(TIMES, np.stack([1.2 * TIMES, 0 * TIMES], axis=-1), looks=0.0))
    assert way.faces[0] == 0
    assert np.abs(np.diff(way.faces)).max() * TICK_RATE < 3.1
    np.testing.assert_allclose(way.faces[TICK_RATE:], np.pi / 2, atol=1e-9)

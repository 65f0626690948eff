"""Gaits looked up by speed."""

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.assets.hierarchy import model_matrices
from ecs_anim.body.gait_plan import DUTY, FASTEST, RATE, SPEEDS
from ecs_anim.components.body import Body
from ecs_anim.kernels import gaits
from tests.helpers import called_in
from tests.helpers.body import walking_world

helpers = called_in(gaits)


@pytest.fixture
def body(tmp_path):
    world, _ = walking_world(tmp_path)
    yield next(row[0] for _, row in world.query(Body))
    world.close()


def test_the_table_holds_the_walk_ratio_between_its_rows_too(body):
    for speed in np.linspace(0.01, 1.9, 57):
        width = body.table.shape[1]
        rate = helpers.interpolated(body.table, helpers.row_of(np.float32(speed), width), width, RATE)
        assert 2 * rate == pytest.approx(np.sqrt(speed / 0.39), rel=2e-3)


def test_phases_and_differences_of_phases():
    for phase in np.linspace(-3, 3, 61, dtype=np.float32):
        assert helpers.within_one(phase) == pytest.approx(phase % 1, abs=1e-6) or phase % 1 > 0.999
        assert abs(helpers.wrapped(phase)) <= 0.5


def test_no_stance_is_longer_than_feet_go_in_the_walking_clip(body):
    """The mannequin's toes, in model space: its ball is hardly off them. Faster, feet leave the ground earlier."""
    clip = ea.load_rig("mannequin").clips["walk"]
    pose = clip.sample(clip.start + np.linspace(0, 1, 60) * clip.duration)
    toes = model_matrices(clip.skeleton, pose)[:, body.legs.joints[:, 3], 2, 3]
    spread = np.ptp(toes, axis=0).min()
    speeds = FASTEST * np.linspace(0, 1, SPEEDS) ** 2
    gone = speeds[1:] * body.table[1:, DUTY] / body.table[1:, RATE]
    assert gone.max() <= 1.05 * spread
    assert gone[(speeds[1:] > 1.8) & (speeds[1:] < 2.5)].min() >= 0.85 * spread

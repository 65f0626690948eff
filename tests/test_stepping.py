"""Stepping: helpers of the walking body's kernels."""

import numpy as np
import pytest

from ecs_anim.body.state import new_body_state
from ecs_anim.components.body import Body
from ecs_anim.kernels import stepping
from tests.body_support import walking_world
from tests.support import EXHAUSTIVE, called_in

helpers = called_in(stepping)


@pytest.fixture
def body(tmp_path):
    world, _ = walking_world(tmp_path)
    yield next(row[0] for _, row in world.query(Body))
    world.close()


@pytest.mark.parametrize("speed", [0.2, 1.0, 1.8, 3.5])
@EXHAUSTIVE
def test_a_body_begun_on_its_way_walks_on_without_a_hitch(speed, body):
    """Feet in the air land where feet that went all the way would have."""
    state = new_body_state(1, 2)
    state.walk[0, :5] = 0.0, 0.0, 0.0, 0.0, speed
    helpers.begin_gait(body.table, body.plan, state.walk, state.feet, 0, np.float32(1), np.float32(0.3))
    landed = []
    for tick in range(600):
        before = state.feet[0, :, 0].copy()
        state.walk[0, 1] += np.float32(speed / 60)
        gait, sine, cosine = helpers.advance_gait(
            body.table, body.plan, state.walk, state.feet, 0, np.float32(1), stepping.AS_ASKED, np.float32(1 / 60)
        )
        helpers.lead_feet(body.table, body.plan, state.walk, state.feet, 0, np.float32(1), gait, sine, cosine)
        landed += [(tick, state.feet[0, leg, 6]) for leg in range(2) if before[leg] < 1 <= state.feet[0, leg, 0]]
    ticks, places = np.array(landed).T
    pace = np.diff(places).mean() / (np.diff(ticks).mean() / 60)
    assert pace == pytest.approx(speed, rel=0.05)
    assert np.diff(ticks).max() < 1.6 * np.diff(ticks).min() + 2

"""Spaces of two parameters in lanes: against the readable weights, and against `motion`'s, one by one, to the bit."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ecs_anim.runtime.motion import MAX_MEMBERS, MEMBER, MOTION, MotionArrays
from tests.kernels.test_spaces import ask_eight
from tests.oracles.blend_weights import weights_2d
from tests.runtime.test_motion import ask

DT = 0.02


def set_of(points, rng):
    """Motions of one space, whose clips are of any length and go anywhere."""
    count = len(points)
    members = np.zeros(count, MEMBER)
    members["x"], members["y"] = np.float32(points).T
    members["duration"], members["side"], members["ahead"] = rng.uniform(0.3, 2, count), *rng.uniform(-2, 2, (2, count))
    table = np.array([(0, count, 0, 1, True, True)], MOTION)
    return MotionArrays(table, members, np.zeros((1, 1), np.float32), np.zeros((1, 1, 1), np.float32))


class Set:
    """As `ask` takes it."""

    def __init__(self, points, rng):
        self.arrays = set_of(points, rng)


grid = st.tuples(st.integers(-4, 4), st.integers(-4, 4))
parameter = st.floats(-3, 3, width=32)


@given(
    st.lists(grid, min_size=1, max_size=MAX_MEMBERS, unique=True),
    st.lists(st.tuples(parameter, parameter), min_size=8, max_size=8),
    st.integers(0, 2**32 - 1),
)
def test_eight_are_weighed_as_one_is(places, parameters, seed):
    rng = np.random.default_rng(seed)
    points = np.float32(places) * np.float32(rng.uniform(0.2, 1))
    motions, told = Set(points, rng), np.empty((5, 8), np.float32)
    told[:2], told[2], told[3] = np.float32(parameters).T, rng.uniform(-2, 2, 8), rng.uniform(0.5, 2, 8)
    told[:2, 0], told[4] = points[0], 0.25  # where one member is alone
    out, scratch = np.empty((3, 8), np.float32), np.zeros(8 * MAX_MEMBERS, np.float32)
    ask_eight(motions.arrays, 0, told, DT, out, scratch)
    weights = scratch.reshape(MAX_MEMBERS, 8)[: len(points)]
    np.testing.assert_allclose(weights.T, weights_2d(points, told[:2].T), atol=2e-4)
    for lane in range(8):
        one = ask(0, told[1, lane], told[0, lane], 0.25, told[2, lane], told[3, lane], DT, motions)
        np.testing.assert_array_equal(weights[:, lane], one[0])
        np.testing.assert_array_equal(out[:, lane], np.float32(one[1:]))

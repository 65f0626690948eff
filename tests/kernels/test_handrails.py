"""Hands on handrails: grips and wrists of four actors on one flight, compared with the geometry of the flight."""

import numpy as np

from ecs_anim.kernels.handrails import hold_handrails
from ecs_anim.storeys.handrails import Arms, Rails

ONE = np.zeros((1, 2)), np.array([[1.0, 0.0]])  # foot and direction of a flight to the east
RAILS = Rails(2, *ONE, *(np.array([own]) for own in (0.6, 4.0, 1.0, 0.6)), np.array([[True, False]]))
ARMS = Arms(np.array([[0.2, 1.4, 0.0], [-0.2, 1.4, 0.0]]), np.array([0.6, 0.6]), np.array([0.0, 0.0, 1.0]))


def test_the_hand_beside_a_handrail_moves_to_it_and_back():
    """Two actors face uphill and two face downhill. Only the north side has a handrail."""
    north, half, count = np.array([0.3, -0.3, 0.3, -0.3]), np.sqrt(0.5), 4
    at = np.stack([np.ones(count), np.full(count, 0.6), -north], axis=-1).astype(np.float32)
    turn = np.array([[0, half, 0, half]] * 2 + [[0, -half, 0, half]] * 2, np.float32)
    placement, flight, grip = (
        (at, turn, np.ones(count, np.float32)),
        np.full(count, -1, np.int32),
        np.zeros((4, 2), "f4"),
    )
    hands = [(np.zeros(count, np.float32), np.zeros((count, 3), np.float32)) for _ in range(2)]

    def step(on: int) -> None:
        hold_handrails(np.full(count, on, np.int32), RAILS, ARMS, placement, 0.5, flight, grip, *hands)

    step(0)
    np.testing.assert_array_equal(grip, [[0.5, 0], [0, 0], [0, 0.5], [0, 0]])
    np.testing.assert_allclose(hands[0][0], [0.5, 0, 0, 0])
    for (_, wrists), row, ahead in ((hands[0], 0, 0.12), (hands[1], 2, -0.12)):
        along = 1 + ahead
        np.testing.assert_allclose(wrists[row], [along, 1 + 0.6 * along + 0.04, -(0.6 - 0.03)], rtol=1e-6)
    step(0)
    assert grip[0, 0] == grip[2, 1] == 1
    step(-1)
    step(-1)
    np.testing.assert_array_equal(grip, 0)
    np.testing.assert_array_equal(flight, 0)

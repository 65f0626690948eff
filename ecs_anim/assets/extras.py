"""What clips say of themselves in their `extras`, which may hold anything."""

import reprlib
from collections.abc import Mapping
from typing import TypeGuard

import numpy as np

FASTEST = 1e9  # [rig units/s], above which `extras` say no speed
FASTEST_TURN = 1e3  # [rad/s], above which they say no turn


def is_number(said: object, most: float = FASTEST) -> TypeGuard[float]:
    """Whether this is a number, and at most so large."""
    return (
        isinstance(said, int | float | np.floating | np.integer)
        and not isinstance(said, bool)
        and bool(-most <= said <= most)
    )


def said_turn(extras: Mapping[str, object]) -> float:
    """`ground_turn`: how fast who plays a clip turns over the ground [rad/s], to the left; 0 where nothing is said.

    Raises ValueError for what is no such number.
    """
    said = extras.get("ground_turn", 0.0)
    if not is_number(said, FASTEST_TURN):
        given = reprlib.repr(said)
        raise ValueError(f"must be a number from {-FASTEST_TURN:g} to {FASTEST_TURN:g} [rad/s] (got {given})")
    return float(said)

"""Readers of the `extras` of clips, which can contain any data."""

import reprlib
from collections.abc import Mapping
from typing import TypeGuard

import numpy as np

FASTEST = 1e9  # [rig units/s], largest valid speed in `extras`
FASTEST_TURN = 1e3  # [rad/s], largest valid turn rate in `extras`


def is_number(said: object, most: float = FASTEST) -> TypeGuard[float]:
    """Return whether `said` is a number with an absolute value of at most `most`."""
    return (
        isinstance(said, int | float | np.floating | np.integer)
        and not isinstance(said, bool)
        and bool(-most <= said <= most)
    )


def said_turn(extras: Mapping[str, object]) -> float:
    """Return the extra `ground_turn`: the turn rate [rad/s] of an actor that plays a clip. Left is positive.

    The default is 0. Raises ValueError if `ground_turn` is not a number in the valid range.
    """
    said = extras.get("ground_turn", 0.0)
    if not is_number(said, FASTEST_TURN):
        given = reprlib.repr(said)
        raise ValueError(f"must be a number from {-FASTEST_TURN:g} to {FASTEST_TURN:g} [rad/s] (got {given})")
    return float(said)

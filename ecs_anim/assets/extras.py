"""Functions that read the `extras` of clips. The `extras` of a glTF file can contain any data."""

import reprlib
from collections.abc import Mapping
from typing import TypeGuard

import numpy as np

FASTEST = 1e9  # [rig units/s], largest valid speed in `extras`
FASTEST_TURN = 1e3  # [rad/s], largest valid turn rate in `extras`


def is_number(said: object, most: float = FASTEST) -> TypeGuard[float]:
    """Return whether `said` is a number with an absolute value of at most `most`. `said` can have any type."""
    return (
        isinstance(said, int | float | np.floating | np.integer)
        and not isinstance(said, bool)
        and bool(-most <= said <= most)
    )


def said_turn(extras: Mapping[str, object]) -> float:
    """Return the value of `ground_turn` in `extras`: the turn rate [rad/s] of an actor that plays the clip.

    A turn to the left is positive. The default is 0. Raises ValueError if `ground_turn` is not a number in the valid
    range.
    """
    said = extras.get("ground_turn", 0.0)
    if not is_number(said, FASTEST_TURN):
        given = reprlib.repr(said)
        raise ValueError(
            f"`ground_turn` must be a number from {-FASTEST_TURN:g} to {FASTEST_TURN:g} [rad/s] (got {given}). Correct"
            " `ground_turn` in the extras."
        )
    return float(said)

"""Curves: functions from the time of a clip to the values of actor parameters."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

CURVE_POINTS = 65


@dataclass(frozen=True)
class CurveTable:
    """The values of one curve over the phase of each clip.

    The curve's value for an actor is the mean over the actor's clips, weighted by the weights of the clips.

    Written by: the scene loader. Read by: the system `curves`.
    """

    parameter: int  # column of the parameter that the curve sets
    values: NDArray[np.float32]  # [clip_count, CURVE_POINTS] f32, evenly spaced in phase; 0 = the clip has no curve


@dataclass(frozen=True)
class Curves:
    """All curves of a crowd: functions from the time of a clip to the value of a parameter."""

    tables: tuple[CurveTable, ...]

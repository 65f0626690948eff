"""Scalar curves of clips that drive parameters."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

CURVE_POINTS = 65


@dataclass(frozen=True)
class CurveTable:
    """The values of one curve over the phase of each clip.

    An actor's value is the mean over its clips, weighted by the clips' weights.

    Written by: the scene loader. Read by: curves.
    """

    parameter: int  # column of the parameter that the curve drives
    values: NDArray[np.float32]  # [clip_count, CURVE_POINTS] f32, evenly spaced in phase; 0 = the clip has no curve


@dataclass(frozen=True)
class Curves:
    """All curves of a crowd."""

    tables: tuple[CurveTable, ...]

"""Scalar curves of clips that drive parameters."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

CURVE_POINTS = 65


@dataclass(frozen=True)
class CurveTable:
    """One curve: its value over each clip's phase, mixed as the clips are.

    Written by: the scene loader. Read by: curves.
    """

    parameter: int  # column that it drives
    values: NDArray[np.float32]  # [clip_count, CURVE_POINTS] f32, evenly spaced in phase; 0 where a clip has none


@dataclass(frozen=True)
class Curves:
    """All curves of a crowd."""

    tables: tuple[CurveTable, ...]

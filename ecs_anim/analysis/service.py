"""Levels of service for walkways (Fruin 1971, "Pedestrian Planning and Design"): six classes of space per person."""

import numpy as np
from numpy.typing import NDArray

from ecs_anim.analysis.samples import Reals

# Smallest space per person [m²] at each level. Fruin gives these limits as 35, 25, 15, 10 and 5 square feet.
SPACE = {"A": 3.25, "B": 2.32, "C": 1.39, "D": 0.93, "E": 0.46, "F": 0.0}
COLORS = {"A": "#2c6fbb", "B": "#27a79a", "C": "#9ccc3c", "D": "#fdd835", "E": "#f57c1f", "F": "#c2185b"}


def levels_of(densities: Reals) -> NDArray[np.intp]:
    """Return the number of the level of service for each density [1/m²], of any shape: 0 for A, 5 for F."""
    limits = [1 / space for space in SPACE.values() if space > 0]
    return np.searchsorted(limits, densities, side="right").astype(np.intp)


def shares(densities: Reals) -> dict[str, float]:
    """Return the fraction of the densities [n] [1/m²] at each level of service."""
    counts = np.bincount(levels_of(densities), minlength=len(SPACE))
    return dict(zip(SPACE, (counts / max(len(densities), 1)).tolist(), strict=True))

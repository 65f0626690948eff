"""Colours of mean densities, in reports and on floors. The colours are the colour map viridis (CC0), from light to
dark.
"""

import numpy as np
from numpy.typing import NDArray

from ecs_anim.analysis.samples import Reals
from ecs_anim.maths.color import srgb_to_linear

RAMP = ("#fde725", "#5ec962", "#21918c", "#3b528b", "#440154")
LOWEST = 0.05  # [1/m²]; squares with a lower density have no colour
TOPS = (0.5, 1.0, 2.0, 4.0, 8.0)  # [1/m²], the density of the last colour is one of these numbers


def top_of(values: Reals) -> float:
    """Return the density of the last colour [1/m²] for a map with the given densities."""
    most = float(np.nanmax(values, initial=0.0))
    return next((top for top in TOPS if most <= top), TOPS[-1])


def values_of_ramp(top: float) -> list[tuple[float, str]]:
    """Return the densities [1/m²] and the colours of a legend."""
    return [(top * place / (len(RAMP) - 1), color) for place, color in enumerate(RAMP)]


def colors_of_means(values: Reals, top: float) -> NDArray[np.float64]:
    """Return linear RGB colours [n, 3] of mean densities [n] [1/m²]."""
    ramp = np.array([[int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)] for color in RAMP])
    places = np.linspace(0.0, top, len(RAMP))
    encoded = np.stack([np.interp(values, places, channel) for channel in ramp.T], axis=-1)
    return np.asarray(srgb_to_linear(encoded), np.float64)

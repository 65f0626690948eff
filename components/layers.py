"""Clips on top of what actors play."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.bounds import ShareColumn

LayerMode = Literal["additive", "override"]
SHOWS_DIFFERENCES: dict[LayerMode, bool] = {"additive": True, "override": False}  # whether rows differ from a reference


@dataclass
class Layer:
    """One clip, added to the pose or blended over it, as far as weight and mask say."""

    name: str
    mode: LayerMode
    rows: NDArray[np.float32]  # [interval_count + 1, row_width] f32; or differences from the reference
    duration: float  # [s]
    loops: bool
    speed: float  # factor
    mask: NDArray[np.float32]  # [row_width] f32, share for each lane
    phase_parameter: int  # column that is the phase, -1 = driven by time
    weight_parameter: int  # column that is the weight, -1 = the column below as it is set
    phase: ShareColumn  # [actor_count] f32, 0 to 1
    weight: ShareColumn  # [actor_count] f32


@dataclass
class Layers:
    """Layers in the order in which they are applied.

    Written by: the scene loader, layer phases, user code (weights). Read by: layers, morphs.
    """

    layers: tuple[Layer, ...]

"""Layers: clips that are added to the motions of actors, or blended over the motions."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.bounds import ShareColumn

LayerMode = Literal["additive", "override"]
SHOWS_DIFFERENCES: dict[LayerMode, bool] = {"additive": True, "override": False}  # true = rows are differences


@dataclass
class Layer:
    """One clip that is added to the pose or blended over the pose.

    The weight and the mask of the layer limit the effect.
    """

    name: str
    mode: LayerMode
    rows: NDArray[np.float32]  # [interval_count + 1, row_width] f32, poses, or differences from the reference
    duration: float  # [s]
    loops: bool
    speed: float  # playback speed, a factor
    mask: NDArray[np.float32]  # [row_width] f32, share for each number of a row
    phase_parameter: int  # column of the parameter that drives `phase`; -1 = time drives `phase`
    weight_parameter: int  # column of the parameter that drives `weight`; -1 = no parameter
    phase: ShareColumn  # [actor_count] f32, 0 to 1
    weight: ShareColumn  # [actor_count] f32, 0 to 1


@dataclass
class Layers:
    """The layers of a crowd, in the order in which the layers are applied.

    Written by: the scene loader, layer phases, user code (weights). Read by: layers, morphs.
    """

    layers: tuple[Layer, ...]

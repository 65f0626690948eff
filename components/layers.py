"""Layers: clips that are added to the motion of an actor, or that replace a part of the motion."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.bounds import ShareColumn

LayerMode = Literal["additive", "override"]
SHOWS_DIFFERENCES: dict[LayerMode, bool] = {"additive": True, "override": False}  # true = the rows are differences


@dataclass
class Layer:
    """One clip that is added to the pose of each actor, or that replaces a part of the pose.

    The weight and the mask of the layer limit how much the clip changes the pose.
    """

    name: str
    mode: LayerMode
    rows: NDArray[np.float32]  # [interval_count + 1, row_width] f32, poses, or differences from the reference pose
    duration: float  # [s]
    loops: bool
    speed: float  # factor of the playback speed
    mask: NDArray[np.float32]  # [row_width] f32, share of the layer's effect on each number of a pose row
    phase_parameter: int  # column of the parameter that drives `phase`; -1 = time drives `phase`
    weight_parameter: int  # column of the parameter that drives `weight`; -1 = no parameter
    phase: ShareColumn  # [actor_count] f32, 0 to 1
    weight: ShareColumn  # [actor_count] f32, 0 to 1


@dataclass
class Layers:
    """The layers of a crowd. The system `layers` applies the layers in the order of the field `layers`.

    Written by: the scene loader, the system `layer_phases`, and user code (only weights). Read by: the systems `layers`
    and `morphs`.
    """

    layers: tuple[Layer, ...]

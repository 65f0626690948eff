"""Clips on top of what actors play."""

from dataclasses import dataclass
from typing import Literal, assert_never

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.bounds import ShareColumn


@dataclass
class Layer:
    """One clip, added to the pose or blended over it, as far as weight and mask say."""

    name: str
    mode: Literal["additive", "override"]
    rows: NDArray[np.float32]  # [interval_count + 1, row_width] f32; additive: differences from the reference
    duration: float  # [s]
    loops: bool
    speed: float  # factor
    mask: NDArray[np.float32]  # [row_width] f32, share for each lane
    phase_parameter: int  # column that is the phase, -1 = driven by time
    weight_parameter: int  # column that is the weight, -1 = the column below as it is set
    phase: ShareColumn  # [actor_count] f32, 0 to 1
    weight: ShareColumn  # [actor_count] f32

    @property
    def is_additive(self) -> bool:
        """Whether it is added; else it is blended over what lies below."""
        match self.mode:
            case "additive":
                return True
            case "override":
                return False
            case _:
                assert_never(self.mode)


@dataclass
class Layers:
    """Layers in the order in which they are applied.

    Written by: the scene loader, layer phases, whoever sets a weight. Read by: layers, morphs.
    """

    layers: tuple[Layer, ...]

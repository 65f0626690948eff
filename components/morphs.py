"""Morphs: the component with the weights of the morph targets of actors."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.morphs import MorphTargets
from ecs_anim.components.layers import Layer
from ecs_anim.ecs.bounds import NumberColumn
from ecs_anim.runtime.morph_tables import MorphTables


@dataclass(frozen=True)
class MorphLayer:
    """The morph weights that the clip of one layer animates."""

    layer: Layer  # the layer with the phase, weight and mode
    columns: NDArray[np.int32]  # [n] i32, morph target of each column of a row
    rows: NDArray[np.float32]  # [interval_count + 1, n] f32, weights; additive: differences from the reference
    shares: NDArray[np.float32]  # [n] f32, shares of the layer's mask


@dataclass(frozen=True)
class MorphDriver:
    """A parameter that sets the weights of some morph targets. The parameter replaces weights from clips."""

    columns: NDArray[np.int32]  # [n] i32, morph targets
    parameter: int  # column of the crowd's parameters


@dataclass
class Morphs:
    """Weights of the rig's morph targets. Clips, layers and parameters drive weights. User code sets all other weights.

    Written by: the scene loader, morphs, user code (weights that neither clips nor parameters move).
    Read by: drawing.
    """

    targets: MorphTargets
    tables: MorphTables | None  # None = no clip animates a weight
    layers: tuple[MorphLayer, ...]
    drivers: tuple[MorphDriver, ...]
    weights: NumberColumn  # [actor_count, target_count] f32

    @cached_property
    def moved(self) -> frozenset[int]:
        """The columns of morph targets that clips or parameters drive. Each step overwrites these columns."""
        by_clips = self.tables.columns.tolist() if self.tables else []
        return frozenset([*by_clips, *(column for own in self.drivers for column in own.columns.tolist())])

"""Morphs: the component with the weights of each actor's morph targets."""

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
    """The weights of morph targets that the clip of one layer changes."""

    layer: Layer  # layer that provides phase, weight and mode
    columns: NDArray[np.int32]  # [n] i32, morph target of each column of `rows`
    rows: NDArray[np.float32]  # [interval_count + 1, n] f32, weights; additive: differences from the reference
    shares: NDArray[np.float32]  # [n] f32, shares of the layer's mask


@dataclass(frozen=True)
class MorphDriver:
    """A parameter that sets the weights of some morph targets.

    The value of the parameter replaces the weights that clips set.
    """

    columns: NDArray[np.int32]  # [n] i32, morph targets
    parameter: int  # column of the parameter in the crowd's parameters


@dataclass
class Morphs:
    """The weights of the rig's morph targets.

    Clips, layers and parameters set some weights. User code can set the weights of all other morph targets.

    Written by: the scene loader, the system `morphs`, and user code (only weights that neither clips nor parameters
    set). Read by: the drawing code.
    """

    targets: MorphTargets
    tables: MorphTables | None  # None = no clip animates a weight
    layers: tuple[MorphLayer, ...]
    drivers: tuple[MorphDriver, ...]
    weights: NumberColumn  # [actor_count, target_count] f32

    @cached_property
    def moved(self) -> frozenset[int]:
        """The morph targets with weights that are set by clips or parameters.

        Each step overwrites the weights of the returned morph targets.
        """
        by_clips = self.tables.columns.tolist() if self.tables else []
        return frozenset([*by_clips, *(column for own in self.drivers for column in own.columns.tolist())])

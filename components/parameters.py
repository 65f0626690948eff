"""Numbers that drive what actors do."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.bounds import NumberColumn
from ecs_anim.ecs.records import Binding
from ecs_anim.runtime.records import ParameterColumns


@dataclass
class Parameters(Binding):
    """Named columns: what blend spaces, layers and state machines read. A trigger is a column that is 1 until used.

    Written by: the scene loader, the timeline, control (triggers), parameters, curves, user code (targets).
    Read by: parameters, control, playback, locomotion, sampling, layers, events.
    """

    names: tuple[str, ...]
    triggers: frozenset[str]  # those of the names that are triggers
    rate: NDArray[np.float32]  # [parameter] f32, the most a value changes in a second, inf = at once
    value: NumberColumn  # [actor_count, parameter] f32
    target: NumberColumn  # [actor_count, parameter] f32, what values approach

    @cached_property
    def columns(self) -> ParameterColumns:
        """Values and targets, as kernels take them."""
        return self.bound(ParameterColumns)

    @cached_property
    def index(self) -> dict[str, int]:
        """Column by name."""
        return {name: column for column, name in enumerate(self.names)}

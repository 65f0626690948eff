"""Parameters: numbers that drive the behaviour of actors."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.bounds import NumberColumn
from ecs_anim.ecs.records import Binding
from ecs_anim.runtime.records import ParameterColumns


@dataclass
class Parameters(Binding):
    """Named columns of numbers. Blend spaces, layers and state machines read the columns.

    A trigger is a column that stays 1 until a transition uses the trigger.

    Written by: the scene loader, the timeline, control (triggers), parameters, curves, user code (targets).
    Read by: parameters, control, playback, locomotion, sampling, layers, events.
    """

    names: tuple[str, ...]
    triggers: frozenset[str]  # names of the triggers
    rate: NDArray[np.float32]  # [parameter] f32, maximum change of a value per second; inf = at once
    value: NumberColumn  # [actor_count, parameter] f32, current values
    target: NumberColumn  # [actor_count, parameter] f32, target values, which current values approach

    @cached_property
    def columns(self) -> ParameterColumns:
        """The current values and the target values as a record for kernels."""
        return self.bound(ParameterColumns)

    @cached_property
    def index(self) -> dict[str, int]:
        """A dictionary from parameter name to column number."""
        return {name: column for column, name in enumerate(self.names)}

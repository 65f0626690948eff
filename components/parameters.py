"""Parameters: the component with numbers that control the behaviour of actors."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.bounds import NumberColumn
from ecs_anim.ecs.records import Binding
from ecs_anim.runtime.records import ParameterColumns


@dataclass
class Parameters(Binding):
    """Named numbers of each actor: one column for each parameter.

    Blend spaces, layers and state machines read the parameters.

    A trigger is a parameter that stays 1 until a transition uses it.

    Written by: the scene loader, the systems `timeline`, `control` (only triggers), `parameters` and `curves`, and user
    code (only targets). Read by: the systems `parameters`, `control`, `playback`, `locomotion`, `sampling`, `layers`
    and `events`.
    """

    names: tuple[str, ...]
    triggers: frozenset[str]  # names of the triggers
    # [parameter] f32, maximum change of a value per second; inf = a value changes immediately
    rate: NDArray[np.float32]
    value: NumberColumn  # [actor_count, parameter] f32, current values
    target: NumberColumn  # [actor_count, parameter] f32, values that the current values approach

    @cached_property
    def columns(self) -> ParameterColumns:
        """The current values and the target values as a record for kernels."""
        return self.bound(ParameterColumns)

    @cached_property
    def index(self) -> dict[str, int]:
        """A dictionary from parameter name to column number."""
        return {name: column for column, name in enumerate(self.names)}

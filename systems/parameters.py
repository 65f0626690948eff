"""The parameters system: the current values of parameters approach their target values."""

from typing import ClassVar

import numpy as np

from ecs_anim.components.parameters import Parameters
from ecs_anim.systems.chunk import Chunk, FunctionOfTime


class ApproachTargets(FunctionOfTime):
    """Change the current value of each parameter towards its target value.

    Each parameter has a maximum rate of change.
    """

    name: ClassVar[str] = "parameters"
    components: ClassVar[tuple[type, ...]] = (Parameters,)

    def run(self, chunk: Chunk, parameters: Parameters) -> None:
        """Write `parameters.value`."""
        if not parameters.names:
            return
        from ecs_anim.kernels.parameters import approach_targets  # compiled at first use

        approach_targets(parameters.rate, chunk.dt, chunk.write_all(parameters.columns))

    def can_skip(self, parameters: Parameters) -> bool:
        """Return whether the current values of all parameters equal their target values."""
        return np.array_equal(parameters.value, parameters.target)

"""Parameters: values approach their targets."""

from typing import ClassVar

import numpy as np

from ecs_anim.components.parameters import Parameters
from ecs_anim.systems.chunk import Chunk, FunctionOfTime


class ApproachTargets(FunctionOfTime):
    """Move the parameters of each actor towards their targets. Each parameter has a maximum rate."""

    name: ClassVar[str] = "parameters"
    components: ClassVar[tuple[type, ...]] = (Parameters,)

    def run(self, chunk: Chunk, parameters: Parameters) -> None:
        """Write `parameters.value`."""
        if not parameters.names:
            return
        from ecs_anim.kernels.parameters import approach_targets  # compiled at first use

        approach_targets(parameters.rate, chunk.dt, chunk.write_all(parameters.columns))

    def can_skip(self, parameters: Parameters) -> bool:
        """Return whether all values are equal to their targets."""
        return np.array_equal(parameters.value, parameters.target)

"""Parameters: values approach their targets."""

from typing import ClassVar

import numpy as np

from ecs_anim.components.parameters import Parameters
from ecs_anim.systems.chunk import Chunk, FunctionOfTime


class ApproachTargets(FunctionOfTime):
    """Move each actor's parameters towards their targets, at most at their rates."""

    name: ClassVar[str] = "parameters"
    components: ClassVar[tuple[type, ...]] = (Parameters,)

    def run(self, chunk: Chunk, parameters: Parameters) -> None:
        """Write `parameters.value`."""
        if not parameters.names:
            return
        from ecs_anim.kernels.parameters import approach_targets  # compiled where a crowd needs it

        approach_targets(parameters.rate, chunk.dt, chunk.write_all(parameters.columns))

    def can_skip(self, parameters: Parameters) -> bool:
        """Return whether all values have arrived at their targets."""
        return np.array_equal(parameters.value, parameters.target)

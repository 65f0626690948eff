"""Curves in clips: scalar functions of time that set parameters."""

from typing import ClassVar

import numpy as np

from ecs_anim.components.character import Character
from ecs_anim.components.curves import Curves
from ecs_anim.components.parameters import Parameters
from ecs_anim.components.playback import Playback
from ecs_anim.systems.chunk import Chunk, FunctionOfTime


class MixCurves(FunctionOfTime):
    """Set the parameter of each curve to the value of the curve at the current times of the actor's clips."""

    name: ClassVar[str] = "curves"
    components: ClassVar[tuple[type, ...]] = (Character, Curves, Playback, Parameters)

    def run(
        self, chunk: Chunk, character: Character, curves: Curves, playback: Playback, parameters: Parameters
    ) -> None:
        """Write `parameters.value` and `parameters.target`.

        `value` and `target` get the same value, so that the value does not change until the next step.
        """
        from ecs_anim.kernels.clip_curves import mix_curve  # compiled at first use

        (values, targets), queue = chunk.write_all(parameters.columns), chunk.read_all(playback.queue)
        for table in curves.tables:
            mix_curve(table.values, character.motions.arrays, queue, table.parameter, values)
            targets[:, table.parameter] = values[:, table.parameter]

    def can_skip(self, character: Character, curves: Curves, *_: object) -> bool:
        """Return whether no blend space uses the parameter of a curve.

        If a blend space uses the parameter of a curve, the playback speed changes in every step.
        """
        motion, driven = character.motions.arrays.motion, [table.parameter for table in curves.tables]
        return not np.isin([motion["parameter_x"], motion["parameter_y"]], driven).any()

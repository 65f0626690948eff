"""The morphs system: it computes the weights of morph targets at the current phases of clips."""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.character import Character
from ecs_anim.components.layers import SHOWS_DIFFERENCES
from ecs_anim.components.morphs import Morphs
from ecs_anim.components.parameters import Parameters
from ecs_anim.components.playback import Playback
from ecs_anim.runtime.morph_tables import MorphTables
from ecs_anim.systems.chunk import Chunk, Memory


class MixMorphs:
    """Set the weights of morph targets: first from clips, then from layers, then from parameters.

    Later weights replace or change earlier weights.
    """

    name: ClassVar[str] = "morphs"
    components: ClassVar[tuple[type, ...]] = (Character, Morphs, Playback, Parameters)
    remembers: ClassVar[Memory] = "results"

    def run(
        self, chunk: Chunk, character: Character, morphs: Morphs, playback: Playback, parameters: Parameters
    ) -> None:
        """Write `morphs.weights`."""
        weights, values = chunk.write(morphs.weights), chunk.read(parameters.columns.value)
        if morphs.tables is not None:
            _mix(chunk, character, morphs, morphs.tables, playback, values, weights)
        for driver in morphs.drivers:
            weights[:, driver.columns] = values[:, driver.parameter, None]


def _mix(
    chunk: Chunk,
    character: Character,
    morphs: Morphs,
    tables: MorphTables,
    playback: Playback,
    values: NDArray[np.float32],
    weights: NDArray[np.float32],
) -> None:
    from ecs_anim.kernels.morphs import layer_morphs, mix_morphs  # compiled at first use

    mix_morphs(tables.arrays, character.motions.arrays, values, chunk.read_all(playback.queue), weights)
    for own in morphs.layers:
        layer = own.layer
        layer_morphs(
            own.rows,
            own.columns,
            own.shares,
            SHOWS_DIFFERENCES[layer.mode],
            chunk.read(layer.phase),
            chunk.read(layer.weight),
            weights,
        )

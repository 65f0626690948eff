"""Morphs: weights of morph targets where the clips are."""

from typing import ClassVar

from ecs_anim.components.character import Character
from ecs_anim.components.morphs import Morphs
from ecs_anim.components.parameters import Parameters
from ecs_anim.components.playback import Playback
from ecs_anim.systems.chunk import Chunk
from ecs_anim.systems.queries import in_flight


class MixMorphs:
    """Set the weights that clips, layers and parameters move, in this order."""

    name: ClassVar[str] = "morphs"
    components: ClassVar[tuple[type, ...]] = (Character, Morphs, Playback, Parameters)

    def run(
        self, chunk: Chunk, character: Character, morphs: Morphs, playback: Playback, parameters: Parameters
    ) -> None:
        """Write `morphs.weights`."""
        rows = chunk.rows
        if morphs.tables is not None:
            _mix(chunk, character, morphs, playback, parameters)
        for driver in morphs.drivers:
            morphs.weights[rows, driver.columns] = parameters.value[rows, driver.parameter, None]


def _mix(chunk: Chunk, character: Character, morphs: Morphs, playback: Playback, parameters: Parameters) -> None:
    from ecs_anim.kernels.morphs import layer_morphs, mix_morphs  # compiled where a crowd needs them

    rows, tables = chunk.rows, morphs.tables
    assert tables is not None
    mix_morphs(
        tables.rows,
        tables.columns,
        tables.first_row,
        tables.interval_count,
        character.motions.arrays,
        parameters.value[rows],
        *in_flight(playback, rows),
        morphs.weights[rows],
    )
    for own in morphs.layers:
        layer = own.layer
        layer_morphs(
            own.rows,
            own.columns,
            own.shares,
            layer.mode == "additive",
            layer.phase[rows],
            layer.weight[rows],
            morphs.weights[rows],
        )

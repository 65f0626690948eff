"""The layers system: it adds clips to the poses of actors, or replaces parts of the poses by clips."""

from typing import ClassVar, assert_never

from ecs_anim.components.character import Character
from ecs_anim.components.layers import Layers
from ecs_anim.systems.chunk import Chunk, Memory


class ApplyLayers:
    """Add each layer to the poses in the workspace, or replace a part of the poses by the layer.

    The system applies the layers in the order of the crowd's list.
    """

    name: ClassVar[str] = "layers"
    components: ClassVar[tuple[type, ...]] = (Character, Layers)
    remembers: ClassVar[Memory] = "nothing"

    def run(self, chunk: Chunk, character: Character, layers: Layers) -> None:
        """Write `workspace.pose`."""
        from ecs_anim.kernels.layers import add_layer, override_layer  # compiled at first use

        width = character.motions.tables.layout.rotation_width
        for layer in layers.layers:
            phase, weight = chunk.read(layer.phase), chunk.read(layer.weight)
            given = layer.rows, width, phase, weight, layer.mask, chunk.workspace.pose
            match layer.mode:
                case "additive":
                    add_layer(*given)
                case "override":
                    override_layer(*given)
                case _:
                    assert_never(layer.mode)

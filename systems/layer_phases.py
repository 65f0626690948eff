"""Layer phases: time goes on in layers too, for all actors, posed or not."""

from typing import ClassVar

import numpy as np

from ecs_anim.components.layers import Layer, Layers
from ecs_anim.components.parameters import Parameters
from ecs_anim.kernels.playback import advance_phases
from ecs_anim.systems.chunk import Chunk
from ecs_anim.systems.queries import weights_of


class AdvanceLayers:
    """Advance each layer's phase by time, or take phase and weight from parameters."""

    name: ClassVar[str] = "layer_phases"
    components: ClassVar[tuple[type, ...]] = (Parameters, Layers)

    def run(self, chunk: Chunk, parameters: Parameters, layers: Layers) -> None:
        """Write the layers' phases, and their weights where parameters drive them."""
        for layer in layers.layers:
            _advance(layer, chunk, parameters)
            weights_of(layer, chunk, parameters)


def _advance(layer: Layer, chunk: Chunk, parameters: Parameters) -> None:
    phase = chunk.write(layer.phase)
    if layer.phase_parameter >= 0:
        np.clip(chunk.read(parameters.value)[:, layer.phase_parameter], 0, 1, out=phase)
    elif layer.duration > 0:
        advance_phases(layer.speed / layer.duration, chunk.dt, layer.loops, phase)

"""Layers: clips on top of what actors play."""

from typing import ClassVar

import numpy as np

from ecs_anim.components.character import Character
from ecs_anim.components.layers import Layer, Layers
from ecs_anim.components.parameters import Parameters
from ecs_anim.kernels.playback import advance_phases
from ecs_anim.systems.chunk import Chunk


class ApplyLayers:
    """Add or blend each layer, in order, onto the workspace's poses."""

    name: ClassVar[str] = "layers"
    components: ClassVar[tuple[type, ...]] = (Character, Parameters, Layers)

    def run(self, chunk: Chunk, character: Character, parameters: Parameters, layers: Layers) -> None:
        """Write `workspace.pose`, and the layers' phases and parameter-driven weights."""
        from ecs_anim.kernels.layers import add_layer, override_layer  # compiled where a crowd needs it

        width = character.motions.tables.layout.rotation_width
        for layer in layers.layers:
            _drive(layer, chunk, parameters)
            kernel = add_layer if layer.mode == "additive" else override_layer
            phase, weight = layer.phase[chunk.rows], layer.weight[chunk.rows]
            kernel(layer.rows, width, phase, weight, layer.mask, chunk.workspace.pose)


def _drive(layer: Layer, chunk: Chunk, parameters: Parameters) -> None:
    """Advance a layer's phase by time, or take phase and weight from parameters, limited to 0 to 1."""
    rows = chunk.rows
    if layer.phase_parameter >= 0:
        np.clip(parameters.value[rows, layer.phase_parameter], 0, 1, out=layer.phase[rows])
    elif layer.duration > 0:
        advance_phases(layer.speed / layer.duration, chunk.dt, layer.loops, layer.phase[rows])
    if layer.weight_parameter >= 0:
        np.clip(parameters.value[rows, layer.weight_parameter], 0, 1, out=layer.weight[rows])

"""Layer phases: the system advances the phases of layers for all actors, even for actors that get no pose."""

from typing import ClassVar

from ecs_anim.components.layers import Layer, Layers
from ecs_anim.components.parameters import Parameters
from ecs_anim.kernels.playback import advance_phases
from ecs_anim.systems.chunk import Chunk
from ecs_anim.systems.queries import weights_of


class AdvanceLayers:
    """Advance the phase of each layer by the time step.

    If a parameter sets the phase or the weight of a layer, copy the value of the parameter.
    """

    name: ClassVar[str] = "layer_phases"
    components: ClassVar[tuple[type, ...]] = (Parameters, Layers)

    def run(self, chunk: Chunk, parameters: Parameters, layers: Layers) -> None:
        """Write the phases of layers, and the weights that parameters set."""
        for layer in layers.layers:
            _advance(layer, chunk, 1)
            _follow(layer, chunk, parameters)

    def can_skip(self, parameters: Parameters, layers: Layers) -> bool:
        """Return True. After skipped steps, the result depends only on the current values of the parameters."""
        return True

    def skip(self, chunk: Chunk, steps: int, parameters: Parameters, layers: Layers) -> None:
        """Advance the phases of the layers whose phases depend on the time."""
        for layer in layers.layers:
            _advance(layer, chunk, steps)


def _advance(layer: Layer, chunk: Chunk, steps: int) -> None:
    if layer.phase_parameter < 0 and layer.duration > 0:
        advance_phases(layer.speed / layer.duration, chunk.dt, steps, layer.loops, chunk.write(layer.phase))


def _follow(layer: Layer, chunk: Chunk, parameters: Parameters) -> None:
    if layer.phase_parameter >= 0:
        from ecs_anim.kernels.parameters import take_share  # compiled at first use

        take_share(chunk.read(parameters.columns.value), layer.phase_parameter, chunk.write(layer.phase))
    weights_of(layer, chunk, parameters)

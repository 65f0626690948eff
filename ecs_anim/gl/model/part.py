"""Part of a crowd: the actors that are drawn together, with one draw call per mesh."""

from collections.abc import Callable
from dataclasses import dataclass

from ecs_anim.gl.device.program import Program
from ecs_anim.gl.model.instances import IndirectInstances, Instances
from ecs_anim.gl.model.model import ModelBuffers, Skinning


@dataclass(frozen=True)
class Part:
    """Actors of one crowd that share a model and bound palettes."""

    model: ModelBuffers
    instances: Instances | IndirectInstances
    skinning: Skinning = "linear"
    morph_stride: int = 0  # stride of the bound morph weights
    is_fading: bool = False  # whether some pixels of the actors are omitted
    far: bool = False  # whether the actors are so small in the picture that per-vertex shadows are precise enough
    # Whether actors are drawn as impostors; the model has no meshes, and `uniforms` binds the pictures.
    is_impostor: bool = False
    # Impostors only: palette rows are pose numbers and variants are appearance numbers of the bound pictures.
    names_pictures: bool = False
    # Sets the uniforms of the program in use that palettes do not contain.
    uniforms: Callable[[Program], None] | None = None

    def bind(self, program: Program, number: int) -> None:
        """Bind the palettes and shapes of the model's mesh `number` for the program in use."""
        self.model.meshes[number].bind_shapes(program, self.morph_stride)
        if self.uniforms is not None:
            self.uniforms(program)

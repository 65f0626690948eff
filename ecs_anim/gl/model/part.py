"""Part of a crowd that is drawn with one draw call for each mesh."""

from collections.abc import Callable
from dataclasses import dataclass

from ecs_anim.gl.device.program import Program
from ecs_anim.gl.model.instances import IndirectInstances, Instances
from ecs_anim.gl.model.model import ModelBuffers, Skinning


@dataclass(frozen=True)
class Part:
    """Actors of one crowd that share a model, and whose palettes are bound."""

    model: ModelBuffers
    instances: Instances | IndirectInstances
    skinning: Skinning = "linear"
    morph_stride: int = 0  # of the morph weights that are bound
    is_fading: bool = False  # some pixels of its actors are missing
    far: bool = False  # so small in the picture that shadows by vertex are fine enough
    is_impostor: bool = False  # shown as pictures: the model has no meshes, `uniforms` binds them
    names_pictures: bool = False  # of impostors: palette rows are poses, variants are looks, of the pictures bound
    uniforms: Callable[[Program], None] | None = None  # sets what palettes do not bring, in the program in use

    def bind(self, program: Program, number: int) -> None:
        """Let the program in use see what moves the model's mesh of this number."""
        self.model.meshes[number].bind_shapes(program, self.morph_stride)
        if self.uniforms is not None:
            self.uniforms(program)

"""The class `Part`: actors of a crowd that are drawn together, with one draw call for each mesh."""

from collections.abc import Callable
from dataclasses import dataclass

from ecs_anim.gl.device.program import Program
from ecs_anim.gl.model.instances import IndirectInstances, Instances
from ecs_anim.gl.model.model import ModelBuffers, Skinning


@dataclass(frozen=True)
class Part:
    """Actors of one crowd that are drawn together. All actors of a part share one model and the bound palettes."""

    model: ModelBuffers
    instances: Instances | IndirectInstances
    skinning: Skinning = "linear"
    morph_stride: int = 0  # number of (target, weight) pairs per actor in the bound morph weights
    is_fading: bool = False  # whether some pixels of the actors are omitted
    far: bool = False  # whether shadows per vertex are precise enough, because the actors are small in the picture
    # Whether the actors are drawn as impostors. Then, the model has no meshes, and `uniforms` binds the impostor
    # pictures.
    is_impostor: bool = False
    # Only for impostors. True = in the `INSTANCE` rows, the palette row is the number of a pose, and the variant is the
    # number of an appearance. Both numbers refer to the bound impostor pictures.
    names_pictures: bool = False
    # Function that sets additional uniforms of the current shader program.
    uniforms: Callable[[Program], None] | None = None

    def bind(self, program: Program, number: int) -> None:
        """Bind the palettes, figures and morph targets of a mesh for the current shader program `program`.

        `number` is the index of the mesh in the model.
        """
        self.model.meshes[number].bind_shapes(program, self.morph_stride)
        if self.uniforms is not None:
            self.uniforms(program)

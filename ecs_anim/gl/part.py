"""What one draw call a mesh takes of a crowd."""

from dataclasses import dataclass

from ecs_anim.gl.instances import IndirectInstances, Instances
from ecs_anim.gl.model import ModelBuffers
from ecs_anim.skinning import Method


@dataclass(frozen=True)
class Part:
    """Actors of one crowd that share a model, and whose palettes are bound."""

    model: ModelBuffers
    instances: Instances | IndirectInstances
    skinning: Method = "linear"
    morph_stride: int = 0  # of the morph weights that are bound
    far: bool = False  # so small in the picture that shadows by vertex are fine enough

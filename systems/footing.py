"""The footing system: it keeps walking actors at the height of the ground."""

from typing import ClassVar

from ecs_anim.components.footing import Footing
from ecs_anim.components.transforms import Transforms
from ecs_anim.systems.chunk import Chunk


class KeepFooting:
    """Move each actor vertically to the ground below the actor.

    If there is no ground below an actor, its height does not change.
    """

    name: ClassVar[str] = "footing"
    components: ClassVar[tuple[type, ...]] = (Footing, Transforms)

    def run(self, chunk: Chunk, footing: Footing, transforms: Transforms) -> None:
        """Write the height of `transforms.translation`."""
        from ecs_anim.kernels.ground import keep_footing  # compiled at first use

        keep_footing(footing.ground.arrays, footing.climb, footing.offset, chunk.write(transforms.translation))

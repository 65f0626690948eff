"""The system that keeps carried actors at the height of the moving steps below them."""

from typing import ClassVar

import numpy as np

from ecs_anim.components.footing import Footing
from ecs_anim.components.storeys import Storeyed
from ecs_anim.components.transforms import Transforms
from ecs_anim.systems.chunk import Chunk


class StandOnSteps:
    """Move each carried actor vertically to the moving steps that carry the actor."""

    name: ClassVar[str] = "carried"
    components: ClassVar[tuple[type, ...]] = (Storeyed, Footing, Transforms)

    def run(self, chunk: Chunk, storeyed: Storeyed, footing: Footing, transforms: Transforms) -> None:
        """Write the height of `transforms.translation`."""
        heights = chunk.read(storeyed.carried)[:, 2]
        rows = np.flatnonzero(~np.isnan(heights))
        if rows.size:
            chunk.write(transforms.translation)[rows, 1] = heights[rows] + np.float32(footing.offset)

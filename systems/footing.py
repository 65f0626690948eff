"""Footing: who walks keeps to the height of the ground."""

from typing import ClassVar

import numpy as np

from ecs_anim.components.footing import Footing
from ecs_anim.components.transforms import Transforms
from ecs_anim.systems.chunk import Chunk


class KeepFooting:
    """Put each actor on the ground below it; where there is none it stays at its height."""

    name: ClassVar[str] = "footing"
    components: ClassVar[tuple[type, ...]] = (Footing, Transforms)

    def run(self, chunk: Chunk, footing: Footing, transforms: Transforms) -> None:
        """Write the height of `transforms.translation`."""
        from ecs_anim.kernels.ground import cast_down  # compiled where a crowd needs it

        translation = transforms.translation[chunk.rows]
        points = chunk.workspace.scratch("footing_points", chunk.actor_count, 3)
        hits = chunk.workspace.scratch("footing_hits", chunk.actor_count, 4)
        points[:] = translation
        points[:, 1] += footing.climb
        cast_down(footing.ground.arrays, points, chunk.actor_count, hits)
        np.copyto(translation[:, 1], hits[:, 0] + footing.offset, where=np.isfinite(hits[:, 0]))

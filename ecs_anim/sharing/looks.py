"""The appearance of actors: a tint and a variant for each actor of a recording, and the changes of tints."""

from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.appearance import Appearance
from ecs_anim.ecs.world import World
from ecs_anim.sharing.tints import TintPath


class Looks(NamedTuple):
    """The appearance of the actors of one crowd, by actor number."""

    tints: NDArray[np.float32]  # [actor, 4] f32, linear RGB and strength at the arrival of the actor
    variants: NDArray[np.int32]  # [actor] i32, number that selects the texture or the figure
    changes: Sequence[TintPath] = ()

    @classmethod
    def of(cls, world: World, entity: int) -> Self:
        """Return the current appearance of a crowd. Actor numbers are row numbers."""
        look = world.get(entity, Appearance)
        variants = np.zeros(len(look.tint), np.int32) if look.variant is None else look.variant
        return cls(np.array(look.tint, np.float32), np.array(variants, np.int32))

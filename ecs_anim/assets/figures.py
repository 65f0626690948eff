"""Figures: whole shapes of which each actor of a rig has one, so that one mesh shows many people."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from ecs_anim.support.array_layouts import Shape
from ecs_anim.support.checked import checked_fields


@checked_fields
@dataclass(frozen=True, eq=False)
class Figure:
    """Properties of one figure of a rig."""

    name: str
    size: float = 1.0  # of an actor, where 1 is the rig's own
    share: float = 1.0  # how often it is drawn, to those of the others; 0 = where it is asked for

    def __post_init__(self) -> None:
        if not (self.size > 0 and self.share >= 0):
            raise ValueError(
                f"a figure's size must be above 0, and its share must be 0 or more (got {self.size} and {self.share})"
            )


@checked_fields
@dataclass(frozen=True, eq=False)
class MeshFigures:
    """The figures of one mesh: what each adds to each vertex, before morph targets and skinning.

    An actor's variant says which is theirs: of n figures the one at variant modulo n.
    """

    positions: Annotated[NDArray[np.float32], Shape("figure", "vertex", 3)]  # [model units]
    normals: Annotated[NDArray[np.float32], Shape("figure", "vertex", 3)]

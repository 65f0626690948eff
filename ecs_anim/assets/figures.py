"""Figures: alternative body shapes of a rig's meshes. Each actor has one figure."""

from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray

from ecs_anim.support.array_layouts import Shape
from ecs_anim.support.checked import checked_fields

Age = Literal["child", "young", "adult", "old"]
Build = Literal["slim", "average", "strong", "stout"]
# Groups of the individual typology angle (Chardon and others 1991): above 41 degrees, 10 to 41 degrees, and below.
SkinTone = Literal["light_skin", "medium_skin", "dark_skin"]
SKIN_TONES: tuple[SkinTone, ...] = ("light_skin", "medium_skin", "dark_skin")


@checked_fields
@dataclass(frozen=True, eq=False)
class Figure:
    """The name, the size, the relative frequency and the appearance of one figure (body shape) of a rig."""

    name: str
    size: float = 1.0  # size of an actor relative to the rig
    share: float = 1.0  # relative frequency in random choices; 0 = never chosen at random
    age: Age | None = None  # None = not stated
    accessories: tuple[str, ...] = ()  # names of hats, bags and other things that the figure wears
    build: Build | None = None  # None = not stated
    skin_tones: tuple[SkinTone, ...] = ()  # of each outfit; () = not stated

    def __post_init__(self) -> None:
        if not (self.size > 0 and self.share >= 0):
            raise ValueError(
                f"a figure (body shape) must have a size above 0 and a share of 0 or more (got size {self.size} and"
                f" share {self.share})"
            )


@checked_fields
@dataclass(frozen=True, eq=False)
class MeshFigures:
    """The figures of one mesh.

    A figure has an offset for each vertex. The program adds the offsets before morph targets and skinning. The variant
    number of an actor selects its figure: the index of the figure is the variant number modulo the number of figures.
    The index of its texture image is the variant number modulo the number of images.
    """

    positions: Annotated[NDArray[np.float32], Shape("figure", "vertex", 3)]  # [model units]
    normals: Annotated[NDArray[np.float32], Shape("figure", "vertex", 3)]

    def rare_vertices(self) -> NDArray[np.bool_]:
        """Return which vertices [vertex] some figures move, but fewer than half, such as the vertices of a hat.

        Figures without a hat do not move its vertices, which stay inside the body.
        """
        share = (self.positions != 0).any(axis=-1).mean(axis=0)
        return (share > 0) & (share < 0.5)

"""Bakes and levels of detail of crowds that the GPU poses."""

from dataclasses import dataclass
from typing import Literal

from ecs_anim.bake.bake import Bake


@dataclass(frozen=True)
class Baked:
    """The clips of a crowd that the GPU poses, all of it or those of its actors that are far away.

    Clips of the bake are numbered as those of the character's clip tables are.
    Written by: the scene loader. Read by: drawing, reports.
    """

    bake: Bake
    interpolate: bool = True  # between rows; else the nearest row shows
    influences: Literal[4, 2, 1] = 4  # joints that move a vertex, at most; 4 = all that its mesh has
    shader: Literal["palette", "classic"] = "palette"  # "classic": joints are fetched anew for every vertex

    @property
    def is_classic(self) -> bool:
        """Whether joints are fetched anew for every vertex."""
        return self.shader == "classic"


@dataclass(frozen=True)
class Detail:
    """How each actor's level of detail is chosen; a crowd without it has one level, its character's.

    Written by: the scene loader. Read by: drawing.
    """

    pixel_error: float  # [pixels] that a coarser level may be off by
    update_rates: bool  # far actors are posed every second or fourth picture only
    impostors: bool = False  # actors of a few pixels are shown as pictures of them

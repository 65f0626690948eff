"""Bakes and levels of detail of crowds that the GPU poses."""

from dataclasses import dataclass
from typing import Literal

from ecs_anim.bake.bake import Bake


@dataclass(frozen=True)
class Baked:
    """The baked clips of a crowd. The GPU poses all actors of the crowd, or only the far actors.

    Clip numbers are those of the character's clip tables.
    Written by: the scene loader. Read by: drawing, reports.
    """

    bake: Bake
    interpolate: bool = True  # true = poses between rows are interpolated; false = the nearest row is used
    influences: Literal[4, 2, 1] = 4  # maximum number of joints that move a vertex; 4 = all joints of the mesh
    shader: Literal["palette", "classic"] = "palette"  # "classic": each vertex fetches its joints again

    @property
    def is_classic(self) -> bool:
        """True if the shader fetches joints again for each vertex."""
        return self.shader == "classic"


@dataclass(frozen=True)
class Detail:
    """Settings for the level of detail of each actor. A crowd without `Detail` has only the level of its character.

    Written by: the scene loader. Read by: drawing.
    """

    pixel_error: float  # [pixel], maximum geometric error of a coarser level
    update_rates: bool  # true = far actors are posed only in each second or fourth picture
    impostors: bool = False  # true = actors of a few pixels are drawn as impostors

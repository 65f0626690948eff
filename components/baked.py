"""Components of crowds that the GPU poses: the baked clips, and the settings for levels of detail."""

from dataclasses import dataclass
from typing import Literal

from ecs_anim.bake.bake import Bake


@dataclass(frozen=True)
class Baked:
    """The baked clips of a crowd. The GPU poses all actors of the crowd, or only the far actors.

    The character's clip tables define the clip numbers.
    Written by: the scene loader. Read by: drawing, reports.
    """

    bake: Bake
    interpolate: bool = True  # true = poses between rows are interpolated; false = the nearest row is used
    influences: Literal[4, 2, 1] = 4  # maximum number of joints that move a vertex; 4 = all joints of the mesh
    shader: Literal["palette", "classic"] = "palette"  # "classic": each vertex fetches its joints again

    @property
    def is_classic(self) -> bool:
        """True if `shader` is "classic": the shader fetches the joints of each vertex again."""
        return self.shader == "classic"


@dataclass(frozen=True)
class Detail:
    """Settings for the level of detail of each actor. A crowd without `Detail` has only one level of detail.

    Written by: the scene loader. Read by: drawing.
    """

    pixel_error: float  # [pixel], maximum geometric error of a coarser level
    update_rates: bool  # true = far actors are posed only in each second or fourth picture
    impostors: bool = False  # true = actors of a few pixels are drawn as impostors

"""Components of crowds whose poses the GPU computes: the baked clips and the settings for levels of detail."""

from dataclasses import dataclass
from typing import Literal

from ecs_anim.bake.bake import Bake


@dataclass(frozen=True)
class Baked:
    """The baked clips of a crowd whose poses the GPU computes.

    The GPU computes either the poses of all actors of the crowd, or only the poses of actors that are far from the
    camera.

    A clip has the same number in `Baked` and in the clip tables of the character.

    Written by: the scene loader. Read by: the drawing code and reports.
    """

    bake: Bake
    # true = the GPU interpolates between baked poses; false = the GPU uses the nearest baked pose
    interpolate: bool = True
    influences: Literal[4, 2, 1] = 4  # maximum number of joints that move a vertex; 4 = all joints of the mesh
    shader: Literal["palette", "classic"] = "palette"  # "classic": each vertex reads its joint matrices from a texture

    @property
    def is_classic(self) -> bool:
        """True if `shader` is "classic": each vertex reads its joint matrices from a texture."""
        return self.shader == "classic"


@dataclass(frozen=True)
class Detail:
    """Settings for the level of detail of each actor. A crowd without `Detail` has only one level of detail.

    Written by: the scene loader. Read by: the drawing code.
    """

    pixel_error: float  # [pixel], maximum geometric error of a coarser level
    update_rates: bool  # true = far actors get a new pose only in every second or fourth picture
    impostors: bool = False  # true = actors with a height of a few pixels are drawn as impostors

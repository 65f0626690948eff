"""Character: the component that stores the skeleton, the meshes and the motions that all actors of a crowd share."""

from dataclasses import dataclass

from ecs_anim.assets.rig import Rig
from ecs_anim.runtime.motion import MotionSet


@dataclass(frozen=True)
class Character:
    """The read-only assets that all actors of a crowd share.

    Written by: no system. Read by: the drawing code, and the systems `playback`, `sampling`, `model_matrices` and
    `skin_palettes`.
    """

    rig: Rig
    motions: MotionSet
    level: int = 0  # level of detail of the meshes, 0 = finest

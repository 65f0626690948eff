"""A rig as a scene uses it."""

from dataclasses import dataclass, field

from ecs_anim.assets.rig import Rig
from ecs_anim.runtime.motion import MotionSet


@dataclass(frozen=True)
class LoadedRig:
    """A rig with what its scene says of it."""

    label: str  # how messages call it
    rig: Rig
    scale: float  # from the rig's units to metres
    facing: float  # [rad] about +Y from +Z
    ground_offset: float  # [m]
    shadow_radius: float  # [rig units]
    motion_sets: dict[str, MotionSet] = field(default_factory=dict)  # by what is said of them: crowds share them

"""A rig as a scene uses it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.clip import Clip
from ecs_anim.assets.rig import Rig
from ecs_anim.body.gait_plan import Pace
from ecs_anim.ik.legs import Leg
from ecs_anim.runtime.motion import Motion, MotionSet
from ecs_anim.scenes.scene_key import SceneKey
from ecs_anim.support.errors import nearest

NO_CLIPS = 'it has no clips; lend it another model\'s, with clips_from = ["other.glb"] under the rig'


class Gait(NamedTuple):
    """The gait of a rig: its legs, the blend space of its clips, and the paces of forward clips, slowest first."""

    legs: Sequence[Leg]
    motion: Motion
    paces: Sequence[Pace]  # the first stands


class Contacts(NamedTuple):
    """When feet are on the ground."""

    legs: Sequence[Leg]
    curves: NDArray[np.float32]  # [clip, CONTACT_POINTS, leg, CURVE_COUNT]


@dataclass(frozen=True)
class LoadedRig:
    """A rig with what its scene says of it."""

    label: str  # how messages call it
    rig: Rig
    scale: float  # from the rig's units to metres
    facing: float  # [rad] about +Y from +Z
    ground_offset: float  # [m]
    shadow_radius: float  # [rig units]
    tints: tuple[str, ...] = ("#ffffff",)  # that actors are drawn from where the scene says none
    motion_sets: dict[str, MotionSet] = field(default_factory=dict)  # by what is said of them: crowds share them
    gaits: dict[str, Gait] = field(default_factory=dict)  # the same
    contacts: dict[tuple[str, MotionSet], Contacts] = field(default_factory=dict)  # by what is said of legs


def find_clip(loaded: LoadedRig, name: str, key: SceneKey) -> Clip:
    """A clip of a rig by name. Raises InputError with the nearest right name."""
    clips = loaded.rig.clips
    if name not in clips:
        known = list(clips)
        listing = f"its clips are: {', '.join(known)}" if any(clip.tracks for clip in clips.values()) else NO_CLIPS
        raise key.fault(f"rig {loaded.label} has no clip {name!r};{nearest(name, known)} {listing}")
    return clips[name]


def require_joint(loaded: LoadedRig, name: str, key: SceneKey) -> None:
    """Raise InputError where a rig has no joint of this name."""
    key.require_among(name, loaded.rig.skeleton.joint_names, f"rig {loaded.label} has no joint", "its joints are")

"""A rig with the settings of its scene."""

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

NO_CLIPS = 'the rig has no clips. Use clips of another model: clips_from = ["other.glb"] in the rig'


class Gait(NamedTuple):
    """The gait of a rig: its legs, a blend space of its clips, and the paces of its forward clips (slowest first)."""

    legs: Sequence[Leg]
    motion: Motion
    paces: Sequence[Pace]  # the first pace is standing


class Contacts(NamedTuple):
    """Curves that state when each foot touches the ground during each clip."""

    legs: Sequence[Leg]
    curves: NDArray[np.float32]  # [clip, CONTACT_POINTS, leg, CURVE_COUNT]


@dataclass(frozen=True)
class LoadedRig:
    """A rig with the settings of its scene."""

    label: str  # name in messages
    rig: Rig
    scale: float  # metres for one unit of the rig
    facing: float  # [rad], facing about +Y from +Z
    ground_offset: float  # [m]
    shadow_radius: float  # [rig units]
    tints: tuple[str, ...] = ("#ffffff",)  # default tints of actors
    # key: a text of the motion keys, because crowds with equal motion keys share a set
    motion_sets: dict[str, MotionSet] = field(default_factory=dict)
    gaits: dict[str, Gait] = field(default_factory=dict)  # key: a text of the body keys
    # key: a text of the legs, and the motion set
    contacts: dict[tuple[str, MotionSet], Contacts] = field(default_factory=dict)


def find_clip(loaded: LoadedRig, name: str, key: SceneKey) -> Clip:
    """Return the clip `name` of a rig. For an unknown name, raises InputError with the most similar known name."""
    clips = loaded.rig.clips
    if name not in clips:
        known = list(clips)
        listing = f"its clips are: {', '.join(known)}" if any(clip.tracks for clip in clips.values()) else NO_CLIPS
        raise key.fault(f"rig {loaded.label} has no clip {name!r};{nearest(name, known)} {listing}")
    return clips[name]


def require_joint(loaded: LoadedRig, name: str, key: SceneKey) -> None:
    """Raise InputError if the rig has no joint `name`."""
    key.require_among(name, loaded.rig.skeleton.joint_names, f"rig {loaded.label} has no joint", "its joints are")

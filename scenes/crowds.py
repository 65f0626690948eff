"""The keys of a crowd in a scene file, and the list of built-in parts."""

from typing import Any

from ecs_anim.scenes.parts.appearance import AppearanceKeys, AppearancePart
from ecs_anim.scenes.parts.body import BodyKeys, BodyPart
from ecs_anim.scenes.parts.clip_marks import CurvePart, EventPart
from ecs_anim.scenes.parts.controller import ControllerKeys, ControllerPart
from ecs_anim.scenes.parts.grounding import GroundingKeys, GroundingPart
from ecs_anim.scenes.parts.handrails import HandrailKeys, HandrailPart
from ecs_anim.scenes.parts.inertia import InertiaKeys, InertiaPart
from ecs_anim.scenes.parts.layers import LayerPart
from ecs_anim.scenes.parts.locomotion import LocomotionKeys, LocomotionPart
from ecs_anim.scenes.parts.look_at import LookAtKeys, LookAtPart
from ecs_anim.scenes.parts.morphs import MorphKeys, MorphPart
from ecs_anim.scenes.parts.parameters import ParameterPart
from ecs_anim.scenes.parts.part import Part
from ecs_anim.scenes.parts.playback import PlaybackKeys, PlaybackPart
from ecs_anim.scenes.parts.posing import PosingKeys, PosingPart
from ecs_anim.scenes.parts.reach import ReachKeys, ReachPart
from ecs_anim.scenes.parts.root_motion import RootMotionPart
from ecs_anim.scenes.parts.standing import StandingKeys, StandingPart
from ecs_anim.scenes.parts.steering import SteeringKeys, SteeringPart
from ecs_anim.scenes.parts.targets import TargetKeys, TargetPart
from ecs_anim.scenes.parts.trajectories import TrajectoryKeys, TrajectoryPart
from ecs_anim.scenes.schema_base import CrowdTable


class CrowdModel(  # the schema lists the keys of the last class first
    SteeringKeys,
    TrajectoryKeys,
    BodyKeys,
    GroundingKeys,
    LocomotionKeys,
    HandrailKeys,
    ReachKeys,
    LookAtKeys,
    TargetKeys,
    PosingKeys,
    AppearanceKeys,
    MorphKeys,
    ControllerKeys,
    InertiaKeys,
    PlaybackKeys,
    StandingKeys,
    CrowdTable,
):
    """A crowd: a group of actors that share one rig."""

    @property
    def has_motions(self) -> bool:
        """Return whether the scene names clips or blend spaces for the crowd."""
        return bool(self.clips or self.blend_spaces) or self.body is not None

    @property
    def moves(self) -> bool:
        """Return whether the actors of the crowd can move over the ground."""
        return any(keys is not None for keys in (self.steering, self.trajectories, self.locomotion))

    @property
    def said_of_motions(self) -> str:
        """Return a text with the values of all motion keys of the crowd, except the key that selects the first motions.

        Crowds with equal texts can share motions.
        """
        clips = [
            (clip.name, clip.loop, clip.ground_speed_m_s, clip.moves_actor, clip.turns_actor) for clip in self.clips
        ]
        spaces = [space.model_copy(update={"weight": 1.0, "phase": "random"}) for space in self.blend_spaces]
        return repr((clips, spaces, [layer.clip for layer in self.layers], self.body))


_Parts = tuple[Part[CrowdModel], ...]
_FIRST: _Parts = (ControllerPart(), BodyPart(), PlaybackPart(), StandingPart())
_NUMBERS, _LOOKS = ParameterPart(), AppearancePart()
_REST: _Parts = (
    PosingPart(),
    InertiaPart(),
    LayerPart(),
    CurvePart(),
    EventPart(),
    LocomotionPart(),
    TrajectoryPart(),
    SteeringPart(),
    RootMotionPart(),
    GroundingPart(),
    TargetPart(),
    LookAtPart(),
    ReachPart(),
    HandrailPart(),
    MorphPart(),
)
PARTS: _Parts = (*_FIRST, _NUMBERS, _LOOKS, *_REST)  # order in which the parts of a crowd are built
DRAWN: _Parts = (*_FIRST, _LOOKS, _NUMBERS, *_REST)  # order in which parts draw new actors from one generator


def plain_keys() -> dict[str, Any]:
    """Return the default value of each key that works only if the CPU computes poses.

    If the GPU computes all poses of a crowd, these keys must have their default values.
    """
    return {
        key: part.keys.model_fields[key].get_default(call_default_factory=True)
        for part in PARTS
        for key in (*part.cpu_keys, *part.cpu_shown)
    }

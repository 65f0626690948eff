"""Crowds: what a scene file may say of one, and the parts that make it; a new part stands in both lists."""

from typing import Any

from ecs_anim.scenes.parts.appearance import APPEARANCE, AppearanceKeys
from ecs_anim.scenes.parts.body import BODY, BodyKeys
from ecs_anim.scenes.parts.clip_marks import CURVES, EVENTS
from ecs_anim.scenes.parts.controller import CONTROLLER, ControllerKeys
from ecs_anim.scenes.parts.grounding import GROUNDING, GroundingKeys
from ecs_anim.scenes.parts.inertia import INERTIA, InertiaKeys
from ecs_anim.scenes.parts.layers import LAYERS
from ecs_anim.scenes.parts.locomotion import LOCOMOTION, LocomotionKeys
from ecs_anim.scenes.parts.look_at import LOOK_AT, LookAtKeys
from ecs_anim.scenes.parts.morphs import MORPHS, MorphKeys
from ecs_anim.scenes.parts.parameters import PARAMETERS
from ecs_anim.scenes.parts.part import Part
from ecs_anim.scenes.parts.playback import PLAYBACK, PlaybackKeys
from ecs_anim.scenes.parts.posing import POSING, PosingKeys
from ecs_anim.scenes.parts.reach import REACH, ReachKeys
from ecs_anim.scenes.parts.standing import STANDING, StandingKeys
from ecs_anim.scenes.parts.steering import STEERING, SteeringKeys
from ecs_anim.scenes.parts.targets import TARGETS, TargetKeys
from ecs_anim.scenes.parts.trajectories import TRAJECTORIES, TrajectoryKeys
from ecs_anim.scenes.schema_base import CrowdTable


class CrowdModel(  # the schema lists the last one's keys first
    SteeringKeys,
    TrajectoryKeys,
    BodyKeys,
    GroundingKeys,
    LocomotionKeys,
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
    """Actors that share a rig."""

    @property
    def has_motions(self) -> bool:
        """Whether the scene says what actors play."""
        return bool(self.clips or self.blend_spaces) or self.body is not None

    @property
    def moves(self) -> bool:
        """Whether actors go anywhere."""
        return any(keys is not None for keys in (self.steering, self.trajectories, self.locomotion))

    @property
    def said_of_motions(self) -> str:
        """All that is said of them, but which actors begin with what: equal for crowds that can share them."""
        clips = [(clip.name, clip.loop, clip.ground_speed) for clip in self.clips]
        spaces = [space.model_copy(update={"weight": 1.0, "phase": "random"}) for space in self.blend_spaces]
        return repr((clips, spaces, [layer.clip for layer in self.layers], self.body))


_Parts = tuple[Part[CrowdModel], ...]
_FIRST: _Parts = (CONTROLLER, BODY, PLAYBACK, STANDING)
_MOVED: _Parts = (LOCOMOTION, TRAJECTORIES, STEERING)
_REST: _Parts = (POSING, INERTIA, LAYERS, CURVES, EVENTS, *_MOVED, GROUNDING, TARGETS, LOOK_AT, REACH, MORPHS)
PARTS: _Parts = (*_FIRST, PARAMETERS, APPEARANCE, *_REST)  # in the order in which a crowd is made of them
DRAWN: _Parts = (*_FIRST, APPEARANCE, PARAMETERS, *_REST)  # and newcomers are: from one generator, so it matters


def plain_keys() -> dict[str, Any]:
    """What crowds say that the GPU alone can pose and show: defaults of all keys that only the CPU can."""
    return {
        key: part.keys.model_fields[key].get_default(call_default_factory=True)
        for part in PARTS
        for key in (*part.cpu_keys, *part.cpu_shown)
    }

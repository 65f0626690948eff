"""All clips of the mannequin by name."""

from ecs_anim.mannequin.foot import Sole
from ecs_anim.mannequin.gait import gait_motion
from ecs_anim.mannequin.idle import idle_motion
from ecs_anim.mannequin.motion import Motion
from ecs_anim.mannequin.walk import WALK


def motions(sole: Sole) -> dict[str, Motion]:
    """Every clip, for a character that stands on these soles."""
    return {
        "idle": idle_motion(sole),
        "walk": gait_motion(WALK, sole),
    }

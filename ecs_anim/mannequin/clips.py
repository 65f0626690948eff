"""All clips of the mannequin by name."""

from ecs_anim.mannequin.dance import dance_motion
from ecs_anim.mannequin.foot import Sole
from ecs_anim.mannequin.gait import gait_motion
from ecs_anim.mannequin.idle import idle_motion
from ecs_anim.mannequin.jump import jump_motion
from ecs_anim.mannequin.lean import lean_motion
from ecs_anim.mannequin.motion import Motion
from ecs_anim.mannequin.run import RUN
from ecs_anim.mannequin.seated import cheer_motion, clap_motion, rise_motion, sit_motion
from ecs_anim.mannequin.strafe import strafe_left, strafe_right
from ecs_anim.mannequin.walk import WALK
from ecs_anim.mannequin.walk_backward import WALK_BACKWARD
from ecs_anim.mannequin.wave import wave_motion


def motions(sole: Sole) -> dict[str, Motion]:
    """Return all clips of a character with the soles `sole`, by name."""
    return {
        "idle": idle_motion(sole),
        "walk": gait_motion(WALK, sole),
        "run": gait_motion(RUN, sole),
        "wave": wave_motion(sole),
        "jump": jump_motion(sole),
        "sit": sit_motion(sole),
        "lean_left": lean_motion(sole),
        "walk_backward": gait_motion(WALK_BACKWARD, sole),
        "strafe_left": strafe_left(sole),
        "strafe_right": strafe_right(sole),
        "clap": clap_motion(sole),
        "cheer": cheer_motion(sole),
        "rise": rise_motion(sole),
        "dance": dance_motion(sole),
    }

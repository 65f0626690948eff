"""Pacing: clips that fit the speeds of actors."""

from dataclasses import dataclass

from ecs_anim.runtime.gait_clips import GaitClips


@dataclass(frozen=True)
class Pacing:
    """The clips by speed, for crowds without a body. Each actor plays the clip that fits its speed.

    The playback speed matches the speed of the actor.

    Written by: the scene loader. Read by: pacing.
    """

    clips: GaitClips

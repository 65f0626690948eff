"""Pacing: clips that keep step with how fast actors go."""

from dataclasses import dataclass

from ecs_anim.runtime.gait_clips import GaitClips


@dataclass(frozen=True)
class Pacing:
    """Actors play the clip that was made for about their speed, as fast as they go; those of crowds without a body.

    Written by: the scene loader. Read by: pacing.
    """

    clips: GaitClips

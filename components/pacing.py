"""Pacing: the component that stores the clips of a crowd by speed. Each actor plays the clip that fits its speed."""

from dataclasses import dataclass

from ecs_anim.runtime.gait_clips import GaitClips


@dataclass(frozen=True)
class Pacing:
    """The clips of a crowd without bodies, sorted by speed. Each actor plays the clip that fits the actor's speed.

    The playback speed of the clip is scaled, so that the clip moves at the exact speed of the actor.

    Written by: the scene loader. Read by: the system `pacing`.
    """

    clips: GaitClips

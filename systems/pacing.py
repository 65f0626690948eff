"""The pacing system: actors without a body play the clip that fits their speed."""

from typing import ClassVar

from ecs_anim.components.movers import Movers
from ecs_anim.components.pacing import Pacing
from ecs_anim.components.playback import Playback
from ecs_anim.components.transforms import Transforms
from ecs_anim.runtime.records import FadeRequest
from ecs_anim.systems.chunk import Chunk

GAIT_CHANGE = FadeRequest(-1.0, 1.0, 0.25, False)  # the new clip starts at the phase of the old clip


class PaceClips:
    """Fade each actor to the clip that fits the actor's speed.

    Scale the playback speed of this clip to the exact speed of the actor.
    """

    name: ClassVar[str] = "pacing"
    components: ClassVar[tuple[type, ...]] = (Pacing, Movers, Transforms, Playback)

    def run(self, chunk: Chunk, pacing: Pacing, movers: Movers, transforms: Transforms, playback: Playback) -> None:
        """Write the columns of the playback."""
        from ecs_anim.kernels.pacing import pace_clips  # compiled at first use

        if chunk.dt > 0:
            scale, columns = chunk.read(transforms.scale), chunk.read_all(movers.columns)
            pace_clips(pacing.clips, GAIT_CHANGE, scale, columns, chunk.write_all(playback.queue))

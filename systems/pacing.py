"""The pacing system: actors without a body play the clip that fits their speed."""

from typing import ClassVar

import numpy as np

from ecs_anim.body.movers import MoverColumns
from ecs_anim.components.movers import Movers
from ecs_anim.components.pacing import Pacing
from ecs_anim.components.playback import Playback
from ecs_anim.components.storeys import Storeyed
from ecs_anim.components.transforms import Transforms
from ecs_anim.runtime.records import FadeRequest
from ecs_anim.systems.chunk import Chunk, Columns

GAIT_CHANGE = FadeRequest(-1.0, 1.0, 0.25, False)  # the new clip starts at the phase of the old clip


class PaceClips:
    """Fade each actor to the clip that fits the actor's speed.

    Scale the playback speed of this clip to the exact speed of the actor.
    """

    name: ClassVar[str] = "pacing"
    components: ClassVar[tuple[type, ...]] = (Pacing, Movers, Transforms, Playback)
    unless: ClassVar[tuple[type, ...]] = (Storeyed,)

    def run(self, chunk: Chunk, pacing: Pacing, movers: Movers, transforms: Transforms, playback: Playback) -> None:
        """Write the columns of the playback."""
        _pace(chunk, pacing, chunk.read_all(movers.columns), transforms, playback)


class PaceRiders:
    """Do the work of `PaceClips` in a world with levels. Only the movement relative to moving steps selects a clip."""

    name: ClassVar[str] = "rider_pacing"
    components: ClassVar[tuple[type, ...]] = (Pacing, Movers, Transforms, Playback, Storeyed)

    def run(
        self,
        chunk: Chunk,
        pacing: Pacing,
        movers: Movers,
        transforms: Transforms,
        playback: Playback,
        storeyed: Storeyed,
    ) -> None:
        """Write the columns of the playback."""
        columns, steps = MoverColumns(*chunk.read_all(movers.columns)), chunk.read(storeyed.carried)[:, :2]
        own = columns.velocity - np.where(np.isnan(steps), np.float32(0), steps)
        _pace(chunk, pacing, tuple(columns._replace(velocity=own)), transforms, playback)


def _pace(chunk: Chunk, pacing: Pacing, movers: Columns, transforms: Transforms, playback: Playback) -> None:
    """Fade to the clips that fit the velocities in `movers`, which contains the columns of `Movers`."""
    from ecs_anim.kernels.pacing import pace_clips  # compiled at first use

    if chunk.dt > 0:
        scale, queue = chunk.read(transforms.scale), chunk.write_all(playback.queue)
        pace_clips(pacing.clips, GAIT_CHANGE, scale, movers, queue)

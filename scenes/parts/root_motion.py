"""Clips that move their actors. The part builds the component `RootMotion`, and `Footing` if the ground is not flat."""

from collections.abc import Iterator

import numpy as np

from ecs_anim.components.footing import Footing
from ecs_anim.components.movers import Movers
from ecs_anim.components.root_motion import RootMotion
from ecs_anim.scenes.parts.locomotion import new_footing
from ecs_anim.scenes.parts.part import Making, Part
from ecs_anim.scenes.parts.playback import PlaybackKeys


class RootMotionPart(Part[PlaybackKeys]):
    """Root motion: clips move their actors along the paths that the clips contain."""

    keys = PlaybackKeys
    cpu_only = ()
    kernels = ("playing",)

    def is_wanted(self, crowd: PlaybackKeys) -> bool:
        """Return whether at least one clip of a crowd moves its actors."""
        return any(clip.moves_actor is not False for clip in crowd.clips)

    def build(self, crowd: PlaybackKeys, making: Making) -> Iterator[object]:
        """Build the paths of all motions."""
        paths = [motion.members[0].path for motion in making.motions.motions]
        points = [np.zeros((0, 3), np.float32) if path is None else path for path in paths]
        counts = np.array([len(own) for own in points], np.int32)
        yield RootMotion(
            first_point=(np.cumsum(counts) - counts).astype(np.int32),
            interval_count=np.maximum(counts - 1, 0).astype(np.int32),
            points=np.concatenate(points),
            movers=making.find(Movers),
        )
        if making.find(Footing) is None:
            yield from new_footing(making)

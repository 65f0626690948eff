"""The watching system: it moves targets that follow the camera or other actors."""

from typing import assert_never

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.crowd import Crowd
from ecs_anim.components.stage import Stage
from ecs_anim.components.targets import Eye, FromParameters, Orbit, Other, Path, Still, Targets
from ecs_anim.components.transforms import Transforms
from ecs_anim.ecs.world import World
from ecs_anim.runtime.records import Frame
from ecs_anim.systems.chunk import Forgetful
from ecs_anim.systems.targets import to_world


class WatchOthers(Forgetful):
    """Move targets to the camera, and to the positions of other actors at the end of the previous step.

    The system reads the whole world before the chunks run, because a chunk system must not read moving actors of
    another chunk.
    """

    name = "watching"

    def run(self, world: World, dt: float) -> None:
        """Write `position` of the targets at the camera and on other actors."""
        watchers = list(world.query(Targets, Crowd, Transforms))
        if not watchers:
            return
        eyes = [stage.camera.position for _, (stage,) in world.query(Stage)]
        others = {crowd.name: transforms for _, (crowd, transforms) in reversed([*world.query(Crowd, Transforms)])}
        for _, (targets, _crowd, transforms) in watchers:
            for target in targets.targets:
                match target.motion:
                    case Eye():
                        if eyes:
                            target.position[:] = eyes[0]
                    case Other(crowd):
                        if crowd in others and len(others[crowd].scale):
                            target.position[:] = _places(target.motion, transforms, others[crowd])
                    case Still() | Orbit() | Path() | FromParameters():
                        pass  # chunk systems move all other targets
                    case _:
                        assert_never(target.motion)


def _places(motion: Other, own: Transforms, others: Transforms) -> NDArray[np.float32]:
    """Return the target points on other actors, [n or 1, 3].

    If the target is on a fixed actor of `others`, all actors of `own` share one point. Otherwise, each actor of `own`
    gets a point on the actor of `others` that is nearest to it.
    """
    from ecs_anim.kernels.nearest import nearest_rows

    count = len(others.scale)
    if motion.actor >= 0:
        return _point_of(motion.at, others, np.array([motion.actor % count], np.int32), motion.frame)
    found = np.empty(len(own.scale), np.int32)
    nearest_rows(own.translation, others.translation, own is others, found)
    return _point_of(motion.at, others, found, motion.frame)


def _point_of(
    at: NDArray[np.float32], transforms: Transforms, rows: NDArray[np.int32], frame: Frame
) -> NDArray[np.float32]:
    """Convert the point `at` [3] from the frame of each actor in `rows` to world space, [row, 3]."""
    positions = np.tile(at, (len(rows), 1))
    to_world(tuple([column[rows] for column in transforms.placement]), frame, positions)
    return positions

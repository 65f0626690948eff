"""Turns: actors so far away that nobody sees it are posed in every second or fourth step, the others in each."""

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.stage import Stage
from ecs_anim.components.transforms import Transforms
from ecs_anim.components.turns import Turns
from ecs_anim.ecs.world import World
from ecs_anim.maths import elementary
from ecs_anim.systems.chunk import Forgetful
from ecs_anim.systems.nearness import squared_distances
from ecs_anim.view.camera import OrbitCamera
from ecs_anim.view.cull_view import half_rate_size

PICTURE_HEIGHT = 1080  # [pixels] of the picture that the camera is taken to see
EVERYBODY = 4  # steps in which each has a turn
UNSEEN = 8.0  # factor of distances: of who is outside the view, of whom a shadow may be seen


class TakeTurns(Forgetful):
    """Tell whose turn it is, by where the camera and the actors are; what is simulated does not depend on it.

    A palette may be a step old where limbs move by less than the error in that time, and three steps old where they
    do so in three times that. Turns are spread over the rows; who keeps his row has one in any four steps, whatever
    the camera does. Newcomers have theirs at once, and so has everybody in a step that takes no time. Where there are
    turns no step is skipped, as `needs_poses` of the schedule says.
    """

    name = "turns"

    def run(self, world: World, dt: float) -> None:
        """Write `Turns.waits`."""
        for _, (stage,) in world.query(Stage):
            for _, (turns, transforms) in world.query(Turns, Transforms):
                waiting = _waiting(turns, stage.camera, transforms, dt)
                frame = np.arange(len(waiting), dtype=np.int32) + np.int32(world.frame % EVERYBODY)
                turns.waits[:] = (frame & waiting != 0) & turns.posed
                turns.posed[:] = True


def _waiting(turns: Turns, camera: OrbitCamera, transforms: Transforms, dt: float) -> NDArray[np.int32]:
    """Steps in which each actor waits after one that is his turn: 0, 1 or 3."""
    if dt == 0:
        return np.zeros(len(turns.posed), np.int32)
    size = turns.size * float(transforms.scale.max(initial=0))
    squares = squared_distances(camera, transforms, np.zeros(len(turns.posed), np.bool_), UNSEEN)
    far = np.float32((size * _pixels(camera) / half_rate_size(turns.pixel_error, dt)) ** 2)  # of the distance
    return (squares >= far).astype(np.int32) + np.int32(2) * (squares >= 9 * far)


def _pixels(camera: OrbitCamera) -> float:
    """That a metre takes, one metre away."""
    return PICTURE_HEIGHT / 2 / float(elementary.tan(camera.vertical_fov / 2))

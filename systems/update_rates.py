"""The update rates system: far actors get new poses only in every second or fourth step, if the error is invisible."""

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.stage import Stage
from ecs_anim.components.transforms import Transforms
from ecs_anim.components.update_rates import UpdateRates
from ecs_anim.ecs.world import World
from ecs_anim.maths import elementary
from ecs_anim.systems.chunk import Forgetful
from ecs_anim.systems.nearness import squared_distances
from ecs_anim.view.camera import OrbitCamera
from ecs_anim.view.cull_view import half_rate_size

PICTURE_HEIGHT = 1080  # [pixels], assumed height of the camera's picture
EVERYBODY = 4  # number of steps; in this number of consecutive steps, each actor gets at least one pose
UNSEEN = 8.0  # factor on the distances of actors outside the view, because their shadows can be visible


class ChooseUpdates(Forgetful):
    """Choose the actors that get new poses. The choice depends on the positions of the camera and the actors.

    The choice does not change the simulation.

    If limbs move by less than the largest error in one step, a palette can be one step old. If limbs move by less than
    the largest error in three steps, a palette can be three steps old. Actors in different rows get new poses in
    different steps. An actor that stays in its row gets a new pose at least once in any four steps, even if the camera
    moves. New actors get a pose immediately. In a step of 0 s, all actors get a new pose. A world with update rates
    does not skip steps, because `needs_poses` of the schedule returns the update rates system.
    """

    name = "update_rates"

    def run(self, world: World, dt: float) -> None:
        """Write `waits`, `elapsed` and `posed` of `UpdateRates`."""
        for _, (stage,) in world.query(Stage):
            for _, (rates, transforms) in world.query(UpdateRates, Transforms):
                waiting = _waiting(rates, stage.camera, transforms, dt)
                frame = np.arange(len(waiting), dtype=np.int32) + np.int32(world.frame % EVERYBODY)
                rates.elapsed[:] = np.where(rates.waits, rates.elapsed, 0) + np.float32(dt)
                rates.waits[:] = (frame & waiting != 0) & rates.posed
                rates.posed[:] = True


def _waiting(rates: UpdateRates, camera: OrbitCamera, transforms: Transforms, dt: float) -> NDArray[np.int32]:
    """Return the number of steps (0, 1 or 3) that each actor waits after its last pose."""
    if dt == 0:
        return np.zeros(len(rates.posed), np.int32)
    size = rates.size * float(transforms.scale.max(initial=0))
    squares = squared_distances(camera, transforms, np.zeros(len(rates.posed), np.bool_), UNSEEN)
    far = np.float32((size * _pixels(camera) / half_rate_size(rates.pixel_error, dt)) ** 2)  # [m^2], squared distance
    return (squares >= far).astype(np.int32) + np.int32(2) * (squares >= 9 * far)


def _pixels(camera: OrbitCamera) -> float:
    """Return the number of pixels that an object of one metre covers at a distance of one metre."""
    return PICTURE_HEIGHT / 2 / float(elementary.tan(camera.vertical_fov / 2))

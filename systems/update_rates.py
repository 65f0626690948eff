"""Update rates: actors so far away that nobody sees it are posed in every second or fourth step, the others in each."""

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

PICTURE_HEIGHT = 1080  # [pixels] of the picture that the camera is taken to see
EVERYBODY = 4  # steps in which each is due once at least
UNSEEN = 8.0  # factor of distances: of who is outside the view, of whom a shadow may be seen


class ChooseUpdates(Forgetful):
    """Tell who is due, by where the camera and the actors are; what is simulated does not depend on it.

    A palette may be a step old where limbs move by less than the error in that time, and three steps old where they
    do so in three times that. Steps are spread over the rows; actors who keep their row are due in one of any four,
    whatever the camera does. Newcomers are due at once, and everybody is in a step that takes no time. Where there are
    update rates no step is skipped, as `needs_poses` of the schedule says.
    """

    name = "update_rates"

    def run(self, world: World, dt: float) -> None:
        """Write `UpdateRates.waits`, `elapsed`, `posed`."""
        for _, (stage,) in world.query(Stage):
            for _, (rates, transforms) in world.query(UpdateRates, Transforms):
                waiting = _waiting(rates, stage.camera, transforms, dt)
                frame = np.arange(len(waiting), dtype=np.int32) + np.int32(world.frame % EVERYBODY)
                rates.elapsed[:] = np.where(rates.waits, rates.elapsed, 0) + np.float32(dt)
                rates.waits[:] = (frame & waiting != 0) & rates.posed
                rates.posed[:] = True


def _waiting(rates: UpdateRates, camera: OrbitCamera, transforms: Transforms, dt: float) -> NDArray[np.int32]:
    """Steps that each actor waits after one in which they are posed: 0, 1 or 3."""
    if dt == 0:
        return np.zeros(len(rates.posed), np.int32)
    size = rates.size * float(transforms.scale.max(initial=0))
    squares = squared_distances(camera, transforms, np.zeros(len(rates.posed), np.bool_), UNSEEN)
    far = np.float32((size * _pixels(camera) / half_rate_size(rates.pixel_error, dt)) ** 2)  # of the distance
    return (squares >= far).astype(np.int32) + np.int32(2) * (squares >= 9 * far)


def _pixels(camera: OrbitCamera) -> float:
    """Pixels that a metre takes at a distance of one metre."""
    return PICTURE_HEIGHT / 2 / float(elementary.tan(camera.vertical_fov / 2))

"""Recording of the targets of look-at and reach that a scene shows as balls."""

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.mesh import Material
from ecs_anim.ecs.world import World
from ecs_anim.rigs.bones import ball_mesh
from ecs_anim.sharing.models import Models, Table
from ecs_anim.sharing.moving import corners
from ecs_anim.sharing.pool import Pool
from ecs_anim.systems.drawing import marker_rows, shown_targets


class FilmedTargets:
    """The balls of all shown targets over the time of a recording. A target has one ball for each actor."""

    def __init__(self, world: World) -> None:
        self.shown = shown_targets(world)
        self._times: list[float] = []  # [s]
        self._centers: list[NDArray[np.float32]] = []  # each [ball, 3] [m]

    def take(self, time: float) -> None:
        """Record the positions of the balls. `time` [s] is the time after the first sample."""
        if self.shown:
            self._times.append(time)
            self._centers.append(np.concatenate([target.position for target in self.shown]))

    def description(self, models: Models, pool: Pool) -> Table | None:
        """Describe the balls and their movements for the page. Without balls, return None."""
        if not self.shown:
            return None
        paths = [np.column_stack([self._times, path]) for path in np.stack(self._centers, axis=1)]
        return {
            "model": models.of_levels("ball", [(ball_mesh(1.0, Material("target")),)], "linear"),
            "instances": pool.array(marker_rows(self.shown)),
            # rows of time [s] and position [m]
            "paths": [pool.array(path[corners(path)].astype(np.float32)) for path in paths],
        }

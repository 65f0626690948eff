"""Nearness: the system selects which actors of hybrid crowds are near actors.

The CPU computes the poses of near actors, with all corrections such as grounding.
"""

import math

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.crowd import Crowd
from ecs_anim.components.nearness import Nearness
from ecs_anim.components.palette import Palette
from ecs_anim.components.stage import Stage
from ecs_anim.components.transforms import Transforms
from ecs_anim.ecs.world import World
from ecs_anim.maths import elementary
from ecs_anim.systems.population import columns_of
from ecs_anim.view.camera import OrbitCamera

ASPECT = 16 / 9  # assumed ratio of width to height of the picture
MARGIN = 2.0  # [m]; an actor within this distance of the visible volume counts as visible
UNSEEN = 3.0  # factor on the distances of actors outside the view
STAYS = 0.85  # factor on the distances of actors that are already near actors
FIRST_ACTORS = 64  # number of near actors while the cost per actor is unknown
REMEMBERED = 15  # number of steps whose times are stored
SLACK = 0.1  # largest relative deviation from the budget without a change in the number of near actors


class ChooseNear:
    """Choose the near actors: the actors nearest to the camera.

    The drawn pose of an actor is a mix of the pose from the CPU and the pose from the GPU. In each step, the share of
    the CPU's pose increases towards 1 for the chosen actors, and decreases towards 0 for all other actors.

    The choice depends on the positions of the camera and the actors. The simulation does not depend on the choice. If
    the budget is a time, the choice also depends on the speed of the computer.
    """

    name = "nearness"

    def run(self, world: World, dt: float) -> None:
        """Write the component `Nearness` of each hybrid crowd. Give the palettes a row for each near actor.

        Reset columns of actors that come near or move away.
        """
        for _, (stage,) in world.query(Stage):
            for entity, (crowd, near, transforms, palette) in world.query(Crowd, Nearness, Transforms, Palette):
                if world.frame == 0:
                    near.spent_ns.clear()  # the first times include the loading or compilation of kernels
                count = min(_allowed(near), crowd.actor_count)
                _choose(near, squared_distances(stage.camera, transforms, near.chosen, UNSEEN), count)
                before = near.rows
                _move_shares(near, math.inf if world.frame == 0 else dt)
                _fit(palette, len(near.rows))
                _restart(world, entity, np.setxor1d(near.rows, before, assume_unique=True))

    def free_steps(self, world: World, ends: NDArray[np.float64]) -> int:
        """Return 0 if the world has hybrid crowds, because the shares depend on the previous step.

        Without hybrid crowds, return the number of all steps.
        """
        return 0 if any(world.query(Nearness)) else len(ends)


def _allowed(near: Nearness) -> int:
    """Return the number of near actors that the budget allows at present."""
    if near.spent_ns:
        near.costs_ns[:] = [*near.costs_ns[1 - REMEMBERED :], sum(near.spent_ns) / len(near.rows)]
        near.spent_ns.clear()
    if near.budget.milliseconds is None:
        return near.budget.actors or 0
    if not near.costs_ns:
        return FIRST_ACTORS
    fits = near.budget.milliseconds * 1e6 / float(np.median(near.costs_ns))
    now = int(near.chosen.sum())
    return now if now and abs(fits / now - 1) < SLACK else max(int(fits), 1)


def squared_distances(
    camera: OrbitCamera, transforms: Transforms, chosen: NDArray[np.bool_], unseen: float
) -> NDArray[np.float32]:
    """Return the square of each actor's weighted distance from the camera [m^2].

    The distance of an actor outside the view is multiplied by `unseen`. The distance of an actor in the mask `chosen`
    is multiplied by `STAYS`.
    """
    from ecs_anim.kernels.nearness import measure_nearness  # compiled at first use

    tangent = float(elementary.tan(camera.vertical_fov / 2)) * math.sqrt(1 + ASPECT * ASPECT)
    distances = np.empty(len(chosen), np.float32)
    view = np.array([camera.position, -camera.direction], np.float32)
    cosine = 1 / math.sqrt(1 + tangent * tangent)
    measure_nearness(transforms.translation, view, cosine, MARGIN, unseen, STAYS, chosen, distances)
    return distances


def _choose(near: Nearness, distances: NDArray[np.float32], count: int) -> None:
    """Choose the `count` actors with the smallest distances."""
    near.chosen[:] = False
    if count:
        near.chosen[np.argpartition(distances, count - 1)[:count]] = True


def _move_shares(near: Nearness, dt: float) -> None:
    """Move the CPU's share in each drawn pose towards 1 for chosen actors, and towards 0 for all other actors."""
    step = np.float32(min(dt / near.fade, 1.0) if near.fade > 0 else 1.0)
    rows = np.union1d(near.rows, np.flatnonzero(near.chosen)).astype(np.int32)
    share = np.clip(near.share[rows] + np.where(near.chosen[rows], step, -step), 0, 1)
    near.share[rows] = share
    near.palette_row[near.rows] = -1
    near.rows = rows[near.chosen[rows] | (share > 0)]
    near.palette_row[near.rows] = np.arange(len(near.rows), dtype=np.int32)


def _fit(palette: Palette, count: int) -> None:
    """Provide memory for `count` palettes. If the memory is too small, its size doubles."""
    capacity = len(palette.made)
    if count > capacity:
        palette.made = np.zeros((max(count, 2 * capacity), *palette.made.shape[1:]), np.float32)


def _restart(world: World, entity: int, rows: NDArray[np.int32]) -> None:
    """Reset the stored state of poses for actors that come near or move away."""
    if len(rows):
        for column in columns_of(world, entity):
            column.restart(rows)

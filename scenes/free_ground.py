"""Free ground: where actors of a crowd can stand that has more actors than its scene file says."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ground.ground import Ground
from ecs_anim.walls.walls import Walls

CLEAR = 0.3  # [m] from walls
ROOF = 1.0  # [m] over another surface, from which on a surface is a roof, or the crown of a tree

Places = NDArray[np.float64]
IsFree = Callable[[Places], NDArray[np.bool_]]


def free_ground(walls: Walls, terrain: Ground, middle: tuple[float, float]) -> IsFree:
    """Return a test of places [n, 2] x, z [m]: walkable, clear of walls, and not on a roof.

    Where the `middle` of a layout, x and z [m], is on a roof itself, such as a bridge, roofs are free ground.
    """
    has_roofs = bool(_is_roof(terrain, np.array([middle]))[0])

    def is_free(places: Places) -> NDArray[np.bool_]:
        clear = _is_clear(walls, places)
        return clear if has_roofs else clear & ~_is_roof(terrain, places)

    return is_free


def _is_clear(walls: Walls, places: Places) -> NDArray[np.bool_]:
    """Return which places are walkable, and no wall is near."""
    from ecs_anim.kernels.walls import may_be_at, nearest_walls  # compiled where there are walls

    count = len(places)
    points = np.ascontiguousarray(places * (1, -1), np.float32)
    may_be, nearest, segment = np.ones(count, np.bool_), np.zeros((count, 3), np.float32), np.zeros(count, np.int32)
    may_be_at(walls.arrays, points, count, may_be)
    nearest_walls(walls.arrays, points, count, nearest, segment)
    found: NDArray[np.bool_] = may_be & (nearest[:, 2] >= CLEAR)
    return found


def _is_roof(terrain: Ground, places: Places) -> NDArray[np.bool_]:
    """Return at which places the highest surface has another surface under it."""
    height = terrain.height_at(places)
    lower, _ = terrain.below(np.stack([places[:, 0], height - ROOF, places[:, 1]], axis=-1))
    found: NDArray[np.bool_] = np.isfinite(lower)
    return found

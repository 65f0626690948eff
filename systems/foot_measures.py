"""Foot measures: skate, penetration, hover, and how the knees bend."""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ecs_anim import affine, elementary, quaternion
from ecs_anim.components.foot_measures import FootMeasures
from ecs_anim.components.transforms import Transforms
from ecs_anim.legs import LegArrays
from ecs_anim.systems.chunk import Chunk, Rows

Array = NDArray[np.float32]


class MeasureFeet:
    """Measure the legs as they are after all corrections. Plain numpy, and nothing of the grounding's own numbers."""

    name: ClassVar[str] = "foot_measures"
    components: ClassVar[tuple[type, ...]] = (FootMeasures, Transforms)

    def run(self, chunk: Chunk, measures: FootMeasures, transforms: Transforms) -> None:
        """Write the chunk's rows of `measures`."""
        model = chunk.workspace.model[: chunk.actor_count].reshape(chunk.actor_count, -1, 3, 4)
        rows = chunk.rows
        hip, knee, ankle = (_joints(measures.legs, part, model, transforms, rows) for part in range(3))
        point = _contacts(measures.legs, model, transforms, rows)
        if chunk.dt > 0:
            moved = point[..., [0, 2]] - measures.point[rows][..., [0, 2]]
            measures.skate[rows] = np.linalg.norm(moved, axis=-1) / chunk.dt
        above = point.copy()
        above[..., 1] = hip[..., None, 1]
        height, _ = measures.ground.below(above)
        measures.point[rows], measures.ankle[rows] = point, ankle
        measures.gap[rows] = np.where(np.isfinite(height), point[..., 1] - height, np.nan)
        measures.knee[rows] = _bend(hip, knee, ankle, point)


def _world(points: Array, transforms: Transforms, rows: Rows) -> Array:
    """Points [actor, ...leg, 3] of model space in the world."""
    ones = (1,) * (points.ndim - 2)
    rotation, scale = transforms.rotation[rows].reshape(-1, *ones, 4), transforms.scale[rows].reshape(-1, *ones, 1)
    return quaternion.rotate(rotation, points) * scale + transforms.translation[rows].reshape(-1, *ones, 3)


def _joints(legs: LegArrays, part: int, model: Array, transforms: Transforms, rows: Rows) -> Array:
    return _world(model[:, legs.joints[:, part]][..., 3], transforms, rows)


def _contacts(legs: LegArrays, model: Array, transforms: Transforms, rows: Rows) -> Array:
    """Heels and balls [actor, leg, 2, 3] in the world."""
    ankles = model[:, legs.joints[:, 2]]
    return _world(affine.transform_points(ankles[:, :, None], legs.contacts), transforms, rows)


def _bend(hip: Array, knee: Array, ankle: Array, point: Array) -> Array:
    """Angles [actor, leg] between thigh and shank, negative where the knee points away from where the foot does.

    The foot's left tells, from its heel, ball and ankle: a foot that is thrown up behind points up or backwards.
    """
    thigh, shank, heel = knee - hip, ankle - knee, point[..., 0, :]
    axis, left = np.cross(thigh, shank), np.cross(ankle - heel, point[..., 1, :] - heel)
    angle = elementary.arctan2(np.linalg.norm(axis, axis=-1), np.sum(thigh * shank, axis=-1))
    return np.where(np.sum(axis * left, axis=-1) < 0, -angle, angle)

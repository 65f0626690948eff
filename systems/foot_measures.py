"""Measurement of feet: sliding (skate), penetration of the ground, height above the ground, and knee angles."""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.foot_contacts import FootContacts
from ecs_anim.components.foot_measures import FootMeasures
from ecs_anim.components.transforms import Transforms
from ecs_anim.ik.legs import LegArrays
from ecs_anim.maths import affine, elementary, quaternion
from ecs_anim.systems.chunk import Chunk, Memory, Rows

Array = NDArray[np.float32]
PLANTED = 0.5  # a contact with a larger pin weight is planted and must not move


class MeasureFeet:
    """Measure the legs after all corrections of the pose.

    The measurement uses only numpy. The measurement does not use values from the grounding system.

    The measurements of an actor are in the row of the actor. If the actor moves to another row, its measurements also
    move to this row. New actors have no measurements. The samples also contain the measurements of actors that have
    left.
    """

    name: ClassVar[str] = "foot_measures"
    components: ClassVar[tuple[type, ...]] = (FootMeasures, FootContacts, Transforms)
    remembers: ClassVar[Memory] = "steps"

    def run(self, chunk: Chunk, measures: FootMeasures, contacts: FootContacts, transforms: Transforms) -> None:
        """Write the measurements of the chunk's actors, and add samples."""
        model = chunk.workspace.model[: chunk.actor_count].reshape(chunk.actor_count, -1, 3, 4)
        rows = chunk.rows
        hip, knee, ankle = (_joints(measures.legs, part, model, transforms, rows) for part in range(3))
        point = contact_points(measures.legs, model, transforms, rows)
        above = point.copy()
        above[..., 1] = hip[..., None, 1]
        height, _ = measures.ground.below(above)
        measures.gap[rows] = np.where(np.isfinite(height), point[..., 1] - height, np.nan)
        measures.knee[rows] = _bend(hip, knee, ankle, point)
        if chunk.dt > 0:
            _compare(chunk, measures, contacts.pin[rows][..., :2] > PLANTED, point, ankle)
        measures.point[rows], measures.ankle[rows] = point, ankle


def _compare(chunk: Chunk, measures: FootMeasures, planted: NDArray[np.bool_], point: Array, ankle: Array) -> None:
    """Compute the movement of the feet since the previous measurement, and add samples."""
    rows, seen = chunk.rows, measures.samples
    steps, gap, knee = measures.steps[rows], measures.gap[rows], measures.knee[rows]
    moved = np.linalg.norm(point[..., [0, 2]] - measures.point[rows][..., [0, 2]], axis=-1) / chunk.dt
    skate = np.where(steps[:, None, None] > 0, moved, np.nan)
    stiller = np.where(planted & measures.planted[rows], skate, np.inf).min(axis=-1)
    last, before = (column[rows].astype(np.float64) for column in (measures.ankle, measures.ankle_before))
    acceleration = np.linalg.norm(before - 2 * last + ankle, axis=-1)[steps > 1] / chunk.dt**2
    seen.skate.append(_known(stiller))
    seen.gap.append(_known(gap[planted]))
    seen.sunk.append(np.maximum(-_known(gap), 0))
    seen.knee.append(_known(knee))
    seen.acceleration.append(_known(acceleration))
    measures.skate[rows], measures.planted[rows] = skate, planted
    measures.ankle_before[rows], measures.steps[rows] = measures.ankle[rows], steps + 1


def _known(values: NDArray[np.floating]) -> NDArray[np.floating]:
    found: NDArray[np.floating] = values[np.isfinite(values)]
    return found


def _world(points: Array, transforms: Transforms, rows: Rows) -> Array:
    """Transform points [actor, ...leg, 3] from model space to world space."""
    ones = (1,) * (points.ndim - 2)
    rotation, scale = transforms.rotation[rows].reshape(-1, *ones, 4), transforms.scale[rows].reshape(-1, *ones, 1)
    return quaternion.rotate(rotation, points) * scale + transforms.translation[rows].reshape(-1, *ones, 3)


def _joints(legs: LegArrays, part: int, model: Array, transforms: Transforms, rows: Rows) -> Array:
    return _world(model[:, legs.joints[:, part]][..., 3], transforms, rows)


def contact_points(legs: LegArrays, model: Array, transforms: Transforms, rows: Rows) -> Array:
    """Return the positions of heels and balls in world space, [actor, leg, 2, 3]."""
    ankles = model[:, legs.joints[:, 2]]
    return _world(affine.transform_points(ankles[:, :, None], legs.contacts), transforms, rows)


def _bend(hip: Array, knee: Array, ankle: Array, point: Array) -> Array:
    """Return the angle between thigh and shank of each leg, [actor, leg].

    The angle is negative if the knee bends backward.

    The left direction of the foot determines the sign. Heel, ball and ankle define the left direction. The forward
    direction of the foot does not determine the sign, because a swinging foot behind the body points up or backward.
    """
    thigh, shank, heel = knee - hip, ankle - knee, point[..., 0, :]
    axis, left = np.cross(thigh, shank), np.cross(ankle - heel, point[..., 1, :] - heel)
    angle = elementary.arctan2(np.linalg.norm(axis, axis=-1), np.sum(thigh * shank, axis=-1))
    found: Array = np.where(np.sum(axis * left, axis=-1) < 0, -angle, angle)
    return found

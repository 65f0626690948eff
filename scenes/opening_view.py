"""The default camera of a scene, which is far enough away to show all actors."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.skinning import rest_bounds
from ecs_anim.components.character import Character
from ecs_anim.components.transforms import Transforms
from ecs_anim.maths.small_matrices import length
from ecs_anim.view.camera import OrbitCamera
from ecs_anim.view.framing import framed

ASPECT = 1.0  # width of the picture / height of the picture; wider pictures show more


def opening_camera(camera: OrbitCamera, crowds: Iterable[tuple[Character, Transforms]]) -> OrbitCamera:
    """Return a camera with the view direction of `camera`. The camera is far enough away to show all actors."""
    points = [_ends(character, transforms) for character, transforms in crowds if len(transforms.translation)]
    if not points:
        return camera
    whole = framed(camera, np.concatenate(points), ASPECT)
    return whole if whole.distance > camera.distance else camera


def _ends(character: Character, transforms: Transforms) -> NDArray[np.float64]:
    """Return points [actor * 8, 3]: the eight corners of a box around each actor.

    The box contains the actor at any heading.
    """
    low, high = rest_bounds(character.rig)
    reach = float(length(np.maximum(np.abs(low), np.abs(high))[[0, 2]]))
    corners = np.array([[x, y, z] for x in (-reach, reach) for y in (low[1], high[1]) for z in (-reach, reach)])
    placed = transforms.translation[:, None] + transforms.scale[:, None, None] * corners
    found: NDArray[np.float64] = placed.reshape(-1, 3).astype(np.float64)
    return found

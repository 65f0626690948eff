"""The instance data of actors for the vertex shader: position, scale, rotation and tint."""

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.appearance import Appearance
from ecs_anim.components.transforms import Transforms

INSTANCE_WIDTH = 12  # 3 numbers for the translation, 1 for the scale, 4 for the rotation, 4 for the tint


def instance_rows(transforms: Transforms, appearance: Appearance) -> NDArray[np.float32]:
    """Return the instance data for the vertex shader, [actor_count, 12] f32."""
    rows = np.empty((len(transforms.scale), INSTANCE_WIDTH), np.float32)
    rows[:, 0:3] = transforms.translation
    rows[:, 3] = transforms.scale
    rows[:, 4:8] = transforms.rotation
    rows[:, 8:12] = appearance.tint
    return rows

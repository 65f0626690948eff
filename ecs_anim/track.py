"""Tracks: keyframed values and their exact (glTF) interpolation, vectorised over times."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecs_anim import quaternion

Interpolation = Literal["STEP", "LINEAR", "CUBICSPLINE"]
Path = Literal["translation", "rotation", "scale"]
RotationRule = Literal["slerp", "nlerp"]


@dataclass(frozen=True)
class Track:
    """Keys of one joint's translation, rotation or scale.

    Key times are sorted and need not start at zero. In a CUBICSPLINE track each key holds three values:
    in-tangent, value, out-tangent (glTF 2.0, appendix C, 'Interpolation Cubic').
    """

    joint_index: int
    path: Path
    interpolation: Interpolation
    times: NDArray[np.float32]  # [key_count] f32, [s], strictly increasing
    values: NDArray[np.float32]  # [key_count, width] f32; CUBICSPLINE [key_count, 3, width]; width 3, rotation 4

    def sample(self, times: ArrayLike, rotation: RotationRule = "slerp") -> NDArray[np.float32]:
        """Values [..., width] at times [...] in seconds, clamped to the first and the last key.

        Linear rotations follow slerp, the glTF rule, or nlerp, the fast one. Cubic rotations interpolate the
        raw values and are then normalised.
        """
        raise NotImplementedError

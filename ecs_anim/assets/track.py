"""Tracks: keyframe curves with a purpose, a joint's channel or a plain number."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecs_anim.assets.key_table import KeyTable
from ecs_anim.assets.keyframes import Interpolation, KeyframeCurve, RotationRule

Path = Literal["translation", "rotation", "scale"]


@dataclass(frozen=True, eq=False)
class Track:
    """Keys of one joint's translation, rotation or scale; see `KeyframeCurve` for what they mean."""

    joint_index: int
    path: Path
    interpolation: Interpolation
    times: NDArray[np.float32]  # [key_count] f32, [s], strictly increasing
    values: NDArray[np.float32]  # [key_count, width] f32; CUBICSPLINE [key_count, 3, width]; width 3, rotation 4
    lookup: KeyTable | None = None  # of these times; see `fast`

    @cached_property
    def curve(self) -> KeyframeCurve:
        """The keys without the joint. Raises ValueError if the arrays do not fit each other."""
        return KeyframeCurve(self.interpolation, self.times, self.values, self.path == "rotation", self.lookup)

    def sample(self, times: ArrayLike, rotation: RotationRule = "slerp") -> NDArray[np.float32]:
        """Values [..., width] f32 at times [...] in seconds, clamped to the first and the last key.

        Linear rotations follow slerp, the glTF rule, or nlerp, the fast one. Cubic rotations interpolate the
        raw values and are then normalised.
        """
        return self.curve.sample(times, rotation)

    def fast(self) -> Self:
        """The same track with a table of its keys; see `KeyframeCurve.fast`."""
        return replace(self, lookup=KeyTable.of(self.times))

    def is_constant(self, value: ArrayLike) -> bool:
        """Whether the track holds `value` [width] at every time; a rotation and its negative are the same."""
        return self.curve.is_constant(value)


@dataclass(frozen=True, eq=False)
class ScalarTrack:
    """Keys of one number: a pin weight, a light's intensity, the weight of a layer.

    Raises ValueError if the arrays do not fit each other or key times do not increase.
    """

    interpolation: Interpolation
    times: ArrayLike  # [key_count], [s], strictly increasing
    values: ArrayLike  # [key_count]; CUBICSPLINE [key_count, 3]: in-tangent, value, out-tangent, tangents by second

    def __post_init__(self) -> None:
        _ = self.curve  # checks the keys

    @cached_property
    def curve(self) -> KeyframeCurve:
        """The keys as a curve of width 1."""
        values = np.asarray(self.values, np.float32)
        return KeyframeCurve(self.interpolation, np.asarray(self.times, np.float32), values[..., None])

    def sample(self, times: ArrayLike) -> NDArray[np.float32]:
        """Values [...] f32 at times [...] in seconds, clamped to the first and the last key."""
        return self.curve.sample(times)[..., 0]

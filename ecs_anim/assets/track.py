"""Tracks: keyframe curves of a joint's translation, rotation or scale, or of a single number."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecs_anim.assets.key_table import KeyTable
from ecs_anim.assets.keyframes import Interpolation, KeyframeCurve, RotationRule
from ecs_anim.support.arguments import FLOAT_MAX, numbers, real
from ecs_anim.support.checked import checked, checked_fields

Path = Literal["translation", "rotation", "scale"]


@checked_fields
@dataclass(frozen=True, eq=False)
class Track:
    """Keyframes of one joint's translation, rotation or scale.

    `KeyframeCurve` describes the interpolation between keys. Raises ValueError if the number of values differs from the
    number of times. Other invalid values cause an error only when the program samples the track.
    """

    joint_index: int
    path: Path
    interpolation: Interpolation
    times: NDArray[np.float32]  # [key_count] f32, [s], never decreasing; two keys at one time are a jump
    values: NDArray[np.float32]  # [key_count, width] f32; CUBICSPLINE [key_count, 3, width]; width 3, rotation 4
    lookup: KeyTable | None = None  # table for the fast search of keys, see `fast`; None = no table

    def __post_init__(self) -> None:
        if (
            self.times.shape != self.values.shape[:1] or not self.times.size
        ):  # further checks would take as long as the reading of the track
            times, values = [*self.times.shape], [*self.values.shape]
            raise ValueError(
                f"a track must have at least one key time, and one value for each key time (got times of shape {times}"
                f" and values of shape {values})"
            )

    def __repr__(self) -> str:
        return f"<Track: {self.path} of joint {self.joint_index}, {_told(self.interpolation, self.times)}>"

    @cached_property
    def curve(self) -> KeyframeCurve:
        """Return the keyframes as a `KeyframeCurve`. Raises the errors of `KeyframeCurve`."""
        return KeyframeCurve(self.interpolation, self.times, self.values, self.path == "rotation", self.lookup)

    @checked
    def sample(self, times: ArrayLike, rotation: RotationRule = "slerp") -> NDArray[np.float32]:
        """Return the values [..., width] f32 at `times` [...] in seconds.

        Times are clamped to the first and the last key. `rotation` selects the interpolation of LINEAR rotations: slerp
        (the glTF rule) or nlerp (faster). CUBICSPLINE rotations interpolate the four stored numbers and then normalise
        the result.
        """
        return self.curve.sample(numbers("times", times, most=FLOAT_MAX), rotation)

    def fast(self) -> Self:
        """Return a copy of the track with a `KeyTable`, which finds keys in constant time. See `KeyframeCurve.fast`."""
        return replace(self, lookup=KeyTable.of(self.times))

    def is_constant(self, value: ArrayLike) -> bool:
        """Return whether the track has the value `value` [width] at every time.

        A quaternion and its negative count as equal.
        """
        return self.curve.is_constant(value)


@checked_fields
@dataclass(frozen=True, eq=False)
class ScalarTrack:
    """Keyframes of one number, for example of a pin weight, a light intensity or a layer weight.

    Raises ValueError if the number of values does not fit the number of times, or if the key times are not sorted.
    """

    interpolation: Interpolation
    times: ArrayLike  # [key_count], [s], never decreasing; two keys at one time are a jump
    values: ArrayLike  # [key_count]; CUBICSPLINE [key_count, 3]: in-tangent, value, out-tangent, tangents per second

    def __post_init__(self) -> None:
        _ = self.curve  # checks the keys

    def __repr__(self) -> str:
        return f"<ScalarTrack: {_told(self.interpolation, np.asarray(self.times))}>"

    @cached_property
    def curve(self) -> KeyframeCurve:
        """Return the keyframes as a curve whose values have width 1."""
        times, values = (real("keys", keys).astype(np.float32) for keys in (self.times, self.values))
        return KeyframeCurve(self.interpolation, times, values[..., None])

    def sample(self, times: ArrayLike) -> NDArray[np.float32]:
        """Return the values [...] f32 at `times` [...] in seconds. Times are clamped to the first and the last key."""
        return self.curve.sample(numbers("times", times, most=FLOAT_MAX))[..., 0]


def _told(interpolation: Interpolation, times: NDArray[np.floating]) -> str:
    return f"{len(times)} {interpolation} keys, {times[0]:.6g} to {times[-1]:.6g} s"

"""Tracks: keyframed values and their exact (glTF) interpolation, vectorised over times."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecs_anim import quaternion

Interpolation = Literal["STEP", "LINEAR", "CUBICSPLINE"]
Path = Literal["translation", "rotation", "scale"]
RotationRule = Literal["slerp", "nlerp"]


@dataclass(frozen=True, eq=False)
class Track:
    """Keys of one joint's translation, rotation or scale.

    Key times are sorted and need not start at zero. In a CUBICSPLINE track each key holds three values:
    in-tangent, value, out-tangent (glTF 2.0, appendix C.5).
    """

    joint_index: int
    path: Path
    interpolation: Interpolation
    times: NDArray[np.float32]  # [key_count] f32, [s], strictly increasing
    values: NDArray[np.float32]  # [key_count, width] f32; CUBICSPLINE [key_count, 3, width]; width 3, rotation 4

    def sample(self, times: ArrayLike, rotation: RotationRule = "slerp") -> NDArray[np.float32]:
        """Values [..., width] f32 at times [...] in seconds, clamped to the first and the last key.

        Linear rotations follow slerp, the glTF rule, or nlerp, the fast one. Cubic rotations interpolate the
        raw values and are then normalised.
        """
        times = np.asarray(times, np.float64)
        if self.interpolation == "STEP" or len(self.times) == 1:
            return self._key_values()[self._key_before(times)]
        key, fraction = self._span(times)
        if self.interpolation == "CUBICSPLINE":
            return self._cubic(key, fraction)
        return self._linear(key, fraction, rotation)

    def is_constant(self, value: ArrayLike) -> bool:
        """Whether the track holds `value` [width] at every time; a rotation and its negative are the same."""
        keys = self._key_values()
        value = np.asarray(value, np.float32)
        if self.path == "rotation":
            keys, value = quaternion.align(keys, value), quaternion.normalize(value)
        if self.interpolation == "CUBICSPLINE" and np.any(self.values[:, (0, 2)]):
            return False
        return bool(np.allclose(keys, value, rtol=1e-6, atol=1e-7))

    def _key_before(self, times: NDArray[np.float64]) -> NDArray[np.intp]:
        """Index of the last key at or before each time; before the first key, the first."""
        return np.maximum(np.searchsorted(self.times, times, side="right") - 1, 0)

    def _span(self, times: NDArray[np.float64]) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """Key that opens the span around each time, and the time's place in the span, 0 to 1."""
        key = np.minimum(self._key_before(times), len(self.times) - 2)
        opens, closes = self.times[key].astype(np.float64), self.times[key + 1].astype(np.float64)
        return key, np.clip((times - opens) / (closes - opens), 0, 1)

    def _key_values(self) -> NDArray[np.float32]:
        """The value at each key [key_count, width], rotations normalised."""
        values = self.values[:, 1] if self.interpolation == "CUBICSPLINE" else self.values
        return quaternion.normalize(values) if self.path == "rotation" else values

    def _linear(self, key: NDArray, fraction: NDArray, rotation: RotationRule) -> NDArray[np.float32]:
        a, b = self.values[key].astype(np.float64), self.values[key + 1].astype(np.float64)
        if self.path != "rotation":
            return (a + (b - a) * fraction[..., None]).astype(np.float32)
        interpolate = quaternion.slerp if rotation == "slerp" else quaternion.nlerp
        return interpolate(a, b, fraction).astype(np.float32)

    def _cubic(self, key: NDArray, fraction: NDArray) -> NDArray[np.float32]:
        """Hermite spline of the raw values (glTF 2.0, appendix C.5)."""
        span = (self.times[key + 1].astype(np.float64) - self.times[key])[..., None]
        t = fraction[..., None]
        t2, t3 = t * t, t * t * t
        _, value, out_tangent = np.moveaxis(self.values[key].astype(np.float64), -2, 0)
        in_tangent, next_value, _ = np.moveaxis(self.values[key + 1].astype(np.float64), -2, 0)
        result = (
            (2 * t3 - 3 * t2 + 1) * value
            + (t3 - 2 * t2 + t) * span * out_tangent
            + (3 * t2 - 2 * t3) * next_value
            + (t3 - t2) * span * in_tangent
        )
        return (quaternion.normalize(result) if self.path == "rotation" else result).astype(np.float32)

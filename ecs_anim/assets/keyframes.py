"""Keyframe curves: values keyed in time and their exact (glTF) interpolation, vectorised over times."""

from dataclasses import dataclass, replace
from typing import Literal, Self, assert_never

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecs_anim.assets.key_table import KeyTable
from ecs_anim.maths import curves, quaternion

Interpolation = Literal["STEP", "LINEAR", "CUBICSPLINE"]
RotationRule = Literal["slerp", "nlerp"]

FEW = 1024  # times for which numpy's search is the quicker one (profiling/bench_tracks.py)


@dataclass(frozen=True, eq=False)
class KeyframeCurve:
    """Keys of a vector or a rotation, belonging to nothing in particular.

    Key times need not start at zero; before the first and after the last key the curve holds its end, and a single
    key is a constant (glTF 2.0, appendix C). STEP holds each key until the next (C.2), LINEAR goes straight, or along
    the arc for a rotation (C.3, C.4), CUBICSPLINE is Hermite's, and each of its keys holds three values: in-tangent,
    value, out-tangent, the tangents by second (C.5).

    Raises ValueError if the arrays do not fit each other or key times do not increase.
    """

    interpolation: Interpolation
    times: NDArray[np.float32]  # [key_count] f32, [s], strictly increasing
    values: NDArray[np.float32]  # [key_count, width] f32; CUBICSPLINE [key_count, 3, width]
    is_rotation: bool = False  # whether values are unit quaternions, width 4
    lookup: KeyTable | None = None  # of these times; see `fast`

    def __post_init__(self) -> None:
        _check(self)

    def sample(self, times: ArrayLike, rotation: RotationRule = "slerp") -> NDArray[np.float32]:
        """Values [..., width] f32 at times [...] in seconds, clamped to the first and the last key.

        Linear rotations follow slerp, the glTF rule, or nlerp, the fast one. Cubic rotations interpolate the
        raw values and are then normalised: no key is flipped, since its tangents would have to be as well.
        """
        times = np.asarray(times, np.float64)
        if len(self.times) == 1:
            return self.key_values()[self._key_before(times)]
        match self.interpolation:
            case "STEP":
                return self.key_values()[self._key_before(times)]
            case "LINEAR":
                return self._linear(*self._span(times), rotation)
            case "CUBICSPLINE":
                return self._cubic(*self._span(times))
            case _:
                assert_never(self.interpolation)

    def fast(self) -> Self:
        """The same curve with a table of its keys: the same values, found in constant time.

        Worth it for thousands of times in no order over many keys: look-ups alone take a half to a fifth of the time
        there. For few times, or sorted ones, numpy's search is as quick or quicker (few times are left to it),
        and next to interpolating rotations neither counts: `Clip.sample` gains 7% at 10,000 times, nothing below.
        """
        return replace(self, lookup=KeyTable.of(self.times))

    def is_constant(self, value: ArrayLike) -> bool:
        """Whether the curve holds `value` [width] at every time; a rotation and its negative are the same."""
        keys = self.key_values()
        value = np.asarray(value, np.float32)
        if self.is_rotation:
            keys, value = quaternion.align(keys, value), quaternion.normalize(value)
        if self.has_tangents and np.any(self.values[:, (0, 2)]):
            return False
        return bool(np.allclose(keys, value, rtol=1e-6, atol=1e-7))

    @property
    def has_tangents(self) -> bool:
        """Whether each key holds three values."""
        match self.interpolation:
            case "CUBICSPLINE":
                return True
            case "STEP" | "LINEAR":
                return False
            case _:
                assert_never(self.interpolation)

    def key_values(self) -> NDArray[np.float32]:
        """The value at each key [key_count, width], rotations normalised."""
        values = self.values[:, 1] if self.has_tangents else self.values
        return quaternion.normalize(values) if self.is_rotation else values

    def _key_before(self, times: NDArray[np.float64]) -> NDArray[np.intp]:
        """Index of the last key at or before each time; before the first key, the first."""
        if self.lookup is not None and times.size > FEW:
            return self.lookup.key_before(times)
        return np.maximum(np.searchsorted(self.times, times, side="right") - 1, 0)

    def _span(self, times: NDArray[np.float64]) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """Key that opens the span around each time, and the time's place in the span, 0 to 1."""
        key = np.minimum(self._key_before(times), len(self.times) - 2)
        opens, closes = self.times[key].astype(np.float64), self.times[key + 1].astype(np.float64)
        return key, np.clip((times - opens) / (closes - opens), 0, 1)

    def _linear(self, key: NDArray, fraction: NDArray, rotation: RotationRule) -> NDArray[np.float32]:
        a, b = self.values[key].astype(np.float64), self.values[key + 1].astype(np.float64)
        if not self.is_rotation:
            return (a + (b - a) * fraction[..., None]).astype(np.float32)
        match rotation:
            case "slerp":
                return quaternion.slerp(a, b, fraction).astype(np.float32)
            case "nlerp":
                return quaternion.nlerp(a, b, fraction).astype(np.float32)
            case _:
                assert_never(rotation)

    def _cubic(self, key: NDArray, fraction: NDArray) -> NDArray[np.float32]:
        """Hermite spline of the raw values (glTF 2.0, appendix C.5); tangents by second become slopes by span."""
        span = (self.times[key + 1].astype(np.float64) - self.times[key])[..., None]
        _, value, out_tangent = np.moveaxis(self.values[key].astype(np.float64), -2, 0)
        in_tangent, next_value, _ = np.moveaxis(self.values[key + 1].astype(np.float64), -2, 0)
        result = curves.hermite(value, span * out_tangent, span * in_tangent, next_value, fraction[..., None])
        return (quaternion.normalize(result) if self.is_rotation else result).astype(np.float32)


def _check(curve: KeyframeCurve) -> None:
    count = len(curve.times)
    per_key = (3,) if curve.has_tangents else ()
    wanted, got = (count, *per_key), curve.values.shape
    if not count or got[:-1] != wanted or (curve.is_rotation and got[-1:] != (4,)):
        shape = ", ".join(map(str, (*wanted, 4 if curve.is_rotation else "width")))
        raise ValueError(
            f"{count} {curve.interpolation} keys need values of shape ({shape}), and at least one (got {got})"
        )
    if not np.isfinite(curve.times).all():
        raise ValueError("key times must be finite and must increase")
    late = np.flatnonzero(np.diff(curve.times) <= 0)
    if len(late):
        a, b = curve.times[late[0]], curve.times[late[0] + 1]
        raise ValueError(f"key times must increase (key {late[0] + 1} at {b} s follows {a} s)")

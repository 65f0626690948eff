"""Keyframe curves: values at key times, and the interpolation of glTF between the keys, vectorised over times."""

from dataclasses import dataclass, replace
from typing import Any, Literal, Self, assert_never, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecs_anim.assets.key_table import KeyTable
from ecs_anim.maths import curves, quaternion
from ecs_anim.support.arguments import one_of

Interpolation = Literal["STEP", "LINEAR", "CUBICSPLINE"]
RotationRule = Literal["slerp", "nlerp"]

FEW = 1024  # for fewer times than this number, numpy's search is faster than a table (docs/decisions/clip-tables.md)


@dataclass(frozen=True, eq=False)
class KeyframeCurve:
    """A curve through the keys of one value, or of an array of values. A value is a vector or a rotation.

    The first key can have any time. Before the first key, the curve has the value of the first key. After the last key,
    the curve has the value of the last key. A curve with a single key is constant (glTF 2.0, appendix C). If two keys
    have equal times, the value jumps at this time. The first of the two keys ends the span before the jump. The second
    key begins the span after the jump. STEP keeps the value of a key until the next key (C.2). LINEAR interpolates
    vectors along a straight line and rotations along an arc (C.3, C.4). CUBICSPLINE is a Hermite spline. A spline key
    has three values: in-tangent, value and out-tangent. A tangent is a rate of change per second (C.5).

    Raises ValueError if the number of values does not fit the number of times, or if the key times are not sorted.
    """

    interpolation: Interpolation
    times: NDArray[np.float32]  # [key_count] f32, [s], never decreasing
    values: NDArray[np.float32]  # [key_count, *shape, width] f32; CUBICSPLINE [key_count, 3, *shape, width]
    is_rotation: bool = False  # whether values are unit quaternions with width 4
    lookup: KeyTable | None = None  # table for the fast search of keys, see `fast`; None = no table
    shape: tuple[int, ...] = ()  # shape of an array of curves with common key times

    def __post_init__(self) -> None:
        _check(self)

    def sample(self, times: ArrayLike, rotation: RotationRule = "slerp") -> NDArray[np.float32]:
        """Return the values [..., *shape, width] f32 at `times` [...] in seconds.

        Times are clamped to the first and last key. `rotation` selects the interpolation of LINEAR rotations: slerp
        (the glTF rule) or nlerp (faster). CUBICSPLINE rotations interpolate the four stored numbers and then normalise
        the result. The spline does not negate quaternions to get a shorter arc, because the tangents would then also
        have to be negated.
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
        """Return a copy of the curve with a `KeyTable`, which finds keys in constant time.

        The copy has the values of the curve.

        The table is useful for thousands of unsorted times and many keys: a look-up is then two to five times faster
        than numpy's search. For few times or for sorted times, the table is not faster. For few times, the curve always
        uses numpy's search. The interpolation of rotations takes more time than the search for keys. Therefore, a table
        makes `Clip.sample` only 7 % faster at 10,000 times, and not faster at fewer times.
        """
        return replace(self, lookup=KeyTable.of(self.times))

    def is_constant(self, value: ArrayLike) -> bool:
        """Return whether the curve has the value `value` [width] at every time.

        A quaternion and its negative count as equal.
        """
        keys = self.key_values()
        value = np.asarray(value, np.float32)
        if self.is_rotation:
            keys, value = quaternion.align(keys, value), quaternion.normalize(value)
        if self.has_tangents and np.any(self.values[:, (0, 2)]):
            return False
        return bool((np.abs(keys - value) <= 1e-7 + 1e-6 * np.abs(value)).all())

    @property
    def has_tangents(self) -> bool:
        """Return whether each key of the curve has three values: in-tangent, value and out-tangent."""
        match self.interpolation:
            case "CUBICSPLINE":
                return True
            case "STEP" | "LINEAR":
                return False
            case _:
                assert_never(self.interpolation)

    def key_values(self) -> NDArray[np.float32]:
        """Return the values of all keys, but not the tangents, [key_count, *shape, width]. Rotations are normalised."""
        values = self.values[:, 1] if self.has_tangents else self.values
        return quaternion.normalize(values) if self.is_rotation else values

    def _key_before(self, times: NDArray[np.float64]) -> NDArray[np.intp]:
        """Return the index of the last key at or before each time.

        For a time before the first key, the result is the first key.
        """
        if self.lookup is not None and times.size > FEW:
            return self.lookup.key_before(times)
        return np.maximum(np.searchsorted(self.times, times, side="right") - 1, 0)

    def _span(self, times: NDArray[np.float64]) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """Return the index of the key before each time.

        Also return the fraction of the span from this key to the next key. The fraction is 0 to 1. The array of
        fractions has additional axes of length 1, so that it broadcasts with the values of the curve.
        """
        key = np.minimum(self._key_before(times), len(self.times) - 2)
        opens, closes = self.times[key].astype(np.float64), self.times[key + 1].astype(np.float64)
        length = np.where(closes > opens, closes - opens, 1)
        share = np.where(closes > opens, (times - opens) / length, times >= closes)
        return key, self._for_each(np.clip(share, 0, 1))

    def _for_each(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return `numbers` [...] with additional axes of length 1, one for each axis of the curve's values."""
        return numbers[(..., *(None,) * len(self.shape))]

    def _linear(self, key: NDArray[Any], fraction: NDArray[Any], rotation: RotationRule) -> NDArray[np.float32]:
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

    def _cubic(self, key: NDArray[Any], fraction: NDArray[Any]) -> NDArray[np.float32]:
        """Evaluate the Hermite spline of the stored values (glTF 2.0, appendix C.5).

        The method scales the tangents by the length of the span, because stored tangents are per second.
        """
        span = self._for_each(self.times[key + 1].astype(np.float64) - self.times[key])[..., None]
        _, value, out_tangent = np.moveaxis(self.values[key].astype(np.float64), key.ndim, 0)
        in_tangent, next_value, _ = np.moveaxis(self.values[key + 1].astype(np.float64), key.ndim, 0)
        result = curves.hermite(value, span * out_tangent, span * in_tangent, next_value, fraction[..., None])
        return (quaternion.normalize(result) if self.is_rotation else result).astype(np.float32)


def _check(curve: KeyframeCurve) -> None:
    one_of("interpolation", curve.interpolation, get_args(Interpolation))
    if curve.times.ndim != 1:
        raise ValueError(
            f"the array of key times must have one dimension (got shape {curve.times.shape}). Pass a list of times."
        )
    count = len(curve.times)
    per_key = (3,) if curve.has_tangents else ()
    wanted, got = (count, *per_key, *curve.shape), curve.values.shape
    if not count:
        raise ValueError("a curve must have at least one key (got no key times). Add a key time and a value.")
    if got[:-1] != wanted or (curve.is_rotation and got[-1:] != (4,)):
        shape = ", ".join(map(str, (*wanted, 4 if curve.is_rotation else "width")))
        raise ValueError(
            f"for {count} {curve.interpolation} keys, the array of values must have the shape ({shape}) (got the shape"
            f" {got}). Pass an array of this shape."
        )
    if not np.isfinite(curve.times).all():
        raise ValueError("each key time must be a finite number. Remove NaN and infinite times.")
    late = np.flatnonzero(np.diff(curve.times) < 0)
    if len(late):
        a, b = curve.times[late[0]], curve.times[late[0] + 1]
        raise ValueError(
            f"key times must not decrease (key {late[0] + 1} is at {b} s, but the key before it is at {a} s)."
            " Sort the keys by time."
        )

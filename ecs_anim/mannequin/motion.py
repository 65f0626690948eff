"""Motions: joint rotations over time before their conversion to a clip."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from ecs_anim.mannequin import proportions as P
from ecs_anim.mannequin.arrays import Array
from ecs_anim.maths import quaternion

STILL = 1e-6  # largest difference from the rest value in a channel that is not written


@dataclass(frozen=True)
class Channel:
    """Keys of one joint's rotation or translation."""

    joint: int
    path: str  # "rotation" or "translation"
    times: Array  # [k], [s]
    values: Array  # [k, 4] unit quaternions, or [k, 3] metres


@dataclass
class Motion:
    """Local rotations of the joints and positions of the hips at evenly spaced times."""

    times: Array  # [k], [s]
    rotations: dict[str, Array]  # [k, 4] by joint name; missing = unrotated
    hips: Array  # [k, 3], [m], model space
    extras: dict[str, object] = field(default_factory=dict)
    loop: bool = True
    coarse: int = 1  # joints without weight keep only every n-th key

    def channels(self) -> Iterator[Channel]:
        """Yield the animation channels that the glTF writer writes, in float32.

        The last key of a loop equals the first key. The signs of quaternions are continuous. Constant channels are
        omitted.
        """
        yield Channel(0, "translation", self.times, self._closed(self.hips))
        for joint, name in enumerate(P.JOINTS):
            if name not in self.rotations:
                continue
            keys = slice(None) if name in BEARING else slice(None, None, self.coarse)
            values = self._closed(self.rotations[name])[keys]
            if np.abs(values - quaternion.IDENTITY).max() > STILL:
                yield Channel(joint, "rotation", self.times[keys], _continuous(values))

    def _closed(self, values: Array) -> Array:
        values = np.broadcast_to(values, (len(self.times), values.shape[-1])).astype(np.float32)
        if self.loop:
            values = np.concatenate([values[:-1], values[:1]])
        return values


def on_the_spot(duration: float, *, loop: bool = True, stands: list[list[float]] | None = None) -> dict[str, object]:
    """Return the glTF extras for a clip on the spot.

    Both feet stand during the intervals `stands` [s]. Without `stands`, both feet stand during the whole clip.
    """
    contacts = {f"{side}Foot": stands or [[0.0, duration]] for side in ("Left", "Right")}
    return {"ground_speed": 0.0, "loop": loop, "contacts": contacts}


BEARING = frozenset(
    ["Hips", *(side + name for side in ("Left", "Right") for name in ("UpLeg", "Leg", "Foot", "ToeBase"))]
)


def _continuous(rotations: Array) -> Array:
    """Return the rotations [k, 4] with signs that put each quaternion in the half-space of the previous quaternion.

    The first quaternion has w >= 0.
    """
    rotations = quaternion.align(rotations, quaternion.IDENTITY)
    turns = np.sum(rotations[1:] * rotations[:-1], axis=1) < 0
    sign = np.concatenate([[1.0], np.cumprod(np.where(turns, -1.0, 1.0))])
    return (rotations * sign[:, None]).astype(np.float32)

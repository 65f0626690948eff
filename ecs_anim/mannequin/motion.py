"""Motions: rotations of joints over time. The glTF writer converts a motion to a clip."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from ecs_anim.mannequin import proportions as P
from ecs_anim.mannequin.arrays import Array
from ecs_anim.maths import quaternion

STILL = 1e-6  # a channel is not written if all its values differ less than this number from the rest value


@dataclass(frozen=True)
class Channel:
    """The keys of the rotation or the translation of one joint."""

    joint: int
    path: str  # "rotation" or "translation"
    times: Array  # [k], [s]
    values: Array  # [k, 4] unit quaternions, or [k, 3] metres


@dataclass
class Motion:
    """The local rotations of the joints and the positions of the hips, at evenly spaced times."""

    times: Array  # [k], [s]
    rotations: dict[str, Array]  # [k, 4] by joint name; missing = unrotated
    hips: Array  # [k, 3], [m], model space
    extras: dict[str, object] = field(default_factory=dict)
    loop: bool = True
    coarse: int = 1  # joints that do not carry the body keep only every n-th key

    def channels(self) -> Iterator[Channel]:
        """Yield the animation channels of the motion for the glTF writer. The values are float32.

        In a looping motion, the last key equals the first key. The quaternions of a channel have continuous signs: the
        dot product of two consecutive quaternions is not negative. The method leaves out channels whose values stay at
        the rest pose.
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
    """Return the glTF extras of a clip in which the character stays on the spot.

    Both feet stand in the time intervals `stands` [s]. If `stands` is None, both feet stand during the whole clip.
    """
    contacts = {f"{side}Foot": stands or [[0.0, duration]] for side in ("Left", "Right")}
    return {"ground_speed": 0.0, "loop": loop, "contacts": contacts}


BEARING = frozenset(
    ["Hips", *(side + name for side in ("Left", "Right") for name in ("UpLeg", "Leg", "Foot", "ToeBase"))]
)


def _continuous(rotations: Array) -> Array:
    """Return the rotations [k, 4] with continuous signs: consecutive quaternions have a non-negative dot product.

    The first quaternion has w >= 0.
    """
    rotations = quaternion.align(rotations, quaternion.IDENTITY)
    turns = np.sum(rotations[1:] * rotations[:-1], axis=1) < 0
    sign = np.concatenate([[1.0], np.cumprod(np.where(turns, -1.0, 1.0))])
    return (rotations * sign[:, None]).astype(np.float32)

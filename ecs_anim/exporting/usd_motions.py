"""Motions in USD.

Actors that only play a clip share one copy of the clip. For each other actor, the file stores all joints at each frame.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.exporting.actors import Actor, Play, along
from ecs_anim.exporting.bones import Bones
from ecs_anim.exporting.usd_bodies import Joints
from ecs_anim.exporting.usd_layer import UsdLayer, usd_name
from ecs_anim.maths.transform import Pose
from ecs_anim.runtime.clip_table import ClipTables

MOTIONS = "/Motions"
STILL = 2e-6  # if the values of a joint differ at most by this number, the joint is constant
# Number of keys for each row of a clip's table. More keys than rows are necessary, because USD interpolates rotations
# with slerp, and ecs-anim interpolates with nlerp.
BETWEEN = 4
# The attribute of a SkelAnimation and its type, for each component of a pose.
ARRAYS = {
    "translation": ("translations", "Float3Array"),
    "rotation": ("rotations", "QuatfArray"),
    "scale": ("scales", "Half3Array"),
}


class UsdMotions:
    """Writer of the motions of one crowd. A clip becomes a SkelAnimation with as many cycles as the actors need."""

    def __init__(self, layer: UsdLayer, name: str, joints: Joints, tables: ClipTables, frame_rate: int) -> None:
        self._layer, self._name, self._joints, self._tables = layer, name, joints, tables
        self._rate = frame_rate
        self._cycles: dict[int, int] = {}  # largest number of cycles that an actor plays, by clip

    def add(self, path: str, actor: Actor) -> None:
        """Add the motion of an actor to the layer at `path`."""
        prim = self._layer.prim(path, "SkelAnimation")
        play = actor.play()
        if play is None:
            add_joints(self._layer, prim, self._joints, actor.pose(), list(range(len(actor.there))))
        else:
            self._refer(prim, play, len(actor.there))
        if actor.weights.shape[1]:
            self._add_weights(prim, actor.weights)

    def finish(self) -> None:
        """Add all clips that the actors play to the layer."""
        for clip, cycles in self._cycles.items():
            self._add_clip(clip, cycles)

    def _refer(self, prim: Any, play: Play, frames: int) -> None:
        """Make `prim` play the clip of `play` by a reference. The first cycle begins at time 0 of the clip."""
        cycles = math.ceil(play.start + play.rate * (frames - 1))
        self._cycles[play.clip] = max(self._cycles.get(play.clip, 1), cycles)
        scale = 1 / (play.rate * self._codes(play.clip))
        self._layer.refer(prim, self._path(play.clip), -play.start / play.rate, scale)

    def _add_clip(self, clip: int, cycles: int) -> None:
        count = BETWEEN * max(1, int(self._tables.interval_count[clip]))
        shares = np.arange(count + 1) / count
        pose = self._tables.sample(clip, shares * self._tables.duration[clip])
        times = np.concatenate([shares, *(cycle + shares[1:] for cycle in range(1, cycles))]) * self._codes(clip)
        rows = np.concatenate([np.arange(count + 1), *(np.arange(1, count + 1) for _ in range(1, cycles))])
        whole = Pose(pose.translation[rows], along(pose.rotation[rows].astype(np.float32)), pose.scale[rows])
        prim = self._layer.prim(self._path(clip), "SkelAnimation")
        add_joints(self._layer, prim, self._joints, whole, times.tolist())

    def _codes(self, clip: int) -> float:
        """Return the duration of a clip in time codes of the file."""
        return float(self._tables.duration[clip]) * self._rate

    def _path(self, clip: int) -> str:
        return f"{MOTIONS}/{self._name}_{clip}_{usd_name(self._tables.clips[clip].name)}"

    def _add_weights(self, prim: Any, weights: NDArray[np.float32]) -> None:
        layer = self._layer
        layer.set(prim, "blendShapes", "TokenArray", [*self._joints.targets], uniform=True)
        if np.ptp(weights, axis=0).max() <= STILL:
            layer.set(prim, "blendShapeWeights", "FloatArray", weights[0])
        else:
            layer.animate(prim, "blendShapeWeights", "FloatArray", dict(enumerate(weights)))


def add_joints(layer: UsdLayer, prim: Any, joints: Joints, pose: Pose, times: Sequence[float]) -> None:
    """Add `pose` [time, joint] to `prim`. Omit joints that stay in their rest pose."""
    chosen = _moved(pose, joints.bones)
    layer.set(prim, "joints", "TokenArray", [joints.paths[joint] for joint in chosen], uniform=True)
    for part, (name, kind) in ARRAYS.items():
        rows = getattr(pose, part)[:, chosen]
        if np.ptp(rows, axis=0).max(initial=0) <= STILL * max(1.0, float(np.abs(rows).max(initial=0))):
            layer.set(prim, name, kind, rows[0])
        else:
            layer.animate(prim, name, kind, dict(zip(times, rows, strict=True)))


def _moved(pose: Pose, bones: Bones) -> list[int]:
    """Return the joints whose transforms differ from the rest pose at one or more times."""
    moved = np.zeros(pose.rotation.shape[1], np.bool_)
    for name in ARRAYS:
        rows, rest = getattr(pose, name), getattr(bones.rest, name)[: len(moved)]
        moved |= (np.abs(rows - rest) > STILL * np.maximum(1.0, np.abs(rest))).any(axis=(0, 2))
    return [int(joint) for joint in np.flatnonzero(moved)]

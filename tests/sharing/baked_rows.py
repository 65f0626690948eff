"""Skin matrices of baked and hybrid crowds as the GPU computes them, from the bake and the palettes of near actors."""

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.hierarchy import skin_palette
from ecs_anim.bake.bake import Bake
from ecs_anim.components.baked import Baked
from ecs_anim.ecs.world import World
from ecs_anim.maths.transform import Pose
from ecs_anim.systems.baked_actors import packed_actors
from ecs_anim.systems.queries import near_palettes

Floats = NDArray[np.float32]


def baked_rows(world: World, entity: int, rows: NDArray[np.int32]) -> tuple[Floats, NDArray[np.int32], Floats]:
    """Return the skin matrices [n, entry, 3, 4] of the actors in `rows`, their clips, and the phases of the clips.

    The clip is -1 for actors that mix two poses.
    """
    bake, data = world.get(entity, Baked).bake, packed_actors(world, entity)[rows]
    clip, phase = data["clip"].astype(np.int32), data["phase"]
    is_same = (clip[:, 0] == clip[:, 1]) & (phase[:, 0] == phase[:, 1])
    fade = np.where(is_same, 1, np.clip(data["fade"], 0, 1))[:, None, None]
    before, after = (_poses(bake, clip[:, k], phase[:, k]) for k in (0, 1))
    sign = np.where((before.rotation * after.rotation).sum(-1, keepdims=True) < 0, -1, 1)
    turned = (1 - fade) * sign * before.rotation + fade * after.rotation
    turned /= np.linalg.norm(turned, axis=-1, keepdims=True)
    moved = (1 - fade) * before.translation + fade * after.translation
    scaled = (1 - fade) * before.scale + fade * after.scale
    palettes = skin_palette(bake.skeleton, Pose(moved, turned, scaled)).astype(np.float32)
    if (near := near_palettes(world, entity)) is not None:
        share = (data["share"] / np.float32(65535))[:, None, None, None]
        palettes += share * (near[data["near"]] - palettes)
    own, here = (data["fade"] > 0).astype(int), np.arange(len(rows))
    is_mixed = (data["share"] > 0) | ((data["fade"] > 0) & (data["fade"] < 1) & ~is_same)
    return palettes.astype(np.float32), np.where(is_mixed, -1, clip[here, own]), phase[here, own]


def _poses(bake: Bake, clips: NDArray[np.int32], phases: Floats) -> Pose:
    """Return the local poses [n, joint] of clips [n] at phases [n]."""
    joints = bake.skeleton.joint_count
    found = [np.zeros((len(clips), joints, size), np.float32) for size in (3, 4, 3)]
    for number in np.unique(clips).tolist():
        rows, span = np.flatnonzero(clips == number), bake.clips[number].span
        pose = bake.sample(number, span.start + phases[rows].astype(np.float64) * span.duration, loop=False)
        assert isinstance(pose, Pose), "the shipped scenes have local bakes"
        for values, own in zip(found, (pose.translation, pose.rotation, pose.scale), strict=True):
            values[rows] = own
    return Pose(*found)

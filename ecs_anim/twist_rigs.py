"""Rigs that show what skinning does to a twist and a bend: a square bar on two joints, and the mannequin's forearm."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ecs_anim import affine, quaternion
from ecs_anim.clip import Clip
from ecs_anim.mesh import Material, Mesh, Texture
from ecs_anim.rig import Rig
from ecs_anim.skeleton import Skeleton
from ecs_anim.track import Track
from ecs_anim.transform import Pose

BAR_LENGTH, BAR_WIDTH = 1.0, 0.22  # [m]
SOFT = 0.28  # [m] to either side of the middle, over which the upper joint takes over from the lower
BAR_RINGS, BAR_COLUMNS = 64, 8  # quads along a side and across it
DURATION, KEY_COUNT = 4.0, 48  # [s], of a clip that goes to its extreme and back
TWIST, BEND, SWELL = 170.0, 120.0, 1.7  # [deg], [deg], factor
FOREARM, HAND = "LeftForeArm", "LeftHand"  # of the mannequin


def bar_rig(name: str = "bar") -> Rig:
    """A square bar, 1 m along +Y, on the joints 'lower' and, from its middle, 'upper'.

    Clips 'twist' (170 degrees), 'bend' (120 degrees), 'swell' (a twist with a uniform scale of 1.7).
    """
    middle = np.array([0.0, BAR_LENGTH / 2, 0.0])
    bind = np.tile(affine.IDENTITY, (2, 1, 1))
    bind[1, :, 3] = -middle
    rest = Pose.identity(2)
    rest.translation[1] = middle
    parents = np.array([-1, 0], np.int32)
    skeleton = Skeleton(("lower", "upper"), parents, rest, np.array([0, 1], np.int32), bind)
    twist, bend = _turn(1, (0, 1, 0), TWIST), _turn(1, (1, 0, 0), BEND)
    clips = {"twist": (twist,), "bend": (bend,), "swell": (twist, _swell(1))}
    return _rig(name, skeleton, (_bar_mesh(),), clips)


def forearm_rig(mannequin: Rig, name: str = "forearm") -> Rig:
    """The mannequin's left arm from the elbow on, and a clip 'twist' that turns its hand by 170 degrees."""
    skeleton = mannequin.skeleton
    hand, forearm = skeleton.joint_index(HAND), skeleton.joint_index(FOREARM)
    kept = [skeleton.skin_joints.tolist().index(joint) for joint in (forearm, hand)]
    axis = skeleton.rest_pose.translation[hand] / np.linalg.norm(skeleton.rest_pose.translation[hand])
    meshes = tuple(_cropped(mesh, kept) for mesh in mannequin.meshes)
    return _rig(name, skeleton, meshes, {"twist": (_turn(hand, axis, TWIST),)})


def _rig(name: str, skeleton: Skeleton, meshes: tuple[Mesh, ...], clips: dict[str, tuple[Track, ...]]) -> Rig:
    made = {key: Clip(key, skeleton, tracks, 0.0, DURATION, {"ground_speed": 0.0}) for key, tracks in clips.items()}
    return Rig(name, skeleton, meshes, made)


def _to_and_fro() -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    """Key times [s] and how near the extreme: 0, 1, 0."""
    share = np.arange(KEY_COUNT + 1) / KEY_COUNT
    return (DURATION * share).astype(np.float32), 0.5 - 0.5 * np.cos(2 * np.pi * share)


def _turn(joint: int, axis: tuple[float, ...] | NDArray[np.floating], degrees: float) -> Track:
    times, share = _to_and_fro()
    turns = quaternion.from_axis_angle(np.asarray(axis, np.float64), np.radians(degrees) * share)
    return Track(joint, "rotation", "LINEAR", times, turns.astype(np.float32))


def _swell(joint: int) -> Track:
    times, share = _to_and_fro()
    return Track(joint, "scale", "LINEAR", times, np.tile(1 + (SWELL - 1) * share[:, None], 3).astype(np.float32))


def _bar_mesh() -> Mesh:
    """Four sides and two ends, each a grid of its own, so that edges are sharp."""
    sides = [
        _grid(out, (0.0, 1.0, 0.0), BAR_COLUMNS, BAR_RINGS)
        for out in ((0.0, 0.0, 1.0), (1.0, 0.0, 0.0), (0.0, 0.0, -1.0), (-1.0, 0.0, 0.0))
    ]
    ends = [_grid(out, (0.0, 0.0, -out[1]), BAR_COLUMNS, BAR_COLUMNS) for out in ((0.0, 1.0, 0.0), (0.0, -1.0, 0.0))]
    parts = [*sides, *ends]
    starts = np.cumsum([0, *(len(part[0]) for part in parts)])
    positions = np.concatenate([part[0] for part in parts]) * (BAR_WIDTH / 2, BAR_LENGTH / 2, BAR_WIDTH / 2)
    positions[:, 1] += BAR_LENGTH / 2
    share = np.clip((positions[:, 1] - BAR_LENGTH / 2) / (2 * SOFT) + 0.5, 0, 1)
    upper = share * share * (3 - 2 * share)
    count = len(positions)
    weights, entries = np.zeros((count, 4)), np.zeros((count, 4), np.uint16)
    weights[:, 0], weights[:, 1] = np.maximum(upper, 1 - upper), np.minimum(upper, 1 - upper)
    entries[:, 0], entries[:, 1] = upper > 0.5, upper <= 0.5
    return Mesh(
        name="bar",
        material=Material("bar", texture=_bands()),
        positions=positions.astype(np.float32),
        normals=np.concatenate([part[1] for part in parts]).astype(np.float32),
        uvs=np.stack([np.full(count, 0.5), 1 - positions[:, 1] / BAR_LENGTH], axis=-1).astype(np.float32),
        palette_indices=entries,
        weights=weights.astype(np.float32),
        indices=np.concatenate([p[2] + s for p, s in zip(parts, starts, strict=False)]).astype(np.uint32).reshape(-1),
    )


def _grid(out: tuple[float, ...], up: tuple[float, ...], columns: int, rows: int) -> tuple[NDArray, NDArray, NDArray]:
    """The face of a cube of +-1 that looks `out`: positions and normals [n, 3], counter-clockwise corners [m, 3]."""
    across = np.cross(up, out)
    u, v = (grid.ravel() for grid in np.meshgrid(np.linspace(-1, 1, columns + 1), np.linspace(-1, 1, rows + 1)))
    positions = np.array(out) + u[:, None] * across + v[:, None] * np.array(up)
    i, j = (grid.ravel() for grid in np.meshgrid(np.arange(columns), np.arange(rows)))
    a = j * (columns + 1) + i
    b, c, d = a + 1, a + columns + 2, a + columns + 1
    corners = np.concatenate([np.stack([a, b, c], axis=-1), np.stack([a, c, d], axis=-1)])
    return positions, np.tile(np.array(out), (len(positions), 1)), corners


def _bands() -> Texture:
    """Light and darker bands along the bar."""
    band = np.where(np.arange(160) // 10 % 2, 255, 196).astype(np.uint8)
    pixels = np.full((160, 2, 4), 255, np.uint8)
    pixels[..., :3] = band[:, None, None]
    return Texture(pixels, repeat=False)


def _cropped(mesh: Mesh, entries: list[int]) -> Mesh:
    """The triangles whose vertices all follow these palette entries more than others."""
    share = np.sum(mesh.weights * np.isin(mesh.palette_indices, entries), axis=1)
    corners = mesh.indices.reshape(-1, 3)
    corners = corners[(share[corners] > 0.5).all(axis=1)]
    rows, used = np.unique(corners, return_inverse=True)
    columns = {
        name: getattr(mesh, name)[rows] for name in ("positions", "normals", "uvs", "palette_indices", "weights")
    }
    return replace(mesh, **columns, indices=used.reshape(-1).astype(np.uint32), morphs=None)

"""Rigs that show how skins twist and bend: a square bar, and a forearm with a hand. Each rig has two joints."""

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.clip import Clip
from ecs_anim.assets.mesh import Material, Mesh, Texture
from ecs_anim.assets.rig import Rig
from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.assets.track import Track
from ecs_anim.mannequin.shapes import curve
from ecs_anim.maths import affine, elementary, quaternion
from ecs_anim.maths.transform import Pose
from ecs_anim.rigs.surfaces import Corners, grid_triangles, plain_mesh

Array = NDArray[np.floating]

BAR_LENGTH, BAR_WIDTH = 1.0, 0.22  # [m]
SOFT = 0.28  # [m], half of the length along the bar in which the skin weights change from the lower to the upper joint
BAR_RINGS, BAR_COLUMNS = 64, 8  # number of quads along a side and across a side
DURATION, KEY_COUNT = 4.0, 48  # duration of a clip [s], and its number of keys
TWIST, BEND, SWELL = 170.0, 120.0, 1.7  # largest twist [deg], bend [deg] and scale factor of the clips
WRIST = 0.25  # [m] above the elbow
# Outline of forearm and hand [m]: height above the elbow, half width and half depth at this height.
ARM = [
    (0.000, 0.037, 0.037),
    (0.050, 0.047, 0.045),
    (0.100, 0.047, 0.043),
    (0.180, 0.037, 0.031),
    (0.240, 0.029, 0.022),
    (0.265, 0.030, 0.021),
    (0.310, 0.041, 0.019),
    (0.345, 0.042, 0.017),
    (0.400, 0.036, 0.014),
    (0.440, 0.028, 0.011),
]
# The thumb: centre [m], half sizes [m], tilt away from the fingers [rad].
THUMB = (0.045, 0.322, 0.004), (0.0115, 0.036, 0.0115), 0.55
ARM_RINGS, THUMB_RINGS, ARM_SEGMENTS = 96, 32, 32
SKIN = (0.72, 0.50, 0.39, 0.0)  # linear RGBA; with alpha 0, the tint does not change the colour


def bar_rig(name: str = "bar") -> Rig:
    """Return a square bar, 1 m long along +Y.

    The joint 'lower' is at the foot of the bar, and the joint 'upper' is at the middle of the bar.

    The clips are 'twist' (170 degrees), 'bend' (120 degrees) and 'swell' (a twist with a uniform scale of 1.7).
    """
    skeleton = _two_joints(("lower", "upper"), BAR_LENGTH / 2)
    twist, bend = _turn(1, (0, 1, 0), TWIST), _turn(1, (1, 0, 0), BEND)
    clips = {"twist": (twist,), "bend": (bend,), "swell": (twist, _swell(1))}
    return _rig(name, skeleton, (_bar_mesh(),), clips)


def forearm_rig(name: str = "forearm") -> Rig:
    """Return a forearm with a hand, 0.44 m long along +Y.

    The joints are 'forearm' and 'hand'. The clip 'twist' rotates the hand by 170 degrees.
    """
    skeleton = _two_joints(("forearm", "hand"), WRIST)
    return _rig(name, skeleton, (_arm_mesh(),), {"twist": (_turn(1, (0, 1, 0), TWIST),)})


def _two_joints(names: tuple[str, str], height: float) -> Skeleton:
    """Return a skeleton with a joint at the origin and a child joint at `height` [m]."""
    position = np.array([0.0, height, 0.0])
    bind = np.tile(affine.IDENTITY, (2, 1, 1))
    bind[1, :, 3] = -position
    rest = Pose.identity(2)
    rest.translation[1] = position
    return Skeleton(names, np.array([-1, 0], np.int32), rest, np.array([0, 1], np.int32), bind)


def _rig(name: str, skeleton: Skeleton, meshes: tuple[Mesh, ...], clips: dict[str, tuple[Track, ...]]) -> Rig:
    made = {key: Clip(key, skeleton, tracks, 0.0, DURATION, {"ground_speed": 0.0}) for key, tracks in clips.items()}
    return Rig(name, skeleton, meshes, made)


def _to_and_fro() -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    """Return the key times [s] of a clip, and the share of the full movement (0, 1, 0) at each key."""
    share = np.arange(KEY_COUNT + 1) / KEY_COUNT
    return (DURATION * share).astype(np.float32), 0.5 - 0.5 * elementary.cos(2 * np.pi * share)


def _turn(joint: int, axis: tuple[float, ...] | Array, degrees: float) -> Track:
    times, share = _to_and_fro()
    turns = quaternion.from_axis_angle(np.asarray(axis, np.float64), np.radians(degrees) * share)
    return Track(joint, "rotation", "LINEAR", times, turns.astype(np.float32))


def _swell(joint: int) -> Track:
    times, share = _to_and_fro()
    return Track(joint, "scale", "LINEAR", times, np.tile(1 + (SWELL - 1) * share[:, None], 3).astype(np.float32))


def _bar_mesh() -> Mesh:
    """Return the mesh of the bar. It consists of separate grids for four sides and two ends, so that the edges are
    sharp.
    """
    sides = [
        _grid(out, (0.0, 1.0, 0.0), BAR_COLUMNS, BAR_RINGS)
        for out in ((0.0, 0.0, 1.0), (1.0, 0.0, 0.0), (0.0, 0.0, -1.0), (-1.0, 0.0, 0.0))
    ]
    ends = [_grid(out, (0.0, 0.0, -out[1]), BAR_COLUMNS, BAR_COLUMNS) for out in ((0.0, 1.0, 0.0), (0.0, -1.0, 0.0))]
    parts = [*sides, *ends]
    starts = np.cumsum([0, *(len(part[0]) for part in parts)])
    positions = np.concatenate([part[0] for part in parts]) * (BAR_WIDTH / 2, BAR_LENGTH / 2, BAR_WIDTH / 2)
    positions[:, 1] += BAR_LENGTH / 2
    return _mesh(
        Material("bar", texture=_bands()),
        positions,
        np.concatenate([part[1] for part in parts]),
        np.concatenate([part[2] + start for part, start in zip(parts, starts, strict=False)]),
        (positions[:, 1] - BAR_LENGTH / 2) / (2 * SOFT) + 0.5,
    )


def _arm_mesh() -> Mesh:
    """Return the mesh of the forearm: a tube along the arm's outline with rounded ends. An ellipsoid is the thumb."""
    slope = np.linspace(-np.pi / 2, np.pi / 2, ARM_RINGS)
    length = ARM[-1][0]
    height = length * (0.5 + 0.5 * elementary.sin(slope))
    end = np.minimum(np.minimum(height, length - height) / 0.035, 1)
    radii = curve(ARM, height) * np.sqrt(end * (2 - end))[:, None]
    arm = _tube(np.stack([radii[:, 0], height, radii[:, 1]], axis=-1))
    middle, sizes, lean = THUMB
    slope = np.linspace(-np.pi / 2, np.pi / 2, THUMB_RINGS)
    thumb = _tube(np.stack([elementary.cos(slope), elementary.sin(slope), elementary.cos(slope)], axis=-1) * sizes)
    turn = quaternion.from_axis_angle(np.array([0.0, 0.0, -1.0]), lean)
    positions = np.concatenate([arm[0], quaternion.rotate(turn, thumb[0]) + middle])
    normals = np.concatenate([arm[1], quaternion.rotate(turn, thumb[1])])
    corners = np.concatenate([arm[2], thumb[2] + len(arm[0])])
    share = np.concatenate([arm[0][:, 1] / WRIST * 1.1 - 0.2, np.ones(len(thumb[0]))])
    return _mesh(Material("arm", SKIN), positions, normals, corners, share)


def _tube(rings: Array) -> tuple[Array, Array, Corners]:
    """Return the tube through ellipses about Y: positions, normals and corners.

    `rings` [ring, 3] contains the half width, the height and the half depth of each ellipse.
    """
    angle = np.linspace(0, 2 * np.pi, ARM_SEGMENTS, endpoint=False)
    around = np.stack([elementary.sin(angle), np.ones_like(angle), elementary.cos(angle)], axis=-1)
    surface = rings[:, None] * around
    across = rings[:, None] * np.stack([elementary.cos(angle), np.zeros_like(angle), -elementary.sin(angle)], axis=-1)
    along = np.gradient(surface, axis=0)
    normals = np.cross(across, along)
    normals[0], normals[-1] = (0, -1, 0), (0, 1, 0)
    normals /= np.linalg.norm(normals, axis=-1, keepdims=True)
    corners = grid_triangles(len(rings) - 1, ARM_SEGMENTS, closed=True).swapaxes(1, 2).reshape(-1, 3)
    return surface.reshape(-1, 3), normals.reshape(-1, 3), corners


def _mesh(material: Material, positions: Array, normals: Array, corners: Corners, share: Array) -> Mesh:
    """Return a mesh whose weights change smoothly from the first joint (at `share` <= 0) to the second joint (at
    `share` >= 1).
    """
    share = np.clip(share, 0, 1)
    upper = share * share * (3 - 2 * share)
    count = len(positions)
    weights, entries = np.zeros((count, 4)), np.zeros((count, 4), np.uint16)
    weights[:, 0], weights[:, 1] = np.maximum(upper, 1 - upper), np.minimum(upper, 1 - upper)
    entries[:, 0], entries[:, 1] = upper > 0.5, upper <= 0.5
    uvs = np.stack([np.full(count, 0.5), 1 - positions[:, 1] / positions[:, 1].max()], axis=-1)
    return plain_mesh(material, positions, normals, corners, uvs=uvs, palette_indices=entries, weights=weights)


def _grid(out: tuple[float, ...], up: tuple[float, ...], columns: int, rows: int) -> tuple[Array, Array, Corners]:
    """Return one side of the cube from -1 to 1 in all axes: positions and normals [n, 3], corners [m, 3].

    The normal of the side is `out`. Its corners are counter-clockwise.
    """
    across = np.cross(up, out)
    u, v = (grid.ravel() for grid in np.meshgrid(np.linspace(-1, 1, columns + 1), np.linspace(-1, 1, rows + 1)))
    positions = np.array(out) + u[:, None] * across + v[:, None] * np.array(up)
    corners = grid_triangles(rows, columns).reshape(-1, 3)
    return positions, np.tile(np.array(out), (len(positions), 1)), corners


def _bands() -> Texture:
    band = np.where(np.arange(160) // 10 % 2, 255, 196).astype(np.uint8)
    pixels = np.full((160, 2, 4), 255, np.uint8)
    pixels[..., :3] = band[:, None, None]
    return Texture(pixels, repeat=False)

"""Rigs that show materials: a flag with two sides and several designs, and a lattice ball with an alpha mask."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.clip import Clip
from ecs_anim.assets.mesh import Material, Mesh, Texture
from ecs_anim.assets.rig import Rig
from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.assets.track import Track
from ecs_anim.maths import affine, quaternion
from ecs_anim.maths.elementary import cos, hypot, sin
from ecs_anim.maths.transform import Pose
from ecs_anim.rigs.simple_rigs import straight_skeleton
from ecs_anim.rigs.surfaces import grid_triangles, plain_mesh

# height [m], radius [m], and the share of the height that the rounded end takes
POLE_HEIGHT, POLE_RADIUS, ROUNDED = 2.3, 0.025, 0.011
CLOTH_WIDTH, CLOTH_HEIGHT, CLOTH_DROP = 1.2, 0.75, 0.08  # [m]; the drop is below the pole's top
CLOTH_JOINTS, CLOTH_COLUMNS, CLOTH_ROWS = 7, 28, 10
WAVE_PERIOD, WAVE_TURN, WAVE_DELAY = 1.6, 0.34, 1.05  # [s], [rad], phase difference between neighbouring joints [rad]
DESIGN_SIZE = (128, 192)  # [pixel], height and width
BALL_RADIUS, BALL_LIFT = 0.42, 0.5  # radius, and height of the middle above the ground [m]
BALL_SEGMENTS, BALL_RINGS, BALL_CELLS = 56, 28, (14, 7)  # lattice cells around the ball and from pole to pole
TURN_PERIOD, KEYS = 6.0, 16  # [s], and the number of keys in each clip

Points = NDArray[np.float64]


def flag_rig(name: str = "flag") -> Rig:
    """Return a flag along +X on a pole of 2.3 m. Each actor has one of five designs. The rig's clip is 'wave'."""
    skeleton = _flag_skeleton()
    tracks = tuple(_wave(joint) for joint in range(1, CLOTH_JOINTS + 1))
    return _rig(name, skeleton, (_pole(), _cloth()), Clip("wave", skeleton, tracks, 0.0, WAVE_PERIOD))


def lattice_rig(name: str = "lattice") -> Rig:
    """Return a ball that is 0.92 m high, with the clip 'turn'. An alpha mask cuts holes into the ball."""
    skeleton = straight_skeleton(1, np.zeros(3))
    times, share = _cycle(TURN_PERIOD)
    turns = quaternion.from_axis_angle(np.array([0.0, 1.0, 0.0]), 2 * np.pi * share)
    turn = Track(0, "rotation", "LINEAR", times, turns.astype(np.float32))
    return _rig(name, skeleton, (_lattice(),), Clip("turn", skeleton, (turn,), 0.0, TURN_PERIOD))


def _rig(name: str, skeleton: Skeleton, meshes: tuple[Mesh, ...], clip: Clip) -> Rig:
    standing = Clip(clip.name, skeleton, clip.tracks, clip.start, clip.end, {"ground_speed": 0.0})
    return Rig(name, skeleton, meshes, {clip.name: standing})


def _flag_skeleton() -> Skeleton:
    """Return the skeleton of the flag. The first joint is the foot of the pole.

    The other joints lie along the middle of the cloth, beginning at the pole.
    """
    count = CLOTH_JOINTS + 1
    rest = Pose.identity(count)
    rest.translation[1] = (POLE_RADIUS, POLE_HEIGHT - CLOTH_DROP - CLOTH_HEIGHT / 2, 0.0)
    rest.translation[2:, 0] = CLOTH_WIDTH / CLOTH_JOINTS
    bind = np.tile(affine.IDENTITY, (count, 1, 1))
    bind[..., 3] = -np.cumsum(rest.translation, axis=0)
    names = ("pole", *(f"cloth_{k}" for k in range(CLOTH_JOINTS)))
    index = np.arange(count, dtype=np.int32)
    return Skeleton(names, index - 1, rest, index, bind)


def _wave(joint: int) -> Track:
    """Return the track of a joint for a wave in a slightly hanging cloth. Near the pole, rotations are small."""
    times, share = _cycle(WAVE_PERIOD)
    phase = 2 * np.pi * share - WAVE_DELAY * joint
    grown = WAVE_TURN * (1.4 if joint > 1 else 0.5)
    aside = quaternion.from_axis_angle(np.array([0.0, 1.0, 0.0]), grown * sin(phase))
    down = quaternion.from_axis_angle(np.array([0.0, 0.0, 1.0]), -0.035 + 0.02 * cos(phase))
    return Track(joint, "rotation", "LINEAR", times, quaternion.multiply(down, aside).astype(np.float32))


def _cycle(period: float) -> tuple[NDArray[np.float32], Points]:
    """Return the key times [s], and the position of each key in the cycle, 0 to 1."""
    share = np.arange(KEYS + 1) / KEYS
    return (period * share).astype(np.float32), share


def _pole() -> Mesh:
    """Return the pole: a rod with a rounded end. The tint of an actor does not change the colour of the pole."""

    def place(u: Points, v: Points) -> Points:
        end = np.maximum(v - 1 + ROUNDED, 0) / ROUNDED
        radius, angle = POLE_RADIUS * np.sqrt(1 - end**2), 2 * np.pi * u
        return np.stack([radius * sin(angle), POLE_HEIGHT * v, radius * cos(angle)], axis=-1)

    return _sheet(Material("pole", (0.24, 0.17, 0.11, 0.0)), 12, 160, place)


def _cloth() -> Mesh:
    """Return the mesh of the cloth. Skin weights change smoothly from joint to joint.

    Texture coordinates begin at the cloth's upper corner at the pole.
    """
    top = POLE_HEIGHT - CLOTH_DROP

    def place(u: Points, v: Points) -> Points:
        return np.stack([POLE_RADIUS + CLOTH_WIDTH * u, top - CLOTH_HEIGHT * (1 - v), 0 * u], axis=-1)

    def bound(points: Points) -> dict[str, NDArray[Any]]:
        along = np.clip((points[:, 0] - POLE_RADIUS) / CLOTH_WIDTH * CLOTH_JOINTS - 0.5, 0, CLOTH_JOINTS - 1)
        lower = np.minimum(along.astype(int), CLOTH_JOINTS - 2)
        indices, weights = np.zeros((len(points), 4), np.uint16), np.zeros((len(points), 4), np.float32)
        indices[:, 0], indices[:, 1] = lower + 1, lower + 2
        weights[:, 1] = along - lower
        weights[:, 0] = 1 - weights[:, 1]
        return {"palette_indices": indices, "weights": weights}

    material = Material("cloth", texture=Texture(flag_designs(), repeat=False), double_sided=True)
    return _sheet(material, CLOTH_COLUMNS, CLOTH_ROWS, place, bound)


def _lattice() -> Mesh:
    def place(u: Points, v: Points) -> Points:
        angle, slope = 2 * np.pi * u, np.pi * (v - 0.5)
        around = cos(slope)
        ball = np.stack([around * sin(angle), sin(slope), around * cos(angle)], axis=-1)
        return BALL_RADIUS * ball + np.array([0.0, BALL_LIFT, 0.0])

    material = Material("lattice", texture=Texture(_diamond()), double_sided=True, alpha_cutoff=0.5)
    mesh = _sheet(material, BALL_SEGMENTS, BALL_RINGS, place)
    mesh.uvs[:] *= np.array(BALL_CELLS, np.float32)
    return mesh


def _sheet(
    material: Material,
    columns: int,
    rows: int,
    place: Callable[[Points, Points], Points],
    bind: Callable[[Points], dict[str, NDArray[Any]]] | None = None,
) -> Mesh:
    """Return a grid of quads at the points `place(u, v)`, for u and v from 0 to 1.

    On the front of the grid, u points right and v points up. `bind` returns the palette entries and weights of points.
    Without `bind`, all points follow palette entry 0.
    """
    u, v = np.meshgrid(np.arange(columns + 1) / columns, np.arange(rows + 1) / rows)
    points = place(u, v)
    step = 1e-4
    across = place(u + step, v) - place(u - step, v)
    up = place(u, np.minimum(v + step, 1)) - place(u, np.maximum(v - step, 0))
    normals = np.cross(across, up)
    length = np.linalg.norm(normals, axis=-1, keepdims=True)
    # normals for the poles of a ball, where the cross product is 0
    outward = np.stack([0 * v, np.sign(v - 0.5), 0 * v], axis=-1)
    normals = np.where(length > 1e-12, normals / np.maximum(length, 1e-12), outward)
    points, normals = points.reshape(-1, 3), normals.reshape(-1, 3)
    corners = np.moveaxis(grid_triangles(rows, columns), 0, 2)
    uvs = np.stack([u, 1 - v], axis=-1).reshape(-1, 2)
    return plain_mesh(material, points, normals, corners, uvs=uvs, **(bind(points) if bind else {}))


def flag_designs() -> NDArray[np.uint8]:
    """Return five pictures [5, height, width, 4] u8: stripes, a disc, a saltire, a chevron, a border."""
    height, width = DESIGN_SIZE
    y, x = np.meshgrid((np.arange(height) + 0.5) / height, (np.arange(width) + 0.5) / height, indexing="ij")
    wide = width / height
    diagonals = np.minimum(np.abs(y - x / wide), np.abs(1 - y - x / wide))
    masks = (
        np.floor(5 * y) % 2 == 1,
        hypot(x - wide / 2, y - 0.5) < 0.3,
        diagonals < 0.11,
        (x < 0.55 * (1 - np.abs(2 * y - 1)) + 0.1) | (np.abs(y - 0.5) < 0.08),
        np.minimum(np.minimum(x, wide - x), np.minimum(y, 1 - y)) < 0.12,
    )
    inks = ("#f2b632", "#7a4f9a", "#e9674a", "#f4efe1", "#2d6a8f")
    fields = ("#3d7f86", "#f0c24b", "#efe3cf", "#8f3a56", "#a9c45f")
    pictures = [
        np.where(mask[..., None], _rgb(ink), _rgb(field)) for mask, ink, field in zip(masks, inks, fields, strict=True)
    ]
    opaque = np.full((len(pictures), height, width, 1), 255)
    return np.concatenate([np.stack(pictures), opaque], axis=-1).astype(np.uint8)


def _rgb(color: str) -> list[int]:
    return [int(color[i : i + 2], 16) for i in (1, 3, 5)]


def _diamond() -> NDArray[np.uint8]:
    """Return a white lattice cell [64, 64, 4] u8 with a diamond-shaped hole. Soft edges improve filtering."""
    off = np.abs((np.arange(64) + 0.5) / 32 - 1)
    inside = 0.86 - (off[:, None] + off)
    pixels = np.full((64, 64, 4), 255)
    pixels[..., 3] = np.clip(127.5 - 255 * 4 * inside, 0, 255)
    return pixels.astype(np.uint8)

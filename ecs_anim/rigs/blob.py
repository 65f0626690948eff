"""A built-in rig: a soft blob with a face. Morph targets change the shape of the blob, and one joint makes it hop."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.clip import Clip
from ecs_anim.assets.keyframes import KeyframeCurve
from ecs_anim.assets.mesh import Material, Mesh
from ecs_anim.assets.morphs import MeshMorphs, MorphTargets, MorphTrack
from ecs_anim.assets.rig import Rig
from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.assets.track import Track
from ecs_anim.maths import elementary
from ecs_anim.maths.small_matrices import length
from ecs_anim.rigs.bones import sphere
from ecs_anim.rigs.simple_rigs import straight_skeleton
from ecs_anim.rigs.surfaces import face_normal_sums, grid_triangles, plain_mesh

SQUASH, STRETCH, SMILE, BLINK = NAMES = ("squash", "stretch", "smile", "blink")
TARGETS = MorphTargets(NAMES, np.zeros(4, np.int32), np.zeros(4, np.float32))

WIDTH, RISE, DROP = 0.46, 0.52, 0.32  # distances from the centre of the blob to the side, the top and the bottom [m]
# A cheek: its direction from the centre of the blob, and its height and its radius as shares of the distance from the
# centre.
CHEEK, CHEEK_BULGE, CHEEK_SIZE = np.array([0.55, 0.0, 0.83]), 0.09, 0.3
EYE, EYE_SIZE = np.array([0.32, 0.36, 0.88]), np.array([0.052, 0.078, 0.04])  # direction of an eye, and its size [m]
MOUTH_WIDTH, MOUTH_RADIUS = 0.26, 0.017  # half width (the x component of a direction from the centre), and radius [m]
# scale of the squashed and of the stretched blob; both keep the volume nearly constant
SQUASHED, STRETCHED = np.array([1.3, 0.6, 1.3]), np.array([0.83, 1.45, 0.83])
HOP_SPEED, TAKE_OFF, LANDING, HOP_END = 2.2, 0.35, 0.8, 1.1  # [m/s], [s]

Points = NDArray[np.floating]
Shape = Callable[[dict[str, float]], Points]  # returns the vertices [vertex_count, 3] of a mesh for given morph weights


def blob_rig(name: str = "blob") -> Rig:
    """Return a blob that is 0.84 m high and faces +Z, with one joint.

    The morph targets of the blob are squash, stretch, smile and blink. The clips of the blob are 'rest', 'idle' (the
    blob breathes and blinks), 'hop' and 'grin'.
    """
    skeleton = straight_skeleton(1, np.zeros(3))
    clips = (_rest(skeleton), _idle(skeleton), _hop(skeleton), _grin(skeleton))
    return Rig(name, skeleton, _meshes(), {clip.name: clip for clip in clips}, TARGETS)


def _meshes() -> tuple[Mesh, ...]:
    directions, corners = sphere(48, 32)
    ball, ball_corners = sphere(16, 12)
    eye_corners = np.concatenate([ball_corners, ball_corners + len(ball)])
    rings, tube_corners = _tube(25, 10)
    dark = (0.02, 0.02, 0.025, 0.0)  # alpha 0, so that tints of actors do not change this part
    return (
        _mesh("skin", (1.0, 1.0, 1.0, 1.0), lambda w: _squeezed(_surface(directions, w[SMILE]), w), corners),
        _mesh("eyes", dark, lambda w: _squeezed(_eyes(ball, w), w), eye_corners),
        _mesh("mouth", dark, lambda w: _squeezed(_mouth(rings, w[SMILE]), w), tube_corners),
    )


def _surface(direction: Points, smile: float) -> Points:
    """Return the points on the skin in directions [..., 3] from the centre of the blob. A smile lifts the cheeks."""
    x, y, z = np.moveaxis(direction / np.linalg.norm(direction, axis=-1, keepdims=True), -1, 0)
    side = WIDTH * (1 - 0.1 * y)
    point = np.stack([side * x, np.where(y > 0, RISE, DROP) * y, side * z], axis=-1)
    apart = np.stack([np.abs(x), y, z], axis=-1) - CHEEK / length(CHEEK)
    bulge = CHEEK_BULGE * smile * elementary.exp(-np.sum(apart**2, axis=-1) / CHEEK_SIZE**2)
    return point * (1 + bulge[..., None]) + np.array([0.0, DROP, 0.0])


def _eyes(ball: Points, weights: dict[str, float]) -> Points:
    """Return the eyes: two ellipsoids on the skin. A blink closes the eyes. A smile lifts the lower lids a little."""
    height = 1 - 0.9 * weights[BLINK] - 0.25 * weights[SMILE]
    size = EYE_SIZE * np.array([1.0, height, 1.0])
    sides = [_surface(EYE * np.array([side, 1, 1]), 0.0) for side in (1, -1)]
    return np.concatenate([middle + size * ball for middle in sides])


def _mouth(rings: Points, smile: float) -> Points:
    """Return the mouth, which consists of `rings` along a curve on the skin.

    A smile widens the mouth and lifts its corners.
    """
    along = rings[:, 0]
    x = MOUTH_WIDTH * along * (1 + 0.55 * smile)
    y = 0.02 + smile * (0.17 * along**2 - 0.06)
    middle = _surface(np.stack([x, y, np.full_like(x, 0.95)], axis=-1), smile)
    radius = MOUTH_RADIUS * (1 + 0.3 * smile) * np.sqrt(np.maximum(1 - along**2, 0.02))
    return middle + radius[:, None] * np.stack([0 * x, rings[:, 1], rings[:, 2]], axis=-1)


def _squeezed(points: Points, weights: dict[str, float]) -> Points:
    """Return the points after the morph targets squash and stretch. Points at height 0 stay at height 0."""
    return points * (1 + weights[SQUASH] * (SQUASHED - 1) + weights[STRETCH] * (STRETCHED - 1))


def _tube(count: int, around: int) -> tuple[Points, NDArray[np.int64]]:
    """Return `count` rings of the unit circle along x from -1 to 1 [count * around, 3], and their triangles."""
    along, turn = np.meshgrid(np.linspace(-1, 1, count), np.arange(around) * (2 * np.pi / around), indexing="ij")
    points = np.stack([along, elementary.cos(turn), elementary.sin(turn)], axis=-1).reshape(-1, 3)
    sides = grid_triangles(count - 1, around, closed=True).reshape(-1, 3)
    fan = np.arange(1, around - 1)
    first = np.stack([0 * fan, fan + 1, fan], axis=-1)
    last = (count - 1) * around + np.stack([0 * fan, fan, fan + 1], axis=-1)
    return points, np.concatenate([sides, first, last])


def _mesh(name: str, color: tuple[float, float, float, float], shape: Shape, corners: NDArray[np.int64]) -> Mesh:
    """Return the mesh of a visible part of the blob.

    Morph targets store the changes of positions and normals at weight 1.
    """
    states = [shape({own: float(own == target) for own in NAMES}) for target in ("", *NAMES)]
    positions = np.stack(states).astype(np.float32)
    normals = np.stack([_normals(state, corners) for state in states]).astype(np.float32)
    morphs = MeshMorphs(NAMES, positions[1:] - positions[0], normals[1:] - normals[0])
    return plain_mesh(Material(name, color), positions[0], normals[0], corners, morphs=morphs)


def _normals(points: Points, corners: NDArray[np.int64]) -> Points:
    """Return unit normals [vertex_count, 3]. A normal is the mean of the adjacent faces' normals, weighted by area."""
    normals = face_normal_sums(points, corners, corners)
    return normals / np.linalg.norm(normals, axis=-1, keepdims=True)


def _rest(skeleton: Skeleton) -> Clip:
    return Clip("rest", skeleton, (), 0.0, 0.0, {"loop": False}, TARGETS)


def _idle(skeleton: Skeleton) -> Clip:
    """Return the clip 'idle'. The blob takes three breaths, and blinks at the end of the second breath."""
    breaths = _eased(SQUASH, [0, 0.8, 1.6, 2.4, 3.2, 4.0, 4.8], [0, 0.14, 0, 0.14, 0, 0.14, 0])
    blink = _eased(BLINK, [0, 3.1, 3.2, 3.26, 3.4, 4.8], [0, 0, 1, 1, 0, 0])
    return Clip("idle", skeleton, (), 0.0, 4.8, {}, TARGETS, (breaths, blink))


def _hop(skeleton: Skeleton) -> Clip:
    """Return the clip 'hop'. The blob crouches, takes off stretched, falls freely and lands squashed."""
    times = [0, 0.24, TAKE_OFF, 0.58, LANDING, 0.9, HOP_END]
    squash = _eased(SQUASH, times, [0, 0.8, 0, 0, 0, 0.9, 0])
    stretch = _eased(STRETCH, times, [0, 0, 0.7, 0.1, 0.4, 0, 0])
    up = np.array([0.0, HOP_SPEED, 0.0])
    # The axes of the array are: the key; in-tangent, value or out-tangent; x, y or z. In the air, the height follows a
    # parabola.
    height = np.zeros((4, 3, 3), np.float32)
    height[1, 2], height[2, 0] = up, -up
    flight = Track(0, "translation", "CUBICSPLINE", np.array([0, TAKE_OFF, LANDING, HOP_END], np.float32), height)
    return Clip("hop", skeleton, (flight,), 0.0, HOP_END, {}, TARGETS, (squash, stretch))


def _grin(skeleton: Skeleton) -> Clip:
    smile = _eased(SMILE, [0, 0.5, 1.6, 2.4], [0, 1, 1, 0])
    return Clip("grin", skeleton, (), 0.0, 2.4, {}, TARGETS, (smile,))


def _eased(name: str, times: Sequence[float], values: Sequence[float]) -> MorphTrack:
    """Return a weight track whose slope is 0 at each key."""
    keys = np.zeros((len(times), 3, 1), np.float32)
    keys[:, 1, 0] = values
    curve = KeyframeCurve("CUBICSPLINE", np.array(times, np.float32), keys)
    return MorphTrack(TARGETS.columns(name), curve)

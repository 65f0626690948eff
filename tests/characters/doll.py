"""A doll: twelve joints and a body of tubes along its bones, in plain numpy. Metres, +Y up, facing +Z."""

from typing import NamedTuple

import numpy as np

# Each joint's parent, and its place in the bind pose.
JOINTS = {
    "Hips": (None, (0.0, 1.0, 0.0)),
    "Spine": ("Hips", (0.0, 1.25, 0.0)),
    "Head": ("Spine", (0.0, 1.5, 0.0)),
    "LeftArm": ("Spine", (0.2, 1.4, 0.0)),
    "LeftHand": ("LeftArm", (0.7, 1.4, 0.0)),
    "RightArm": ("Spine", (-0.2, 1.4, 0.0)),
    "RightHand": ("RightArm", (-0.7, 1.4, 0.0)),
    "LeftUpLeg": ("Hips", (0.1, 0.9, 0.0)),
    "LeftFoot": ("LeftUpLeg", (0.1, 0.1, 0.0)),
    "RightUpLeg": ("Hips", (-0.1, 0.9, 0.0)),
    "RightFoot": ("RightUpLeg", (-0.1, 0.1, 0.0)),
    "Nose": ("Head", (0.0, 1.6, 0.15)),
}
NAMES = tuple(JOINTS)
INDEX = {name: index for index, name in enumerate(NAMES)}
PARENTS = tuple(-1 if parent is None else INDEX[parent] for parent, _ in JOINTS.values())
PLACES = np.array([place for _, place in JOINTS.values()])
OFFSETS = np.array([PLACES[j] - (PLACES[p] if p >= 0 else 0) for j, p in enumerate(PARENTS)])

# Tubes: from a joint to a point, and how thick.
BODY = {
    "Hips": ((0.0, 1.25, 0.0), 0.13),
    "Spine": ((0.0, 1.45, 0.0), 0.15),
    "LeftArm": ((0.7, 1.4, 0.0), 0.05),
    "RightArm": ((-0.7, 1.4, 0.0), 0.05),
    "LeftUpLeg": ((0.1, 0.1, 0.0), 0.07),
    "RightUpLeg": ((-0.1, 0.1, 0.0), 0.07),
}
HEAD = {"Head": ((0.0, 1.75, 0.0), 0.1)}
FEET = {"LeftFoot": ((0.1, 0.05, 0.2), 0.05), "RightFoot": ((-0.1, 0.05, 0.2), 0.05)}
SIDES, RINGS = 8, 4


class Shape(NamedTuple):
    """A mesh as a file holds it."""

    positions: np.ndarray  # [n, 3], [m], bound
    normals: np.ndarray  # [n, 3], unit
    uvs: np.ndarray  # [n, 2], 0 to 1
    joints: np.ndarray  # [n, 4], of `NAMES`
    weights: np.ndarray  # [n, 4], in 255ths, whole, sum 255
    indices: np.ndarray  # [3 m]


def shape(*parts: dict[str, tuple[tuple[float, float, float], float]]) -> Shape:
    """All tubes of these parts as one mesh."""
    tubes = [_tube(joint, np.array(end), radius) for part in parts for joint, (end, radius) in part.items()]
    counts = np.cumsum([0, *(len(tube.positions) for tube in tubes)])
    columns = [np.concatenate(column) for column in list(zip(*tubes, strict=True))[:-1]]
    indices = [tube.indices + first for tube, first in zip(tubes, counts, strict=False)]
    return Shape(*columns, np.concatenate(indices))


def _tube(joint: str, end: np.ndarray, radius: float) -> Shape:
    """Rings from a joint to `end`; the first hangs from the joint's parent by half, the last has a lid."""
    begin, index = PLACES[INDEX[joint]], INDEX[joint]
    along = (end - begin) / np.linalg.norm(end - begin)
    across = np.cross(along, [0.3, 0.2, 0.9])
    across /= np.linalg.norm(across)
    angle = np.arange(SIDES) * 2 * np.pi / SIDES
    outward = np.cos(angle)[:, None] * across + np.sin(angle)[:, None] * np.cross(along, across)
    share = np.linspace(0, 1, RINGS)
    ring = begin + share[:, None] * (end - begin)
    positions = (ring[:, None] + radius * outward).reshape(-1, 3)
    normals = np.tile(outward, (RINGS, 1))
    uvs = np.stack(np.meshgrid(np.arange(SIDES) / SIDES, share), axis=-1).reshape(-1, 2)
    joints = np.zeros((len(positions), 4), int)
    joints[:] = index, max(PARENTS[index], 0), 0, 0
    weights = np.zeros((len(positions), 4), int)
    weights[:, 1] = np.repeat([128, 51, 0, 0], SIDES)
    weights[:, 0] = 255 - weights[:, 1]
    joints[weights == 0] = 0
    a = np.arange(SIDES)
    b = (a + 1) % SIDES
    sides = [np.stack([k * SIDES + i for k, i in ((r, a), (r, b), (r + 1, b))]) for r in range(RINGS - 1)]
    sides += [np.stack([k * SIDES + i for k, i in ((r, a), (r + 1, b), (r + 1, a))]) for r in range(RINGS - 1)]
    lid = (RINGS - 1) * SIDES + np.stack([np.zeros(SIDES - 2, int), a[1:-1], a[2:]])
    indices = np.concatenate([*(side.T.ravel() for side in sides), lid.T.ravel()])
    return Shape(positions.round(5), normals.round(5), uvs.round(5), joints, weights, indices)


def turns(axis: tuple[float, float, float], angles: np.ndarray) -> np.ndarray:
    """Quaternions [n, 4] about a unit axis by angles [n], [rad]."""
    return np.concatenate([np.sin(angles / 2)[:, None] * axis, np.cos(angles / 2)[:, None]], axis=1).round(6)


def inverse_binds() -> np.ndarray:
    """Matrices [joint, 16], column by column: what moves a joint's place to the origin."""
    matrices = np.tile(np.eye(4), (len(NAMES), 1, 1))
    matrices[:, :3, 3] = -PLACES
    return matrices.transpose(0, 2, 1).reshape(-1, 16)

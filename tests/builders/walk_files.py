"""A walk as an FBX file like Mixamo's: centimetres, joints with pre-rotations, no skin, hips that travel."""

import numpy as np
from scipy.spatial.transform import Rotation

from tests.builders.fbx_files import FbxBuilder
from tests.roles.test_roles import BODY, PARTS, STYLES, TRUNK

SPEED, PERIOD, STANCE = 0.9, 1.1, 0.62  # [m/s], [s], share of the period
HIP, STRIDES, RATE = 0.88, 3, 60  # [m], height of the hip joints; number; [Hz]
THIGH, SHANK, ANKLE = 0.43, 0.44, 0.08  # [m]
HEEL, BALL = np.array([-0.04, -ANKLE]), np.array([0.14, -ANKLE])  # [m], forward and up, from the ankle
STANDS = ((0, 0.35), (0.12, STANCE))  # shares of the period: begin and end of the stance of heel and ball
PITCHES = ([0, 0.12, 0.35, STANCE, 0.8, 1], [-0.35, 0, 0, 0.6, 0, -0.35])  # [rad], of the foot, toes down


def walk_file(size=1.0, strides=STRIDES):
    """Return the text of the file. The person is `size` times as large as BODY."""
    made, nodes, curves, rng = FbxBuilder(), {}, {}, np.random.default_rng(4)
    times = np.arange(round(strides * PERIOD * RATE) + 1) / RATE
    names, turns = _mixamo_names(), _turns(times)
    frames = {"": np.eye(3)}
    for joint, (parent, offset) in BODY.items():
        own = Rotation.random(random_state=rng).as_matrix()  # axes of the joint in the T-pose
        before, frames[joint] = frames[parent].T @ own, own
        place = np.multiply(offset, 100 * size) @ frames[parent]
        pre = Rotation.from_matrix(before).as_euler("xyz", degrees=True)
        nodes[joint] = made.node(names[joint], place, to=nodes.get(parent, 0), PreRotation=pre)
        if joint in turns:
            local = own.T @ turns[joint].as_matrix() @ own
            angles = np.unwrap(Rotation.from_matrix(local).as_euler("xyz"), axis=0)
            curves[nodes[joint], "Lcl Rotation"] = _axes(times, np.degrees(angles))
    path = np.zeros((len(times), 3))
    path[:, 1:] = np.stack([np.full(len(times), HIP + 0.05), SPEED * times], axis=1)
    curves[nodes["hips"], "Lcl Translation"] = _axes(times, path * 100 * size)
    made.clip("mixamo.com", curves, times[-1])
    return made.text()


def _mixamo_names():
    trunk, parts = STYLES["Mixamo"]
    found = dict(zip(TRUNK, trunk.split(), strict=True))
    for side in ("Left", "Right"):
        for part, name in zip(PARTS, parts.split(), strict=True):
            found[f"{side.lower()}_{part}"] = name.format(Left=side)
    return found


def _axes(times, rows):
    return {axis: (times.tolist(), column.tolist()) for axis, column in zip("XYZ", rows.T, strict=True)}


def _turns(times):
    """Return the rotations of joints from the T-pose, relative to their parents. Arms hang down."""
    found = {}
    for side, late, sign in (("left", 0.0, -1), ("right", 0.5, 1)):
        phase = times / PERIOD + late
        pitch, (ahead, up) = _foot(phase)
        reach = np.hypot(ahead, up)
        assert reach.max() < THIGH + SHANK
        hip = np.arccos((THIGH**2 + reach**2 - SHANK**2) / (2 * THIGH * reach)) + np.arctan2(ahead, -up)
        knee = np.pi - np.arccos((THIGH**2 + SHANK**2 - reach**2) / (2 * THIGH * SHANK))
        angles = {"thigh": -hip, "shank": knee, "foot": pitch + hip - knee, "toes": -np.maximum(pitch, 0)}
        for part, angle in angles.items():
            found[f"{side}_{part}"] = Rotation.from_rotvec(angle[:, None] * [1, 0, 0])
        found[f"{side}_upper_arm"] = Rotation.from_rotvec(np.tile([0, 0, 1.3 * sign], (len(times), 1)))
    return found


def _foot(phase):
    """Return the pitch of a foot, and its ankle from the hip joint, forward and up [m]."""
    share = phase % 1
    pitch = np.interp(share, *PITCHES)
    stands = _ankle(share, pitch)
    left, lands = _ankle(STANCE, PITCHES[1][3]), _ankle(0.0, PITCHES[1][0])
    swing = np.clip((share - STANCE) / (1 - STANCE), 0, 1)
    eased = swing**2 * (3 - 2 * swing)
    flies = left + eased[:, None] * (lands - left) + np.outer(0.06 * np.sin(np.pi * swing), [0, 1])
    return pitch, np.where((share < STANCE)[:, None], stands, flies).T


def _ankle(share, pitch):
    """Return the ankle [..., 2] from the hip joint while the foot rolls over its heel and its ball."""
    share, pitch = np.broadcast_arrays(share, pitch)
    base = np.stack([(STANCE / 2 - share) * SPEED * PERIOD, np.full(share.shape, ANKLE - HIP)], axis=-1)
    point = np.where((pitch < 0)[..., None], HEEL, BALL)
    cos, sin = np.cos(pitch), np.sin(pitch)
    turned = np.stack([cos * point[..., 0] + sin * point[..., 1], cos * point[..., 1] - sin * point[..., 0]], axis=-1)
    return base + point - turned

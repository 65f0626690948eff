"""A clip of a rig as BVH, in centimetres. The rest rotations of the rig must be zero."""

import numpy as np
from scipy.spatial.transform import Rotation

FRAMES = 31


def bvh_of_clip(rig, clip, speed, duration):
    """Return the text of a file in which the hips travel along +Z with `speed` [m/s], in `duration` [s]."""
    skeleton, shares = rig.skeleton, np.linspace(0, 1, FRAMES)
    pose = clip.sample(clip.start + shares * clip.duration, loop=False)
    hips = 100 * (pose.translation[:, 0] + np.outer(shares * speed * duration, [0, 0, 1]))
    joints = _depth_first(skeleton.parents.tolist(), 0)
    angles = [Rotation.from_quat(pose.rotation[:, joint]).as_euler("ZXY", degrees=True) for joint in joints]
    rows = np.concatenate([hips, *angles], axis=1)
    frames = "\n".join(" ".join(f"{number:.4f}" for number in row) for row in rows)
    head = f"MOTION\nFrames: {FRAMES}\nFrame Time: {duration / (FRAMES - 1):.6f}"
    return f"HIERARCHY\n{_joint(skeleton, 0)}{head}\n{frames}\n"


def _depth_first(parents, joint):
    below = [own for own, parent in enumerate(parents) if parent == joint]
    return [joint, *(deeper for own in below for deeper in _depth_first(parents, own))]


def _joint(skeleton, joint):
    parents = skeleton.parents.tolist()
    x, y, z = 100 * skeleton.rest_pose.translation[joint]
    below = "".join(_joint(skeleton, own) for own, parent in enumerate(parents) if parent == joint)
    channels = "Zrotation Xrotation Yrotation"
    kind, moves = ("ROOT", "6 Xposition Yposition Zposition") if parents[joint] < 0 else ("JOINT", "3")
    return (
        f"{kind} {skeleton.joint_names[joint]}\n{{\nOFFSET {x} {y} {z}\nCHANNELS {moves} {channels}\n"
        f"{below or 'End Site { OFFSET 0 5 0 }'}\n}}\n"
    )

"""Writer of a glTF file. The character is a chain of joints, and the clips rotate each joint."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.support.gltf_content import Content

KEYS = 31
CLIPS = {"a": 0.1, "b": 0.2, "lean": 0.05}  # largest rotation of a joint [rad], by clip name


def write_swaying(path: Path, joints: int, speed: float = 0.0) -> Path:
    """Write a chain of skinned joints with LINEAR clips of 1 s.

    `speed` is the speed of the clips over the ground [m/s].
    """
    nodes: list[dict[str, Any]] = [
        {"name": f"joint_{joint}", "translation": [0.0, 1 / joints if joint else 0.0, 0.0]} for joint in range(joints)
    ]
    for joint, node in enumerate(nodes[:-1]):
        node["children"] = [joint + 1]
    content = Content({"asset": {"version": "2.0"}, "scenes": [{"nodes": [0, joints]}], "nodes": nodes})
    bind = np.tile(np.eye(4), (joints, 1, 1))
    bind[:, 3, 1] = -np.arange(joints) / joints  # column-major order
    binds = content.accessor(bind.reshape(joints, 16))
    attributes = {
        "POSITION": content.accessor(np.array([[0, 0, 0], [0.1, 0, 0], [0, 1, 0]]), bounds=True),
        "JOINTS_0": content.accessor(np.zeros((3, 4)), "u2"),
        "WEIGHTS_0": content.accessor(np.tile([1, 0, 0, 0], (3, 1))),
    }
    mesh = content.item("meshes", {"primitives": [{"attributes": attributes}]})
    skin = content.item("skins", {"joints": list(range(joints)), "inverseBindMatrices": binds})
    content.item("nodes", {"name": "skin", "mesh": mesh, "skin": skin})
    times = content.accessor(np.linspace(0, 1, KEYS)[:, None], bounds=True)
    for name, amount in CLIPS.items():
        samplers = [{"input": times, "output": content.accessor(_swings(amount, joint))} for joint in range(joints)]
        channels = [{"sampler": joint, "target": {"node": joint, "path": "rotation"}} for joint in range(joints)]
        extras = {"ground_speed": speed}
        content.item("animations", {"name": name, "samplers": samplers, "channels": channels, "extras": extras})
    path.write_bytes(content.glb())
    return path


def _swings(amount: float, joint: int) -> NDArray[np.float64]:
    """Return rotations [key, 4] that oscillate about one axis. The axis depends on the joint.

    The last key is equal to the first key.
    """
    half = amount / 2 * np.sin(2 * np.pi * np.linspace(0, 1, KEYS) + joint)
    axis = np.array([np.cos(joint), 0, np.sin(joint)])
    return np.concatenate([np.sin(half)[:, None] * axis, np.cos(half)[:, None]], axis=-1)

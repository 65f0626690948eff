"""A glTF file of a chain of joints whose clips turn every joint and do nothing else."""

import base64
import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

FLOAT, UNSIGNED_SHORT, KEYS = 5126, 5123, 31
CLIPS = {"a": 0.1, "b": 0.2, "lean": 0.05}  # most that a joint turns [rad]


def write_swaying(path: Path, joints: int) -> Path:
    """Write it, of `joints` joints, each the skin's; clips 'a', 'b' and 'lean' are LINEAR and last a second."""
    data, views, accessors = bytearray(), [], []

    def accessor(values: NDArray[Any], kind: str) -> int:
        values = np.ascontiguousarray(values)
        content = values.tobytes()
        views.append({"buffer": 0, "byteOffset": len(data), "byteLength": len(content)})
        data.extend(content + bytes(-len(content) % 4))
        rows = values.reshape(len(values), -1)
        own = {"componentType": FLOAT if values.dtype == np.float32 else UNSIGNED_SHORT, "count": len(values)}
        bounds = {"min": rows.min(axis=0).tolist(), "max": rows.max(axis=0).tolist()}
        accessors.append({"bufferView": len(views) - 1, "type": kind, **own, **bounds})
        return len(accessors) - 1

    nodes: list[dict[str, Any]] = [
        {"name": f"joint_{joint}", "translation": [0.0, 1 / joints if joint else 0.0, 0.0]} for joint in range(joints)
    ]
    for joint, node in enumerate(nodes[:-1]):
        node["children"] = [joint + 1]
    bind = np.tile(np.eye(4, dtype=np.float32), (joints, 1, 1))
    bind[:, 3, 1] = -np.arange(joints) / joints  # columns first
    times = accessor(np.linspace(0, 1, KEYS, dtype=np.float32), "SCALAR")
    animations = []
    for name, amount in CLIPS.items():
        outputs = [accessor(_swings(amount, joint), "VEC4") for joint in range(joints)]
        animations.append(
            {
                "name": name,
                "samplers": [{"input": times, "output": output} for output in outputs],
                "channels": [
                    {"sampler": joint, "target": {"node": joint, "path": "rotation"}} for joint in range(joints)
                ],
            }
        )
    triangle = np.array([[0, 0, 0], [0.1, 0, 0], [0, 1, 0]], np.float32)
    attributes = {
        "POSITION": accessor(triangle, "VEC3"),
        "JOINTS_0": accessor(np.zeros((3, 4), np.uint16), "VEC4"),
        "WEIGHTS_0": accessor(np.tile(np.array([1, 0, 0, 0], np.float32), (3, 1)), "VEC4"),
    }
    document = {
        "asset": {"version": "2.0"},
        "scenes": [{"nodes": [0, joints]}],
        "nodes": [*nodes, {"name": "skin", "mesh": 0, "skin": 0}],
        "skins": [{"joints": list(range(joints)), "inverseBindMatrices": accessor(bind, "MAT4")}],
        "meshes": [{"primitives": [{"attributes": attributes}]}],
        "animations": animations,
        "accessors": accessors,
        "bufferViews": views,
        "buffers": [
            {
                "byteLength": len(data),
                "uri": "data:application/octet-stream;base64," + base64.b64encode(data).decode("ascii"),
            }
        ],
    }
    path.write_text(json.dumps(document), "utf-8")
    return path


def _swings(amount: float, joint: int) -> NDArray[np.float32]:
    """Rotations [key, 4] to and fro about an axis of the joint's own; the clip's end is its start."""
    half = amount / 2 * np.sin(2 * np.pi * np.linspace(0, 1, KEYS) + joint)
    axis = np.array([np.cos(joint), 0, np.sin(joint)])
    return np.concatenate([np.sin(half)[:, None] * axis, np.cos(half)[:, None]], axis=-1).astype(np.float32)

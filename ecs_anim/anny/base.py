"""MakeHuman's base mesh: the skin and the eyes, with texture coordinates, joints and skin weights."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from ecs_anim.anny.package import read_data, read_json
from ecs_anim.mannequin import proportions as P
from ecs_anim.mannequin.arrays import Array

SHOWN = ("body", "helper-l-eye", "helper-r-eye")  # groups of faces
MOUTH = (0.755, 0.93, 0.0, 0.145)  # limits of texture coordinates of the inside of the mouth: least and largest u, v
PREFIX = "mixamorig:"


@dataclass(frozen=True)
class Base:
    """The base mesh. A corner is a vertex with texture coordinates; corners of one vertex move together."""

    points: Array  # [n, 3], [dm], all points of the file, because targets and joints refer to them
    vertices: Array  # [v], point of each vertex
    corners: Array  # [c], vertex of each corner
    uvs: Array  # [c, 2], v points down
    triangles: Array  # [m, 3], corners
    eyes: Array  # [v], whether a vertex belongs to an eye
    joints: Mapping[str, Array]  # vertices whose mean is the joint, by the mannequin's names of joints, and "Finger"
    weights: Array  # [v, 22], skin weights of the mannequin's joints


@cache
def base() -> Base:
    """Return the base mesh."""
    points, uvs, faces, groups = _read_obj(read_data("3dobjs/base.obj").decode())
    quads = np.concatenate([faces[name] for name in SHOWN])
    is_eye = np.repeat([name != SHOWN[0] for name in SHOWN], [len(faces[name]) for name in SHOWN])
    inside = _inside(uvs[quads[..., 1]].mean(axis=1))
    quads, is_eye = quads[~inside], is_eye[~inside]
    pairs, corners = np.unique(quads.reshape(-1, 2), axis=0, return_inverse=True)
    corners = corners.reshape(-1, 4)
    vertices, own = np.unique(pairs[:, 0], return_inverse=True)
    eyes = np.zeros(len(vertices), bool)
    eyes[own[corners[is_eye]]] = True
    flat = uvs[pairs[:, 1]] * (1, -1) + (0, 1)
    triangles = np.concatenate([corners[:, [0, 1, 2]], corners[:, [0, 2, 3]]])
    weights = _weights(len(points))[vertices]
    return Base(points, vertices, own, flat, triangles, eyes, _joints(groups), weights)


def _inside(uv: Array) -> Array:
    left, right, low, high = MOUTH
    found: Array = (uv[:, 0] > left) & (uv[:, 0] < right) & (uv[:, 1] > low) & (uv[:, 1] < high)
    return found


def _read_obj(text: str) -> tuple[Array, Array, dict[str, Array], dict[str, Array]]:
    """Return points [n, 3], texture coordinates [k, 2], and faces [m, 4, 2] and vertices by group.

    A corner of a face is a pair: its point and its texture coordinates.
    """
    points, uvs, faces, group = [], [], dict[str, list[list[list[int]]]](), ""
    for line in text.splitlines():
        kind, *words = line.split() or [""]
        if kind == "v":
            points.append([float(word) for word in words])
        elif kind == "vt":
            uvs.append([float(word) for word in words[:2]])
        elif kind == "g":
            group = words[0]
        elif kind == "f":
            faces.setdefault(group, []).append([[int(n) - 1 for n in word.split("/")[:2]] for word in words])
    arrays = {name: np.array(own) for name, own in faces.items() if len({len(face) for face in own}) == 1}
    return np.array(points), np.array(uvs), arrays, {name: np.unique(own[..., 0]) for name, own in arrays.items()}


def _joints(groups: Mapping[str, Array]) -> dict[str, Array]:
    bones = read_json("rigs/standard/rig.mixamo.json")["bones"]
    names = {name: name for name in P.JOINTS} | {f"{side}Finger": f"{side}HandMiddle1" for side in P.SIDES}
    return {name: _vertices(bones[PREFIX + own]["head"], groups) for name, own in names.items()}


def _vertices(head: Mapping[str, Any], groups: Mapping[str, Array]) -> Array:
    """Return the vertices whose mean is the head of a bone."""
    if head["strategy"] == "CUBE":
        return groups[head["cube_name"]]
    return np.array(head["vertex_indices"] if head["strategy"] == "MEAN" else [head["vertex_index"]])


def _weights(count: int) -> Array:
    """Return the skin weights [count, 22] of the mannequin's joints. The hand has the weights of its fingers."""
    found = np.zeros((count, len(P.JOINTS)))
    for bone, pairs in read_json("rigs/standard/weights.mixamo.json")["weights"].items():
        name = bone.removeprefix(PREFIX)
        own = name if name in P.INDEX else name[: name.index("Hand") + 4] if "Hand" in name else "Head"
        rows = np.array(pairs)
        found[:, P.INDEX[own]] += np.bincount(rows[:, 0].astype(int), rows[:, 1], count)
    found[found.sum(axis=1) == 0, P.INDEX["Head"]] = 1
    return found / found.sum(axis=1, keepdims=True)

"""Reading of VRM 0.x data and VRM 1.0 data: the name, the joint roles and the heading of a character."""

import math
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from ecs_anim.assets.avatar import Avatar
from ecs_anim.gltf.document import Document
from ecs_anim.gltf.expressions import Expressions, read_expressions
from ecs_anim.gltf.format import FormatError, brief, check_index, invalid, key_of, object_of
from ecs_anim.gltf.nodes import NodeGraph
from ecs_anim.roles.names import SIDES
from ecs_anim.roles.roles import links

VRM_0, VRM_1 = NAMES = ("VRM", "VRMC_vrm")
_FACING = {VRM_0: math.pi, VRM_1: 0.0}  # VRM 0.x characters face -Z, VRM 1.0 characters face +Z
_TITLE = {VRM_0: "title", VRM_1: "name"}
_PARTS = {
    "Shoulder": "shoulder",
    "UpperArm": "upper_arm",
    "LowerArm": "lower_arm",
    "Hand": "hand",
    "UpperLeg": "thigh",
    "LowerLeg": "shank",
    "Foot": "foot",
    "Toes": "toes",
}
_BONES = {"hips": "hips", "head": "head"}  # bone name by role
_BONES |= {f"{side}_{role}": f"{side}{part}" for side in SIDES for part, role in _PARTS.items()}
_TRUNK = ("hips", "spine", "chest", "upperChest", "neck", "head")
_CHAINS = {"spine": ("spine", "chest", "upperChest"), "neck": ("neck",)}
_FINGERS = ("Thumb", "Index", "Middle", "Ring", "Little")
_PHALANGES = ("Metacarpal", "Proximal", "Intermediate", "Distal")
_KNOWN = {"jaw", "leftEye", "rightEye", *_BONES.values(), *_CHAINS["spine"], *_CHAINS["neck"]}
_KNOWN |= {f"{side}{finger}{part}" for side in SIDES for finger in _FINGERS for part in _PHALANGES}


def read_avatar(document: Document, graph: NodeGraph) -> tuple[Avatar | None, Expressions]:
    """Return the avatar and the expressions of a VRM file.

    If the file is not a VRM file, return None and no expressions.

    Raises FormatError for invalid data.
    """
    extensions = document.gltf.extensions or {}
    name = next((name for name in reversed(NAMES) if name in extensions), None)
    if name is None:
        return None, Expressions()
    where = f"extensions.{name}"
    vrm = object_of(extensions[name], where)
    meta = object_of(vrm.get("meta"), f"{where}.meta")
    _pass_over(document, vrm, where)
    expressions = read_expressions(document, vrm, where, by_mesh=name == VRM_0)
    avatar = Avatar(
        format=f"VRM {NAMES.index(name)}",
        title=_text(meta, _TITLE[name], f"{where}.meta"),
        version=_text(meta, "version", f"{where}.meta"),
        roles=_roles(document, graph, vrm, f"{where}.humanoid"),
        facing=_FACING[name],
        expressions=expressions.names,
    )
    return avatar, expressions


def _pass_over(document: Document, vrm: Mapping[str, Any], where: str) -> None:
    """Add a warning that lists the VRM data that the loader ignores.

    VRM 0 stores all data in one extension. VRM 1 stores its data in several extensions.
    """
    materials, springs = vrm.get("materialProperties"), vrm.get("secondaryAnimation")
    shaders = [own.get("shader") for own in materials if isinstance(own, dict)] if isinstance(materials, list) else []
    held = {
        "MToon's shades and outlines": any(isinstance(own, str) and "MToon" in own for own in shaders),
        "springs": isinstance(springs, dict) and bool(springs.get("boneGroups")),
    }
    if any(held.values()):
        told = " and ".join(what for what, is_there in held.items() if is_there)
        document.warn(where, f"{told} are not supported; the model is drawn without these features")


def _text(raw: Mapping[str, Any], key: str, where: str) -> str:
    value = raw.get(key)
    if value is not None and not isinstance(value, str):
        raise invalid(f"{where}.{key}", f"the value of the key `{key}` must be text (got {brief(value)})")
    return value or ""


def _roles(
    document: Document, graph: NodeGraph, vrm: Mapping[str, Any], where: str
) -> dict[str, str | tuple[str, ...]]:
    """Return the joint names as a dictionary. The keys are roles, for example "hips"."""
    joints: dict[str, int] = {}
    owners: dict[int, str] = {}
    for bone, raw, own in _bones(object_of(vrm.get("humanoid"), where), f"{where}.humanBones"):
        if not isinstance(bone, str) or bone not in _KNOWN:
            raise invalid(own, f"the value must be the name of a VRM bone (got {brief(bone)})")
        if bone in joints:
            raise FormatError(own, f"the bone {bone} occurs twice. Remove one of the two entries.")
        node = check_index(raw, len(document.gltf.nodes), "nodes", f"{own}.node")
        if node in owners:
            raise invalid(
                f"{own}.node",
                f"two bones cannot have the same node (node {node} already belongs to the bone {owners[node]})",
            )
        joints[bone], owners[node] = int(graph.joint_of_node[node]), bone
    _require_hanging(graph, joints, f"{where}.humanBones")
    names = {bone: graph.joint_names[joint] for bone, joint in joints.items()}
    found: dict[str, str | tuple[str, ...]] = {role: names[bone] for role, bone in _BONES.items() if bone in names}
    chains = {role: tuple(names[bone] for bone in bones if bone in names) for role, bones in _CHAINS.items()}
    return found | {role: chain for role, chain in chains.items() if chain}


def _bones(humanoid: Mapping[str, Any], where: str) -> Iterator[tuple[Any, Any, str]]:
    """Yield the name, the node and the location of each humanoid bone.

    In VRM 0, the node -1 means that the bone is missing.
    """
    bones = humanoid.get("humanBones")
    if not isinstance(bones, list):
        for bone, raw in object_of(bones, where).items():
            own = f"{where}.{key_of(bone)}"
            yield bone, object_of(raw, own).get("node"), own
        return
    for number, raw in enumerate(bones):
        own = f"{where}[{number}]"
        told = object_of(raw, own)
        if told.get("node") != -1:
            yield told.get("bone"), told.get("node"), own


def _require_hanging(graph: NodeGraph, joints: Mapping[str, int], where: str) -> None:
    """Raise FormatError if the parents of the humanoid bones do not form the hierarchy of a body."""
    trunk = [bone for bone in _TRUNK if bone in joints]
    for upper, lower in (*((_BONES[above], _BONES[below]) for above, below in links()), *pairwise(trunk)):
        if upper in joints and lower in joints:
            joint = int(graph.parents[joints[lower]])
            while joint not in (-1, joints[upper]):
                joint = int(graph.parents[joint])
            if joint < 0:
                raise invalid(
                    where, f"the joint of the bone {lower} must be a descendant of the joint of the bone {upper}"
                )

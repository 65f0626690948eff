"""Reading of facial expressions from VRM files.

An expression is a weighted sum of morph targets, for example a smile or a blink. The loader converts each expression to
one morph target.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ecs_anim.gltf.document import Document
from ecs_anim.gltf.format import FormatError, brief, check_index, invalid, key_of, object_of, whole
from ecs_anim.support.names import unique_names

MOST = 256  # largest number of expressions in a file; face tracking uses 52 expressions
_MATERIALS = ("materialValues", "materialColorBinds", "textureTransformBinds")

Mixes = dict[str, dict[int, float]]  # for each expression, the weights of a mesh's morph targets


@dataclass(frozen=True)
class Expressions:
    """The expressions of a file. An expression is a set of morph targets with weights."""

    names: tuple[str, ...] = ()
    by_mesh: Mapping[int, Mixes] = field(default_factory=dict)

    @cached_property
    def moving(self) -> frozenset[str]:
        """Return the names of all expressions that move at least one mesh of the file."""
        return frozenset(name for mixes in self.by_mesh.values() for name in mixes)


def read_expressions(document: Document, vrm: Mapping[str, Any], where: str, *, by_mesh: bool) -> Expressions:
    """Return the expressions in the VRM extension `vrm`, which is at the location `where`.

    Raise FormatError for invalid data.
    """
    told = [*(_groups if by_mesh else _presets)(vrm, where)]
    if len(told) > MOST:
        raise FormatError(
            where, f"the model must have at most {MOST} expressions (got {len(told)}). Remove expressions."
        )
    names = unique_names((_name(name) for name, _, _ in told), "expression")
    mixes: dict[int, Mixes] = {}
    for name, (_, raw, own) in zip(names, told, strict=True):
        if any(raw.get(key) for key in _MATERIALS):
            document.warn(own, "the effects of this expression on materials are ignored")
        for mesh, index, weight in (_mesh_binds if by_mesh else _node_binds)(document, raw, own):
            weights = mixes.setdefault(mesh, {}).setdefault(name, {})
            weights[index] = weights.get(index, 0.0) + weight
    return Expressions(tuple(names), mixes)


def _name(raw: Any) -> str | None:
    return raw if isinstance(raw, str) and raw.isprintable() else None


def _groups(vrm: Mapping[str, Any], where: str) -> Iterator[tuple[Any, dict[str, Any], str]]:
    """Yield the name, the content and the location of each VRM 0 expression.

    VRM 0 calls an expression a blend shape group. If an expression has a preset, the name of the preset replaces the
    name of the expression.
    """
    where = f"{where}.blendShapeMaster"
    groups = _list(object_of(vrm.get("blendShapeMaster"), where), "blendShapeGroups", where)
    for number, raw in enumerate(groups):
        own = f"{where}.blendShapeGroups[{number}]"
        group = object_of(raw, own)
        preset = group.get("presetName")
        yield group.get("name") if preset in (None, "", "unknown") else preset, group, own


def _presets(vrm: Mapping[str, Any], where: str) -> Iterator[tuple[Any, dict[str, Any], str]]:
    """Yield the name, the content and the location of each VRM 1 expression."""
    where = f"{where}.expressions"
    expressions = object_of(vrm.get("expressions"), where)
    for kind in ("preset", "custom"):
        for name, raw in object_of(expressions.get(kind), f"{where}.{kind}").items():
            own = f"{where}.{kind}.{key_of(name)}"
            yield name, object_of(raw, own), own


def _mesh_binds(document: Document, raw: Mapping[str, Any], where: str) -> Iterator[tuple[int, int, float]]:
    """Yield the mesh, the morph target and the weight of each VRM 0 bind.

    A bind states the weight of a morph target in an expression. In the file, the weights of VRM 0 binds are
    percentages.
    """
    for number, told in enumerate(_list(raw, "binds", where)):
        own = f"{where}.binds[{number}]"
        bind = object_of(told, own)
        if bind.get("mesh") != -1:
            mesh = check_index(bind.get("mesh"), len(document.gltf.meshes), "meshes", f"{own}.mesh")
            yield from _target(document, bind, mesh, 100, own)


def _node_binds(document: Document, raw: Mapping[str, Any], where: str) -> Iterator[tuple[int, int, float]]:
    """Yield the mesh, the morph target and the weight of each VRM 1 bind.

    A VRM 1 bind refers to a node, and moves all nodes that use the mesh of this node.
    """
    nodes: dict[int, int] = {}
    for number, told in enumerate(_list(raw, "morphTargetBinds", where)):
        own = f"{where}.morphTargetBinds[{number}]"
        bind = object_of(told, own)
        node = check_index(bind.get("node"), len(document.gltf.nodes), "nodes", f"{own}.node")
        mesh = document.gltf.nodes[node].mesh
        if mesh is not None and nodes.setdefault(mesh, node) != node:
            document.warn(
                own,
                "the bind is ignored, because the expression already binds another node of the"
                " same mesh. Both nodes move equally",
            )
        else:
            yield from _target(document, bind, mesh, 1, own)


def _target(
    document: Document, bind: Mapping[str, Any], mesh: int | None, unit: float, where: str
) -> Iterator[tuple[int, int, float]]:
    """Yield the mesh, the morph target and the weight of one bind. The function divides the weight in the file by
    `unit`.

    If the morph target does not exist, add a warning and yield nothing.
    """
    index, weight = whole(bind.get("index")), bind.get("weight", unit)
    if index is None:
        raise invalid(
            f"{where}.index", f"the index of a morph target must be an integer (got {brief(bind.get('index'))})"
        )
    if type(weight) not in (int, float) or not abs(weight) <= 1e6:
        raise invalid(
            f"{where}.weight", f"the weight of a morph target must be a number from 0 to {unit} (got {brief(weight)})"
        )
    primitives = [] if mesh is None else document.item("meshes", mesh, where).primitives
    if mesh is None or not (primitives and 0 <= index < len(primitives[0].targets or ())):
        document.warn(where, "the bind is ignored, because its mesh does not have the morph target with this index")
    elif weight:
        yield mesh, index, weight / unit


def _list(raw: Mapping[str, Any], key: str, where: str) -> list[Any]:
    """Return the list at the key `key` of a JSON object. If the key is missing, return an empty list."""
    value = raw.get(key)
    if value is not None and not isinstance(value, list):
        raise invalid(f"{where}.{key}", f"the value of the key `{key}` must be a list (got {brief(value)})")
    return value or []

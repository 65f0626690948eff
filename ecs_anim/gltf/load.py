"""Loading of characters from glTF 2.0 files. Only this module imports pygltflib."""

import os
import warnings
from pathlib import Path
from typing import Any

from ecs_anim.assets.mirroring import told_mirrored
from ecs_anim.assets.rig import Rig
from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.gltf.clips import read_clips
from ecs_anim.gltf.container import read_container
from ecs_anim.gltf.decode import decode
from ecs_anim.gltf.document import Document
from ecs_anim.gltf.extensions import check_required, pass_over, used
from ecs_anim.gltf.figures import VARIANTS, has_figures, with_figures
from ecs_anim.gltf.format import FormatError, brief
from ecs_anim.gltf.meshes import read_meshes
from ecs_anim.gltf.morphs import MorphReader
from ecs_anim.gltf.nodes import read_nodes
from ecs_anim.gltf.skins import Palette
from ecs_anim.gltf.vrm import read_avatar
from ecs_anim.support.errors import InputError, InputWarning
from ecs_anim.support.images import counted_together


def load_rig(path: str | os.PathLike[str], *, name: str | None = None) -> Rig:
    """Load a rig from a .gltf, .glb or .vrm file. A rig has a skeleton, meshes and clips.

    The name of the rig is `name`. The default is the name of the file. Each node of the file becomes a joint. Parent
    joints come before child joints. All skins share one palette. A mesh without a skin follows the joint of its node.
    Buffers and images must be in the folder of the file or in a subfolder. If an image is missing, the loader omits its
    texture and warns. If the loader does not read some extensions, another warning lists these extensions. All arrays
    are read-only. Raises InputError for any error in the file.
    """
    path = Path(path)
    try:
        raw, blob = read_container(path)
        document = Document(path, parse(raw), blob)
        with counted_together():
            rig = _build(document, name or path.stem)
    except FormatError as error:
        raise InputError(f"{path}: {error}") from None
    for message in document.warnings:
        warnings.warn(message, InputWarning, stacklevel=2)
    return rig


def _build(document: Document, name: str) -> Rig:
    graph = read_nodes(document)
    palette = Palette(document, graph)
    avatar, expressions = read_avatar(document, graph)
    morphs = MorphReader(document, graph, expressions)
    meshes = read_meshes(document, graph, palette, morphs)
    skeleton = Skeleton(
        joint_names=graph.joint_names,
        parents=graph.parents,
        rest_pose=graph.rest_pose,
        skin_joints=palette.skin_joints(),
        inverse_bind=palette.inverse_bind(),
    )
    clips = read_clips(document, graph, skeleton, morphs)
    meshes = told_mirrored(meshes, skeleton, clips.values())
    ignored = pass_over(document, {VARIANTS} if has_figures(document) else set())
    rig = Rig(name, skeleton, meshes, clips, morphs.targets, ignored, extensions=used(document), avatar=avatar)
    return with_figures(document, rig)


def parse(raw: dict[str, Any]) -> Any:
    """Convert the JSON document `raw` to an object of `pygltflib.GLTF2`.

    Raise FormatError for an unsupported glTF version and for unsupported required extensions.
    """
    import pygltflib  # the import takes 0.1 s, so commands that load no file skip the import

    gltf = decode(pygltflib.GLTF2, raw)
    for key, version in (("version", gltf.asset.version), ("minVersion", gltf.asset.minVersion or "2.0")):
        readable = version.startswith("2.") if key == "version" else version == "2.0"
        if not readable:
            raise FormatError(
                f"asset.{key}",
                f"the glTF version of the file must be 2.0 (got {brief(version)}). Export the model as glTF 2.0.",
            )
    check_required(gltf)
    return gltf

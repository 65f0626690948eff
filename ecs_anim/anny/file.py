"""The file of people: the mannequin's binary glTF file with other meshes, materials and images."""

from pathlib import Path
from typing import Any

import numpy as np

from ecs_anim.anny.package import CREDIT
from ecs_anim.assets.mesh import Mesh
from ecs_anim.assets.rig import Rig
from ecs_anim.gltf.container import read_container
from ecs_anim.gltf.figures import VARIANTS, written_figure
from ecs_anim.mannequin import PATH
from ecs_anim.support.gltf_content import Content
from ecs_anim.support.pictures import complete_file, png_bytes

LINEAR, MIPMAPS, CLAMP = 9729, 9987, 33071  # glTF's constants for filters and edges of textures
DROPPED = ("meshes", "materials", "textures", "images", "samplers")  # parts of the mannequin's file


def people_file(rig: Rig) -> bytes:
    """Return the .glb file of a rig of people, which has the skeleton and the clips of the mannequin."""
    raw, blob = read_container(PATH)
    assert blob is not None
    content = Content({key: own for key, own in raw.items() if key not in DROPPED}, bytes(blob))
    figures = list(map(written_figure, rig.figures))
    content.raw["asset"] = {
        "version": "2.0", "generator": "ecs-anim people", "copyright": CREDIT, "extras": {"figures": figures},
    }  # fmt: skip
    _add_materials(content, rig)
    for mesh in rig.meshes:
        _add_mesh(content, mesh, [own.name for own in rig.figures])
    for node in content.raw["nodes"]:
        if "mesh" in node:
            node["name"] = rig.meshes[node["mesh"]].name
    return content.glb()


def _add_materials(content: Content, rig: Rig) -> None:
    texture = rig.meshes[0].material.texture
    assert texture is not None
    sampler = {"magFilter": LINEAR, "minFilter": MIPMAPS, "wrapS": CLAMP, "wrapT": CLAMP}
    content.item("samplers", sampler)
    for figure, pixels in zip(rig.figures, texture.pixels, strict=True):
        image = content.item("images", {"bufferView": content.view(png_bytes(pixels)), "mimeType": "image/png"})
        own = content.item("textures", {"source": image, "sampler": 0})
        surface = {"baseColorTexture": {"index": own}, "metallicFactor": 0.0, "roughnessFactor": 0.85}
        content.item("materials", {"name": figure.name, "pbrMetallicRoughness": surface})
    content.raw["extensionsUsed"] = [*content.raw.get("extensionsUsed", []), VARIANTS]
    variants = [{"name": figure.name} for figure in rig.figures]
    content.raw.setdefault("extensions", {})[VARIANTS] = {"variants": variants}


def _add_mesh(content: Content, mesh: Mesh, names: list[str]) -> None:
    assert mesh.figures is not None
    vertices = (mesh.positions, mesh.normals, mesh.uvs, mesh.palette_indices, mesh.weights)
    attributes = content.skinned(vertices, "u2")
    targets = [
        {"POSITION": content.accessor(moved, bounds=True), "NORMAL": content.accessor(turned)}
        for moved, turned in zip(mesh.figures.positions, mesh.figures.normals, strict=True)
    ]
    mappings = [{"material": k, "variants": [k]} for k in range(len(names))]
    primitive: dict[str, Any] = {
        "attributes": attributes,
        "indices": content.accessor(mesh.indices[:, None].astype(np.uint32), "u4"),
        "material": 0,
        "targets": targets,
        "extensions": {VARIANTS: {"mappings": mappings}},
    }
    weights = [1.0] + [0.0] * (len(names) - 1)  # other programs show the first figure
    extras = {"targetNames": names}
    content.item("meshes", {"name": mesh.name, "primitives": [primitive], "weights": weights, "extras": extras})


def write_people(path: Path, rig: Rig) -> None:
    """Write the .glb file of a rig of people."""
    with complete_file(path) as file:
        file.write(people_file(rig))

"""Figures in a glTF file: body shapes, of which each actor has one.

The list `asset.extras.figures` describes the figures. The morph targets of each mesh are the figures, in this order,
and each figure has the material of the variant with its number (KHR_materials_variants). Other programs show one figure
with a target weight of 1 and a variant.
"""

from dataclasses import asdict, replace
from typing import Any

import numpy as np

from ecs_anim.assets.figures import Figure, MeshFigures
from ecs_anim.assets.mesh import Material, Mesh, Texture
from ecs_anim.assets.morphs import NO_TARGETS
from ecs_anim.assets.rig import Rig
from ecs_anim.gltf.document import Document
from ecs_anim.gltf.format import FormatError, invalid
from ecs_anim.gltf.materials import Surfaces
from ecs_anim.support.budgets import excess
from ecs_anim.support.frozen import freeze

VARIANTS = "KHR_materials_variants"
PLACE = "asset.extras.figures"


def has_figures(document: Document) -> bool:
    """Return whether a document describes figures."""
    extras = document.gltf.asset.extras
    return isinstance(extras, dict) and bool(extras.get("figures"))


def with_figures(document: Document, rig: Rig) -> Rig:
    """Return the rig with the figures of the document. Raise FormatError for invalid figures.

    The rig has no morph targets, because they are its figures.
    """
    if not has_figures(document):
        return rig
    listed = document.gltf.asset.extras["figures"]
    if not isinstance(listed, list):
        raise invalid(PLACE, "the figures must be a list")
    figures = tuple(_figure(own, f"{PLACE}[{k}]") for k, own in enumerate(listed))
    for mesh in rig.meshes:
        count = 0 if mesh.morphs is None else len(mesh.morphs.names)
        if count != len(figures):
            raise FormatError(
                PLACE, f"each mesh must have one morph target for each of the {len(figures)} figures (got {count})"
            )
    dressed = _textures(document, len(figures))
    materials = {mesh.material: _with_texture(mesh.material, dressed) for mesh in rig.meshes}
    meshes = tuple(_with_figures(mesh, materials[mesh.material]) for mesh in rig.meshes)
    return replace(rig, meshes=meshes, figures=figures, morph_targets=NO_TARGETS)


def written_figure(figure: Figure) -> dict[str, Any]:
    """Return a figure as JSON data. Fields with their default are left out."""
    plain = asdict(Figure(figure.name))
    return {"name": figure.name} | {key: value for key, value in asdict(figure).items() if value != plain[key]}


def _figure(said: Any, where: str) -> Figure:
    try:
        keys: dict[str, Any] = {key: tuple(own) if isinstance(own, list) else own for key, own in said.items()}
        return Figure(**keys)
    except (AttributeError, TypeError, ValueError) as error:
        raise invalid(where, f"the figure is invalid: {error}") from None


def _with_figures(mesh: Mesh, material: Material) -> Mesh:
    assert mesh.morphs is not None
    return replace(
        mesh, material=material, morphs=None, figures=MeshFigures(mesh.morphs.positions, mesh.morphs.normals)
    )


def _with_texture(material: Material, texture: Texture | None) -> Material:
    return material if texture is None else replace(material, texture=texture)


def _textures(document: Document, count: int) -> Texture | None:
    """Return one texture with the images of all figures. Without variants, return None."""
    primitive = document.gltf.meshes[0].primitives[0]
    mappings = (primitive.extensions or {}).get(VARIANTS, {}).get("mappings", [])
    if not mappings:
        return None
    if text := excess("variants", count, "leave out some figures"):
        raise FormatError(PLACE, text)
    surfaces, found = Surfaces(document), dict[int, Texture]()
    for k, own in enumerate(mappings):
        texture = surfaces.surface(own.get("material"), f"{VARIANTS}.mappings[{k}].material").material.texture
        if texture is not None:
            found |= dict.fromkeys(own.get("variants", ()), texture)
    if sorted(found) != list(range(count)) or len({own.pixels.shape for own in found.values()}) != 1:
        raise FormatError(VARIANTS, f"each of the {count} figures must have a variant with a texture of one size")
    return Texture(freeze(np.stack([found[k].pixels for k in range(count)])), repeat=found[0].repeat)

"""Texture variants: images that replace the textures of a rig for some actors of a crowd."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.mesh import Material, Texture
from ecs_anim.assets.rig import Rig
from ecs_anim.scenes.images import read_texture
from ecs_anim.scenes.loaded_rig import LoadedRig
from ecs_anim.scenes.loader import SceneFile
from ecs_anim.scenes.parts.appearance import AppearanceKeys
from ecs_anim.scenes.scene_key import SceneKey
from ecs_anim.support.errors import nearest
from ecs_anim.support.reuse import reusable


@reusable
def with_variants(scene: SceneFile, crowd: AppearanceKeys, loaded: LoadedRig, key: SceneKey) -> LoadedRig:
    """Return the rig with the images of a crowd as base colour textures. Raises InputError."""
    if not crowd.variants:
        return loaded
    key /= ".variants"
    if loaded.rig.figures:
        raise key.fault(
            f"the figures of rig {loaded.label} have their own textures, so the crowd cannot have the key variants. "
            "Leave out this key."
        )
    images = _by_material(scene, crowd.variants, loaded, key)
    if len({len(pixels) for pixels in images.values()}) > 1:
        raise key.fault("all materials must have the same number of images. Add or remove images.")
    textures = {material: _varied(material, pixels) for material, pixels in images.items()}

    def dressed(material: Material) -> Material:
        return replace(material, texture=textures[material]) if material in textures else material

    meshes = tuple(replace(mesh, material=dressed(mesh.material)) for mesh in loaded.rig.meshes)
    return replace(loaded, rig=replace(loaded.rig, meshes=meshes))


def _by_material(
    scene: SceneFile, paths: list[str] | dict[str, list[str]], loaded: LoadedRig, key: SceneKey
) -> Mapping[Material, NDArray[np.uint8]]:
    """Return a dictionary from material to images [variant, height, width, 4].

    The dictionary contains each material for which the scene has images.
    """
    textured = _textured(loaded.rig)
    if not textured:
        raise key.fault(
            f"rig {loaded.label} has no textures to replace. Use a model with a texture, or give the rig the"
            " key 'texture'."
        )
    if isinstance(paths, list):
        return dict.fromkeys(textured, _read_all(scene, paths, key))
    names = list(dict.fromkeys(material.name for material in textured))
    for name in paths:
        if name not in names:
            raise (key / f".{name}").fault(
                f"rig {loaded.label} has no material of this name with a texture;{nearest(name, names)} materials"
                f" with a texture are: {', '.join(names)}"
            )
    chosen = {name: _read_all(scene, own, key / f".{name}") for name, own in paths.items()}
    return {material: chosen[material.name] for material in textured if material.name in chosen}


def _textured(rig: Rig) -> list[Material]:
    return list(dict.fromkeys(mesh.material for mesh in rig.meshes if mesh.material.texture))


def _varied(material: Material, pixels: NDArray[np.uint8]) -> Texture:
    assert material.texture is not None
    return replace(material.texture, pixels=pixels)


def _read_all(scene: SceneFile, paths: list[str], key: SceneKey) -> NDArray[np.uint8]:
    """Return the images in the files `paths` [variant, height, width, 4]. All images must have the same size."""
    images = [read_texture(scene.folder / path, f"{key}[{k}]") for k, path in enumerate(paths)]
    for number, image in enumerate(images):
        if image.shape != images[0].shape:
            sizes = " and ".join(f"{shown.shape[1]} x {shown.shape[0]}" for shown in (images[0], image))
            raise (key / f"[{number}]").fault(
                f"all images of variants must have one size (got {sizes} pixels). Scale the images to one size."
            )
    stacked = np.empty((len(images), *images[0].shape), np.uint8)
    for variant in reversed(stacked):  # each image is freed after its copy, so that no two copies of all images exist
        variant[...] = images.pop()
    return stacked

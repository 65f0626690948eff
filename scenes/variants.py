"""Textures that the actors of a crowd differ by."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ecs_anim.mesh import Material, Texture
from ecs_anim.rig import Rig
from ecs_anim.scenes.loader import SceneFile
from ecs_anim.scenes.motions import Place
from ecs_anim.scenes.rigs import LoadedRig, read_image
from ecs_anim.scenes.schema import CrowdModel


def with_variants(scene: SceneFile, crowd: CrowdModel, loaded: LoadedRig, place: Place) -> LoadedRig:
    """The rig with the crowd's images in the place of every base colour texture. Raises InputError."""
    if not crowd.variants:
        return loaded
    pixels = _read_all(scene, crowd, place / ".variants")
    if not any(mesh.material.texture for mesh in loaded.rig.meshes):
        raise (place / ".variants").fault(
            f"rig {loaded.label} has no textures to replace; give a model with one, or rigs.{crowd.rig}.texture"
        )
    textures: dict[Texture, Texture] = {}

    def varied(material: Material) -> Material:
        if material.texture is None:
            return material
        texture = textures.setdefault(material.texture, replace(material.texture, pixels=pixels))
        return replace(material, texture=texture)

    meshes = tuple(replace(mesh, material=varied(mesh.material)) for mesh in loaded.rig.meshes)
    return replace(loaded, rig=replace(loaded.rig, meshes=meshes))


def draw_variants(rig: Rig, count: int, rng: np.random.Generator) -> NDArray[np.int32] | None:
    """Which texture each actor shows, [actor_count] i32; None where there is no choice."""
    textures = [mesh.material.texture for mesh in rig.meshes if mesh.material.texture]
    choices = [texture.variant_count for texture in textures if texture.variant_count]
    return rng.integers(min(choices), size=count).astype(np.int32) if choices else None


def _read_all(scene: SceneFile, crowd: CrowdModel, place: Place) -> NDArray[np.uint8]:
    """All images [variant, height, width, 4], which must have one size."""
    images = [
        read_image(scene.folder / path, f"{scene.label}: {place.key}[{k}]") for k, path in enumerate(crowd.variants)
    ]
    for number, image in enumerate(images):
        if image.shape != images[0].shape:
            sizes = " and ".join(f"{shown.shape[1]} x {shown.shape[0]}" for shown in (images[0], image))
            raise (place / f"[{number}]").fault(f"variants must have one size (got {sizes} pixels); scale them alike")
    return np.stack(images)

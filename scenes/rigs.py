"""The rigs of a scene, loaded and measured."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path

import numpy as np

from ecs_anim.errors import InputError
from ecs_anim.gltf import load_rig
from ecs_anim.images import load_texture
from ecs_anim.rig import Rig
from ecs_anim.scenes.loader import SceneFile, nearest
from ecs_anim.scenes.schema import RigModel
from ecs_anim.skinning import rest_bounds

SHADOW_SHARE = 0.17  # radius of the soft shadow, share of the character's height


@dataclass(frozen=True)
class LoadedRig:
    """A rig with what its scene says of it."""

    label: str  # how messages call it
    rig: Rig
    scale: float  # from the rig's units to metres
    ground_offset: float  # [m]
    shadow_radius: float  # [rig units]


def load_rigs(scene: SceneFile) -> Mapping[str, LoadedRig]:
    """Load every rig that a crowd uses. Raises InputError with the key that names it."""
    known = list(scene.model.rigs)
    for index, crowd in enumerate(scene.model.crowds):
        if crowd.rig not in known:
            raise InputError(
                f"{scene.label}: crowds[{index}].rig: there is no [rigs.{crowd.rig}];"
                f"{nearest(crowd.rig, known)} rigs are: {', '.join(known)}"
            )
    used = {crowd.rig for crowd in scene.model.crowds}
    return {name: _load(scene, name, model) for name, model in scene.model.rigs.items() if name in used}


def _load(scene: SceneFile, name: str, model: RigModel) -> LoadedRig:
    key = f"{scene.label}: rigs.{name}"
    rig = load_rig(_model_path(scene, model, key), name=name)
    if not rig.meshes:
        raise InputError(f"{key}.model: {model.model} has no triangles to draw")
    if model.texture:
        rig = _retexture(rig, scene.folder / model.texture)
    low, high = rest_bounds(rig)
    height = float(high[1] - low[1])
    if not (np.isfinite(height) and height > 0):
        raise InputError(f"{key}.model: the character's height is {height:g}; give a scale instead of a height")
    scale = model.height / height if model.height else model.scale or 1.0
    return LoadedRig(f"{name!r} ({model.model})", rig, scale, model.ground_offset, SHADOW_SHARE * height)


def _model_path(scene: SceneFile, model: RigModel, key: str) -> Path:
    if model.model == "mannequin":
        return Path(str(files("ecs_anim.mannequin").joinpath("mannequin.glb")))
    path = scene.folder / model.model
    if not path.is_file():
        hint = nearest(model.model, ["mannequin"])
        raise InputError(f"{key}.model: there is no file {path};{hint} give a .gltf or .glb file, or 'mannequin'")
    return path


def _retexture(rig: Rig, path: Path) -> Rig:
    texture = load_texture(path)
    meshes = tuple(replace(mesh, material=replace(mesh.material, texture=texture)) for mesh in rig.meshes)
    return replace(rig, meshes=meshes)

"""Loading of the rigs of a scene, and measurement of their sizes."""

import math
import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import numpy as np

from ecs_anim.assets.clip import Clip
from ecs_anim.assets.mesh import Texture
from ecs_anim.assets.mirroring import told_mirrored
from ecs_anim.assets.rig import Rig
from ecs_anim.assets.skinning import rest_bounds
from ecs_anim.gltf import load as gltf
from ecs_anim.mannequin import LOOKS
from ecs_anim.mannequin.outfits import TINTS, variants
from ecs_anim.mannequin.patterns import patterned
from ecs_anim.maths.axes import Axis
from ecs_anim.retargeting.retarget import Lending
from ecs_anim.rigs.accessories import with_accessories
from ecs_anim.rigs.blob import blob_rig
from ecs_anim.rigs.material_rigs import flag_rig, lattice_rig
from ecs_anim.rigs.people import people_rig
from ecs_anim.rigs.simple_rigs import ball_rig, chain_rig
from ecs_anim.rigs.twist_rigs import bar_rig, forearm_rig
from ecs_anim.roles.facing import measured_facing
from ecs_anim.roles.roles import find_roles
from ecs_anim.scenes.images import read_texture
from ecs_anim.scenes.loaded_rig import LoadedRig
from ecs_anim.scenes.loader import SceneFile
from ecs_anim.scenes.own_motions import with_still_clip
from ecs_anim.scenes.scene_key import SceneKey
from ecs_anim.scenes.schema import RigModel
from ecs_anim.support.checked import checked
from ecs_anim.support.errors import Faults, InputError, InputWarning, nearest, not_among
from ecs_anim.support.files import MissingFile, file_type
from ecs_anim.support.reuse import reusable

MANNEQUIN = Path(str(files("ecs_anim.mannequin").joinpath("mannequin.glb")))
SHADOW_SHARE = 0.17  # radius of the soft shadow, as a share of the character's height
SMALLEST, TALLEST = 0.1, 20.0  # [m], plausible heights; models outside this range probably have other units than metres
FRONTS = {90: "+X", 180: "-Z", -90: "-X"}  # axis, by facing [degrees]


def _mannequin(name: str) -> Rig:
    return gltf.load_rig(MANNEQUIN, name=name)


def _people(name: str) -> Rig:
    return people_rig(_mannequin(name), variants(read_texture(LOOKS, name)))


BUILT_IN: Mapping[str, Callable[[str], Rig]] = {
    "mannequin": _mannequin,
    "people": _people,
    "chain": lambda name: chain_rig(name=name),
    "ball": ball_rig,
    "bar": bar_rig,
    "forearm": forearm_rig,
    "blob": blob_rig,
    "flag": flag_rig,
    "lattice": lattice_rig,
}
MODEL_NAMES = (*BUILT_IN, "anny")  # names of models that are no files
CLOTHED: Mapping[str, tuple[str, ...]] = {"mannequin": TINTS, "people": TINTS}  # models whose shirts take a tint


def load_rigs(scene: SceneFile) -> Mapping[str, LoadedRig]:
    """Load every rig that a crowd uses. Raises one InputError with the problems of all rigs."""
    used = {crowd.rig for crowd in scene.model.crowds}
    with Faults() as faults:
        for index, crowd in enumerate(scene.model.crowds):
            with faults.kept():
                _require_known(scene, index, crowd.rig)
        with faults.kept():
            wanted = {name: model for name, model in scene.model.rigs.items() if name in used}
            return _load_all(scene.label, scene.folder, wanted, scene.models)


@reusable
def _load_all(
    label: str, folder: Path, rigs: Mapping[str, RigModel], models: Mapping[str, Rig]
) -> Mapping[str, LoadedRig]:
    """Load rigs. `models` contains rigs from the caller. Raises one InputError with the problems of all rigs."""
    read, loaded = dict(models), dict[str, LoadedRig]()
    with Faults() as faults:
        for name, model in rigs.items():
            with faults.kept():
                loaded[name] = _load(SceneKey(label, f"rigs.{name}"), folder, name, model, read)
    return loaded


def _require_known(scene: SceneFile, index: int, rig: str) -> None:
    known = list(scene.model.rigs)
    if rig not in known:
        text = f"there is no [rigs.{rig}];{nearest(rig, known)} rigs are: {', '.join(known)}"
        raise SceneKey(scene.label, f"crowds[{index}].rig").fault(text)


@checked
def load_rig(path: str | os.PathLike[str], *, name: str | None = None, up: Axis | None = None) -> Rig:
    """Return the rig in a .gltf, .glb, .vrm, .fbx or .bvh file, or in a file of SMPL poses (.npz).

    If `path` is the name of a built-in rig and not a file, return this built-in rig.

    Each node of the file becomes a joint. A parent has a smaller joint number than its children. All skins use one
    array of skin matrices. A mesh without a skin moves with its node. `name` is the name of the rig. By default, the
    rig has the name of its file. `up` is the axis that points up in a motion file. If `up` is None, the loader measures
    the up axis. All arrays of the rig are read-only. Raises InputError for a faulty file. The docstrings of
    `gltf.load_rig`, `bvh.load_rig` and `smpl.load_rig` list the warnings.
    """
    if os.path.isfile(path):
        return _load_file(Path(path), name, up)
    return load_model(os.fspath(path), name=name, up=up)


def load_model(model: str, folder: Path = Path(), name: str | None = None, up: Axis | None = None) -> Rig:
    """Return a built-in rig, or the rig in a model or motion file. Relative paths are relative to `folder`.

    `up` is the axis that points up in a motion file. If `up` is None, the loader measures this axis. Raises InputError.
    """
    if model in BUILT_IN:
        _require_measured(model, up)
        return BUILT_IN[model](name or model)
    if model == "anny":
        from ecs_anim.anny.kept import anny_people  # the import takes time, and few scenes need it

        _require_measured(model, up)
        return anny_people(name or model)
    path = folder / model
    try:
        return _load_file(path, name, up)
    except MissingFile:
        known = ", ".join(f"'{built_in}'" for built_in in BUILT_IN)
        raise InputError(
            f"there is no file {path};{nearest(model, list(BUILT_IN))} give the path of a .gltf, .glb or .vrm file, or"
            f" the name of a built-in character: {known}"
        ) from None


def _require_measured(model: str | Path, up: Axis | None) -> None:
    """Raise InputError if `up` is given for a model that is not a motion."""
    if up is not None:
        raise InputError(
            f"{model}: up applies only to BVH and SMPL motions, because the up axis of other files is always +Y (got"
            f" {up!r}). Leave out up."
        )


def _load_file(path: Path, name: str | None, up: Axis | None) -> Rig:
    if file_type(path).family == "motion":
        return load_motion(path, name=name, up=up)
    _require_measured(path, up)
    return gltf.load_rig(path, name=name)


def load_motion(path: Path, *, name: str | None = None, unit: str | None = None, up: Axis | None = None) -> Rig:
    """Return the rig in a BVH file or in a file of SMPL poses. `unit` is the unit of length of a BVH file."""
    if file_type(path).name == "bvh":
        from ecs_anim.bvh import load as bvh  # this import loads trajectory readers, which built-in rigs do not need

        return bvh.load_rig(path, name=name, unit=unit, up=up)
    from ecs_anim.smpl import load as smpl

    if unit is not None:
        raise InputError(f"{path}: unit applies only to BVH motions, because SMPL poses are in metres. Leave out unit.")
    return smpl.load_rig(path, name=name, up=up)


def _load(key: SceneKey, folder: Path, name: str, model: RigModel, loaded: dict[str, Rig]) -> LoadedRig:
    """Return the rig `name` with the settings of the scene.

    If `loaded` already contains the model, the function does not read the model file again.
    """
    with (key / ".model").blamed((InputError,)):
        if not model.joints and model.model not in loaded:
            loaded[model.model] = load_model(model.model, folder, name)
        rig = chain_rig(model.joints, name) if model.joints else replace(loaded[model.model], name=name)
    rig = with_still_clip(_with_roles(_with_clips_from(folder, rig, model, key), model))
    if not rig.meshes:
        raise (key / ".model").fault(f"{model.model} must have triangles to draw. Name a model with a mesh.")
    if model.texture:
        rig = _retexture(rig, folder / model.texture, key)
    if model.patterns:
        rig = _patterned(rig)
    if model.accessories:
        rig = with_accessories(rig)
    if model.levels == "made":
        rig = _with_made_levels(rig, key)
    low, high = rest_bounds(rig)
    height = float(high[1] - low[1])
    _require_size(height, model, key)
    return LoadedRig(
        label=f"{name!r} ({model.model})",
        rig=rig,
        scale=model.height / height if model.height else model.scale or 1.0,
        facing=_facing(rig, model, key),
        ground_offset=model.ground_offset,
        shadow_radius=SHADOW_SHARE * height,
        tints=CLOTHED.get(model.model, LoadedRig.tints),
    )


def _patterned(rig: Rig) -> Rig:
    """Return the rig of people with additional outfits."""
    (material,) = {mesh.material for mesh in rig.meshes}
    assert material.texture is not None
    texture = replace(material.texture, pixels=patterned(material.texture.pixels))
    dressed = replace(material, texture=texture)
    return replace(rig, meshes=tuple(replace(mesh, material=dressed) for mesh in rig.meshes))


def _facing(rig: Rig, model: RigModel, key: SceneKey) -> float:
    """Return the direction [rad] in which the character faces.

    The scene, the file and the joints can state the facing direction. If several of the three sources state a
    direction, the scene has priority over the file, and the file has priority over the joints. The default is +Z.
    """
    if model.facing_degrees is not None:
        return math.radians(model.facing_degrees)
    if rig.avatar is not None:
        return rig.avatar.facing
    facing = None if model.model in MODEL_NAMES else measured_facing(rig, model.roles)
    if facing:
        degrees = round(math.degrees(facing))
        text = f"according to its joints, {model.model} faces {FRONTS[degrees]}, but glTF characters must face +Z."
        advice = (
            f"To confirm this direction, set facing_degrees = {degrees}. If the character faces +Z, set "
            "facing_degrees = 0"
        )
        warnings.warn(f"{key}: {text} {advice}", InputWarning, stacklevel=2)
    return facing or 0.0


def _require_size(height: float, model: RigModel, key: SceneKey) -> None:
    """Raise InputError for an invalid height [rig units], and warn about an implausible height."""
    if not (np.isfinite(height) and height > 0):
        raise (key / ".model").fault(
            f"the model must extend upward in its rest pose, but its height is {height:g}. Export the model with an"
            " upright rest pose."
        )
    if model.height is None and model.scale is None and not SMALLEST <= height <= TALLEST:
        text = f"{model.model} is {height:.3g} m tall, if its unit is the metre."
        advice = "Set its height in metres: height = 1.7 fits an adult person. To keep this size, set scale = 1"
        warnings.warn(f"{key}: {text} {advice}", InputWarning, stacklevel=2)


def _with_clips_from(folder: Path, rig: Rig, model: RigModel, key: SceneKey) -> Rig:
    """Return the rig with additional clips, retargeted from other models to the joints of the rig.

    A humanoid without clips gets the clips of the mannequin. Raises InputError if two clips have the same name.
    """
    if model.roles:
        with (key / ".roles").blamed((InputError,)):
            find_roles(rig, corrections=model.roles)
    clips = dict(rig.clips)
    for index, path in enumerate(model.clips_from):
        with (key / f".clips_from[{index}]").blamed((InputError,)):
            lent = _lent(_load_lender(folder, path, model), rig, model)
            for name in lent:
                if name in clips:
                    raise InputError(
                        f"the character already has a clip with the name {name!r}. Rename one of the"
                        " two clips, or leave out one of the two."
                    )
            clips |= lent
    if not clips and find_roles(rig, corrections=model.roles).is_humanoid:
        clips = _lent(_mannequin("mannequin"), rig, model)
    return replace(rig, clips=clips, meshes=told_mirrored(rig.meshes, rig.skeleton, clips.values()))


def _with_roles(rig: Rig, model: RigModel) -> Rig:
    if rig.avatar is None or not model.roles:
        return rig
    said = {role: tuple(joints) if isinstance(joints, list) else joints for role, joints in model.roles.items()}
    return replace(rig, avatar=replace(rig.avatar, roles={**rig.avatar.roles, **said}))


def _load_lender(folder: Path, path: str, model: RigModel) -> Rig:
    """Load the model `path`, which provides clips for another model. For a motion, the scene can set the up axis."""
    is_motion = path not in MODEL_NAMES and model.up is not None and file_type(folder / path).family == "motion"
    return load_model(path, folder, up=model.up if is_motion else None)


def _lent(lender: Rig, rig: Rig, model: RigModel) -> dict[str, Clip]:
    lending = Lending.between(lender, rig, target_roles=model.roles)
    return {name: lending.clip(clip, model.root_motion, model.hands) for name, clip in lender.clips.items()}


def _with_made_levels(rig: Rig, key: SceneKey) -> Rig:
    from ecs_anim.levels.simplify import with_levels

    with (key / ".levels").blamed((InputError,)):
        return with_levels(rig)


def _retexture(rig: Rig, path: Path, key: SceneKey) -> Rig:
    texture = Texture(read_texture(path, f"{key}.texture"))
    meshes = tuple(replace(mesh, material=replace(mesh.material, texture=texture)) for mesh in rig.meshes)
    return replace(rig, meshes=meshes)


def clips_of(rig: Rig, path: str, names: Sequence[str]) -> list[Clip]:
    """Return the rig's clips with the names `names`. If `names` is empty, return all clips.

    Raises InputError if the rig has no clips, or if a named clip does not exist.
    """
    if not rig.clips:
        raise InputError(f"{path}: the file must contain at least one clip. Name another file.")
    for name in names:
        if name not in rig.clips:
            raise InputError(not_among(f"{path}: no clip", name, rig.clips, "its clips are"))
    return [rig.clips[name] for name in names or rig.clips]

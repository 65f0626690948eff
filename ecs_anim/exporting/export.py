"""The function that exports crowds to files for other programs."""

import os
import warnings
from collections.abc import Sequence
from pathlib import Path

from ecs_anim.components.character import Character
from ecs_anim.components.crowd import Crowd
from ecs_anim.ecs.world import World
from ecs_anim.exporting.gltf_file import require_few, write_gltf
from ecs_anim.exporting.recording import RecordedCrowd, recorded
from ecs_anim.exporting.smpl_file import write_smpl
from ecs_anim.exporting.usd_bodies import USD_METHODS
from ecs_anim.exporting.usd_file import pictures_of, write_usd
from ecs_anim.exporting.usd_layer import require_usd
from ecs_anim.support.arguments import unknown, whole_numbers
from ecs_anim.support.budgets import require
from ecs_anim.support.checked import checked
from ecs_anim.support.errors import InputError, InputWarning
from ecs_anim.support.pictures import require_writable
from ecs_anim.support.progress import progress_told
from ecs_anim.systems.queries import stage_of

FRAMES = 120
USD, POSES = (".usdc", ".usda"), ".npz"
SHEAR = 1e-4  # [model units]; a smaller shear is invisible


@checked
def export(
    world: World, path: str | os.PathLike[str], *, frames: int = FRAMES, crowds: Sequence[str] | None = None
) -> Path:
    """Write the motion of all actors to a file for other programs: .glb (glTF 2.0), .usdc or .usda (the 'usd' extra),
    or .npz (SMPL-X poses with the arrays of AMASS).

        ea.export(ea.load_scene("plaza", actors=40), "plaza.glb", frames=240)

    The first frame shows the current state of the world. For each further frame, the world takes one step of its scene.
    `crowds` are the names of the crowds to export. Default: all crowds. A .glb file also contains the props of the
    scene. A .glb file contains separate joints for each actor. Programs that read .glb files can process the joints of
    a few hundred actors. In USD, actors with equal appearances share a body. Actors that only play a clip share one
    copy of the clip. An .npz file contains the poses of one humanoid without meshes. With several actors, each actor
    gets a file `PATH_CROWD_ID.npz` beside `path`. docs/export.md describes the content.

    Returns the path. The file appears at `path` only when it is complete. Raises InputError for data that the format
    cannot store, for an unknown crowd, for a recording without actors, and for disk errors. Raises ValueError if
    `frames` is not a number above 0.
    """
    world.require_open()
    path, count = Path(path), int(whole_numbers("frames", frames)[0])
    if count < 1:
        raise ValueError(f"the number of frames must be 1 or more (got {count}). Set `frames` to 1 or more.")
    require("steps", count, "frames", "export fewer frames")
    require_export_file(path)
    chosen, rate, props = _chosen(world, path, crowds), stage_of(world).frame_rate, stage_of(world).props
    if path.suffix.lower() == ".glb":
        require_few([(world.get(own, Character).rig, world.get(own, Crowd).actor_count) for own in chosen], props, path)
    with recorded(world, chosen, count, path) as found:
        if not any(own.ids for own in found):
            raise InputError(
                f"{path}: an export needs actors, but no actor is present in the {count} exported frames. Export"
                " more frames, or begin the export later."
            )
        if path.suffix.lower() == POSES:
            return _poses(found, rate, path)
        for own in found:
            _warn(own, path)
        if is_usd(path) and props:
            warnings.warn(
                f"{path}: the USD file does not contain the props. Export to a .glb", InputWarning, stacklevel=3
            )
        with progress_told(sum(len(own.ids) for own in found), "writing", "actors") as advance:
            if is_usd(path):
                write_usd(found, rate, count, path, advance)
            else:
                write_gltf(found, props, rate, path, advance)
    return path


def _poses(crowds: list[RecordedCrowd], frame_rate: int, path: Path) -> Path:
    """Write SMPL-X poses. Return the path of the file, or the path of the first file if there are several actors."""
    with progress_told(sum(len(own.ids) for own in crowds), "writing", "actors") as advance:
        return write_smpl(crowds, frame_rate, path, advance)[0]


def require_export_file(path: Path) -> None:
    """Raise InputError if an export cannot be written to `path`."""
    if path.suffix.lower() not in (".glb", *USD, POSES):
        raise InputError(
            f"{path}: the file name must end in .glb for glTF, in .usdc or .usda for USD, or in .npz for SMPL-X poses"
            f" (got {path.suffix!r}). Change the file name."
        )
    if is_usd(path):
        require_usd(path)
        folder = pictures_of(path)
        if folder.exists() and not folder.is_dir():
            raise InputError(
                f"{path}: the pictures of this export need the folder {folder.name}, but a file has this name. Use"
                " another path."
            )
    require_writable(path)


def is_usd(path: Path) -> bool:
    """Return whether `path` has the ending of a USD file."""
    return path.suffix.lower() in USD


def _chosen(world: World, path: Path, crowds: Sequence[str] | None) -> list[int]:
    """Return the entities of the crowds with the names `crowds`. By default, return the entities of all crowds."""
    known = {crowd.name: entity for entity, (crowd,) in world.query(Crowd)}
    for name in crowds or ():
        if name not in known:
            raise unknown("crowd", name, known)
    chosen = [entity for name, entity in known.items() if crowds is None or name in crowds]
    if not chosen:
        raise InputError(f"{path}: an export needs at least one crowd. Name a crowd.")
    return chosen


def _warn(crowd: RecordedCrowd, path: Path) -> None:
    method, texts = crowd.skinning, list[str]()
    if method != "linear" and not (is_usd(path) and method in USD_METHODS):
        kind = "USD" if is_usd(path) else "glTF"
        text = f"is skinned with {method!r}, which {kind} does not support. The file uses linear skinning"
        texts.append(text + (f"; USD supports {method!r}" if method in USD_METHODS else ""))
    if is_usd(path) and any(mesh.colors is not None for mesh in crowd.character.rig.meshes):
        texts.append(
            "has vertex colours. The file stores them in displayColor, but programs that draw USD materials ignore"
            " displayColor"
        )
    if crowd.shear > SHEAR:
        texts.append(f"has joints with shear, up to {crowd.shear:.2g} model units. The file cannot store shear")
    for text in texts:
        warnings.warn(f"{path}: crowd {crowd.name!r} {text}", InputWarning, stacklevel=4)

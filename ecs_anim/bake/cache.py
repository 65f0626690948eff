"""Cache of bakes in the user's cache folder. A cached bake is a file.

The file name contains a digest of the bake's inputs.

Users can delete cached files at any time. Several processes can write the same cached file at the same time. Therefore,
each process first writes a temporary file, and then renames this file.
"""

import os
import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from ecs_anim.assets.rig import Rig
from ecs_anim.bake.bake import Bake
from ecs_anim.bake.build import DEFAULT, bake_rig, choose_clips
from ecs_anim.bake.file import FORMAT_VERSION, load_bake, save_bake
from ecs_anim.bake.measure import character_size
from ecs_anim.bake.options import BakeOptions
from ecs_anim.bake.signature import content_key
from ecs_anim.support.cache_folder import cache_folder
from ecs_anim.support.checked import checked
from ecs_anim.support.errors import InputError
from ecs_anim.support.terminal import print_note


@checked
def cached_bake(
    rig: Rig,
    options: BakeOptions = DEFAULT,
    clips: Sequence[str] | None = None,
    folder: str | os.PathLike[str] | None = None,
) -> Bake:
    """Return the result of `bake_rig` from a cache in `folder`. By default, `folder` is the user's cache folder.

    If the cached file is missing or damaged, the function creates the file. If the user's cache folder is not writable,
    the function uses a private temporary folder. If a given `folder` is not writable, each call computes the bake again
    and prints a line to standard error. Raises the errors of `bake_rig`.
    """
    key = content_key(rig.skeleton, choose_clips(rig, clips), options, character_size(rig))
    home = cache_folder("bakes") if folder is None else Path(folder)
    if home is None:
        return bake_rig(rig, options, clips)
    path = home / f"{_file_stem(rig.name)}-{key[:32]}.v{FORMAT_VERSION}.bake"
    found = _found(path, rig, key)
    if found is not None:
        return found
    bake = bake_rig(rig, options, clips)
    _keep(bake, path)
    return bake


def _found(path: Path, rig: Rig, key: str) -> Bake | None:
    try:
        bake = load_bake(path, rig.skeleton)
    except InputError:
        return None
    return bake if bake.content == key else None


def _keep(bake: Bake, path: Path) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        save_bake(bake, path)
    except (InputError, OSError) as error:
        _tell_once(path.parent, " ".join(str(error).split()))


@lru_cache(maxsize=64)
def _tell_once(folder: Path, why: str) -> None:
    print_note(f"ecs-anim: cannot store bakes in {folder}: {why}")


def _file_stem(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_-]+", "_", name)[:40] or "rig"

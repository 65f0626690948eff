"""The scenes that ship in the package.

Shell completion must be fast and imports this module. Therefore, the module must not import the schema.
"""

from importlib.resources import files
from pathlib import Path
from typing import Any

from ecs_anim.support.errors import nearest
from ecs_anim.support.files import MissingFile

CHECKS_FOLDER = "checks"  # folder of the scenes of `ecs-anim validate`


def shipped_scenes() -> list[str]:
    """Return the names of the shipped scenes."""
    return sorted(entry.name.removesuffix(".toml") for entry in _shipped().iterdir() if entry.name.endswith(".toml"))


def scenes_beside(source: str) -> list[str]:
    """Return the names of the scenes for a menu: the scene files in the folder of `source`, and the shipped scenes.

    If `source` is the name of a shipped scene, return only the shipped scenes.
    """
    shipped = shipped_scenes()
    if source in (*shipped, *shipped_checks()):
        return shipped
    return [*sorted(map(str, Path(source).parent.glob("*.toml"))), *shipped]


def shipped_checks() -> list[str]:
    """Return the names of the scenes of `ecs-anim validate`."""
    entries = _shipped().joinpath(CHECKS_FOLDER).iterdir()
    return sorted(f"{CHECKS_FOLDER}/{entry.name.removesuffix('.toml')}" for entry in entries)


def shipped_folder() -> Path:
    """Return the folder that contains the shipped scenes and their files."""
    return Path(str(_shipped()))


def shipped_text(name: str) -> str:
    """Return the TOML text of a shipped scene. Raises MissingFile for an unknown name."""
    if name not in (*shipped_scenes(), *shipped_checks()):
        raise no_scene(name)
    text: str = _shipped().joinpath(f"{name}.toml").read_text("utf-8")
    return text


def no_scene(name: str) -> MissingFile:
    """Return the error for a scene that is neither a file nor the name of a shipped scene."""
    hint = nearest(name.removesuffix(".toml"), shipped_scenes())
    return MissingFile(f"{name}: the scene file does not exist;{hint} scenes that ship: {', '.join(shipped_scenes())}")


def _shipped() -> Any:
    return files("ecs_anim.scenes")

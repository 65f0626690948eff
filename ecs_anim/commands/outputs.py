"""Files that a command writes: none of them is what it reads, and no two are the same."""

import json
import os
from collections.abc import Iterable, Mapping
from itertools import combinations
from pathlib import Path

from ecs_anim.scenes.loader import SceneFile
from ecs_anim.scenes.named_files import named_paths
from ecs_anim.support.errors import InputError
from ecs_anim.support.pictures import complete_file
from ecs_anim.support.terminal import print_json, print_note

Written = Mapping[str, Path | str | None]  # by the option that names it; None = none, "-" = standard output


def require_apart(written: Written, read: Iterable[Path | str] = ()) -> None:
    """Raises InputError where a file would be written that is read, or one for two options."""
    read = [*read]
    named = [(option, Path(path)) for option, path in written.items() if path is not None and str(path) != "-"]
    for option, path in named:
        if any(is_same(path, own) for own in read):
            raise InputError(f"{path}: this is what is read; name another file for {option}")
    for (option, path), (other, path_too) in combinations(named, 2):
        if is_same(path, path_too):
            raise InputError(f"{path}: {option} and {other} would both be written there; name another file for one")


def files_of(scene: SceneFile, source: str) -> list[Path]:
    """Return the files of a scene, which was read from a path or by its name: its own file, and all named files."""
    return [Path(source), *named_paths(scene).values()]


def write_json(data: object, path: str) -> None:
    """Write plain data to a file, or to standard output for "-"."""
    if path == "-":
        print_json(data)
        return
    with complete_file(Path(path)) as file:
        file.write(f"{json.dumps(data, indent=2)}\n".encode("ascii"))


def tell_pictures(path: Path, *, asked: bool) -> None:
    """Print the written file. Without `asked`, print the reason for a file, too."""
    print_note(f"wrote {path}" + ("" if asked else ": there is no display for a window, so a picture was written"))


def is_same(one: Path | str, other: Path | str) -> bool:
    """Whether two paths lead to the same file, be it there or not."""
    if os.path.exists(one) and os.path.exists(other):
        return os.path.samefile(one, other)
    return os.path.realpath(one) == os.path.realpath(other)

"""Modules that scenes name: where they are, and how they are run, which nobody does without leave."""

import importlib
import itertools
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PureWindowsPath
from traceback import walk_tb
from types import ModuleType

from ecs_anim.support.errors import InputError
from ecs_anim.support.files import Kind, read_bytes

MODULE = Kind("module", "module_bytes")

_numbers = itertools.count()


def find_module(module: str, folder: Path) -> Path | None:
    """The file that a scene in `folder` names, or None for the name of an importable module; nothing is run.

    Raises ValueError for a file outside the folder or not there, and for what is neither.
    """
    if not module.isprintable():
        raise ValueError(f"{module!r} is not the name of a module")
    if not module.endswith(".py"):
        if not all(part.isidentifier() for part in module.split(".")):
            raise ValueError(f"{module!r} is neither the path of a .py file nor a module's name, such as 'my.systems'")
        return None
    path, outside = Path(module), "leaves the scene's folder; put the module there, or below"
    if path.is_absolute() or PureWindowsPath(module).anchor or ".." in path.parts or "\\" in module:
        raise ValueError(f"{module!r} {outside}")
    file = (folder / path).resolve()
    if not file.is_relative_to(folder.resolve()):
        raise ValueError(f"{module!r} {outside}")
    if not os.path.isfile(file):
        raise ValueError(f"there is no file {folder / path}")
    return file


def run_module(module: str, file: Path | None, origin: str) -> ModuleType:
    """Import a module by its name, or run a file as a new module that no other scene shares. Raises InputError."""
    if file is None:
        with faults_told(origin, module, module):
            return importlib.import_module(module)
    found = ModuleType(f"ecs_anim_scene_{next(_numbers)}_{file.stem}")
    found.__file__ = str(file)
    sys.modules[found.__name__] = found  # dataclasses look their module up
    try:
        with faults_told(origin, module, found.__name__):
            # from the source and nothing else: a stale or foreign __pycache__ is not what its reader allowed
            exec(compile(read_bytes(file, MODULE), found.__file__, "exec"), vars(found))
    except InputError:
        del sys.modules[found.__name__]
        raise
    return found


@contextmanager
def faults_told(origin: str, label: str, module_name: str, *, keeps: bool = False) -> Iterator[None]:
    """Tell what goes wrong in a module's code as one line: an InputError that names the module and the line.

    An InputError of its own, which `keeps` its words where it says itself what it is about, gets the origin.
    """
    try:
        yield
    except (Exception, SystemExit) as error:
        if isinstance(error, InputError) and not isinstance(error, LookupError):  # in words of its own
            if keeps:
                raise
            raise InputError(f"{origin}: {error}") from error
        line = _line(error, module_name)
        where = f"{label}, line {line}" if line else label
        text = error.msg if isinstance(error, SyntaxError) else str(error)
        raise InputError(f"{origin}: {where}: {type(error).__name__}: {text}".removesuffix(": ")) from error


def _line(error: BaseException, module_name: str) -> int | None:
    """The last line that ran of the module, or the line that cannot be compiled."""
    lines = [line for frame, line in walk_tb(error.__traceback__) if frame.f_globals.get("__name__") == module_name]
    if lines:
        return lines[-1]
    return error.lineno if isinstance(error, SyntaxError) else None

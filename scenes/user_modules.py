"""Search and execution of Python modules that scenes name. A module runs only with the permission of the user."""

import importlib
import importlib.util
import itertools
import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PureWindowsPath
from threading import RLock
from traceback import walk_tb
from types import ModuleType
from typing import NamedTuple

from ecs_anim.support.errors import InputError, InputWarning
from ecs_anim.support.files import Kind, read_bytes

MODULE = Kind("module", "module_bytes")

_numbers = itertools.count()


def find_module(module: str, folder: Path) -> Path | None:
    """Return the file that `module` names, or None if `module` is the name of an importable module.

    `folder` is the folder of the scene. The function does not run code. Raises ValueError for a file outside `folder`,
    for a missing file, and for a text that is neither a file name nor a module name.
    """
    if not module.isprintable():
        raise ValueError(f"the name of a module must be printable (got {module!r}). Correct the name.")
    if not module.endswith(".py"):
        if not all(part.isidentifier() for part in module.split(".")):
            raise ValueError(f"{module!r} must be the path of a .py file or the name of a module, such as 'my.systems'")
        return None
    path, outside = Path(module), "must be in the folder of the scene or in a subfolder. Move the module"
    if path.is_absolute() or PureWindowsPath(module).anchor or ".." in path.parts or "\\" in module:
        raise ValueError(f"{module!r} {outside}")
    file = (folder / path).resolve()
    if not file.is_relative_to(folder.resolve()):
        raise ValueError(f"{module!r} {outside}")
    if not os.path.isfile(file):
        raise ValueError(f"there is no file {folder / path}. Correct the path of the module.")
    return file


def run_module(module: str, file: Path | None, origin: str) -> ModuleType:
    """Import a module by its name, or run the module in `file`.

    Later `import` statements return the module that `run_module` returned.

    A file runs only once. If the file has changed since its last run, the file runs again. Raises InputError if the
    code raises an error.
    """
    if file is None:
        with faults_told(origin, module, module):
            return importlib.import_module(module)
    with _lock:
        with faults_told(origin, module, module):
            source = read_bytes(file, MODULE)
        if ran := _ran.get(file):
            if ran.source == source:
                return ran.module
            _warn_of_change(file)
        elif found := _imported(file):
            return found
        _ran[file] = _Ran(_run(file, source, module, origin), source)
        return _ran[file].module


class _Ran(NamedTuple):
    """A file that a scene has run, with the source code of that run."""

    module: ModuleType
    source: bytes


_ran: dict[Path, _Ran] = {}
_lock = RLock()  # reentrant, because a module can load a scene while it runs


def _imported(file: Path) -> ModuleType | None:
    """Return the module that the program has imported from a file, or None."""
    for module in [*sys.modules.values()]:
        found = getattr(module, "__dict__", {}).get("__file__")
        if isinstance(found, str) and os.path.basename(found) == file.name and Path(found).resolve() == file:
            return module
    return None


def _run(file: Path, source: bytes, label: str, origin: str) -> ModuleType:
    """Run a file as a Python module. Later `import` statements find this module. Raises InputError if the code raises
    an error.
    """
    spec = importlib.util.spec_from_file_location(_import_name(file), file)
    assert spec is not None  # find_module has checked that the file ends in .py
    module = importlib.util.module_from_spec(spec)
    before = sys.modules.get(spec.name)
    sys.modules[spec.name] = module  # the module dataclasses searches for modules in sys.modules
    try:
        with faults_told(origin, label, spec.name):
            # Compile the source itself: a stale or foreign __pycache__ is not the code that the user allowed.
            exec(compile(source, str(file), "exec"), vars(module))
    except InputError:
        if before is None:
            del sys.modules[spec.name]
        else:
            sys.modules[spec.name] = before
        raise
    return module


def _import_name(file: Path) -> str:
    """Return the name for a module in `file`: the file name without its ending.

    If an `import` statement with this name would return another module, return a unique name.
    """
    if ran := _ran.get(file):
        return ran.module.__name__
    return file.stem if _is_free(file.stem, file) else f"ecs_anim_scene_{next(_numbers)}_{file.stem}"


def _is_free(name: str, file: Path) -> bool:
    if name in sys.modules:
        return False
    spec = importlib.util.find_spec(name)
    return spec is None or (spec.origin is not None and Path(spec.origin).resolve() == file)


def _warn_of_change(file: Path) -> None:
    text = f"{file}: the file has changed, so its code runs again. Import the classes of this file again"
    warnings.warn(text, InputWarning, stacklevel=2)


@contextmanager
def faults_told(origin: str, label: str, module_name: str, *, keeps: bool = False) -> Iterator[None]:
    """Convert errors in the code of a module to an InputError with the module name and the line number.

    If the module itself raises an InputError, the function adds the prefix `origin` to the message. If `keeps` is true,
    the function does not change such an InputError.
    """
    try:
        yield
    except (Exception, SystemExit) as error:
        if isinstance(error, InputError) and not isinstance(error, LookupError):  # the module itself raised this error
            if keeps:
                raise
            raise InputError(f"{origin}: {error}") from error
        line = _line(error, module_name)
        where = f"{label}, line {line}" if line else label
        text = error.msg if isinstance(error, SyntaxError) else str(error)
        raise InputError(f"{origin}: {where}: {type(error).__name__}: {text}".removesuffix(": ")) from error


def _line(error: BaseException, module_name: str) -> int | None:
    lines = [line for frame, line in walk_tb(error.__traceback__) if frame.f_globals.get("__name__") == module_name]
    if lines:
        return lines[-1]
    return error.lineno if isinstance(error, SyntaxError) else None

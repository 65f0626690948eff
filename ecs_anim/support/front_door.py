"""The public names of a package. The stub file of the package lists the public names and the modules that define these
names.
"""

import ast
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from ecs_anim.support.errors import nearest


def front_door(package: str, file: str) -> tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__all__`, `__getattr__` and `__dir__` of a package. The stub file next to `file` lists the public names.

    Each line of the stub is `from home import name as name`. Lines for submodules are
    `from package import name as name`.
    """
    stub = ast.parse(Path(file).with_suffix(".pyi").read_text("utf-8"))
    lines = [line for line in stub.body if isinstance(line, ast.ImportFrom) and line.module]
    homes = {alias.name: str(line.module) for line in lines for alias in line.names}

    def imported(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r};{nearest(name, homes)}".rstrip(";"))
        home = homes[name]
        value = import_module(f"{home}.{name}") if home == package else getattr(import_module(home), name)
        setattr(sys.modules[package], name, value)
        return value

    return sorted(homes), imported, lambda: sorted(homes)

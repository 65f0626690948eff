"""Loader of the package's GLSL files.

The loader inserts included files and adds preprocessor defines. It also finds the file and the line of a compile error.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import resources

VERSION = "330 core"
COMPUTE_VERSION = "430 core"

_INCLUDE = re.compile(r'^\s*#include\s+"([\w./-]+)"\s*$')
# Drivers write the line number of an error in different formats. Mesa: "0:12(5): error". NVIDIA: "0(12) : error". AMD,
# Intel and Apple: "ERROR: 0:12:".
_PLACE = re.compile(r"\b(\d+)(?::(\d+)(?:\(\d+\))?|\((\d+)\))(?=\s*:)")


@dataclass(frozen=True)
class Source:
    """A GLSL text for the compiler, and the names of the files that the text was assembled from."""

    text: str
    files: tuple[str, ...]  # index = source-string number of `#line`

    def explain(self, log: str) -> str:
        """Return the compiler message `log` with file names in place of source-string numbers."""

        def name(found: re.Match[str]) -> str:
            index = int(found[1])
            file = self.files[index] if index < len(self.files) else found[1]
            return f"{file}:{found[2] or found[3]}"

        return "\n".join(_PLACE.sub(name, line, count=1) for line in log.splitlines())


def read_shader(name: str) -> str:
    """Return the text of the file `name` in `ecs_anim.gl.shaders`. Raise FileNotFoundError for an unknown name."""
    return resources.files("ecs_anim.gl.shaders").joinpath(name).read_text("utf-8")


def load_source(name: str, defines: Iterable[str] = (), version: str = VERSION) -> Source:
    """Return the complete source of the shader file `name`, with all included files.

    The source begins with `#version` and with a `#define` for each item of `defines`. Each file is included once. A
    define is a name such as "FLAT_NORMALS", or a name with a value such as "INFLUENCES 2".
    """
    files: list[str] = []
    body = _expand(name, files)
    header = [f"#version {version}", *(f"#define {define}" for define in sorted(defines))]
    return Source("\n".join([*header, *body, ""]), tuple(files))


def _expand(name: str, files: list[str]) -> list[str]:
    index = len(files)
    files.append(name)
    lines = [f"#line 1 {index}"]
    for number, line in enumerate(read_shader(name).splitlines(), start=1):
        found = _INCLUDE.match(line)
        if not found:
            lines.append(line)
        elif found[1] not in files:
            lines += [*_expand(found[1], files), f"#line {number + 1} {index}"]
        else:
            lines.append("")
    return lines

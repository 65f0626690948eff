"""Translation of the GLSL files for browsers, from GLSL 3.30 to GLSL ES 3.00 of WebGL 2.

GLSL ES 3.00 has no texture buffers. Therefore, a texture buffer becomes a 2D texture with `TABLE_WIDTH` columns. A
macro computes the column and the row of a texel. The page inserts the included files, and adds the version, the head
and the defines before it compiles a shader.
"""

import re

from ecs_anim.gl.device.source import load_source, read_shader

TABLE_WIDTH = 2048  # columns of a texture that replaces a texture buffer
NAMES = (
    *("skinned.vert", "skinned.frag", "shadow.vert", "shadow_surface.vert", "shadow.frag", "surface.vert"),
    *("surface.frag", "ground.vert", "ground.frag", "sky.vert", "sky.frag", "contact.vert", "contact.frag"),
    *("present.vert", "present.frag", "path.vert", "path.frag"),
    *("impostor.vert", "impostor.frag", "impostor_texel.frag"),
)
HEAD = "head"  # name of the text that precedes each shader

_BUFFER = re.compile(r"^uniform ([iu]?)samplerBuffer (\w+);", re.MULTILINE)
_DROPPED = re.compile(r"^#(version|line|extension)\b.*\n|//.*$", re.MULTILINE)
_BLANK = re.compile(r"\n\s*\n+")
_HEAD = f"""precision highp float;
precision highp int;
precision highp sampler2D;
precision highp isampler2D;
precision highp sampler2DArray;
precision highp sampler2DShadow;
#define buffer_texel(table, at) texelFetch(table, ivec2((at) % {TABLE_WIDTH}, (at) / {TABLE_WIDTH}), 0)
"""


def page_shaders() -> dict[str, str]:
    """Return the text of each GLSL file of the page by its file name, and the head. Each file occurs only once."""
    files = {file: read_shader(file) for name in NAMES for file in load_source(name).files}
    buffers = [name for text in files.values() for _, name in _BUFFER.findall(text)]
    return {HEAD: _HEAD} | {name: translated(text, buffers) for name, text in files.items()}


def translated(text: str, buffers: list[str]) -> str:
    """Translate a GLSL 3.30 text to GLSL ES 3.00. `buffers` are the names of all texture buffers.

    The result has no comments, `#version`, `#line` and `#extension`.
    """
    text = _DROPPED.sub("", text)
    for name in buffers:
        text = re.sub(rf"\btexelFetch\({name},", f"buffer_texel({name},", text)
    text = _BUFFER.sub(r"uniform \1sampler2D \2;", text)
    return _BLANK.sub("\n", text).lstrip()

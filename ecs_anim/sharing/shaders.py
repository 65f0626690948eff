"""Translation of the GLSL files for browsers, from GLSL 3.30 to GLSL ES 3.00 of WebGL 2.

GLSL ES 3.00 has no texture buffers. Therefore, a texture buffer becomes a 2D texture with `TABLE_WIDTH` columns. A
macro computes the column and the row of a texel. The page adds the version and the defines before it compiles a shader.
"""

import re

from ecs_anim.gl.device.source import load_source

TABLE_WIDTH = 2048  # columns of a texture that replaces a texture buffer
NAMES = (
    *("skinned.vert", "skinned.frag", "shadow.vert", "shadow_surface.vert", "shadow.frag", "surface.vert"),
    *("surface.frag", "ground.vert", "ground.frag", "sky.vert", "sky.frag", "contact.vert", "contact.frag"),
    *("present.vert", "present.frag", "path.vert", "path.frag"),
    *("impostor.vert", "impostor.frag", "impostor_texel.frag"),
)

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
    """Return the text of each shader of the page by its file name, without `#version` and without defines."""
    return {name: translated(load_source(name).text) for name in NAMES}


def translated(text: str) -> str:
    """Translate a GLSL 3.30 text to GLSL ES 3.00. The result has no comments, `#version`, `#line` and `#extension`."""
    text = _DROPPED.sub("", text)
    for _, name in _BUFFER.findall(text):
        text = re.sub(rf"\btexelFetch\({name},", f"buffer_texel({name},", text)
    text = _BUFFER.sub(r"uniform \1sampler2D \2;", text)
    return _HEAD + _BLANK.sub("\n", text).lstrip()

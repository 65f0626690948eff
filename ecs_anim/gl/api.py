"""OpenGL's entry points and constants, looked up at first use.

Importing `pyglet.gl` fixes for the whole process whether pyglet draws headless or in windows, so no
module of ours may import it while being imported: they say `from ecs_anim.gl import api as gl`, and
`ecs_anim.gl.context` decides before the first look-up.
"""

from typing import Any


def __getattr__(name: str) -> Any:
    if not (name.startswith(("gl", "GL_")) or name == "Config"):
        raise AttributeError(name)  # somebody looks about, such as a test collector
    import pyglet.gl

    value = getattr(pyglet.gl, name)
    globals()[name] = value  # the next look-up is a plain global
    return value

"""OpenGL's entry points and constants, looked up at first use.

Importing `pyglet.gl` fixes for the whole process whether pyglet draws headless or in windows, so no
module of ours may import it while being imported: they say `from ecs_anim.gl.device import api as gl`, and
`ecs_anim.gl.device.context` decides before the first look-up.

A process that was forked from one that draws has the driver's memory and none of its threads: whatever it asked of
OpenGL would wait for ever. There every look-up raises InputError.
"""

import os
from typing import Any

from ecs_anim.support.errors import InputError

_lost = False


def is_lost() -> bool:
    """Whether this process was forked from one that draws, and has no OpenGL."""
    return _lost


def require_here() -> None:
    """Raise InputError where this process has no OpenGL, as it was forked from one that draws."""
    if _lost:
        raise InputError(
            "this process was forked from one that draws, and OpenGL does not survive that: draw in the first one, or"
            ' start processes by multiprocessing.get_context("spawn")'
        )


def __getattr__(name: str) -> Any:
    if not (name.startswith(("gl", "GL_")) or name == "Config"):
        raise AttributeError(name)  # such as a test collector that inspects the module
    require_here()
    import pyglet.gl

    value = getattr(pyglet.gl, name)
    globals()[name] = value  # the next look-up is a plain global
    return value


def _lose() -> None:
    """Forget what was looked up, if anything was."""
    global _lost
    found = [name for name in globals() if name.startswith(("gl", "GL_")) or name == "Config"]
    for name in found:
        del globals()[name]
    _lost = _lost or bool(found)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_lose)

"""The functions and constants of OpenGL. The module looks up each name in `pyglet.gl` at the first use of the name.

The import of `pyglet.gl` decides for the whole process whether pyglet draws with windows or without windows. Modules of
the package must therefore not import `pyglet.gl` at module level. Modules use `from ecs_anim.gl.device import api as
gl`. Before the first look-up, the module `ecs_anim.gl.device.context` selects whether pyglet uses windows.

A forked child of a drawing process has a copy of the driver's memory, but not the driver's threads. An OpenGL call in a
forked child would never return. Therefore, every look-up in a forked child raises InputError.
"""

import os
from typing import Any

from ecs_anim.support.errors import InputError

_lost = False


def is_lost() -> bool:
    """Return whether this process is a forked child of a drawing process. In a forked child, OpenGL does not work."""
    return _lost


def require_here() -> None:
    """Raise InputError if this process is a forked child of a drawing process. In a forked child, OpenGL does
    not work.
    """
    if _lost:
        raise InputError(
            "this process was forked from a process that draws, and OpenGL cannot draw in a forked process. Draw in"
            ' the first process, or start this process with multiprocessing.get_context("spawn").'
        )


def __getattr__(name: str) -> Any:
    if not (name.startswith(("gl", "GL_")) or name == "Config"):
        # other code can look up any name here, for example a test collector that inspects the module
        raise AttributeError(name)
    require_here()
    import pyglet.gl

    value = getattr(pyglet.gl, name)
    globals()[name] = value  # stores the value, so that the next look-up does not call this function
    return value


def _lose() -> None:
    """Forget all functions and constants of OpenGL that the module has looked up, so that the next use looks them up
    again.
    """
    global _lost
    found = [name for name in globals() if name.startswith(("gl", "GL_")) or name == "Config"]
    for name in found:
        del globals()[name]
    _lost = _lost or bool(found)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_lose)

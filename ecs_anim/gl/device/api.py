"""OpenGL's entry points and constants, looked up at first use.

The import of `pyglet.gl` decides for the whole process whether pyglet draws headless or in windows. Therefore no
module of the package may import `pyglet.gl` at its own import. Modules write `from ecs_anim.gl.device import api as
gl`. `ecs_anim.gl.device.context` selects headless or windows before the first look-up.

A process that was forked from a drawing process has the driver's memory but not the driver's threads. OpenGL calls in
a forked process would never return. In such a process, every look-up raises InputError.
"""

import os
from typing import Any

from ecs_anim.support.errors import InputError

_lost = False


def is_lost() -> bool:
    """Return whether this process was forked from a drawing process and therefore has no OpenGL."""
    return _lost


def require_here() -> None:
    """Raise InputError if this process has no OpenGL because it was forked from a drawing process."""
    if _lost:
        raise InputError(
            "a process that was forked from a drawing process must not draw, because OpenGL does not survive a fork."
            ' Draw in the first process, or start processes with multiprocessing.get_context("spawn").'
        )


def __getattr__(name: str) -> Any:
    if not (name.startswith(("gl", "GL_")) or name == "Config"):
        raise AttributeError(name)  # for example, a test collector inspects the module
    require_here()
    import pyglet.gl

    value = getattr(pyglet.gl, name)
    globals()[name] = value  # the next look-up reads a plain global
    return value


def _lose() -> None:
    """Forget the functions and constants that were looked up."""
    global _lost
    found = [name for name in globals() if name.startswith(("gl", "GL_")) or name == "Config"]
    for name in found:
        del globals()[name]
    _lost = _lost or bool(found)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_lose)

"""Ownership of GPU objects. An owner frees its GPU objects with `Resource.free`."""

from ctypes import c_int, c_uint
from functools import cached_property
from typing import Any, Self, TypeVar

from ecs_anim.gl.device import api as gl

Part = TypeVar("Part", bound="Resource")


class Resource:
    """Base class of all objects that own GL names.

    To free an object, use the object in a `with` block or call `Resource.free`.
    """

    _freed = False

    @property
    def freed(self) -> bool:
        """Return whether the object was freed: its GL names are then deleted."""
        return self._freed

    @cached_property
    def _parts(self) -> list["Resource"]:
        return []

    @cached_property
    def _names(self) -> list[tuple[str, int]]:
        return []

    def keep(self, part: Part) -> Part:
        """Make this object the owner of `part`, and return `part`. When this object is freed, `part` is also freed."""
        self._parts[:] = [known for known in self._parts if not known.freed]
        self._parts.append(part)
        return part

    def generate(self, kind: str) -> int:
        """Return a new GL name. When this object is freed, the GL name is deleted.

        The function `generate` describes `kind`.
        """
        self._names.append((kind, generate(kind)))
        return self._names[-1][1]

    def free(self) -> None:
        """Free the parts of this object, and delete its GL names. A second call of `free` does nothing.

        A call in a forked process does nothing.
        """
        if not self._freed:
            self._freed = True
            if not gl.is_lost():
                self._release()

    def _release(self) -> None:
        """Free the parts of this object in reverse order. Then, delete the GL names of this object."""
        for part in reversed(self._parts):
            part.free()
        for kind, name in self._names:
            delete(kind, name)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.free()


def generate(kind: str) -> int:
    """Return a new GL name. `kind` is the plural of the object type in GL's spelling, for example "Buffers"."""
    name = c_uint()
    getattr(gl, f"glGen{kind}")(1, name)
    return int(name.value)


def delete(kind: str, name: int) -> None:
    """Delete a GL name. `kind` is the plural of the object type in GL's spelling, for example "Buffers"."""
    getattr(gl, f"glDelete{kind}")(1, c_uint(name))


def get_integer(parameter: Any) -> int:
    """Return the value of an integer GL state variable. `parameter` is the GL constant of the variable."""
    value = c_int()
    gl.glGetIntegerv(parameter, value)
    return int(value.value)

"""Ownership of GPU memory: an object frees its GL names once, when told to."""

from ctypes import c_int, c_uint
from typing import Any, Self

from ecs_anim.gl.device import api as gl


class Resource:
    """Base of everything that owns GL names; use it as a context manager or call `free`."""

    _freed = False

    @property
    def freed(self) -> bool:
        """Whether the GL names are gone."""
        return self._freed

    def free(self) -> None:
        """Give the GL names back. A second call does nothing, nor does one in a process that was forked off."""
        if not self._freed:
            self._freed = True
            if not gl.is_lost():
                self._release()

    def _release(self) -> None:
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.free()


def generate(kind: str) -> int:
    """A new GL name; `kind` is the plural in GL's own spelling, such as "Buffers"."""
    name = c_uint()
    getattr(gl, f"glGen{kind}")(1, name)
    return int(name.value)


def delete(kind: str, *names: int) -> None:
    """Delete GL names of one kind."""
    getattr(gl, f"glDelete{kind}")(len(names), (c_uint * len(names))(*names))


def get_integer(parameter: Any) -> int:
    """One integer of GL's state."""
    value = c_int()
    gl.glGetIntegerv(parameter, value)
    return int(value.value)

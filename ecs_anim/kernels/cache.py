"""Where compiled kernels are kept: numba's cache, and behind it those that came with the package (`kit`).

Numba keeps a kernel for as long as its own file stays the same, and would go on with a helper that has changed in
another one. Here a kernel is as old as all that it is made of.
"""

import re
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile
from numba.core.runtime import rtsys

from ecs_anim.kernels import kit

_OURS = re.compile(rb"^from (ecs_anim[\w.]*) import (\([^)]*\)|.*)", re.MULTILINE)
_NAME = re.compile(rb"\w+")


class _Records(CompileResultCacheImpl):
    """Numba's records of kernels, which do not say which modules of numba's own helped.

    Who loads a record would import these: numba's half of numpy for each `np.empty`, 40 ms. Only what prints, or raises
    with numbers, asks for its module as it runs.
    """

    def reduce(self, data: Any) -> Any:
        *record, environments = super().reduce(data)
        return (*record, tuple(own for own in environments if own.consts or not _is_numbas(own)))


def _is_numbas(environment: Any) -> bool:
    """Whether a function is one of numba's."""
    name = str(environment.globals.get("__name__"))
    return name.partition(".")[0] == "numba"


class KernelCache(FunctionCache):
    """One kernel's place in numba's cache, and in the kit."""

    _impl_class = _Records

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self._name = f"{function.__module__.rpartition('.')[2]}.{function.__qualname__}"
        self._stamp = source_stamp(function.__module__)
        self._cache_file = IndexDataCacheFile(self._cache_path, self._impl.filename_base, self._stamp)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compiled kernel, or None: it has to be compiled.

        Numba first gets ready to compile, which takes half a second of each program. Here that waits until it does.
        """
        rtsys.initialize(target_context)
        with self._guard_against_spurious_io_errors():
            found = self._load_overload(sig, target_context)
            if found is None and (shipped := kit.shipped(self._name, self._stamp)):
                found = self._impl.rebuild(target_context, shipped)
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keeps a compiled kernel, where there is room: on a full disk it serves this program alone."""
        with suppress(OSError):
            super().save_overload(sig, data)

    def kept(self, sig: Any, target_context: Any) -> tuple[str, bytes, Any]:
        """What numba's cache has: the kernel's name, its stamp and numba's record of it. Raises LookupError."""
        record = self._cache_file.load(self._index_key(sig, target_context.codegen()))
        if record is None:
            raise LookupError(self._name)
        return self._name, self._stamp, record


def source_stamp(module: str) -> bytes:
    """A digest of a module's text, and of the text of all modules of ours that it imports, directly or not.

    What a function imports as it is called does not count: no kernel is made of it, and some programs have it already.
    """
    found, left = {module}, [module]
    while left:
        new = _read(left.pop())[1] - found
        found |= new
        left.extend(new)
    return sha256(b"".join(_read(name)[0] for name in sorted(found))).digest()


@cache
def _read(module: str) -> tuple[bytes, frozenset[str]]:
    """A module's digest, and which modules of ours it imports. They have been imported when a kernel is compiled."""
    text = Path(str(sys.modules[module].__file__)).read_bytes()
    names = set()
    for package, own in _OURS.findall(text):
        names |= {package.decode(), *(f"{package.decode()}.{name.decode()}" for name in _NAME.findall(own))}
    return sha256(text).digest(), frozenset(names & sys.modules.keys())

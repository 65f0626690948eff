"""Where compiled kernels are kept: files beside the package or in the user's cache folder, and the kit (`kit`).

Numba keeps a kernel for as long as the kernel's own file stays the same, and would use a kernel whose helper has
changed in another file. Here a kernel is used only while all sources that it is made of are unchanged.
"""

import inspect
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from numba import config
from numba.core.caching import CompileResultCacheImpl, FunctionCache, NullCache
from numba.core.compiler import CompileResult
from numba.core.runtime import rtsys

from ecs_anim.kernels import kit
from ecs_anim.kernels.kernel_file import KernelFile
from ecs_anim.support.cache_folder import cache_folder, can_be_written
from ecs_anim.support.errors import InputError

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


def cache_of(function: Callable[..., Any]) -> Any:
    """Return the cache of a kernel: a file and the kit, or the kit alone if no folder can be written."""
    try:
        with _numbas_folder(_folder_for(function)):
            return KernelCache(function)
    except RuntimeError:  # numba finds no folder
        return ShippedKernel(function)


def _folder_for(function: Callable[..., Any]) -> Path | None:
    """Return a folder for the kernels of a module whose own folder cannot be written. None: numba's choice will do."""
    source = Path(inspect.getfile(function))
    is_numbas = config.CACHE_DIR or not source.exists() or can_be_written(source.parent / "__pycache__")
    return None if is_numbas else cache_folder("kernels")


@contextmanager
def _numbas_folder(folder: Path | None) -> Iterator[None]:
    """Set numba's folder for caches in the block, unless the folder is None."""
    usual = config.CACHE_DIR
    config.CACHE_DIR = str(folder) if folder else usual
    try:
        yield
    finally:
        config.CACHE_DIR = usual


class KernelCache(FunctionCache):
    """One kernel's file, and its place in the kit."""

    _impl_class = _Records

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self._shipped = ShippedKernel(function)
        self._cache_file = KernelFile(Path(self._cache_path), self._impl.filename_base, self._shipped.stamp)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the compiled kernel. None: it has to be compiled.

        Numba first gets ready to compile, which takes half a second of each program. Here that waits until it does.
        """
        rtsys.initialize(target_context)
        with self._guard_against_spurious_io_errors():
            found = self._load_overload(sig, target_context)
        return found or self._shipped.load_overload(sig, target_context)

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep a compiled kernel. On a full disk it serves this program alone."""
        with suppress(OSError, InputError):
            super().save_overload(sig, data)

    def kept(self, sig: Any, target_context: Any) -> tuple[str, bytes, Any]:
        """Return the name of a kernel, its stamp, and numba's record from the file. Raises LookupError."""
        record = self._cache_file.load(self._index_key(sig, target_context.codegen()))
        if record is None:
            raise LookupError(self._shipped.name)
        return self._shipped.name, self._shipped.stamp, record


class ShippedKernel(NullCache):
    """One kernel's place in the kit: a cache that keeps nothing."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.name = f"{function.__module__.rpartition('.')[2]}.{function.__qualname__}"
        self.stamp = source_stamp(function.__module__)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the kernel that came compiled with the package, or None."""
        rtsys.initialize(target_context)
        record = kit.shipped(self.name, self.stamp)
        return record and CompileResult._rebuild(target_context, *record)


def source_stamp(module: str) -> bytes:
    """Return a digest of a module's text, and of the text of all modules of ours that it imports, directly or not.

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

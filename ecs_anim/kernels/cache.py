"""The cache of compiled kernels. Each kernel has its own folder for numba's files. Numba compares a cached kernel only
with the file that declares the kernel. So the folder's name contains a digest of all source files that the kernel uses,
of the CPU, and of the versions of Python, numba and llvmlite. Numba stores its files next to a copy of the source file,
so that they do not depend on the installation folder, and the package can ship them (see `kit`).
"""

import inspect
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import llvmlite
import numba
from llvmlite import binding
from numba import config

from ecs_anim.kernels import kit
from ecs_anim.support.cache_folder import cache_folder, can_be_written
from ecs_anim.support.errors import InputError

KEPT = 4  # number of folders to keep for each kernel, for several branches or CPUs
SAME_TIME = 1_000_000_000  # modification time of each copy, because older versions of numba compare file times
_OURS = re.compile(rb"^from (ecs_anim[\w.]*) import (\([^)]*\)|.*)", re.MULTILINE)
_NAME = re.compile(rb"\w+")


class KernelFolder:
    """The folder with the cache files of one kernel for one CPU."""

    def __init__(self, base: Path, name: str, source: Path) -> None:
        self.path = base / name
        self._source, self._copy = source, base / name / f"{source.stem}.source"
        self._files, self._checksum = base / name / "__pycache__", base / name / "checksum"

    @classmethod
    def of(cls, function: Callable[..., Any]) -> "KernelFolder | None":
        """Return the folder of a kernel. Return None if the kernel has no source file, or if no folder is writable."""
        source = Path(inspect.getfile(function))
        base = base_folder(source) if source.exists() else None
        if base is None:
            return None
        name = re.sub(r"[^\w.]", "", f"{source.stem}.{function.__qualname__}")
        own = cls(base, f"{name}-{_digest(function.__module__)}", source)
        try:
            own.prepare(name)
        except (OSError, InputError):
            return None
        return own

    def holds_kernel(self) -> bool:
        """Return true if the folder contains numba's files, and if the files match their checksum."""
        with suppress(OSError):
            return self._checksum.read_bytes() == self._sum()
        return False

    @contextmanager
    def in_use(self, function: Callable[..., Any]) -> Iterator[None]:
        """Within the `with` block, numba caches the kernel `function` in this folder. Files that do not match their
        checksum are deleted first.
        """
        if not self.holds_kernel():
            shutil.rmtree(self._files, ignore_errors=True)
        function.__code__ = function.__code__.replace(co_filename=str(self._copy))
        usual, config.CACHE_DIR = config.CACHE_DIR, ""
        try:
            yield
        finally:
            config.CACHE_DIR = usual
        with suppress(OSError, InputError):
            if not self.holds_kernel():
                _write(self._checksum, self._sum())

    def remove(self) -> None:
        """Delete numba's files from the folder."""
        shutil.rmtree(self._files, ignore_errors=True)

    def prepare(self, name: str) -> None:
        """Create the folder of the kernel, or unpack it from the kit, and delete folders for old versions of the
        kernel.
        """
        if not self._copy.exists() and not kit.unpack(self.path):
            self.path.mkdir(exist_ok=True)
            _write(self._copy, self._source.read_bytes())
            others = sorted(self.path.parent.glob(f"{name}-*"), key=lambda path: path.stat().st_mtime)
            for old in others[:-KEPT]:
                shutil.rmtree(old, ignore_errors=True)
        os.utime(self._copy, (SAME_TIME, SAME_TIME))

    def _sum(self) -> bytes:
        """Return the digest of numba's files. Raise OSError if the folder for the files does not exist."""
        total = sha256()
        for name in sorted(name for name in os.listdir(self._files) if name.endswith((".nbc", ".nbi"))):
            total.update(name.encode() + (self._files / name).read_bytes())
        return total.hexdigest().encode()


def base_folder(source: Path) -> Path | None:
    """Return the parent of all cache folders, or None if no folder is writable: the folder of numba's settings, or
    `__pycache__` next to `source`, or else a folder in the user's cache folder.
    """
    if config.CACHE_DIR:
        folder = Path(config.CACHE_DIR)
        return folder if can_be_written(folder) else None
    beside = source.parent / "__pycache__"
    return beside if can_be_written(beside) else cache_folder("kernels")


def _write(path: Path, content: bytes) -> None:
    from ecs_anim.support.pictures import complete_file

    with complete_file(path) as file:
        file.write(content)


def _digest(module: str) -> str:
    """Return a digest of a module's source files, the CPU, and the versions of numba, llvmlite and Python."""
    return sha256(repr((source_stamp(module), _machine())).encode()).hexdigest()[:20]


@cache
def _machine() -> tuple[str, ...]:
    features = config.CPU_FEATURES
    return (
        numba.__version__,
        llvmlite.__version__,
        str(sys.implementation.cache_tag),
        binding.get_process_triple(),
        config.CPU_NAME or binding.get_host_cpu_name(),
        binding.get_host_cpu_features().flatten() if features is None else features,
    )


def source_stamp(module: str) -> bytes:
    """Return a digest of the source files of `module`, and of all modules of the package that it imports. Imports
    inside functions do not count, because kernels do not use these modules.
    """
    return sha256(b"".join(_read(name)[0] for name in sorted(sources_of(module)))).digest()


def sources_of(module: str) -> set[str]:
    """Return the imported module `module`, and all modules of the package that it imports directly or indirectly."""
    found, left = {module}, [module]
    while left:
        new = _read(left.pop())[1] - found
        found |= new
        left.extend(new)
    return found


@cache
def _read(module: str) -> tuple[bytes, frozenset[str]]:
    """Return the digest of a module's source text, and the modules of the package that the text imports."""
    text = Path(str(sys.modules[module].__file__)).read_bytes()
    names = set()
    for package, own in _OURS.findall(text):
        names |= {package.decode(), *(f"{package.decode()}.{name.decode()}" for name in _NAME.findall(own))}
    return sha256(text).digest(), frozenset(names & sys.modules.keys())

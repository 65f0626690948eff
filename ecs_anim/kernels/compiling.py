"""Compiling: kernels compile as their modules are imported, once, and are loaded from numba's cache afterwards.

`python -m ecs_anim.kernels.compiling NAME...` imports the modules of these names.
"""

import gc
import importlib
import os
import pkgutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from multiprocessing import get_context
from types import TracebackType
from typing import Self

from numba.core import event

from ecs_anim import kernels
from ecs_anim.kernels import FirstCompilation

PACKAGE = "ecs_anim.kernels"
ROOTS = ("pose_palettes", "palette", "sampling", "playback")  # which others import
# Those that import no root, the longest last, and those that do; all others take no time, or little.
APART = ("controller", "ground", "culling", "baked_actors", "look_at", "locomotion", "grounding_legs")
ON_ROOTS = ("reach", "dual_palette", "skinning", "clip_curves", "events", "foot_contacts")
OBJECTS = 100_000  # numba makes millions, hardly any garbage: looking for it every 700 takes a fifth of all the time


def kernel_modules() -> list[str]:
    """Names of all modules of kernels; the first are best compiled first."""
    names = [module.name for module in pkgutil.iter_modules(kernels.__path__) if module.name != "compiling"]
    first = [*ROOTS, *APART[::-1], *ON_ROOTS]
    return sorted(sorted(names), key=lambda name: first.index(name) if name in first else len(first))


def compile_modules(names: Sequence[str]) -> Iterator[str]:
    """Fill the cache with modules of kernels, on all processors; yields the name of each as it is done."""
    workers = min(os.cpu_count() or 1, len(names))
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn"), initializer=kernels.hush) as pool:
        tasks = {pool.submit(import_module, name): name for name in names}
        for task in as_completed(tasks):
            task.result()
            yield tasks[task]


def import_modules(names: Sequence[str]) -> None:
    """Import modules of kernels; once one has to be compiled, other processes begin with those that stand apart.

    So nobody compiles what somebody else compiles just now, or only where both meet.
    """
    missing = [name for name in _from_roots(names) if f"{PACKAGE}.{name}" not in sys.modules]
    with _Helpers(missing) as helpers, event.install_listener("numba:compile", FirstCompilation(helpers.start)):
        for name in missing:
            helpers.at = name
            import_module(name)


def import_module(name: str) -> None:
    """Compile a module of kernels, or load it from the cache."""
    with _rare_collections():
        importlib.import_module(f"{PACKAGE}.{name}")


@contextmanager
def _rare_collections() -> Iterator[None]:
    """Look for garbage once in `OBJECTS` new objects."""
    usual = gc.get_threshold()
    gc.set_threshold(OBJECTS, *usual[1:])
    try:
        yield
    finally:
        gc.set_threshold(*usual)


def _from_roots(names: Sequence[str]) -> list[str]:
    """Those that stand apart last, the longest at the end."""
    rest = [name for name in names if name not in (*ROOTS, *APART)]
    return [*(name for name in ROOTS if name in names), *rest, *(name for name in APART if name in names)]


class _Helpers:
    """Processes that compile what comes after the module at hand, the last first."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = list(names)
        self._processes: list[subprocess.Popen[bytes]] = []
        self.at = ""

    def start(self) -> None:
        """Share out what is left. Nobody waits: what a helper has compiled by its turn is loaded, all else compiled."""
        left = self._names[self._names.index(self.at) + 1 :][::-1]
        count = min((os.cpu_count() or 1) - 1, len(left))
        for number in range(count):
            command = [sys.executable, "-m", f"{PACKAGE}.compiling", *left[number::count]]
            self._processes.append(subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for process in self._processes:
            process.terminate()  # all is here by now, or the user has had enough
            process.wait()


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        import_module(argument)

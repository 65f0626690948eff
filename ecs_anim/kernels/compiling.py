"""Compiling: kernels compile as their modules are imported, once, and are loaded from numba's cache afterwards.

`python -m ecs_anim.kernels.compiling NAME...` imports the modules of these names.
"""

import gc
import importlib
import os
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
# In which order they are imported. One process begins here, the next one at the end; what they meet at takes no time.
# Those that ask much of `motion` come first, those that ask much of `vectors` last, so that few compile both.
ORDER = (
    *(
        "playback",
        "sampling",
        "baked_actors",
        "locomotion",
        "fading",
        "controller",
        "foot_contacts",
        "events",
        "morphs",
    ),
    *("clip_curves", "layers", "culling", "pose_palettes", "nearness", "parameters", "short_palette"),
    *("types", "lanes", "motion", "walk", "vectors", "rotations", "joint_limits", "chain_steps"),
    *("palette", "ground", "nearest", "targets", "skinning", "look_at", "grounding_probes", "grounding_plans"),
    *("grounding_legs", "dual_palette", "reach"),
)
OBJECTS = 100_000  # numba makes millions, hardly any garbage: looking for it every 700 takes a fifth of all the time


def kernel_modules() -> list[str]:
    """Names of all modules of kernels, from both ends of their order in turn: so they are best compiled."""
    return [name for pair in zip(ORDER, ORDER[::-1], strict=True) for name in pair][: len(ORDER)]


def compile_modules(names: Sequence[str]) -> Iterator[str]:
    """Fill the cache with modules of kernels, on all processors; yields the name of each as it is done."""
    workers = min(os.cpu_count() or 1, len(names))
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn"), initializer=kernels.hush) as pool:
        tasks = {pool.submit(import_module, name): name for name in names}
        for task in as_completed(tasks):
            task.result()
            yield tasks[task]


def import_modules(names: Sequence[str]) -> None:
    """Import modules of kernels; once one has to be compiled, other processes begin at the end.

    So nobody compiles what somebody else compiles just now, or only where both meet.
    """
    missing = [name for name in sorted(names, key=ORDER.index) if f"{PACKAGE}.{name}" not in sys.modules]
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

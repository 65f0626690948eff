"""Compilation of kernels. `import_module` imports a module and provides its kernels, compiled or from the cache."""

import gc
import importlib
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Condition, Thread, current_thread, main_thread
from types import ModuleType, TracebackType
from typing import Any, Self

from ecs_anim import kernels
from ecs_anim.kernels.cache import sources_of
from ecs_anim.support.progress import ChangingLine

PACKAGE = "ecs_anim.kernels"
DECLARES = re.compile(r"^@(\w*kernel|stage)\(", re.MULTILINE)  # matches the declaration of a kernel
# With `-m`, Python would first search the current folder, which can contain another package named `ecs_anim`.
START = "import sys; sys.path[:] = {path!r}; from ecs_anim.kernels.compiling import help_out; help_out(sys.argv[1:])"


def kernel_modules() -> list[str]:
    """Return the names of all modules that declare kernels."""
    files = Path(__file__).parent.glob("*.py")
    return sorted(path.stem for path in files if DECLARES.search(path.read_text("utf-8")))


def compile_modules(names: Sequence[str]) -> Iterator[str]:
    """Compile modules on all processors, and store the kernels in the cache. Yield each finished module."""
    ordered = _in_order(names)
    with _Helpers(ordered) as helpers:
        for name in ordered:
            helpers.import_here([name])
            yield name


def import_modules(names: Sequence[str]) -> None:
    """Import modules of kernels, and compile their kernels."""
    with imported_meanwhile(names):
        pass


@contextmanager
def imported_meanwhile(names: Sequence[str]) -> Iterator[None]:
    """Import modules, and compile their kernels while the code of the `with` block runs. If a kernel must be compiled,
    helper processes compile modules from the end of the list. At the end of the block, this process compiles the rest,
    and waits for each module that a helper process has begun. Terminals and notebooks show the progress.
    """
    names = [name for name in names if _is_missing(name)]
    missing = [name for name in _in_order(names) if _is_missing(name)]
    line = ChangingLine()
    with _Helpers(missing) as helpers:
        helpers.import_here(missing[:1])
        yield
        for number, name in enumerate(missing[1:], start=2):
            helpers.import_here([name])
            if helpers.have_begun:
                line.show(f"compiling: {number} of {len(missing)} kernel modules")
    line.clear()


def import_module(name: str) -> ModuleType:
    """Import a module, and compile its kernels or load the kernels from the cache."""
    with _late_interrupts(), _no_collections():
        module = importlib.import_module(f"{PACKAGE}.{name}")
        kernels.compile_kernels(f"{PACKAGE}.{name}")
    return module


def _in_order(names: Sequence[str]) -> list[str]:
    """Import modules. Return their names, sorted by the number of their source files: neighbours share many helpers."""
    for name in names:
        importlib.import_module(f"{PACKAGE}.{name}")
    return sorted(set(names), key=lambda name: (len(sources_of(f"{PACKAGE}.{name}")), name))


def _is_missing(name: str) -> bool:
    module = f"{PACKAGE}.{name}"
    return module not in sys.modules or kernels.are_waiting(module)


@contextmanager
def _late_interrupts() -> Iterator[None]:
    """Until the `with` block ends, delay the first signal whose handler raises an exception. LLVM would lose an
    exception that a signal handler raises during a compilation.
    """
    handlers: dict[int, Any] = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    raising = {number: handler for number, handler in handlers.items() if callable(handler)}
    if current_thread() is not main_thread() or not raising:
        yield
        return
    came: list[int] = []

    def note(number: int, _: object) -> None:
        came.append(number)
        signal.signal(number, raising[number])

    for number in raising:
        signal.signal(number, note)
    try:
        yield
    finally:
        for number, handler in raising.items():
            signal.signal(number, handler)
    for number in came:
        raising[number](number, None)


@contextmanager
def _no_collections() -> Iterator[None]:
    """Disable garbage collection in the `with` block, and then move all objects to the oldest generation. Numba creates
    millions of objects, of which few become garbage. With collections, a start without a cache would take a tenth more
    time.
    """
    usual = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if usual and not gc.get_freeze_count():
            gc.freeze()
            gc.unfreeze()
        if usual:
            gc.enable()


class _Helpers:
    """Processes that compile modules from the end of the list, while this process compiles from the beginning."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = list(names)
        self._helpers: list[_Helper] = []
        self._at = ""
        self.have_begun = False  # whether a kernel must be compiled

    def _start(self) -> None:
        """Start the helper processes once. A program that embeds Python has no interpreter for them."""
        if self.have_begun:
            return
        self.have_begun = True
        left = self._names[self._names.index(self._at) + 1 :][::-1]
        count = min((os.cpu_count() or 1) - 1, len(left)) if "python" in Path(sys.executable or "").stem.lower() else 0
        with suppress(OSError):  # without helper processes, the compilation takes longer
            for number in range(count):
                self._helpers.append(_Helper(left[number::count]))

    def import_here(self, names: Sequence[str]) -> None:
        """Import modules in this process. If a helper process has begun a module, wait for the helper process."""
        with kernels.called_before_compiling(self._start):
            for self._at in names:
                for helper in self._helpers:
                    helper.finish(self._at)
                import_module(self._at)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for helper in self._helpers:
            helper.end()


class _Helper:
    """A helper process that imports modules. It prints the name of each module before it imports the module."""

    def __init__(self, names: Sequence[str]) -> None:
        command = [sys.executable, "-c", START.format(path=sys.path), *names]
        self._process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        self._at, self._news = "", Condition()
        Thread(target=self._listen, daemon=True).start()

    def finish(self, name: str) -> None:
        """Wait while the helper process compiles the module `name`."""
        with self._news:
            self._news.wait_for(lambda: self._at != name)

    def end(self) -> None:
        """End the helper process at once, even if its imports are not finished."""
        self._process.terminate()
        self._process.wait()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as said:
            for line in said:
                self._move_to(line.strip())
        self._move_to("")  # the helper process has finished, or an error has ended it

    def _move_to(self, name: str) -> None:
        with self._news:
            self._at = name
            self._news.notify()


def help_out(names: Sequence[str]) -> None:
    """Import modules, and print the name of each module before its import. This function runs in helper processes."""
    with _no_collections():
        for name in names:
            print(name, flush=True)
            import_module(name)

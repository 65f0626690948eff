"""Compiling: kernels compile as their modules are asked for, once, and are loaded from numba's cache afterwards."""

import gc
import importlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager, suppress
from multiprocessing import active_children, get_context
from pathlib import Path
from threading import Condition, Thread, current_thread, main_thread
from types import ModuleType, TracebackType
from typing import Any, Self

from numba.core import event

from ecs_anim import kernels
from ecs_anim.kernels import FirstCompilation, kit
from ecs_anim.steering.models import MODELS

PACKAGE = "ecs_anim.kernels"
# In which order they are imported. One process begins here, the next one at the end; what they meet at takes no time.
# Those that ask much of `motion` come first, those that ask much of `vectors` last, so that few compile both.
OF_MOTION = (
    "playback",
    "sampling",
    "baked_actors",
    "locomotion",
    "fading",
    "pacing",
    "controller",
    "foot_contacts",
    "events",
)
BETWEEN = ("morphs", "clip_curves", "layers", "culling", "pose_palettes", "nearness", "parameters", "short_palette")
HELPERS = (
    "types",
    "paths",
    "gaits",
    "stepping",
    "angles",
    "frames",
    "frame_pairs",
    "matrices",
    "elementary",
    "motion",
    "spaces",
    "traversal",
    "vectors",
    "rotations",
    "joint_limits",
    "chain_steps",
    "hashing",
)
OF_VECTORS = (
    "movers",
    "ways",
    "bodies",
    "poise",
    "palette",
    "ground",
    "walls",
    "route_cells",
    "arrival_times",
    "routing",
    "entrances",
    "nearest",
    "nearest_poses",
    "neighbours",
    "steering_agents",
    "journeys",
    "groups",
    "targets",
    "skinning",
    "silhouettes",
    "look_at",
    "inertia",
)
LONGEST = (
    "sight",
    "steering_walls",
    "steering_contacts",
    "steering",
    *(f"steering_{name}" for name in MODELS),
    "steering_own",
    "grounding_probes",
    "grounding_plans",
    "grounding_legs",
    "palette_stages",
    "grounding_stages",
    "grounded_palettes",
    "foot_goals",
    "step_feet",
    "walking_stages",
    "walking_palettes",
    "street_palettes",
    "dual_palette",
    "reach",
)  # of vectors too
ORDER = (*OF_MOTION, *BETWEEN, *HELPERS, *OF_VECTORS, *LONGEST)
# `-m` would look into the current folder first. What has another path there has another place in numba's cache.
START = "import sys; sys.path[:] = {path!r}; from ecs_anim.kernels.compiling import help_out; help_out(sys.argv[1:])"


def kernel_modules() -> list[str]:
    """Names of all modules of kernels, from both ends of their order in turn: so they are best compiled."""
    return [name for pair in zip(ORDER, ORDER[::-1], strict=True) for name in pair][: len(ORDER)]


def compile_modules(names: Sequence[str]) -> Iterator[str]:
    """Fill the cache with modules of kernels, on all processors; yields the name of each as it is done."""
    workers, others = min(os.cpu_count() or 1, len(names)), active_children()
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn"), initializer=_serve) as pool:
        tasks = {pool.submit(_compile, name): name for name in names}
        try:
            for task in as_completed(tasks):
                task.result()
                yield tasks[task]
        except BaseException:  # the pool would finish all that it was given
            for worker in set(active_children()).difference(others):
                worker.terminate()
            raise


def _serve() -> None:
    """Whoever compiles for another process says nothing, and leaves Ctrl-C to that one.

    They compile for this CPU, what came with the package too.
    """
    kernels.hush()
    kit.pass_over()
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _compile(name: str) -> None:
    import_module(name)


def import_modules(names: Sequence[str]) -> None:
    """Import modules of kernels, and have these compiled."""
    with imported_meanwhile(names):
        pass


@contextmanager
def imported_meanwhile(names: Sequence[str]) -> Iterator[None]:
    """Modules of kernels are imported, and these compiled, when this is over.

    Once one has to be, other processes begin at the end, while here other things are done. What a helper has begun is
    waited for; what is compiled here a helper may begin once more before all is done.
    """
    missing = [name for name in sorted(set(names), key=ORDER.index) if not _is_ready(f"{PACKAGE}.{name}")]
    with _Helpers(missing) as helpers:
        helpers.import_here(missing[:1])
        yield
        helpers.import_here(missing[1:])


def import_module(name: str) -> ModuleType:
    """A module of kernels, these compiled or loaded from the cache."""
    with _late_interrupts(), _no_collections():
        module = importlib.import_module(f"{PACKAGE}.{name}")
        kernels.compile_kernels(f"{PACKAGE}.{name}")
    return module


def _is_ready(module: str) -> bool:
    return module in sys.modules and not kernels.are_waiting(module)


@contextmanager
def _late_interrupts() -> Iterator[None]:
    """Signals that raise wait for the end of the module, a second one does not: what is raised in LLVM gets lost."""
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
    """Nobody looks for garbage meanwhile, nor afterwards in all that numba made: that is left to a full collection.

    Of millions of objects hardly any is garbage, and looking at each once takes a tenth of a cold start.
    """
    usual = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if usual and not gc.get_freeze_count():
            gc.freeze()
            gc.unfreeze()  # all objects count as old
        if usual:
            gc.enable()


class _Helpers:
    """Processes that compile what comes after the module at hand, the last first."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = list(names)
        self._helpers: list[_Helper] = []
        self._at, self._begun = "", False

    def _start(self) -> None:
        """Share out what is left, once, where this is Python itself, and not a program that has it built in."""
        if self._begun:
            return
        self._begun = True
        left = self._names[self._names.index(self._at) + 1 :][::-1]
        count = min((os.cpu_count() or 1) - 1, len(left)) if "python" in Path(sys.executable or "").stem.lower() else 0
        with suppress(OSError):  # alone, it takes longer
            for number in range(count):
                self._helpers.append(_Helper(left[number::count]))

    def import_here(self, names: Sequence[str]) -> None:
        """Go on to these modules; each waits for a helper who has begun it."""
        with event.install_listener("numba:compile", FirstCompilation(self._start)):
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
    """A process that imports modules, and says which one it begins."""

    def __init__(self, names: Sequence[str]) -> None:
        command = [sys.executable, "-c", START.format(path=sys.path), *names]
        self._process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        self._at, self._news = "", Condition()
        Thread(target=self._listen, daemon=True).start()

    def finish(self, name: str) -> None:
        """Wait while it is at this module."""
        with self._news:
            self._news.wait_for(lambda: self._at != name)

    def end(self) -> None:
        """All is here by now, or the user has had enough."""
        self._process.terminate()
        self._process.wait()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as said:
            for line in said:
                self._move_to(line.strip())
        self._move_to("")  # done, or dead

    def _move_to(self, name: str) -> None:
        with self._news:
            self._at = name
            self._news.notify()


def help_out(names: Sequence[str]) -> None:
    """Import modules of these names, and print each as it begins: what a helper does."""
    with _no_collections():
        for name in names:
            print(name, flush=True)
            import_module(name)

"""Runs hostile cases in a separate process and classifies their failures.

A case is an argument of the case function, small enough to send to another process. The function returns the outcome
("refused", "accepted"), or raises an error that no user should see. One worker runs case after case. If the worker
dies or is stopped, a new worker continues with the next case.

    report = run_cases("tests.hostile.snapshots:attempt", [0, 1, 2])
    assert not report.failures
"""

import faulthandler
import importlib
import multiprocessing
import resource
import signal
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Literal, NamedTuple

FIRST_CASES = 20  # of a worker, after which it holds all that it will ever need
STATUS, FORGET_PEAK = Path("/proc/self/status"), Path("/proc/self/clear_refs")  # of Linux


class Budget(NamedTuple):
    """Limits of a case."""

    seconds: float = 20.0
    start_seconds: float = 600.0  # of a worker: imports, and kernels that may have to be compiled
    address_bytes: int = 8 << 30  # the most that a worker may map: more is a MemoryError
    peak_bytes: int = 1 << 30  # resident, over what the worker held before the case
    leak_bytes: int = 300 << 20  # resident, over what the worker held after its first cases


USUAL = Budget()


class Failure(NamedTuple):
    """A case that went wrong."""

    case: Any
    kind: Literal["crash", "hang", "traceback", "growth"]
    detail: str


@dataclass
class Report:
    """How all cases ended."""

    outcomes: Counter[Hashable] = field(default_factory=Counter)
    failures: list[Failure] = field(default_factory=list)

    def __str__(self) -> str:
        ended = ", ".join(f"{count} {outcome}" for outcome, count in self.outcomes.most_common())
        return "\n".join([ended, *(f"{own.kind} of {own.case!r}: {own.detail}" for own in self.failures)])


def require_sound(report: Report, case_count: int, ways: Iterable[Callable[..., Any]]) -> None:
    """Check that no case failed, that each way of damage occurred, and that some cases were accepted."""
    assert not report.failures, str(report)
    assert report.outcomes.total() == case_count
    outcomes = {str(outcome): count for outcome, count in report.outcomes.items()}
    assert {outcome.split()[0] for outcome in outcomes} == {way.__name__ for way in ways}
    accepted = sum(count for outcome, count in outcomes.items() if outcome.endswith("accepted"))
    assert 0.1 < accepted / case_count < 0.9, "some changes mean nothing, most are faults"


def run_cases(
    function_path: str, cases: Iterable[Any], budget: Budget = USUAL, prepare_path: str | None = None
) -> Report:
    """Give each case to a function "module:name" in a worker; "module:name" of `prepare_path` runs first in each."""
    report, worker = Report(), None
    with tempfile.TemporaryDirectory() as folder:
        last_words = Path(folder) / "last_words"
        for case in cases:
            worker = worker or _Worker(function_path, prepare_path, budget, last_words)
            result = worker.run(case)
            if isinstance(result, Failure):
                report.failures.append(result)
                if result.kind in ("crash", "hang"):
                    worker = worker.stop()
            else:
                report.outcomes[result] += 1
        if worker:
            worker.stop()
    return report


class _Worker:
    """A process that takes cases."""

    def __init__(self, function_path: str, prepare_path: str | None, budget: Budget, last_words: Path) -> None:
        context = multiprocessing.get_context("spawn")
        self._budget, self._last_words = budget, last_words
        self._pipe, end = context.Pipe()
        arguments = (function_path, prepare_path, budget, end, last_words)
        self._process = context.Process(target=_work, args=arguments, daemon=True)
        self._process.start()
        end.close()
        ready = self._answer("(start)", budget.start_seconds)
        if ready != "ready":
            self.stop()
            raise RuntimeError(f"the worker did not start: {ready}")

    def run(self, case: Any) -> Any:
        """How the case ended, or a Failure."""
        self._pipe.send(case)
        return self._answer(case, self._budget.seconds)

    def stop(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.join()
        self._pipe.close()

    def _answer(self, case: Any, seconds: float) -> Any:
        try:
            if not self._pipe.poll(seconds):
                return Failure(case, "hang", f"no answer in {seconds:g} s")
            answer = self._pipe.recv()
        except (EOFError, ConnectionError):
            return Failure(case, "crash", self._ended())
        return Failure(case, *answer[1:]) if isinstance(answer, tuple) and answer[0] == "failed" else answer

    def _ended(self) -> str:
        self._process.join()
        code = self._process.exitcode or 0
        words = self._last_words.read_text(errors="replace").splitlines()
        place = next((line.strip() for line in words if "File" in line), "")
        return f"{signal.Signals(-code).name if code < 0 else f'exit code {code}'} {place}"


def _work(function_path: str, prepare_path: str | None, budget: Budget, pipe: Connection, last_words: Path) -> None:
    faulthandler.enable(open(last_words, "w"))  # noqa: SIM115
    resource.setrlimit(resource.RLIMIT_AS, (budget.address_bytes, budget.address_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    function = _found(function_path)
    if prepare_path:
        _found(prepare_path)()
    pipe.send("ready")
    settled, number = None, 0
    while True:
        case = pipe.recv()
        held = _start_of_peak()
        try:
            answer = function(case)
        except BaseException as error:
            place = traceback.extract_tb(error.__traceback__)[-1]
            answer = ("failed", "traceback", f"{error!r:.300} at {place.filename}:{place.lineno}")
        peak, now, number = _bytes_of("VmHWM") - held, _bytes_of("VmRSS"), number + 1
        settled = now if number == FIRST_CASES else settled
        if peak > budget.peak_bytes:
            answer = ("failed", "growth", f"{peak >> 20} MB at most at a time")
        elif settled is not None and now - settled > budget.leak_bytes:
            answer, settled = ("failed", "growth", f"{(now - settled) >> 20} MB held since the first cases"), now
        pipe.send(answer)


def _found(path: str) -> Callable[..., Any]:
    module, name = path.split(":")
    return getattr(importlib.import_module(module), name)


def _start_of_peak() -> int:
    """Resident bytes; the peak is counted anew from here on."""
    if FORGET_PEAK.exists():
        FORGET_PEAK.write_text("5")
    return _bytes_of("VmRSS")


def _bytes_of(key: str) -> int:
    """One of the sizes that Linux tells of this process; 0 elsewhere."""
    if not STATUS.exists():
        return 0
    return next(1024 * int(line.split()[1]) for line in STATUS.read_text().splitlines() if line.startswith(f"{key}:"))

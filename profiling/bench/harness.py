"""Functions that run the variants of a benchmark in alternated rounds, and print their median times and time ratios.

A ratio is the time of a variant divided by the time of the first variant in the same round.

The speed of a machine varies over time, but the variants of one round run at about the same speed. Therefore, the ratio
of two variants in one round is more reliable than the ratio of two separate runs. The order of the variants changes
from round to round.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from time import perf_counter_ns
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.world import World
from ecs_anim.profiling.alternated import ratios
from ecs_anim.profiling.report import machine
from ecs_anim.support.progress import frames_with_progress

DT = 1 / 60  # duration of a time step [s]
NANOSECONDS = {"s": 1e9, "ms": 1e6, "us": 1e3, "ns": 1.0}

Run = Callable[[], object]
Facts = Mapping[str, Any]


@dataclass(frozen=True)
class Work:
    """One variant of a benchmark: a function whose run time is measured."""

    run: Run
    prepare: Run | None = None  # called before each run; its time is not measured
    share: float = 1.0  # divisor of the time, such as the number of actors, rays or steps


def steps_of(world: World, share: float = 1.0) -> Work:
    """Return a variant that measures one time step of `world`."""
    return Work(partial(world.step, DT), share=share)


@dataclass(frozen=True)
class Case:
    """The variants of a benchmark, ready for the measurement."""

    works: Mapping[str, Work]  # variants by name; a ratio is relative to the first variant
    check: Run = lambda: None  # called after the last round; raises RuntimeError if a variant computed a wrong result
    unit: str = "ms"  # a key of NANOSECONDS
    each: str = ""  # name of one unit of `share`, such as "actor"
    facts: Callable[[], Facts] = field(default=dict)  # called after `check`; returns additional figures
    clock: Callable[[], int] = perf_counter_ns  # [ns]


def measure(case: Case, rounds: int, warmup: int) -> dict[str, Any]:
    """Measure the times of all variants in `case` in alternated rounds. Return the figures as plain data.

    Raises RuntimeError if a variant computed a wrong result.
    """
    works = list(case.works.values())
    spent = np.empty((warmup + rounds, len(works)))
    for number in frames_with_progress(warmup + rounds, "measuring"):
        for k in np.roll(range(len(works)), number):
            spent[number, k] = _timed(works[k], case.clock) / works[k].share / NANOSECONDS[case.unit]
    case.check()
    spent = spent[warmup:]
    return {
        "rounds": rounds,
        "unit": f"{case.unit} / {case.each}" if case.each else case.unit,
        "works": {name: _figures(own, spent[:, 0]) for name, own in zip(case.works, spent.T, strict=True)},
        **case.facts(),
        "machine": machine(),
    }


def _timed(work: Work, clock: Callable[[], int]) -> int:
    if work.prepare:
        work.prepare()
    begin = clock()
    work.run()
    return clock() - begin


def _figures(spent: NDArray[np.float64], first: NDArray[np.float64]) -> dict[str, Any]:
    median, least = (float(f"{value:.5g}") for value in (np.median(spent), spent.min()))
    return {"median": median, "least": least, "ratio": ratios(spent, first)}


def table(found: Facts) -> str:
    """Return the figures as a text table with one line per variant, followed by the additional figures."""
    lines = [f"{found['subject']}: {found['rounds']} alternated rounds, {found['unit']}"]
    lines.append(f"{'':32}{'median':>10}{'least':>10}{'ratio':>8}   quartiles")
    for name, own in found["works"].items():
        ratio = own["ratio"]
        told = f"{ratio['median']:8.3f}   {ratio['p25']:.3f} to {ratio['p75']:.3f}" if ratio else ""
        lines.append(f"{name:32}{own['median']:10.5g}{own['least']:10.5g}{told}")
    own = {"subject", "rounds", "unit", "works", "machine"}
    return "\n".join([*lines, *(f"  {name}: {value}" for name, value in found.items() if name not in own)])


def require(holds: object, problem: str) -> None:
    """Raise RuntimeError with the text `problem` if the condition is false."""
    if not holds:
        raise RuntimeError(problem)

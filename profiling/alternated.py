"""Comparison of two scenes or snapshots. The program runs their frames alternately.

The result contains the medians of both scenes and the ratios of adjacent frames. The speed of a machine varies over
time, but adjacent frames run at about the same speed. Therefore, the ratio of two adjacent frames is more reliable than
the ratio of two separate runs. The spread of the ratios shows the precision of the comparison.
"""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.profiling.measure import BEGINNING, Running, give_pictures
from ecs_anim.profiling.painter import open_painters
from ecs_anim.profiling.report import PassFigures, Report, SystemFigures, machine
from ecs_anim.scenes.loader import SceneFile
from ecs_anim.scenes.starting import Start, open_world
from ecs_anim.support.progress import progress_told
from ecs_anim.support.timings import Timings

TURN = 4  # consecutive frames of one scene; during the first frame, the CPU caches contain the other scene's columns
QUARTILES = (25, 50, 75)  # [%]

Figures = SystemFigures | PassFigures


@dataclass(frozen=True)
class Side:
    """One of the two compared scenes, with its initial state."""

    label: str
    scene: SceneFile
    start: Start = BEGINNING
    actors: int | None = None  # None = the number of actors in the scene or the snapshot
    seed: int | None = None


def measure_alternated(
    sides: tuple[Side, Side],
    *,
    threads: int | None,
    frames: int,
    warmup: int,
    size: tuple[int, int] | None,
    allow_code: bool = False,
) -> tuple[Report, Report]:
    """Run `warmup` + `frames` frames of both scenes alternately. Measure the last `frames` frames of each scene.

    `size` is the size of the pictures [pixel] (None = no drawing). Frame k of the first report and frame k of the
    second report ran at most a few frames apart. Raises InputError in the same cases as `measure`.
    """
    with ExitStack() as stack:
        worlds = [
            stack.enter_context(
                open_world(
                    side.scene, side.start, actors=side.actors, seed=side.seed, threads=threads, allow_code=allow_code
                )
            )
            for side in sides
        ]
        painters = stack.enter_context(open_painters(size, len(sides))) if size else [None, None]
        running = [Running(*own) for own in zip(worlds, painters, strict=True)]
        order = [running[number] for number in _turns(warmup + frames)]
        with progress_told(len(order), "measuring") as advance:
            for own in order:
                own.advance(Timings())
                advance(1)
        give_pictures(order)
        first, second = (own.report(side.label, warmup, size) for own, side in zip(running, sides, strict=True))
        return first, second


def ratios(now: NDArray[np.float64], before: NDArray[np.float64]) -> dict[str, float] | None:
    """Return the quartiles of the ratios `now` / `before` over all frames. If a value of `before` is 0, return None.
    `now` and `before` are times [frame_count].
    """
    if not (before > 0).all():
        return None
    low, middle, high = np.percentile(now / before, QUARTILES)
    return {"median": round(float(middle), 4), "p25": round(float(low), 4), "p75": round(float(high), 4)}


def as_data(first: Report, second: Report) -> dict[str, Any]:
    """Return both reports as plain data.

    In each pair of values, the value of `first` comes before the value of `second`.
    """
    runs = [{"scene": own.scene, "actors": own.actors, "poses_hash": own.poses_hash} for own in (first, second)]
    return {
        "runs": runs,
        "frames": len(first.frames),
        "threads": first.threads,
        "size": first.size,
        "frame": _row("frame", first.frame, second.frame),
        "systems": _rows(first.systems, second.systems),
        "passes": _rows(first.passes, second.passes),
        "pass_clock": first.pass_clock,
        "machine": machine() | {"opengl": first.renderer},
    }


def _turns(count: int) -> Iterator[int]:
    """Yield the number of the scene that runs next (0 or 1). Each number occurs `count` times.

    Scenes run in groups of a few consecutive frames. In every second pair of groups, scene 1 runs before scene 0.
    """
    for number, begin in enumerate(range(0, count, TURN)):
        length = min(TURN, count - begin)
        for side in (0, 1) if number % 2 == 0 else (1, 0):
            yield from [side] * length


def _rows(now: Sequence[Figures], before: Sequence[Figures]) -> list[dict[str, Any]]:
    mine, others = ({own.name: own for own in side} for side in (now, before))
    return [_row(name, mine.get(name), others.get(name)) for name in {**mine, **others}]


def _row(name: str, now: Figures | None, before: Figures | None) -> dict[str, Any]:
    """Return the medians of both scenes, and the ratios if both scenes have times. Drawing passes have no processor
    time.
    """
    row = {
        "name": name,
        "median_ms": [None if own is None else round(float(np.median(own.wall_ms)), 5) for own in (now, before)],
        "ratio": ratios(now.wall_ms, before.wall_ms) if now and before else None,
    }
    if isinstance(now or before, SystemFigures):
        row["cpu_ms"] = [
            round(float(np.median(own.cpu_ms)), 5) if isinstance(own, SystemFigures) else None for own in (now, before)
        ]
    return row

"""Two scenes, or two snapshots, measured in alternated runs: medians of each, and ratios of frames beside each other.

A machine is not equally fast all the time. Frames that alternate meet the same moments, so the ratio of two that
belong together says more than the ratio of two runs, and how such ratios spread says how much to believe.
"""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from time import process_time_ns
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.world import World
from ecs_anim.profiling.measure import BEGINNING, frame_of, pass_figures, poses_hash, require_poses, system_figures
from ecs_anim.profiling.painter import Painter, open_painters
from ecs_anim.profiling.report import GPU_CLOCK, WAITED, Frame, SystemFigures, machine
from ecs_anim.scenes.loader import SceneFile
from ecs_anim.scenes.starting import Start, open_world
from ecs_anim.support.progress import progress_told
from ecs_anim.support.timings import Timings
from ecs_anim.systems.queries import actor_count

TURN = 4  # frames of one before the other's; a turn's first finds the caches full of the other's columns
QUARTILES = (25, 50, 75)  # [%]


@dataclass(frozen=True)
class Side:
    """What is measured: a scene from where it starts."""

    label: str
    scene: SceneFile
    start: Start = BEGINNING
    actors: int | None = None  # None = the scene's, or the snapshot's
    seed: int | None = None


@dataclass(frozen=True)
class SideReport:
    """Figures of one side."""

    label: str
    actors: int
    poses_hash: str
    wall_ms: NDArray[np.float64]  # [frame_count], whole frames
    cpu_ms: NDArray[np.float64]  # [frame_count], processor time of all threads in them
    systems: tuple[SystemFigures, ...]  # and the passes of the picture behind them
    pass_names: tuple[str, ...]


@dataclass(frozen=True)
class Compared:
    """Two sides whose frames alternated; frame k of one belongs with frame k of the other."""

    sides: tuple[SideReport, SideReport]  # what is asked about, and what it is held against
    threads: int
    size: tuple[int, int] | None  # [pixel], None = nothing was drawn
    renderer: str | None
    pass_clock: str | None


class _Running:
    """One side while it is measured."""

    def __init__(self, side: Side, world: World, painter: Painter | None) -> None:
        self.side, self.world, self.painter = side, world, painter
        self.frames: list[Frame] = []
        self.cpu_ns: list[int] = []
        self.hash_before = poses_hash(world)

    def advance(self) -> None:
        """One frame."""
        begin = process_time_ns()
        self.frames.append(frame_of(self.world, self.painter, Timings()))
        self.cpu_ns.append(process_time_ns() - begin)

    def report(self, warmup: int, on_gpu: bool) -> SideReport:
        """Figures of all frames but the first `warmup`."""
        frames, after = self.frames[warmup:], poses_hash(self.world)
        require_poses(self.world, self.hash_before != after)
        passes = pass_figures(frames, on_gpu)
        parts = tuple(SystemFigures(own.name, own.wall_ms, own.wall_ms, None) for own in passes)
        return SideReport(
            self.side.label,
            actor_count(self.world),
            after,
            np.array([frame.end_ns - frame.begin_ns for frame in frames]) / 1e6,
            np.array(self.cpu_ns[warmup:]) / 1e6,
            (*system_figures(frames, passes), *parts),
            tuple(own.name for own in passes),
        )


def measure_alternated(
    sides: tuple[Side, Side],
    *,
    threads: int | None,
    frames: int,
    warmup: int,
    size: tuple[int, int] | None,
    allow_code: bool = False,
) -> Compared:
    """Run `warmup` + `frames` frames of each side, in turns, and time the latter; `size` in pixels, None = do not draw.

    Raises as `measure` does.
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
        running = [_Running(*own) for own in zip(sides, worlds, painters, strict=True)]
        order = list(_turns(warmup + frames))
        with progress_told(len(order), "measuring") as advance:
            for number in order:
                running[number].advance()
                advance(1)
        painter = painters[0]
        if painter:
            _give_pictures(running, order, painter)
        on_gpu = bool(painter and painter.has_gpu_clock)
        first, second = (own.report(warmup, on_gpu) for own in running)
        clock = (GPU_CLOCK if on_gpu else WAITED) if painter else None
        name = painter.renderer_name if painter else None
        return Compared((first, second), worlds[0].threads, size, name, clock)


def ratios(now: NDArray[np.float64], before: NDArray[np.float64]) -> dict[str, float] | None:
    """Quartiles of the ratios of values that belong together, both [frame_count]; None where some took no time."""
    if not (before > 0).all():
        return None
    low, middle, high = np.percentile(now / before, QUARTILES)
    return {"median": round(float(middle), 4), "p25": round(float(low), 4), "p75": round(float(high), 4)}


def as_data(compared: Compared) -> dict[str, Any]:
    """As plain data: lists of two are what is asked about, and what it is held against."""
    first, second = compared.sides
    names = dict.fromkeys(own.name for side in compared.sides for own in side.systems)
    parts = {name for side in compared.sides for name in side.pass_names}
    rows = [_row(name, _of(first, name), _of(second, name)) for name in names]
    frame = [SystemFigures("frame", side.wall_ms, side.cpu_ms, None) for side in compared.sides]
    return {
        "runs": [
            {"scene": side.label, "actors": side.actors, "poses_hash": side.poses_hash} for side in compared.sides
        ],
        "frames": len(first.wall_ms),
        "threads": compared.threads,
        "size": compared.size,
        "frame": _row("frame", *frame),
        "systems": [row for row in rows if row["name"] not in parts],
        "passes": [{key: row[key] for key in row if key != "cpu_ms"} for row in rows if row["name"] in parts],
        "pass_clock": compared.pass_clock,
        "machine": machine() | {"opengl": compared.renderer},
    }


def _turns(count: int) -> Iterator[int]:
    """Which side runs, for `count` frames of each; every other turn the second goes first."""
    for number, begin in enumerate(range(0, count, TURN)):
        length = min(TURN, count - begin)
        for side in (0, 1) if number % 2 == 0 else (1, 0):
            yield from [side] * length


def _give_pictures(running: list[_Running], order: list[int], painter: Painter) -> None:
    """To each frame its picture's passes, which one clock took in the order in which they were drawn."""
    numbers = [0] * len(running)
    for side, picture in zip(order, painter.take_pictures(), strict=True):
        own, number = running[side], numbers[side]
        frame = own.frames[number]
        own.frames[number] = Frame(frame.begin_ns, frame.end_ns, frame.timings, picture)
        numbers[side] += 1


def _of(side: SideReport, name: str) -> SystemFigures | None:
    return next((own for own in side.systems if own.name == name), None)


def _row(name: str, now: SystemFigures | None, before: SystemFigures | None) -> dict[str, Any]:
    """Medians of both, and ratios where both ran."""
    both = (now, before)
    return {
        "name": name,
        "median_ms": [None if own is None else round(float(np.median(own.wall_ms)), 5) for own in both],
        "cpu_ms": [None if own is None else round(float(np.median(own.cpu_ms)), 5) for own in both],
        "ratio": ratios(now.wall_ms, before.wall_ms) if now and before else None,
    }

"""Figures of a measured run, and the conversion of these figures to plain data."""

import os
import platform
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.gl.device.pass_timer import Picture
from ecs_anim.profiling.allocations import Allocations
from ecs_anim.support.timings import Timings
from ecs_anim.systems.queries import Posing

DRAW = "draw"  # name of the drawing system, which consists of the passes
GPU_CLOCK, WAITED = "timer queries", "wall, waiting for each pass"  # two methods to measure the times of passes


@dataclass(frozen=True)
class Frame:
    """One measured frame: its start, its end and the times of its systems [ns], from `perf_counter_ns`."""

    begin_ns: int
    end_ns: int
    cpu_ns: int  # processor time, summed over all threads
    timings: Timings
    passes: Picture = ()  # times of the drawing passes; empty without drawing


@dataclass(frozen=True)
class SystemFigures:
    """Times of one system in all measured frames."""

    name: str
    wall_ms: NDArray[np.float64]  # [frame_count]
    cpu_ms: NDArray[np.float64]  # [frame_count], summed over all threads
    gpu_ms: float | None  # None = the OpenGL context has no reliable timer


@dataclass(frozen=True)
class PassFigures:
    """Times of one drawing pass in all measured frames. All passes together form the system "draw"."""

    name: str
    wall_ms: NDArray[np.float64]  # [frame_count]
    gpu_ms: NDArray[np.float64] | None  # [frame_count]; None = the OpenGL context has no reliable timer
    byte_count: NDArray[np.int64]  # [frame_count], size of the palettes that the pass sends to the GPU


@dataclass(frozen=True)
class Report:
    """The measurement of one scene with one number of actors."""

    scene: str
    threads: int
    actors: int
    joints: int  # number of joints of the largest rig
    actor_joints: int  # sum of the numbers of joints over all actors
    frames: tuple[Frame, ...]
    systems: tuple[SystemFigures, ...]
    passes: tuple[PassFigures, ...]
    bytes_per_actor: float  # size of all columns except the palettes
    peak_memory_mb: float | None
    poses_hash: str
    renderer: str | None  # name of the OpenGL renderer; None = no drawing
    pass_clock: str | None  # GPU_CLOCK or WAITED; None = no drawing
    size: tuple[int, int] | None  # size of the pictures [pixel]; None = no drawing
    crowds: tuple[Posing, ...] = ()  # for each crowd after the last frame: does the CPU or the GPU pose its actors?
    feet: tuple[dict[str, Any], ...] = ()  # errors of the feet, one entry per grounded crowd
    step_allocations: Allocations | None = None
    draw_allocations: Allocations | None = None

    @property
    def frame_ms(self) -> NDArray[np.float64]:
        """Return the wall-clock time of each frame [frame_count] [ms]."""
        return np.array([frame.end_ns - frame.begin_ns for frame in self.frames]) / 1e6

    @property
    def frame(self) -> SystemFigures:
        """Return the times of whole frames, in the form of a system."""
        cpu_ms = np.array([frame.cpu_ns for frame in self.frames]) / 1e6
        return SystemFigures("frame", self.frame_ms, cpu_ms, None)


def as_json(report: Report) -> dict[str, Any]:
    """Return the report as plain data."""
    whole = total_ms(report)
    return {
        "scene": report.scene,
        "frames": len(report.frames),
        "threads": report.threads,
        "actors": report.actors,
        "joints": report.joints,
        "size": report.size,
        "crowds": [asdict(crowd) for crowd in report.crowds],
        "frame_ms": _spread(report.frame_ms),
        "systems": [_system(report, system, whole) for system in report.systems],
        "passes": [_pass(own, whole) for own in report.passes],
        "pass_clock": report.pass_clock,
        "upload": upload(report),
        "allocations": {
            "step": asdict(report.step_allocations) if report.step_allocations else None,
            "draw": asdict(report.draw_allocations) if report.draw_allocations else None,
        },
        "bytes_per_actor": round(report.bytes_per_actor, 1),
        "peak_memory_mb": report.peak_memory_mb,
        "feet": list(report.feet),
        "poses_hash": report.poses_hash,
        "machine": machine() | {"opengl": report.renderer},
    }


def machine() -> dict[str, Any]:
    """Return a description of the machine that runs the program."""
    return {
        "system": platform.system(),
        "processor": platform.processor() or platform.machine(),
        "processors": os.cpu_count(),
        "python": platform.python_version(),
    }


def upload(report: Report) -> dict[str, float] | None:
    """Return the size, the time and the speed of the palette upload per picture.

    Return None if no palette is uploaded.
    """
    sent = [own for own in report.passes if own.byte_count.any()]
    if not sent:
        return None
    bytes_sent = np.sum([own.byte_count for own in sent], axis=0)
    ms = np.sum([own.wall_ms for own in sent], axis=0)
    speeds = bytes_sent / np.maximum(ms, 1e-6) / 1e3
    return {
        "bytes": float(np.median(bytes_sent)),
        "median_ms": _round(np.median(ms)),
        "mb_per_s": _round(np.median(speeds)),
    }


def total_ms(report: Report) -> float:
    """Return the sum of the mean times of all systems [ms].

    The shares in a report are fractions of this sum.
    """
    return sum(float(np.mean(system.wall_ms)) for system in report.systems) or 1.0


def _system(report: Report, system: SystemFigures, whole: float) -> dict[str, Any]:
    spread = _spread(system.wall_ms, "_ms")
    return {
        "name": system.name,
        **spread,
        "cpu_ms": _round(np.median(system.cpu_ms)),
        "gpu_ms": system.gpu_ms,
        "ns_per_actor_joint": _round(1e6 * np.median(system.wall_ms) / report.actor_joints),
        "share": _round(spread["mean_ms"] / whole),
    }


def _pass(own: PassFigures, whole: float) -> dict[str, Any]:
    spread = _spread(own.wall_ms, "_ms")
    gpu_ms = None if own.gpu_ms is None else _round(np.median(own.gpu_ms))
    return {"name": own.name, **spread, "gpu_ms": gpu_ms, "share": _round(spread["mean_ms"] / whole)}


def _spread(values: NDArray[np.float64], unit: str = "") -> dict[str, float]:
    figures = map(_round, (np.mean(values), *np.percentile(values, (50, 95, 99, 100))))
    names = (f"{name}{unit}" for name in ("mean", "median", "p95", "p99", "max"))
    return dict(zip(names, figures, strict=True))


def _round(value: Any) -> float:
    return round(float(value), 5)

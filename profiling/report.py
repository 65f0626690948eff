"""Figures of a measured run, and the same as plain data."""

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

DRAW = "draw"  # the system whose parts passes are
GPU_CLOCK, WAITED = "timer queries", "wall, waiting for each pass"  # how passes are timed


@dataclass(frozen=True)
class Frame:
    """One measured frame: its begin and end, as `perf_counter_ns` counts, and the times of its parts."""

    begin_ns: int
    end_ns: int
    cpu_ns: int  # processor time of all threads
    timings: Timings
    passes: Picture = ()  # of its picture, where one was drawn


@dataclass(frozen=True)
class SystemFigures:
    """Times of one system over all measured frames."""

    name: str
    wall_ms: NDArray[np.float64]  # [frame_count]
    cpu_ms: NDArray[np.float64]  # [frame_count], summed over threads
    gpu_ms: float | None  # None where the context has no trustworthy timer


@dataclass(frozen=True)
class PassFigures:
    """Times of one pass of drawing over all measured frames; together they are the system "draw"."""

    name: str
    wall_ms: NDArray[np.float64]  # [frame_count]
    gpu_ms: NDArray[np.float64] | None  # [frame_count]; None where the context has no trustworthy timer
    byte_count: NDArray[np.int64]  # [frame_count], of palettes sent to the GPU


@dataclass(frozen=True)
class Report:
    """One run of one scene at one number of actors."""

    scene: str
    threads: int
    actors: int
    joints: int  # of the largest rig
    actor_joints: int  # sum over actors of their rig's joints
    frames: tuple[Frame, ...]
    systems: tuple[SystemFigures, ...]
    passes: tuple[PassFigures, ...]
    bytes_per_actor: float  # of all columns but the palette
    peak_memory_mb: float | None
    poses_hash: str
    renderer: str | None  # the OpenGL renderer, where something was drawn
    pass_clock: str | None  # one of the above, where something was drawn
    size: tuple[int, int] | None  # [pixel], likewise
    crowds: tuple[Posing, ...] = ()  # CPU or GPU as the poser of their actors, at the end
    feet: tuple[dict[str, Any], ...] = ()  # how the feet of grounded crowds stand, one entry a crowd
    step_allocations: Allocations | None = None
    draw_allocations: Allocations | None = None

    @property
    def frame_ms(self) -> NDArray[np.float64]:
        """[frame_count], wall, whole frame."""
        return np.array([frame.end_ns - frame.begin_ns for frame in self.frames]) / 1e6

    @property
    def frame(self) -> SystemFigures:
        """Whole frames."""
        cpu_ms = np.array([frame.cpu_ns for frame in self.frames]) / 1e6
        return SystemFigures("frame", self.frame_ms, cpu_ms, None)


def as_json(report: Report) -> dict[str, Any]:
    """The report as plain data."""
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
    """Return facts of this machine."""
    return {
        "system": platform.system(),
        "processor": platform.processor() or platform.machine(),
        "processors": os.cpu_count(),
        "python": platform.python_version(),
    }


def upload(report: Report) -> dict[str, float] | None:
    """Palettes on their way to the GPU, a picture; None where none were sent."""
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
    """Return the sum of the mean times of all systems. Shares are parts of it."""
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

"""Figures of a measured run: the numbers, as JSON, and as a table."""

import os
import platform
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.systems.queries import Posing, posing_text


@dataclass(frozen=True)
class SystemFigures:
    """Times of one system over all measured frames."""

    name: str
    wall_ms: NDArray[np.float64]  # [frame_count]
    cpu_ms: NDArray[np.float64]  # [frame_count], summed over threads
    gpu_ms: float | None  # None where the context has no trustworthy timer


@dataclass(frozen=True)
class Report:
    """One run of one scene at one number of actors."""

    scene: str
    frames: int
    threads: int
    actors: int
    joints: int  # of the largest rig
    actor_joints: int  # sum over actors of their rig's joints
    frame_ms: NDArray[np.float64]  # [frame_count], wall, whole frame
    systems: tuple[SystemFigures, ...]
    peak_memory_mb: float | None
    poses_hash: str
    renderer: str | None  # the OpenGL renderer, where something was drawn
    crowds: tuple[Posing, ...] = ()  # who poses their actors, when the measurement ends
    feet: tuple[dict[str, Any], ...] = ()  # how the feet of grounded crowds stand, one entry a crowd


def as_json(report: Report) -> dict[str, Any]:
    """The report as plain data."""
    return {
        "scene": report.scene,
        "frames": report.frames,
        "threads": report.threads,
        "actors": report.actors,
        "joints": report.joints,
        "crowds": [asdict(crowd) for crowd in report.crowds],
        "frame_ms": _spread(report.frame_ms) | {"max": _round(report.frame_ms.max())},
        "systems": [_system(report, system) for system in report.systems],
        "peak_memory_mb": report.peak_memory_mb,
        "feet": list(report.feet),
        "poses_hash": report.poses_hash,
        "machine": machine() | {"opengl": report.renderer},
    }


def machine() -> dict[str, Any]:
    """What the figures were measured on."""
    return {
        "system": platform.system(),
        "processor": platform.processor() or platform.machine(),
        "processors": os.cpu_count(),
        "python": platform.python_version(),
    }


def print_table(report: Report) -> None:
    """The report as a table on standard output."""
    from rich.console import Console
    from rich.table import Table

    frame = as_json(report)["frame_ms"]
    title = (
        f"{report.scene}: {report.actors:,} actors, {report.threads} threads, {report.frames} frames,"
        f" frame {frame['median']:.2f} ms (p95 {frame['p95']:.2f}, max {frame['max']:.2f})"
    )
    table = Table(title=title, title_justify="left", caption=posing_text(report.crowds) or None, caption_justify="left")
    table.add_column("system")
    for heading in ("median ms", "p95 ms", "cpu ms", "ns/actor-joint", "share"):
        table.add_column(heading, justify="right")
    total = sum(float(np.median(system.wall_ms)) for system in report.systems) or 1.0
    for system in report.systems:
        row = _system(report, system)
        figures = [f"{row[key]:.3f}" for key in ("median_ms", "p95_ms", "cpu_ms")]
        share = float(np.median(system.wall_ms)) / total
        table.add_row(system.name, *figures, f"{row['ns_per_actor_joint']:.2f}", f"{share:.0%}")
    Console().print(table)


def _system(report: Report, system: SystemFigures) -> dict[str, Any]:
    spread = _spread(system.wall_ms)
    return {
        "name": system.name,
        "median_ms": spread["median"],
        "p95_ms": spread["p95"],
        "cpu_ms": _round(np.median(system.cpu_ms)),
        "gpu_ms": system.gpu_ms,
        "ns_per_actor_joint": _round(1e6 * np.median(system.wall_ms) / report.actor_joints),
    }


def _spread(values: NDArray[np.float64]) -> dict[str, float]:
    return {"median": _round(np.median(values)), "p95": _round(np.percentile(values, 95))}


def _round(value: Any) -> float:
    return round(float(value), 5)

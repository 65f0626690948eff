"""Figures of a measured run, as a table for people."""

from typing import Any

from rich import box
from rich.table import Table

from ecs_anim.profiling.report import GPU_CLOCK, Report, as_json
from ecs_anim.support.console import Console
from ecs_anim.systems.queries import posing_text

HEADINGS = ("median ms", "p95", "max", "cpu", "gpu", "ns/actor-joint", "share")
KEYS = ("median_ms", "p95_ms", "max_ms", "cpu_ms", "gpu_ms", "ns_per_actor_joint", "share")


def print_table(report: Report) -> None:
    """The report on standard output."""
    data = as_json(report)
    shown = [k for k, key in enumerate(KEYS) if key != "gpu_ms" or report.pass_clock == GPU_CLOCK]
    table = Table(
        title=_title(report, data["frame_ms"]),
        title_justify="left",
        caption="\n".join(_notes(report, data)) or None,
        caption_justify="left",
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
    )
    table.add_column("system", no_wrap=True)
    for k in shown:
        table.add_column(HEADINGS[k], justify="right")
    for row in data["systems"]:
        table.add_row(row["name"], *_cells(row, shown))
    for row in data["passes"]:
        table.add_row(f"  {row['name']}", *_cells(row, shown), style="dim")
    Console().print(table)


def _title(report: Report, frame: dict[str, float]) -> str:
    counts = f"{report.actors:,} actors, {report.threads} threads, {len(report.frames)} frames"
    return (
        f"{report.scene}: {counts}\nframe {frame['median']:.2f} ms"
        f" (p95 {frame['p95']:.2f}, p99 {frame['p99']:.2f}, max {frame['max']:.2f})"
    )


def _cells(row: dict[str, Any], shown: list[int]) -> list[str]:
    """Of a system or a pass; empty where it has no such figure."""
    values = [(KEYS[k], row.get(KEYS[k])) for k in shown]
    return ["" if value is None else f"{value:.0%}" if key == "share" else _figure(value) for key, value in values]


def _figure(value: float) -> str:
    """To a thousandth, or where that says nothing, to a tenth."""
    return f"{value:.3f}" if value < 100 else f"{value:,.1f}"


def _notes(report: Report, data: dict[str, Any]) -> list[str]:
    notes = [posing_text(report.crowds)]
    if report.passes and report.pass_clock != GPU_CLOCK:
        notes.append("passes: wall time, waiting for each: this renderer draws on the CPU")
    if sent := data["upload"]:
        notes.append(f"palettes: {sent['bytes'] / 1e6:.2f} MB a picture, {sent['mb_per_s']:,.0f} MB/s")
    for name, taken in data["allocations"].items():
        if taken:
            kept = f"{taken['kept_bytes'] / 1e3:.1f} kB of arrays" if taken["kept_bytes"] >= 1 else "no array"
            notes.append(f"memory: a {name} takes {taken['peak_bytes'] / 1e3:.1f} kB for a while, keeps {kept}")
    return [note for note in notes if note]

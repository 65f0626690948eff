"""Two sides measured in alternated runs, as a table for people."""

from typing import Any

from rich import box
from rich.table import Table

from ecs_anim.profiling.report import GPU_CLOCK
from ecs_anim.support.console import Console

NUMBERS = ("ms", "against", "ratio", "quartiles", "cpu ms", "against")


def print_compared(data: dict[str, Any], *, stderr: bool = False) -> None:
    """What `alternated.as_data` made."""
    now, before = (f"{run['scene']}, {run['actors']:,} actors" for run in data["runs"])
    table = Table(
        title=f"{now}\nagainst {before}\n{data['frames']} frames of each in turns, {data['threads']} threads",
        title_justify="left",
        caption=_caption(data),
        caption_justify="left",
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
    )
    table.add_column("", no_wrap=True)
    for heading in NUMBERS:
        table.add_column(heading, justify="right")
    for row in (data["frame"], *data["systems"]):
        table.add_row(row["name"], *_cells(row))
    for row in data["passes"]:
        table.add_row(f"  {row['name']}", *_cells(row), style="dim")
    Console(stderr=stderr).print(table)


def _caption(data: dict[str, Any]) -> str:
    text = "ratio: median of the ratios of frames beside each other, above 1 is slower than what it is held against"
    if data["passes"] and data["pass_clock"] != GPU_CLOCK:
        text += "\npasses: wall time, waiting for each: this renderer draws on the CPU"
    return text


def _cells(row: dict[str, Any]) -> list[str]:
    ratio = row["ratio"]
    told = ["", ""] if ratio is None else [f"{ratio['median']:.3f}", f"{ratio['p25']:.3f} to {ratio['p75']:.3f}"]
    return [*map(_figure, row["median_ms"]), *told, *map(_figure, row.get("cpu_ms", (None, None)))]


def _figure(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}" if value < 100 else f"{value:,.1f}"

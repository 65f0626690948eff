"""Tables of a measured run for the terminal."""

from collections.abc import Iterable, Sequence
from typing import Any

from rich import box
from rich.table import Table

from ecs_anim.profiling.report import GPU_CLOCK, Report, as_json
from ecs_anim.support.console import Console
from ecs_anim.systems.queries import posing_text

Row = tuple[str, Sequence[str]]  # a style of the library rich, and the text of each cell

HEADINGS = ("mean ms", "median", "p95", "max", "cpu", "gpu", "ns/actor-joint", "share")
COMPARED = ("ms", "against", "ratio", "quartiles", "cpu ms", "against")
KEYS = ("mean_ms", "median_ms", "p95_ms", "max_ms", "cpu_ms", "gpu_ms", "ns_per_actor_joint", "share")
ON_CPU = "passes: wall time with a wait for each pass, because this renderer draws on the CPU"


def print_rows(
    title: str, headings: Sequence[str], rows: Iterable[Row], caption: str = "", *, stderr: bool = False
) -> None:
    """Print a table of names and figures. Each row in `rows` has one cell for each heading."""
    table = Table(
        title=title,
        title_justify="left",
        caption=caption or None,
        caption_justify="left",
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
    )
    table.add_column(headings[0], no_wrap=True)
    for heading in headings[1:]:
        table.add_column(heading, justify="right")
    for style, cells in rows:
        table.add_row(*cells, style=style)
    Console(stderr=stderr).print(table)


def print_table(report: Report) -> None:
    """Print the report as a table on standard output."""
    data = as_json(report)
    shown = [k for k, key in enumerate(KEYS) if key != "gpu_ms" or report.pass_clock == GPU_CLOCK]
    rows = [("", [row["name"], *_cells(row, shown)]) for row in data["systems"]]
    rows += [("dim", [f"  {row['name']}", *_cells(row, shown)]) for row in data["passes"]]
    headings = ("system", *(HEADINGS[k] for k in shown))
    print_rows(_title(report, data["frame_ms"]), headings, rows, "\n".join(_notes(report, data)))


def _title(report: Report, frame: dict[str, float]) -> str:
    counts = f"{report.actors:,} actors, {report.threads} threads, {len(report.frames)} frames"
    return (
        f"{report.scene}: {counts}\nframe {frame['mean']:.2f} ms"
        f" (median {frame['median']:.2f}, p95 {frame['p95']:.2f}, p99 {frame['p99']:.2f}, max {frame['max']:.2f})"
    )


def _cells(row: dict[str, Any], shown: list[int]) -> list[str]:
    """Return the table cells of a system or a pass. The cell of a missing figure is empty."""
    keys = [KEYS[k] for k in shown]
    return [f"{row[key]:.0%}" if key == "share" else figure(row.get(key)) for key in keys]


def figure(value: float | None) -> str:
    """Return a number as text. A number below 100 has three decimals, and any other number has one decimal.

    None becomes "".
    """
    return "" if value is None else f"{value:.3f}" if value < 100 else f"{value:,.1f}"


def _notes(report: Report, data: dict[str, Any]) -> list[str]:
    notes = [posing_text(report.crowds)]
    if report.passes and report.pass_clock != GPU_CLOCK:
        notes.append(ON_CPU)
    if sent := data["upload"]:
        notes.append(f"palettes: {sent['bytes'] / 1e6:.2f} MB a picture, {sent['mb_per_s']:,.0f} MB/s")
    for name, taken in data["allocations"].items():
        if taken:
            kept = f"{taken['kept_bytes'] / 1e3:.1f} kB of arrays" if taken["kept_bytes"] >= 1 else "no array"
            notes.append(f"memory: a {name} takes {taken['peak_bytes'] / 1e3:.1f} kB at peak, and keeps {kept}")
    return [note for note in notes if note]


def print_compared(data: dict[str, Any], *, stderr: bool = False) -> None:
    """Print the comparison data from `alternated.as_data` as a table."""
    now, before = (f"{run['scene']}, {run['actors']:,} actors" for run in data["runs"])
    title = f"{now}\nagainst {before}\n{data['frames']} frames of each, alternated, {data['threads']} threads"
    rows = [("", [row["name"], *_compared_cells(row)]) for row in (data["frame"], *data["systems"])]
    rows += [("dim", [f"  {row['name']}", *_compared_cells(row)]) for row in data["passes"]]
    print_rows(title, ("", *COMPARED), rows, _caption(data), stderr=stderr)


def _caption(data: dict[str, Any]) -> str:
    text = "ratio: median of the ratios of adjacent frames. Above 1 is slower than the reference"
    if data["passes"] and data["pass_clock"] != GPU_CLOCK:
        text += f"\n{ON_CPU}"
    return text


def _compared_cells(row: dict[str, Any]) -> list[str]:
    ratio = row["ratio"]
    told = ["", ""] if ratio is None else [f"{ratio['median']:.3f}", f"{ratio['p25']:.3f} to {ratio['p75']:.3f}"]
    return [*map(figure, row["median_ms"]), *told, *map(figure, row.get("cpu_ms", (None, None)))]

"""Two sides measured in alternated runs, as a table for people."""

from typing import Any

from ecs_anim.profiling.report import GPU_CLOCK
from ecs_anim.profiling.table import figure, print_rows

NUMBERS = ("ms", "against", "ratio", "quartiles", "cpu ms", "against")


def print_compared(data: dict[str, Any], *, stderr: bool = False) -> None:
    """Print the data of `alternated.as_data`."""
    now, before = (f"{run['scene']}, {run['actors']:,} actors" for run in data["runs"])
    title = f"{now}\nagainst {before}\n{data['frames']} frames of each in turns, {data['threads']} threads"
    rows = [("", [row["name"], *_cells(row)]) for row in (data["frame"], *data["systems"])]
    rows += [("dim", [f"  {row['name']}", *_cells(row)]) for row in data["passes"]]
    print_rows(title, ("", *NUMBERS), rows, _caption(data), stderr=stderr)


def _caption(data: dict[str, Any]) -> str:
    text = "ratio: median of the ratios of adjacent frames, above 1 is slower than the reference"
    if data["passes"] and data["pass_clock"] != GPU_CLOCK:
        text += "\npasses: wall time, waiting for each: this renderer draws on the CPU"
    return text


def _cells(row: dict[str, Any]) -> list[str]:
    ratio = row["ratio"]
    told = ["", ""] if ratio is None else [f"{ratio['median']:.3f}", f"{ratio['p25']:.3f} to {ratio['p75']:.3f}"]
    return [*map(figure, row["median_ms"]), *told, *map(figure, row.get("cpu_ms", (None, None)))]

"""Egress times of a farm: one table of all runs as CSV and Parquet, and their distributions as a plot."""

from __future__ import annotations

import csv
import io
import json
import warnings
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, NamedTuple

from ecs_anim.analysis.egress import EgressRun
from ecs_anim.analysis.egress_plots import draw_all_exits, draw_each_exit
from ecs_anim.farm.folder import EGRESS, EGRESS_PARQUET, EGRESS_PLOT, FarmFolder
from ecs_anim.farm.plan import FarmPlan, Run
from ecs_anim.support.errors import InputWarning
from ecs_anim.support.files import Kind, read_text
from ecs_anim.support.pictures import complete_file
from ecs_anim.support.plotting import set_heading
from ecs_anim.support.terminal import printable
from ecs_anim.systems.egress import Egress, egress_csv, write_parquet

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TIMES = Kind("table of egress times", "json_bytes")
MOST_ROWS = 8  # combinations of scene keys in one plot
SIZE = 9.6, 3.4  # [inch], size of the panels for one combination of scene keys
SALT = "ecs-anim"  # salt for the ids inside an SVG file, so that equal plots give equal files


class _Measured(NamedTuple):
    """A run, and the egress times of the actors that left the scene in this run."""

    run: Run
    found: list[Egress]


def write_egress_files(plan: FarmPlan, folder: FarmFolder, failed: Mapping[str, str]) -> None:
    """Write the egress times of all finished runs as CSV, as Parquet and as a plot.

    Without egress times, the function writes nothing. Parquet and the plot need the extras `parquet` and `plot`. One
    warning names the files that are missing.
    """
    measured = [_Measured(run, found) for run in plan.runs if (found := list(_found(run, folder, failed)))]
    if not measured:
        return
    with complete_file(folder.path / EGRESS) as file:
        file.write(_csv(plan, measured))
    missing = []
    if find_spec("pyarrow"):
        path = folder.path / EGRESS_PARQUET
        with complete_file(path) as file:
            write_parquet(file, path, _columns(plan, measured))
    else:
        missing.append(f"{EGRESS_PARQUET} (needs the extra 'parquet')")
    if find_spec("matplotlib"):
        _save_plot(plan, folder, measured)
    else:
        missing.append(f"{EGRESS_PLOT} (needs the extra 'plot')")
    if missing:
        text = f"these files are not written: {', '.join(missing)}. Install the extras."
        warnings.warn(f"{folder.path}: {text}", InputWarning, stacklevel=2)


def _found(run: Run, folder: FarmFolder, failed: Mapping[str, str]) -> Iterator[Egress]:
    for task in run.tasks:
        if task.kind == "egress" and task.key not in failed:
            text = read_text(folder.of_task(task.key) / EGRESS, TIMES)
            for row in csv.DictReader(io.StringIO(text)):
                entered, premovement, left = (float(row[name]) for name in ("entered_s", "premovement_s", "egress_s"))
                yield Egress(int(row["id"]), row["crowd"], entered, premovement, left, row["exit"])


def _csv(plan: FarmPlan, measured: Sequence[_Measured]) -> bytes:
    """Return the table as CSV. The first columns are the run, its seed, and its values of the scene keys."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["run", "seed", *plan.job.model.ranges.values, *Egress.__dataclass_fields__])
    for run, found in measured:
        own = [str(run.number), str(run.seed), *map(_text, run.values.values())]
        rows = csv.reader(egress_csv(found).decode().splitlines())
        writer.writerows([*own, *row] for row in list(rows)[1:])
    return text.getvalue().encode("utf-8")


def _columns(plan: FarmPlan, measured: Sequence[_Measured]) -> dict[str, list[object]]:
    """Return the columns of the table. Values of scene keys that are not numbers are text."""
    rows = [(run, own) for run, found in measured for own in found]
    columns: dict[str, list[object]] = {
        "run": [run.number for run, _ in rows],
        "seed": [run.seed for run, _ in rows],
    }
    for name in plan.job.model.ranges.values:
        values = [run.values[name] for run, _ in rows]
        is_number = all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)
        columns[name] = [float(value) if is_number else _text(value) for value in values]
    return columns | {name: [getattr(own, name) for _, own in rows] for name in Egress.__dataclass_fields__}


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _save_plot(plan: FarmPlan, folder: FarmFolder, measured: Sequence[_Measured]) -> None:
    import matplotlib

    with matplotlib.rc_context({"svg.hashsalt": SALT}), complete_file(folder.path / EGRESS_PLOT) as file:
        draw_egress(plan, measured).savefig(file, format="svg", metadata={"Date": None, "Creator": None})


def draw_egress(plan: FarmPlan, measured: Sequence[_Measured]) -> Figure:
    """Return a figure with one row of panels for each combination of values of the scene keys, at most `MOST_ROWS`
    rows.
    """
    from matplotlib.figure import Figure

    groups: dict[str, list[EgressRun]] = {}
    for run, found in measured:
        values = ", ".join(f"{name} = {_text(value)}" for name, value in run.values.items())
        groups.setdefault(values, []).append(EgressRun(run.seed, found))
    shown = [*groups.items()][:MOST_ROWS]
    figure = Figure(figsize=(SIZE[0], SIZE[1] * len(shown) + 0.5), layout="constrained")
    panels = figure.subplots(len(shown), 2, squeeze=False, sharex="col")
    for (left, right), (values, runs) in zip(panels, shown, strict=True):
        draw_all_exits(left, runs)
        draw_each_exit(right, runs)
        if values:
            left.set_title(printable(values), loc="left", fontsize=10, parse_math=False)
    cut = f", the first {MOST_ROWS} of {len(groups)} combinations" if len(groups) > MOST_ROWS else ""
    set_heading(figure, f"{plan.job.label}: egress times of {len(measured)} runs{cut}")
    return figure

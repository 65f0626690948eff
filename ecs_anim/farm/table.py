"""The table of a farm. The table has one row for each task, with scene keys, figures and the machine."""

import json
import warnings
from collections.abc import Mapping
from typing import Any

from ecs_anim.farm.folder import MANIFEST, TABLE, FarmFolder
from ecs_anim.farm.plan import FarmPlan
from ecs_anim.support.errors import InputError, InputWarning
from ecs_anim.support.pictures import complete_file
from ecs_anim.trajectories.parquet import pyarrow_for

Row = dict[str, Any]


def rows_of(plan: FarmPlan, folder: FarmFolder) -> list[Row]:
    """Return one row for each finished task of each run.

    A row is a dictionary from column name to value. Column names are `key`, `run`, `seed`, scene keys, figures,
    `seconds` and more.
    """
    rows = []
    for run in plan.runs:
        for task in run.tasks:
            record = folder.record(task.key)
            if record is None:
                continue
            names = {"key": task.key, "kind": task.kind, "run": run.number, "seed": run.seed}
            span = {"first_frame": task.frames[0], "last_frame": task.frames[-1]}
            done = {name: record[name] for name in ("seconds", "renderer", "digest")}
            own = {"machine": record["machine"]["name"], "processor": record["machine"]["processor"]}
            rows.append(names | dict(run.values) | span | record["figures"] | done | own)
    return rows


def write_table(plan: FarmPlan, folder: FarmFolder) -> None:
    """Write all rows as Parquet. If pyarrow is not installed, print a warning and write no file.

    Raises InputError for disk errors.
    """
    path = folder.path / TABLE
    try:
        pyarrow = pyarrow_for(path)
    except InputError as error:
        warnings.warn(InputWarning(f"{error}. The file {MANIFEST} has the same content as the table."), stacklevel=2)
        return
    rows = rows_of(plan, folder)
    columns = {name: _column([row.get(name) for row in rows]) for name in dict.fromkeys(n for row in rows for n in row)}
    with complete_file(path) as file:
        pyarrow.parquet.write_table(pyarrow.table(columns), file)


def _column(values: list[Any]) -> list[Any]:
    """Return the values of a column for the table.

    A column of only numbers, only booleans or only texts does not change. In a column with several types of values,
    each value becomes a JSON text.
    """
    kinds = {_kind(value) for value in values if value is not None}
    if len(kinds) <= 1 and "data" not in kinds:
        return values
    return [None if value is None else json.dumps(value) for value in values]


def _kind(value: object) -> str:
    match value:
        case bool():
            return "truth"
        case int() | float():
            return "number"
        case str():
            return "text"
        case _:
            return "data"


def parameters_of(plan: FarmPlan) -> Mapping[str, list[Any]]:
    """Return a dictionary from scene key to its values.

    The dictionary contains a scene key only if the key has several values and all its values are numbers.
    """
    ranges = plan.job.model.ranges.values
    return {name: values for name, values in ranges.items() if len(values) > 1 and {*map(_kind, values)} == {"number"}}

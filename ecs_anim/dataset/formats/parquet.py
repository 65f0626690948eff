"""The format `parquet`: one row for each actor in each picture. The format needs pyarrow (the extra `parquet`)."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ecs_anim.dataset.formats.output import Output
from ecs_anim.dataset.plan import Plan
from ecs_anim.labels.coco import Label
from ecs_anim.trajectories.parquet import pyarrow_for

PATH = "parquet/actors.parquet"
OF_PICTURE = ("camera", "number", "seed", "split", "frame", "time")
# Fields of actors with plain values, in the order of the columns.
PLAIN = (
    *("id", "track_id", "crowd", "category", "area", "amodal_area", "occlusion"),
    *("figure", "outfit", "tint", "height", "age", "action", "state", "heading", "group"),
)
# Fields of actors with lists of numbers, and the names of their items. Each item is a column FIELD_ITEM.
LISTS = {
    "bbox": ("left", "top", "width", "height"),
    "amodal_bbox": ("left", "top", "width", "height"),
    "position": ("x", "y", "z"),
    "velocity": ("x", "y", "z"),
    "gaze": ("x", "y", "z"),
}
ROWS = 20_000  # number of rows in a row group


class Parquet:
    """Writer of the table."""

    def __init__(self, plan: Plan, output: Output) -> None:
        self._pyarrow = pyarrow_for(Path(PATH))
        self._rows: list[dict[str, Any]] = []
        self._schema = self._pyarrow.schema(_fields(self._pyarrow))
        self._file = self._pyarrow.parquet.ParquetWriter(_Sink(output.begin(PATH)), self._schema)

    def add(self, label: Label) -> None:
        """Add the rows of a picture."""
        of_picture = {name: label[name] for name in OF_PICTURE}
        self._rows += [of_picture | _row(actor) for actor in label["actors"]]
        if len(self._rows) >= ROWS:
            self._flush()

    def finish(self) -> None:
        """Write the remaining rows."""
        self._flush()
        self._file.close()

    def _flush(self) -> None:
        self._file.write_table(self._pyarrow.Table.from_pylist(self._rows, self._schema))
        self._rows = []


class _Sink:
    """A stream that only writes, for pyarrow."""

    closed = False

    def __init__(self, file: Any) -> None:
        self._file, self._at = file, 0

    def write(self, data: Any) -> int:
        """Write `data`."""
        self._file.write(bytes(data))
        self._at += len(data)
        return len(data)

    def tell(self) -> int:
        """Return the number of written bytes."""
        return self._at

    def flush(self) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing: the data set closes the file."""


def _fields(pyarrow: Any) -> list[tuple[str, Any]]:
    """Return the names and the types of the columns."""
    text, whole, real = pyarrow.string(), pyarrow.int64(), pyarrow.float64()
    wholes = {"number", "seed", "frame", "id", "track_id", "area", "amodal_area", "outfit", "group"}
    texts = {"camera", "split", "crowd", "category", "figure", "tint", "age", "action", "state"}
    plain = (*OF_PICTURE, *PLAIN)
    fields = [(name, whole if name in wholes else text if name in texts else real) for name in plain]
    lists = [(f"{name}_{item}", whole if "bbox" in name else real) for name, items in LISTS.items() for item in items]
    return [*fields, *lists, ("goal", text)]


def _row(actor: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns of an actor."""
    row = {name: actor[name] for name in PLAIN}
    for name, items in LISTS.items():
        values = actor[name] or [None] * len(items)
        row |= {f"{name}_{item}": value for item, value in zip(items, values, strict=True)}
    return row | {"goal": (actor["goal"] or {}).get("name")}

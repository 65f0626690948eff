"""Reader of SUMO's FCD export (XML), which lists the persons at each time step of a simulation."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.parsers import expat

import numpy as np

from ecs_anim.support.errors import InputError
from ecs_anim.support.files import opened
from ecs_anim.trajectories.angles import with_headings
from ecs_anim.trajectories.known_tables import refuse_degrees
from ecs_anim.trajectories.line_source import SLAB
from ecs_anim.trajectories.moments import calendar_of
from ecs_anim.trajectories.names import Names
from ecs_anim.trajectories.options import ReadOptions
from ecs_anim.trajectories.rows import Label, Rows, checked, wrong_line
from ecs_anim.trajectories.source import TRAJECTORIES, Layout, Source

ROOT, STEP, PERSON = "fcd-export", "timestep", "person"
DEEPEST = 8  # most levels of elements
LONGEST = 1 << 20  # most bytes of a tag or a comment
AT_ONCE = 8192  # rows that are returned together
NUMBERS = {"x": "x", "y": "y", "heading": "angle", "z": "z"}  # XML attributes by role
GEOGRAPHIC = re.compile(rb'fcd-output\.geo\s+value="(true|1|t|yes)"', re.IGNORECASE)
NOTES = (
    "metres, seconds and headings in degrees clockwise from north, from the definition of SUMO",
    "the reader reads only persons, and skips vehicles and containers",
)


class _Reader:
    """A parser that collects the persons in a file. The parser uses expat."""

    def __init__(self, path: Path, names: Names) -> None:
        self.samples: list[tuple[str, ...]] = []  # time, id, and the attributes in `NUMBERS`
        self.others = 0  # vehicles and containers
        self._lines: list[int] = []
        self._path, self._names = path, names
        self._time, self._depth, self._fed = "", 0, 0
        self._parser = expat.ParserCreate()
        self._parser.StartElementHandler = self._begin
        self._parser.EndElementHandler = self._finish
        self._parser.StartDoctypeDeclHandler = self._refuse
        self._parser.EntityDeclHandler = self._refuse

    def feed(self, data: bytes, *, final: bool = False) -> None:
        """Parse the next part of the file. Raises InputError if the file is not an FCD export."""
        self._fed += len(data)
        try:
            self._parser.Parse(data, final)
        except expat.ExpatError as error:
            told = expat.ErrorString(error.code)
            raise InputError(
                f"{self._path}: line {error.lineno}: the file must be XML ({told}). Correct the file."
            ) from None
        if self._fed - self._parser.CurrentByteIndex > LONGEST:
            raise InputError(
                f"{self._path}: line {self._now}: a tag must not be longer than {LONGEST:,} bytes. Shorten the tag."
            )

    def taken(self) -> Rows:
        """Return the rows that the parser has parsed since the last call. Raises InputError for an invalid number."""
        rows = self._rows(self.samples, self._lines)
        self.samples, self._lines = [], []
        return rows

    def _rows(self, samples: list[tuple[str, ...]], lines: list[int]) -> Rows:
        label = Label(str(self._path), "line", self._names)
        texts = dict(zip(("time", "id", *NUMBERS), zip(*samples, strict=True), strict=True)) if samples else {}
        columns = {
            role: np.array([self._number(role, *own) for own in zip(texts.get(role, ()), lines, strict=True)])
            for role in ("time", *NUMBERS)
        }
        ids = self._names.numbers(texts.get("id", ()))
        return checked(with_headings({"id": ids, **columns}, "north"), np.array(lines, np.int64), label)

    def _number(self, role: str, text: str, line: int) -> float:
        """Return the number in `text`, or NaN if `text` is empty and the role is optional. Raises InputError for any
        other text.
        """
        if not text and role in ("heading", "z"):
            return np.nan
        try:
            return _seconds(text) if role == "time" else float(text)
        except ValueError:
            raise wrong_line(self._path, line, f"{role} must be a number (got {text[:40]!r})") from None

    @property
    def _now(self) -> int:
        return self._parser.CurrentLineNumber

    def _begin(self, tag: str, values: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > DEEPEST:
            raise InputError(
                f"{self._path}: line {self._now}: elements must be nested at most {DEEPEST} levels deep. Remove inner"
                " elements."
            )
        if tag == STEP:
            self._time = values.get("time", "")
        elif tag == PERSON:
            if not values.get("id"):
                raise wrong_line(self._path, self._now, "a person must have an id")
            self.samples.append((self._time, values["id"], *(values.get(key, "") for key in NUMBERS.values())))
            self._lines.append(self._now)
        elif tag != ROOT:
            self.others += 1

    def _finish(self, _: str) -> None:
        self._depth -= 1

    def _refuse(self, *_: object) -> None:
        raise InputError(
            f"{self._path}: line {self._now}: an XML file of trajectories must not declare document types or entities."
            " Remove the declaration."
        )


@dataclass(frozen=True)
class SumoSource(Source):
    """An FCD export from SUMO."""

    names: Names
    counted = "line"

    def rows(self) -> Iterator[Rows]:
        """Yield all rows of the file. Each yielded item contains thousands of rows."""
        reader, count = _Reader(self.path, self.names), 0
        with opened(self.path, TRAJECTORIES) as file:
            while data := file.stream.read(SLAB):
                reader.feed(data)
                if len(reader.samples) >= AT_ONCE:
                    count += len(reader.samples)
                    yield reader.taken()
            reader.feed(b"", final=True)
        if reader.others and not count + len(reader.samples):
            raise InputError(
                f"{self.path}: the file must contain persons (got only vehicles). Simulate persons, or use another"
                " file."
            )
        yield reader.taken()


def sumo_source(path: Path, start: bytes, _: ReadOptions) -> SumoSource:
    """Return the source for an FCD export.

    `start` contains the first bytes of the file. The function does not use the reading options.

    Raises InputError.
    """
    if GEOGRAPHIC.search(start):
        refuse_degrees(("lat", "lon"), path, None)
    names = Names(str(path))
    layout = Layout("SUMO FCD", False, "m", 1.0, (), NOTES, is_simulated=True, ids=names)
    return SumoSource(path, layout, names)


def _seconds(text: str) -> float:
    """Return a time in seconds. SUMO writes a number of seconds, or a text with days, hours, minutes and seconds.
    Raises ValueError for any other text.
    """
    if ":" in text and (calendar := calendar_of(text)) is not None:
        return calendar.seconds(text)
    return float(text)

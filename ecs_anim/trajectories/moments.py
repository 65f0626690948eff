"""Conversion of times in text form: dates with times (ISO 8601), and clock times such as 12:00:05.2."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np

from ecs_anim.trajectories.rows import Reals

# days, hours, minutes and seconds; leading parts can be missing
CLOCK = re.compile(r"(?:\d{1,4}:){1,3}\d{1,2}(?:[.,]\d*)?")
SECONDS = (1.0, 60.0, 3600.0, 86400.0)  # seconds per part, the last part first
YEAR_FIRST = re.compile(r"(\d{4})[/.](\d{1,2})[/.](\d{1,2})(.*)")
DAY_FIRST = re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{4})(.*)")


@dataclass(frozen=True)
class Calendar:
    """Conversion of times in text form to seconds since time 0."""

    first: datetime | None  # None: clock times, counted from 0:00

    def seconds(self, text: str) -> float:
        """Return the time in `text` as seconds since time 0 of this calendar.

        Raises ValueError for an invalid text. If `Calendar.first` is None, the text must be a clock time. If
        `Calendar.first` is not None, the text must be a date with a time. The text must have a time zone if
        `Calendar.first` has a time zone, and must not have a time zone otherwise.
        """
        if self.first is None:
            return _clock_seconds(text)
        moment = _moment(text)
        if (moment.tzinfo is None) != (self.first.tzinfo is None):
            raise ValueError(
                "either all times or no times of the file must have a time zone, but this time and the first time "
                "differ"
            )
        return (moment - self.first).total_seconds()

    def all_seconds(self, texts: Sequence[str]) -> Reals:
        """Return each time in `texts` as seconds since time 0 of this calendar [n]. The function parses equal texts
        only once.

        Raises ValueError if a text is invalid.
        """
        known = {text: self.seconds(text) for text in set(texts)}
        return np.array([known[text] for text in texts], np.float64)

    @property
    def note(self) -> str:
        """Return a text that explains time 0."""
        if self.first is None:
            return "times are relative to 0:00:00"
        zone = "" if self.first.tzinfo else " without a zone"
        return f"times are relative to the first row, {self.first.isoformat().replace('+00:00', 'Z')}{zone}"


def calendar_of(text: str) -> Calendar | None:
    """Return the calendar for the time text in the first row, or None if the text is not a time.

    For dates with times, time 0 is the time in the first row. For clock times, time 0 is 0:00.
    """
    try:
        return Calendar(None) if CLOCK.fullmatch(text.strip()) else Calendar(_moment(text))
    except ValueError:
        return None


def _clock_seconds(text: str) -> float:
    plain = text.strip().replace(",", ".")
    if not CLOCK.fullmatch(plain):
        raise ValueError("the text must be a clock time, such as 12:30:05")
    return sum(size * float(part) for size, part in zip(SECONDS, reversed(plain.split(":")), strict=False))


def _moment(text: str) -> datetime:
    """Return the date and time in a text. The function converts a time with a time zone to UTC."""
    plain = text.strip()
    if match := YEAR_FIRST.fullmatch(plain):
        plain = f"{match[1]}-{match[2]:0>2}-{match[3]:0>2}{match[4]}"
    elif match := DAY_FIRST.fullmatch(plain):
        plain = f"{match[3]}-{match[2]:0>2}-{match[1]:0>2}{match[4]}"
    if "-" not in plain[1:]:
        raise ValueError("the text must be a date, such as 2024-05-31")
    moment = datetime.fromisoformat(plain)
    return moment if moment.tzinfo is None else moment.astimezone(UTC)

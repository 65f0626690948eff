"""Reader of TrajNet++ files in JSON Lines. Each line is an object: a sample of a track, or a scene."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ecs_anim.trajectories.line_source import LineSource
from ecs_anim.trajectories.rows import Label, Rows, Whole, checked, wrong_line
from ecs_anim.trajectories.source import Layout
from ecs_anim.trajectories.text_head import whole_lines
from ecs_anim.trajectories.text_layout import trajnet_layout

KEYS = {"frame": "f", "id": "p", "x": "x", "y": "y"}
KINDS = ("track", "scene")


def ndjson_source(path: Path, start: bytes) -> LineSource:
    """Return the source for a TrajNet++ file. `start` contains the first bytes of the file. Raises InputError for an
    invalid line.
    """
    objects = [_object(text, k + 1, str(path)) for k, text in enumerate(whole_lines(start)) if text.strip()]
    tracks = [own["track"] for own in objects if "track" in own]
    rates = {own["scene"].get("fps") for own in objects if "scene" in own and isinstance(own["scene"], Mapping)}
    label = Label(str(path), "line")
    known = _rows(tracks, np.arange(1, len(tracks) + 1), label)
    said = rates.pop() if len(rates) == 1 else None
    rate = float(said) if isinstance(said, int | float) and said > 0 else None
    layout: Layout = trajnet_layout("TrajNet++ JSON Lines", known.ticks, known.ids.astype(np.float64), rate)
    return LineSource(path, layout, _Parse(label), 0)


@dataclass(frozen=True)
class _Parse:
    """The parser of JSON lines."""

    label: Label

    def __call__(self, lines: list[str], numbers: Whole) -> Rows:
        tracks, kept = [], []
        for number, line in zip(numbers.tolist(), lines, strict=True):
            if line.strip() and "track" in (own := _object(line, number, self.label.path)):
                tracks.append(own["track"])
                kept.append(number)
        return _rows(tracks, np.array(kept, np.int64), self.label)


def _object(line: str, number: int, path: str) -> dict[str, object]:
    try:
        found = json.loads(line)
    except json.JSONDecodeError as error:
        raise wrong_line(path, number, f"the line must be valid JSON ({error}). The file may be incomplete") from None
    except (ValueError, RecursionError):  # a number with thousands of digits
        raise wrong_line(path, number, "a number is too long, or brackets are nested too deeply") from None
    if not isinstance(found, dict) or not any(kind in found for kind in KINDS):
        raise wrong_line(
            path, number, f'the line must be a JSON object with the key "track" or "scene" (got {line[:40]!r})'
        )
    return found


def _rows(tracks: list[object], lines: Whole, label: Label) -> Rows:
    """Return the rows from the JSON objects `tracks`.

    `lines` contains the line number of each object. Raises InputError if a value is not a number.
    """
    try:
        table = np.array([[track[key] for key in KEYS.values()] for track in tracks], np.float64)  # type: ignore[index]
    except (KeyError, TypeError, ValueError, OverflowError):
        _tell(tracks, lines, label)
        raise
    return checked(dict(zip(KEYS, table.reshape(-1, len(KEYS)).T, strict=True)), lines, label)


def _tell(tracks: list[object], lines: Whole, label: Label) -> None:
    for line, track in zip(lines.tolist(), tracks, strict=True):
        for role, key in KEYS.items():
            value = track.get(key) if isinstance(track, Mapping) else None
            if not isinstance(value, int | float) or (isinstance(value, int) and abs(value) > 2**63):
                raise wrong_line(
                    label.path, line, f'the key "{key}" of "track", the {role}, must be a number (got {value!r:.40})'
                )

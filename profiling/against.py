"""Comparison of a profile with a baseline: an earlier profile. A threshold limits the time ratios of the frame and of
each system.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ecs_anim.profiling.table import print_rows
from ecs_anim.support.errors import InputError
from ecs_anim.support.files import Kind, read_text

BASELINE = Kind("baseline", "baseline_bytes", ("json", "unknown"))
FRAME = "frame"
LONGEST = 1e9  # longest time that a baseline file can contain [ms]
# share of the frame time; parts below this share in both runs are noise, and are shown but not tested
LEAST_SHARE = 0.05

Data = Mapping[str, Any]  # type of the value that `as_json` returns


@dataclass(frozen=True)
class Ratio:
    """The median times of one system or of the whole frame, in the baseline and in the current run."""

    name: str
    before_ms: float | None  # median; None = the baseline has no time for this system
    now_ms: float | None
    counts: bool  # whether the system takes enough of the frame time for a test against the threshold

    @property
    def ratio(self) -> float | None:
        """Return the time of the current run divided by the time of the baseline.

        A ratio above 1 means a slower current run.

        The ratio is None if one of the runs has no time, or if the time of the baseline is 0.
        """
        return self.now_ms / self.before_ms if self.before_ms and self.now_ms is not None else None


def read_baseline(path: Path, scene: str, actors: Sequence[int], size: tuple[int, int] | None) -> dict[int, Data]:
    """Return the measured runs in the baseline file `path`, by number of actors.

    Raises InputError if the baseline has another scene or another picture size.
    """
    try:
        data = json.loads(read_text(path, BASELINE))
        runs = {run["actors"]: run for run in (data if isinstance(data, list) else [data])}
        for run in runs.values():
            _require_figures(run)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise InputError(
            f"{path}: the file must contain the results of a profile. Name a file that `profile --json` wrote, or "
            "name a scene or a snapshot."
        ) from None
    for run in runs.values():
        if run["scene"] != scene:
            raise InputError(
                f"{path}: the baseline must be a profile of the scene {scene!r} (got {run['scene']!r}). Write a"
                " baseline of this scene with --json."
            )
        if run.get("size") != (list(size) if size else None):
            wanted, got = _pictures(size), _pictures(run.get("size"))
            raise InputError(
                f"{path}: this run needs a baseline with {wanted} (got a baseline with {got}). Write another"
                " baseline, or use --size or --no-draw."
            )
    require_actors(runs, actors, path)
    return runs


def require_actors(runs: Mapping[int, Data], actors: Sequence[int], path: Path | None) -> None:
    """Raise InputError if the baseline has no run for one of the numbers in `actors`."""
    missing = [count for count in actors if count not in runs]
    if missing:
        there = " ".join(f"--actors {count}" for count in runs)
        raise InputError(
            f"{path}: the baseline has no run with {missing[0]} actors. Use the numbers of actors in the baseline:"
            f" {there}"
        )


def compare(now: Data, before: Data) -> list[Ratio]:
    """Return a list of ratios: first the ratio of the frame times, then the ratio of each system, in the order of the
    current run.
    """
    frames = (before["frame_ms"]["median"], now["frame_ms"]["median"])
    medians = [{system["name"]: system["median_ms"] for system in run["systems"]} for run in (before, now)]
    ratios = [Ratio(FRAME, *frames, counts=True)]
    for name in dict.fromkeys([*medians[1], *medians[0]]):
        pair = (medians[0].get(name), medians[1].get(name))
        share = max((ms or 0.0) / max(frame, 1e-9) for ms, frame in zip(pair, frames, strict=True))
        ratios.append(Ratio(name, *pair, counts=share >= LEAST_SHARE))
    return ratios


def slower(ratios: Sequence[Ratio], threshold: float) -> list[Ratio]:
    """Return the ratios above `threshold`. Ratios of systems with a very small share of the frame time are omitted."""
    return [own for own in ratios if own.counts and own.ratio is not None and own.ratio > threshold]


def print_ratios(ratios: Sequence[Ratio], title: str, threshold: float, *, stderr: bool = False) -> None:
    """Print the ratios as a table."""
    beyond, rows = slower(ratios, threshold), []
    for own in ratios:
        figures = ["" if ms is None else f"{ms:.3f}" for ms in (own.before_ms, own.now_ms)]
        ratio = "" if own.ratio is None else f"{own.ratio:.2f}"
        style = "red" if own in beyond else "" if own.counts else "dim"
        rows.append((style, [own.name, *figures, ratio]))
    print_rows(title, ("", "baseline ms", "now ms", "ratio"), rows, stderr=stderr)


def ratios_as_json(ratios: Sequence[Ratio], baseline: Path, threshold: float) -> dict[str, Any]:
    """Return the ratios as plain data for the JSON file of a profile."""
    return {
        "baseline": str(baseline),
        "threshold": threshold,
        "frame": ratios[0].ratio,
        "systems": {own.name: own.ratio for own in ratios[1:]},
        "slower": [own.name for own in slower(ratios, threshold)],
    }


def verdict(ratios: Sequence[Ratio], threshold: float) -> str:
    """Return a text that names each slower system with its ratio, such as "frame 1.31, sampling 1.40".

    If no system is slower, the text is empty.
    """
    return ", ".join(f"{own.name} {own.ratio:.2f}" for own in slower(ratios, threshold))


def _require_figures(run: Data) -> None:
    """Raise ValueError, KeyError, TypeError or AttributeError if a figure is missing or has a wrong type."""
    medians = [run["frame_ms"]["median"], *(system["median_ms"] for system in run["systems"])]
    if not all(isinstance(ms, int | float) and 0 <= ms < LONGEST for ms in medians):
        raise ValueError("not a figure")
    if not isinstance(run["actors"], int):
        raise ValueError("not a count")
    if not isinstance(run.get("size"), list | None):
        raise ValueError("not a size")
    if not isinstance(run["scene"], str) or not all(isinstance(system["name"], str) for system in run["systems"]):
        raise ValueError("not a name")


def _pictures(size: Sequence[int] | None) -> str:
    return f"pictures of {'x'.join(map(str, size))}" if size else "no pictures"

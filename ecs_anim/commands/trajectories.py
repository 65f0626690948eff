"""The code of `ecs-anim inspect` for trajectory files."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ecs_anim.commands.tables import print_facts
from ecs_anim.profiling.validation.trajectory_plot import plot_trajectories
from ecs_anim.support.terminal import print_note
from ecs_anim.trajectories import ReadOptions, Report, RootReport, recording, report, root_report, roots
from ecs_anim.trajectories.columns import shown
from ecs_anim.trajectories.steps import Gap, Jump

ON_A_LINE = 60  # largest number of characters of an outline in a table


def show_trajectories(
    path: Path, options: ReadOptions, as_json: bool, with_roots: bool, plot: Path | None = None
) -> None:
    """Print and plot the content of a trajectory file.

    If `with_roots` is true, the function also computes the paths of bodies from the recorded head positions, and prints
    figures about these paths. Raises InputError for wrong input.
    """
    own = recording(path, options)
    facts = describe_recording(report(own))
    if with_roots:
        facts |= _root_facts(root_report(roots(own.whole())), own.names)
    if plot is not None:
        plot_trajectories(own, plot)
        print_note(f"wrote {plot}")
    if not as_json:
        facts["walls"] = [{**wall, "wkt": _shortened(wall["wkt"])} for wall in facts["walls"]]
    print_facts(facts, as_json=as_json)


def describe_recording(found: Report) -> dict[str, Any]:
    """Return a dictionary with the content of a report. Lengths are in metres."""
    summary = {
        "format": found.format,
        "unit": found.unit,
        "file_rate": round(found.rate, 6),
        "people": found.people,
        **({"ids": shown(found.names)} if found.names else {}),
        "samples": found.samples,
        "rows_without_position": found.unseen,
        "start_s": round(found.start, 4),
        "end_s": round(found.end, 4),
        "samples_a_second": round(found.samples_a_second, 4),
        "x": [round(found.low[0], 3), round(found.high[0], 3)],
        "y": [round(found.low[1], 3), round(found.high[1], 3)],
        "median_speed": round(found.median_speed, 3),
        "slower_than_0.3": round(found.slow_share, 4),
        "gaps": found.gap_count,
        "jumps": found.jump_count,
        "headings": found.headings,
        "groups": found.group_count,
    }
    return {
        "trajectories": summary,
        "floors": [
            {
                "floor": own.name,
                "height": round(own.height, 3) if math.isfinite(own.height) else None,
                "samples": own.samples,
            }
            for own in found.floors
        ],
        "notes": [{"note": note} for note in found.notes],
        "gaps": _gaps(found.gaps, found.names),
        "jumps": _jumps(found.jumps, found.names),
        "walls": [{"from_s": wall.time if math.isfinite(wall.time) else None, "wkt": wall.wkt} for wall in found.walls],
    }


def _root_facts(found: RootReport, names: Sequence[str]) -> dict[str, Any]:
    summary = {
        "stretches": found.stretches,
        "head_distance": round(found.head_distance, 4),
        "head_distance_most": round(found.head_distance_most, 4),
        "median_speed": round(found.speed, 3),
        "speed_difference": round(found.speed_difference, 4),
        "steps_by_sway": round(found.shown_by_sway, 4),
        "steps_by_speed": round(found.shown_by_speed, 4),
        "sway": round(found.sway, 4),
        "stride_hz": round(found.stride_rate, 3),
    }
    return {
        "roots": summary,
        "closed_gaps": _gaps(found.closed_gaps, names),
        "open_gaps": _gaps(found.open_gaps, names),
        "left_out": _jumps(found.dropped, names),
    }


def _gaps(gaps: Sequence[Gap], names: Sequence[str]) -> list[dict[str, Any]]:
    return [
        {"person": _person(gap.id, names), "from_s": round(gap.start, 4), "seconds": round(gap.seconds, 4)}
        for gap in gaps
    ]


def _jumps(jumps: Sequence[Jump], names: Sequence[str]) -> list[dict[str, Any]]:
    return [
        {"person": _person(jump.id, names), "at_s": round(jump.time, 4), "metres": round(jump.metres, 3)}
        for jump in jumps
    ]


def _person(number: int, names: Sequence[str]) -> int | str:
    """Return the id that the file contains for the person with the number `number`."""
    return names[number] if names else number


def _shortened(text: str) -> str:
    return text if len(text) <= ON_A_LINE else f"{text[:ON_A_LINE]}..."

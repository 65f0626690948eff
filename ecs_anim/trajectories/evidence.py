"""Facts from the first rows of a table: the frame rate that fits the speeds, and the convention of heading angles."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.maths import elementary
from ecs_anim.trajectories.angles import convention_of
from ecs_anim.trajectories.columns import Columns
from ecs_anim.trajectories.known_tables import known_table
from ecs_anim.trajectories.motion import Motion, motion_of, rate_of_speeds
from ecs_anim.trajectories.source import Layout

Values = dict[str, NDArray[Any]]


def with_evidence(layout: Layout, columns: Columns, first: Values) -> tuple[Layout, str | None]:
    """Return the layout with facts from the first rows `first` [n], and the convention of the heading angles.

    If no known convention fits the directions of motion clearly, the returned convention is None.
    """
    if not {"x", "y"} <= set(first):
        return layout, None
    tick = "frame" if layout.counts_frames else "time"
    there = np.all([np.isfinite(first[role]) for role in ("id", tick, "x", "y")], axis=0)
    own = {role: values[there] for role, values in first.items()}
    motion = motion_of(own["id"], own[tick], np.stack([own["x"], own["y"]], axis=-1))
    layout = _with_rate(layout, columns, motion, own)
    if "heading" not in own:
        return layout, None
    known = known_table(columns.words)
    convention = known.angle if known and known.angle else convention_of(motion, own["heading"])
    return replace(layout, notes=(*layout.notes, _told(convention))), convention


def _told(convention: str | None) -> str:
    if convention is None:
        return (
            "the headings in the file are ignored, because they do not agree with the directions of motion in any "
            "known convention of angles"
        )
    way = "clockwise from north" if "north" in convention else "counter-clockwise from east"
    return f"headings are in {'radians' if 'radians' in convention else 'degrees'} {way}"


def _with_rate(layout: Layout, columns: Columns, motion: Motion, own: Values) -> Layout:
    """Return the layout with a value for `Layout.likely_rate`: the frame rate that fits the speeds.

    If the format of the file defines a frame rate, the function can also set `Layout.rate`.
    """
    likely = None
    if "velocity_x" in own and "velocity_y" in own:
        likely = rate_of_speeds(motion, elementary.hypot(own["velocity_x"], own["velocity_y"]))
    elif "speed" in own:
        likely = rate_of_speeds(motion, own["speed"])
    layout = replace(layout, likely_rate=likely)
    known = known_table(columns.words)
    if known is None or known.rate is None or layout.rate is not None:
        return layout
    if likely is None:
        return replace(
            layout,
            rate=known.rate,
            notes=(*layout.notes, f"{known.rate:g} frames per second, from the definition of the format"),
        )
    return replace(
        layout, rate=likely, notes=(*layout.notes, f"{likely:g} frames per second, from the velocities in the file")
    )

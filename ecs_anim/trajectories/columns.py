"""Assignment of a file's columns to roles: person, frame, time, x, y and others.

The roles come from the column names or from an option of the user.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from ecs_anim.support.errors import InputError, nearest
from ecs_anim.trajectories.options import UNITS

ROLES = {  # usual names of each role, the most reliable name first
    "id": (
        *("id", "pedestrianid", "pedestrian_id", "pedestrian", "personid", "person_id", "persid", "person", "ped_id"),
        *("pedid", "ped", "agentid", "agent_id", "agent", "trackid", "track_id", "track", "pid", "p"),
        *("object_id", "objectid", "obj_id", "uuid", "uid", "no"),
    ),
    "frame": (
        *("frame", "frameid", "frame_id", "framenumber", "frame_number", "frames", "fr", "f"),
        *("frame_no", "frame_nr", "frame_num", "framenum"),
    ),
    "time": (
        *("time", "t", "simtime", "sim_time", "seconds", "sec", "timestamp"),
        *("simsec", "timestep_time", "time_stamp", "datetime", "date_time", "zeit"),
    ),
    "x": (
        *("x", "pos_x", "posx", "x_pos", "xpos", "position_x", "px"),
        *("xcenter", "x_center", "coordcentx", "person_x", "x_coord", "coord_x", "world_x", "x_world", "easting"),
    ),
    "y": (
        *("y", "pos_y", "posy", "y_pos", "ypos", "position_y", "py"),
        *("ycenter", "y_center", "coordcenty", "person_y", "y_coord", "coord_y", "world_y", "y_world", "northing"),
    ),
    "z": ("z", "pos_z", "posz", "z_pos", "zpos", "position_z", "pz", "coordcentz", "person_z", "z_coord", "coord_z"),
    "level": ("level", "floor", "level_id", "levelid", "floor_id", "floorid", "level_name", "floor_name", "storey"),
    "heading_x": ("ori_x", "orientation_x", "heading_x", "dir_x", "dirx", "orientx"),
    "heading_y": ("ori_y", "orientation_y", "heading_y", "dir_y", "diry", "orienty"),
    "heading": ("heading", "yaw", "orientation", "angle", "person_angle", "theta", "heading_deg", "yaw_deg"),
    "velocity_x": ("vx", "v_x", "vel_x", "velocity_x", "xvelocity", "x_velocity", "velx", "speed_x"),
    "velocity_y": ("vy", "v_y", "vel_y", "velocity_y", "yvelocity", "y_velocity", "vely", "speed_y"),
    "speed": ("speed", "person_speed", "velocity", "v", "vel"),
    "group": ("group", "groupid", "group_id"),
    "start_time": ("simtime",),
    "end_time": ("endtime",),
    "start_x": ("startx",),
    "start_y": ("starty",),
    "end_x": ("endx",),
    "end_y": ("endy",),
}
FOOTSTEPS = ("id", "start_time", "end_time", "start_x", "start_y", "end_x", "end_y")
NEEDED = ("id", "frame", "time", "x", "y")
HEADINGS = ("heading_x", "heading_y", "heading")
MOTION = ("velocity_x", "velocity_y", "speed")  # compared with positions if the file states no rate
SAMPLES = (*NEEDED, "z", "level", *HEADINGS, "group", *MOTION)
TIME_UNITS = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9, "min": 1 / 60, "h": 1 / 3600}  # units per second
BY_NAME = "times in seconds, from the name of the column"
UNCLEAR = "timestamp"  # name of a time column with any unit; other names of times mean seconds
WITH_UNIT = re.compile(r"(.*?)\s*[/\[(]\s*([a-z/]+)\s*[\])]?$|(.*?)_(m|cm|mm|ft|in|s|ms|us|ns|min|h)$")
MOST_NAMES, MOST_CHARACTERS = 20, 40  # limits on names in messages
SET_COLUMNS = "Set columns = 'id frame x y', with - for each column to skip"
LONGEST_NAME = 200  # characters; matching a pattern takes quadratic time
SUFFIX = re.compile(r"-pid\d+$")  # in Vadere's names: the processor that wrote the column


@dataclass(frozen=True)
class Columns:
    """The column of a table for each role, and the units that the column names state."""

    where: dict[str, int]
    units: frozenset[str] = frozenset()  # units of x and y; "" if one of them has no unit; empty if neither has a unit
    time_rate: float | None = None  # units of time per second
    notes: tuple[str, ...] = ()
    words: frozenset[str] = frozenset()  # all names, without their units

    @property
    def read(self) -> dict[str, int]:
        """Return a dictionary from role to column number. The dictionary contains only the columns that the reader
        needs from every row.
        """
        return {role: column for role, column in self.where.items() if role not in MOTION}

    def without(self, *roles: str) -> "Columns":
        """Return a copy without the columns that have the roles `roles`."""
        return replace(self, where={role: column for role, column in self.where.items() if role not in roles})

    @property
    def counts_frames(self) -> bool:
        return "frame" in self.where

    @property
    def footsteps(self) -> bool:
        return "start_x" in self.where


def named_columns(names: Sequence[str], units: Sequence[str] = ()) -> Columns | None:
    """Return the column for each role, found by column names such as `id`, `Frame`, `x/m` or `pos_x [cm]`. Return None
    if a required role has no column.

    `units` is the row of units below the column names. `units` can be empty.
    """
    plain = [_plain(name) for name in names]
    own = [word for word, _ in plain]
    said = [unit or (units[k].strip().lower() if k < len(units) else "") for k, (_, unit) in enumerate(plain)]
    found = _found(own, FOOTSTEPS)
    if set(found) != set(FOOTSTEPS):
        found = _found(own, SAMPLES)
        found.pop("frame" if "time" in found else "time", None)
        if not {"id", "x", "y"} < set(found) or not {"frame", "time"} & set(found):
            return None
        found = _whole_headings(found)
    x, y = (found.get(axis, found.get(f"start_{axis}", 0)) for axis in ("x", "y"))
    told = ", ".join(
        f"{role} is {names[k].strip()!r}" for role, k in found.items() if plain[k][0] != role and role not in MOTION
    )
    rate, note = _rate_of_times(own[found["time"]], said[found["time"]]) if "time" in found else (None, ())
    return Columns(
        found,
        _units(said[x], said[y]),
        rate,
        (*((f"columns from their names: {told}",) if told else ()), *note),
        frozenset(own),
    )


def _whole_headings(found: dict[str, int]) -> dict[str, int]:
    """Return `found` with the columns of only one form of heading.

    If the file has both components of a heading vector, the result contains these two components. Otherwise, the result
    contains the heading angle.
    """
    drop = {"heading"} if {"heading_x", "heading_y"} <= set(found) else {"heading_x", "heading_y"}
    return {role: column for role, column in found.items() if role not in drop}


def clear_columns(names: Sequence[str], units: Sequence[str], path: str) -> Columns | None:
    """Return the result of `named_columns`. Raises InputError if two columns share a role."""
    found = named_columns(names, units)
    own = [_plain(name)[0] for name in names]
    needed = {role: k for role, k in found.where.items() if role in (*NEEDED, *FOOTSTEPS)} if found else {}
    for role, column in needed.items():
        same = [name.strip() for name, word in zip(names, own, strict=True) if word == own[column]]
        if len(same) > 1:
            raise InputError(
                f"{path}: several columns can have the role {role}: {shown(same)}. {SET_COLUMNS}, or 'id=NAME x=NAME"
                " ...'."
            )
    return found


def _rate_of_times(name: str, unit: str) -> tuple[float | None, tuple[str, ...]]:
    """Return the number of time units per second, and notes that explain the number.

    If the time unit is unclear, the number is None.
    """
    if unit or name == UNCLEAR:
        return TIME_UNITS.get(unit), ()
    return 1.0, (BY_NAME,)


def asked_columns(text: str, names: Sequence[str], path: str) -> Columns:
    """Return the column for each role from the option `columns` of the user.

    The text lists roles in column order, such as "id frame x y -", or assigns column names to roles, such as "id=person
    x=px". Raises InputError for a wrong text.
    """
    where: dict[str, int] = {}
    for k, word in enumerate(text.split()):
        role, given, name = word.partition("=")
        if role == "-" and not given:
            continue
        if role not in SAMPLES:
            hint = nearest(role, SAMPLES)
            raise InputError(
                f"columns: {word!r} is not the role of a column;{hint} the roles are: {', '.join(SAMPLES)}, -"
            )
        if role in where:
            raise InputError(f"columns: the option names {role} twice (got {text!r}). Remove one of the two names.")
        where[role] = _column_of(name, names, path) if given else k
    if not {"id", "x", "y"} <= set(where) or len({"frame", "time"} & set(where)) != 1:
        raise InputError(
            f"columns: the option must name id, x, y, and either frame or time, each once (got {text!r}). Correct the"
            " option."
        )
    if ("heading_x" in where) != ("heading_y" in where):
        raise InputError(
            f"columns: the option must name both heading_x and heading_y, or neither (got {text!r}). Correct the"
            " option."
        )
    by_name = named_columns(names) if names else None
    said = [_plain(names[k])[1] if k < len(names) else "" for k in (where["x"], where["y"])]
    units = _units(*said) or (by_name.units if by_name else frozenset())
    return Columns(where, units, None, (), by_name.words if by_name else frozenset())


def plain_words(names: Sequence[str]) -> tuple[str, ...]:
    """Return the column names `names` in lower case, without their units."""
    return tuple(_plain(name)[0] for name in names)


def agreed_unit(told: Iterable[str]) -> str | None:
    """Return the unit if `told` contains exactly one unit of `options.UNITS`. Otherwise, return None."""
    found = set(told)
    return found.pop() if len(found) == 1 else None


def shown(names: Sequence[str]) -> str:
    """Return the column names as one text for messages, with long names and long lists shortened."""
    return ", ".join(name.strip()[:MOST_CHARACTERS] for name in names[:MOST_NAMES]) or "none"


def _units(*told: str) -> frozenset[str]:
    """Return the units of x and y. The set is empty if no unit is known."""
    return frozenset(unit if unit in UNITS else "" for unit in told) if UNITS.keys() & set(told) else frozenset()


def _column_of(name: str, names: Sequence[str], path: str) -> int:
    stripped = [own.strip() for own in names]
    if stripped.count(name) > 1:
        raise InputError(
            f"{path}: {stripped.count(name)} columns of the file have the same name {name!r}. {SET_COLUMNS}."
        )
    if name not in stripped:
        there = (
            f"columns are: {shown(names)}" if names else "the file has no column names; list the columns in their order"
        )
        raise InputError(f"{path}: the file has no column {name!r};{nearest(name, stripped)} {there}")
    return stripped.index(name)


def _found(own: Sequence[str], roles: Sequence[str]) -> dict[str, int]:
    """Return a dictionary from role to column number.

    If several columns fit a role, the function chooses the column with the most reliable name.
    """
    found = {}
    for role in roles:
        word = next((word for word in ROLES[role] if word in own), None)
        if word is not None:
            found[role] = own.index(word)
    return found


def _plain(name: str) -> tuple[str, str]:
    """Return a column name without its unit, and the unit. Without a unit, the second result is empty."""
    word = SUFFIX.sub("", name.strip().strip('"').lower()[:LONGEST_NAME])
    match = WITH_UNIT.fullmatch(word)
    if match is None:
        return word.replace(" ", "_"), ""
    base, unit = (match[1], match[2]) if match[2] else (match[3], match[4])
    return base.replace(" ", "_"), unit

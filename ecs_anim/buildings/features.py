"""Features of a building, independent of the file format, and the words that files use for them."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from shapely.geometry.base import BaseGeometry

from ecs_anim.support.arguments import FARTHEST

Kind = Literal["open", "room", "obstacle", "hole", "door", "area", "stairs", "escalator", "ramp", "lift"]
Way = Literal["up", "down", "both"]
Point = tuple[float, float]
# kinds of connections that have a lower end and an upper end
RISING: tuple[Kind, ...] = ("stairs", "escalator", "ramp")

# Words for the kinds of features in IMDF, OSM and plain files. Features with other words are rooms of IMDF, or are
# ignored.
WORDS: dict[str, Kind] = {
    **dict.fromkeys(("level", "area", "corridor", "walkway", "walkable", "floor", "platform", "movingwalkway"), "open"),
    **dict.fromkeys(("road", "footbridge", "lobby", "concourse", "space"), "open"),
    **dict.fromkeys(("room", "unit"), "room"),
    **dict.fromkeys(("wall", "walls", "obstacle", "obstacles", "barrier", "column", "structure"), "obstacle"),
    **dict.fromkeys(("fixture", "kiosk", "brick"), "obstacle"),
    **dict.fromkeys(("opentobelow", "hole", "void"), "hole"),
    **dict.fromkeys(("door", "opening", "entrance", "exit"), "door"),
    **dict.fromkeys(("section", "zone", "place"), "area"),
    **dict.fromkeys(("stairs", "steps", "stair", "staircase"), "stairs"),
    "escalator": "escalator",
    "ramp": "ramp",
    **dict.fromkeys(("elevator", "lift"), "lift"),
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Storey:
    """A level of a building, with the values that the file states."""

    key: str  # name in the file to which features refer
    name: str  # name of the level in the scene
    ordinal: float | None = None  # number of the storey, 0 = the ground
    height: float | None = None  # [m], height of the floor


@dataclass(frozen=True, eq=False)
class Feature:
    """A part of a building: one polygon, line or point."""

    place: str  # place in the file, for messages
    kind: Kind
    levels: tuple[str, ...]  # keys of storeys; empty = all storeys
    geometry: BaseGeometry  # polygon, line or point [m]
    name: str = ""
    width: float | None = None  # [m], width of stairs and doors
    way: Way | None = None  # direction in which people can walk, or in which the steps move
    ends: tuple[Point, Point] | None = None  # middle of the lower end and middle of the upper end of stairs
    risers: int | None = None


@dataclass
class Features:
    """The content of a file: the storeys and the parts of a building."""

    storeys: dict[str, Storey] = field(default_factory=dict)  # by key
    parts: list[Feature] = field(default_factory=list)
    ignored: Counter[str] = field(default_factory=Counter)  # number of ignored parts by reason
    notes: list[str] = field(default_factory=list)  # repairs
    # advice for a file without floors: the parts of this file format that are floors
    floor_advice: str = 'A floor is a polygon with a level, such as the property "level": "0". Add levels.'


def ignored_parts(ignored: Mapping[str, int]) -> str:
    """Return a text with the number of ignored parts by reason, the most frequent reason first."""
    return ", ".join(f"{count} x {reason}" for reason, count in sorted(ignored.items(), key=lambda own: (-own[1], own)))


def require_near_origin(points: NDArray[np.float64], place: str, fix: str) -> None:
    """Raise ValueError if a point [n, 2 or 3] [m] is too far from the plan point 0, 0. `fix` is the advice."""
    if not (np.abs(points) <= FARTHEST).all():
        raise ValueError(f"{place} must be within {FARTHEST:g} m of the point 0, 0. {fix}")


def damaged(what: str, error: Exception) -> ValueError:
    """Return the error for a file that a library cannot read. `what` names the file and its format."""
    return ValueError(f"the {what} ({' '.join(str(error).split())[:80]}). Save it again.")

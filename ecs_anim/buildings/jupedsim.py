"""Reading of buildings in the XML format of JuPedSim's predecessor JPScore: rooms, subrooms, crossings and transitions.

A subroom lies on the plane z = A_x x + B_y y + C_z. Its walls, crossings and transitions form its border.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from math import hypot
from xml.etree import ElementTree

import numpy as np
import shapely
from shapely import LineString, Polygon
from shapely.geometry.base import BaseGeometry

from ecs_anim.buildings.features import Feature, Features, Kind, Point, Storey, Way, require_near_origin
from ecs_anim.support.markup import parse_xml
from ecs_anim.walls.geometry_xml import corners_of, require_geometry
from ecs_anim.walls.shapes import Named, sound_parts

LEVEL = 0.01  # if the slope of its plane is smaller, a subroom is level
STAIRS: dict[str, tuple[Kind, Way | None]] = {
    "stair": ("stairs", None),
    "stairs": ("stairs", None),
    "escalator": ("escalator", "up"),
    "escalator_up": ("escalator", "up"),
    "escalator_down": ("escalator", "down"),
}
SHOWN = 40  # largest number of characters from the file in a message
Key = tuple[str, str]  # ids of a room and of a subroom


@dataclass(frozen=True, eq=False)
class Subroom:
    """A subroom with its plane."""

    key: Key
    name: str
    kind: Kind
    way: Way | None
    plane: tuple[float, float, float]  # A_x, B_y, C_z
    walls: list[LineString]
    obstacles: list[BaseGeometry]

    @property
    def storey(self) -> str:
        """The key of the storey of a level subroom: its height [cm]."""
        return f"{round(100 * self.plane[2])}"

    @property
    def place(self) -> str:
        return f"subroom {self.key[1]} of room {self.key[0]}"


@dataclass(frozen=True, eq=False)
class Passage:
    """A crossing between two subrooms, or a transition between two rooms or to the outside."""

    name: str  # empty for crossings
    line: LineString
    between: tuple[Key, Key]


def read_jupedsim_building(text: str, origin: Point = (0.0, 0.0)) -> Features:
    """Return the features of a building in an XML text, in metres.

    The point `origin` of the file becomes 0, 0 of the plan. Raises ValueError for an invalid text.
    """
    root = parse_xml(text)
    require_geometry(root)
    found = Features(floor_advice="A floor is a subroom with a closed border and without a slope. Add subrooms.")
    if count := len(list(root.iterfind("transitions/file"))) + len(list(root.iterfind("rooms/file"))):
        found.ignored["other files with parts of the building"] = count
    rooms = {own.key: own for own in _subrooms(root, origin)}
    passages = list(_passages(root, origin))
    with_floors = {own.key[0] for own in rooms.values() if own.kind == "open"}  # their captions are names of areas
    for own in rooms.values():
        if own.kind == "open":
            found.storeys.setdefault(own.storey, Storey(own.storey, "", None, own.plane[2]))
    for own in rooms.values():
        near = [passage for passage in passages if own.key in passage.between]
        if own.kind == "open":
            found.parts += _floor(own, near, found)
        else:
            found.parts += _rise(own, "" if own.key[0] in with_floors else own.name, near, rooms, found)
    for passage in passages:
        there = [rooms[key] for key in passage.between if key in rooms and rooms[key].kind == "open"]
        if passage.name and len(there) == sum(key in rooms for key in passage.between) > 0:
            found.parts.append(Feature(passage.name, "door", (there[0].storey,), passage.line, passage.name))
    _name_storeys(found)
    return found


def _name_storeys(found: Features) -> None:
    """Name the storeys by their numbers. The number 0 is the storey at the height 0, or the lowest storey above this
    height.
    """
    storeys = sorted(found.storeys.values(), key=lambda own: own.height or 0.0)
    below = sum(1 for own in storeys if (own.height or 0.0) < -LEVEL)
    for number, own in enumerate(storeys):
        found.storeys[own.key] = Storey(own.key, f"{number - below}", None, own.height)


def _subrooms(root: ElementTree.Element, origin: Point) -> Iterator[Subroom]:
    seen = Counter[Key]()
    for room in root.iterfind("rooms/room"):
        for own in room.iterfind("subroom"):
            key = _id(room, "id"), _id(own, "id")
            seen[key] += 1
            name = f"subroom {key[1]} of room {key[0]}"
            if seen[key] > 1:
                raise ValueError(f"two subrooms have the id of {name}. Change one id.")
            plane = _number(own, name, "A_x"), _number(own, name, "B_y"), _number(own, name, "C_z", "C")
            kind, way = STAIRS.get(own.get("class", "").strip().lower(), ("open", None))
            if kind == "open" and hypot(*plane[:2]) > LEVEL:
                kind = "ramp"
            walls = [_line(polygon, name, origin) for polygon in own.iterfind("polygon")]
            solids = [_line(polygon, f"an obstacle in {name}", origin) for polygon in own.iterfind("obstacle/polygon")]
            yield Subroom(key, _id(room, "caption"), kind, way, plane, walls, [_enclosed(solids)] if solids else [])


def _passages(root: ElementTree.Element, origin: Point) -> Iterator[Passage]:
    for room in root.iterfind("rooms/room"):
        for own in room.iterfind("crossings/crossing"):
            key = _id(room, "id")
            between = (key, _id(own, "subroom1_id")), (key, _id(own, "subroom2_id"))
            yield Passage("", _line(own, f"crossing {_id(own, 'id')}", origin), between)
    for own in root.iterfind("transitions/transition"):
        name = f"transition {_id(own, 'id')}"
        one, two = ((_id(own, f"room{side}_id"), _id(own, f"subroom{side}_id")) for side in (1, 2))
        yield Passage(_id(own, "caption") or name, _line(own, name, origin), (one, two))


def _floor(own: Subroom, near: list[Passage], found: Features) -> Iterator[Feature]:
    """Yield the floor, the walls and the obstacles of a level subroom."""
    area = _enclosed([*own.walls, *(passage.line for passage in near)])
    if area.is_empty:
        raise ValueError(
            f"the walls, crossings and transitions of {own.place} must form a closed border. Close the border."
        )
    shapes: list[tuple[Kind, BaseGeometry]] = [("open", area)]
    shapes += [("obstacle", solid) for solid in (*own.walls, *own.obstacles)]
    for kind, shape in shapes:
        for part in sound_parts(Named(own.place, shape), found.notes):
            yield Feature(own.place, kind, (own.storey,), part, own.name if kind == "open" else "")


def _line(element: ElementTree.Element, name: str, origin: Point) -> LineString:
    """Return the vertices of an element as a line."""
    corners = corners_of(element, name) - np.array(origin)
    require_near_origin(corners, name, "Correct it, or add origin.")
    return LineString(corners)


def _enclosed(lines: list[LineString]) -> BaseGeometry:
    """Return the area that lines enclose. Small gaps between the lines are closed."""
    nodes = shapely.union_all([shapely.set_precision(line, 1e-3) for line in lines])
    return shapely.union_all([part for part in shapely.polygonize([nodes]).geoms if isinstance(part, Polygon)])


def _rise(
    own: Subroom, name: str, near: list[Passage], rooms: dict[Key, Subroom], found: Features
) -> Iterator[Feature]:
    """Yield the stairs, the escalator or the ramp of a subroom between two level subrooms."""
    ends = list[tuple[float, str, Point, float]]()  # height, storey, middle, width
    for passage in near:
        other = next((rooms[key] for key in passage.between if key != own.key and key in rooms), None)
        if other is not None and other.kind == "open":
            middle = passage.line.interpolate(0.5, normalized=True)
            ends.append((other.plane[2], other.storey, (middle.x, middle.y), passage.line.length))
    low, high = min(ends, default=None), max(ends, default=None)
    if low is None or high is None or low[1] == high[1]:
        found.ignored["stairs, escalators and ramps without a lower and a higher subroom"] += 1
        return
    line = LineString([low[2], high[2]])
    width = min(low[3], high[3])
    yield Feature(own.place, own.kind, (low[1], high[1]), line, name, width, own.way, (low[2], high[2]))


def _id(element: ElementTree.Element, name: str) -> str:
    return " ".join(element.get(name, "").split())[:SHOWN]


def _number(element: ElementTree.Element, place: str, *names: str) -> float:
    """Return the number of the first attribute that exists, or 0."""
    said = next((element.get(name, "") for name in names if element.get(name)), "0")
    try:
        value = float(said)
    except ValueError:
        value = float("nan")
    if not abs(value) < 1e4:
        rule = "must be a number between -10,000 and 10,000"
        raise ValueError(f"{names[0]} of {place} {rule} (got {said[:SHOWN]!r}). Correct the number.")
    return value

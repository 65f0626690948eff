"""Reading of buildings in IFC: storeys, slabs, spaces, walls, doors, stairs, ramps and lifts.

The extra `ifc` installs the library `ifcopenshell`. Only this module imports `ifcopenshell`.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely import Polygon
from shapely.geometry.base import BaseGeometry

from ecs_anim.buildings.features import Feature, Features, Kind, Point, Storey, Way, damaged, require_near_origin
from ecs_anim.buildings.floors import long_axis
from ecs_anim.walls.shapes import Named, sound_parts

Reals = NDArray[np.float64]

MISSING = "IFC needs ifcopenshell. Install it with pip install 'ecs-anim[ifc]', or export the plans as GeoJSON."
FLOOR_ADVICE = "A floor is an IfcSlab or an IfcSpace with a shape in a storey. Export the model again."
KINDS: dict[str, Kind] = {
    "IfcSlab": "open",
    "IfcSpace": "area",
    "IfcWall": "obstacle",
    "IfcColumn": "obstacle",
    "IfcCurtainWall": "obstacle",
    "IfcFurnishingElement": "obstacle",
    "IfcDoor": "door",
    "IfcStair": "stairs",
    "IfcRamp": "ramp",
}
MOVING: dict[str, Kind] = {"ELEVATOR": "lift", "ESCALATOR": "escalator"}  # types of IfcTransportElement
FINE = 1e-6  # [m^2]; if the projection of a triangle is smaller, the triangle is a vertical face and is left out
NEAR = 0.6  # [m]; stairs reach a storey if the height of one of their ends is within this distance of the storey


class Mesh(NamedTuple):
    """The mesh of an element, or of all its parts."""

    points: Reals  # [n, 3], x, y, z [m]
    triangles: NDArray[np.int64]  # [m, 3]

    @property
    def footprint(self) -> BaseGeometry:
        """The projection of the mesh to the plan."""
        flat = shapely.polygons(self.points[self.triangles][:, :, :2])
        return shapely.union_all(shapely.set_precision(flat[shapely.area(flat) > FINE], 1e-4))


def read_ifc_building(text: str, origin: Point = (0.0, 0.0)) -> Features:
    """Return the features of a building in the text of an IFC file, in metres.

    The point `origin` [m] of the file becomes 0, 0 of the plan. Raises ValueError for an invalid file, and without
    ifcopenshell.
    """
    try:
        import ifcopenshell
        import ifcopenshell.geom
    except ImportError:
        raise ValueError(MISSING) from None
    found = Features(floor_advice=FLOOR_ADVICE)
    try:
        model = ifcopenshell.file.from_string(text)
        found.storeys = _storeys(model)
        settings = ifcopenshell.geom.settings()
        settings.set("use-world-coords", True)
        elements = [(own, kind) for name, kind in KINDS.items() for own in model.by_type(name)]
        elements += [(own, kind) for own in model.by_type("IfcTransportElement") if (kind := _moving(own)) is not None]
        for element, kind in elements:
            mesh = _mesh(element, settings)
            if mesh is None:
                found.ignored[f"{element.is_a()} without a shape"] += 1
            else:
                found.parts += _features(element, kind, mesh, found, origin)
    except ValueError:
        raise
    except Exception as error:  # ifcopenshell raises errors of any type for damaged files
        raise damaged("file must be valid IFC", error) from None
    _floors_of_spaces(found)
    return found


def _storeys(model: Any) -> dict[str, Storey]:
    """Return the storeys by their global ids."""
    import ifcopenshell.util.placement
    import ifcopenshell.util.unit

    metres, found = ifcopenshell.util.unit.calculate_unit_scale(model), dict[str, Storey]()
    for number, own in enumerate(model.by_type("IfcBuildingStorey")):
        placed = ifcopenshell.util.placement.get_local_placement(own.ObjectPlacement)
        height = float(placed[2][3]) * metres
        if not abs(height) < 1e3:
            raise ValueError(f"the height of storey {number} must be a number below 1000 m. Correct the file.")
        name = " ".join(str(own.Name or own.LongName or number).split())
        found[own.GlobalId] = Storey(own.GlobalId, name, None, height)
    return found


def _moving(element: Any) -> Kind | None:
    return MOVING.get(str(getattr(element, "PredefinedType", "")))


def _parts_of(element: Any) -> list[Any]:
    """Return the parts of an element, such as the flights of stairs."""
    return [part for relation in getattr(element, "IsDecomposedBy", ()) or () for part in relation.RelatedObjects]


def _mesh(element: Any, settings: Any) -> Mesh | None:
    """Return the mesh of an element and of its parts, or None without a shape."""
    import ifcopenshell.geom

    points, triangles = [np.empty((0, 3))], [np.empty((0, 3), np.int64)]
    for own in (element, *_parts_of(element)):
        if own.Representation is None:
            continue
        try:
            # this object owns the memory of its geometry, so it must stay alive
            shape = ifcopenshell.geom.create_shape(settings, own)
        except RuntimeError:  # the geometry kernel cannot compute the shape
            continue
        triangles.append(np.array(shape.geometry.faces, np.int64).reshape(-1, 3) + sum(map(len, points)))
        points.append(np.array(shape.geometry.verts, np.float64).reshape(-1, 3))
    mesh = Mesh(np.concatenate(points), np.concatenate(triangles))
    return mesh if len(mesh.triangles) else None


def _storey_of(element: Any) -> str | None:
    """Return the global id of the storey that contains an element, or None."""
    import ifcopenshell.util.element

    holder = ifcopenshell.util.element.get_container(element) or ifcopenshell.util.element.get_aggregate(element)
    for _ in range(20):
        if holder is None or holder.is_a("IfcBuildingStorey"):
            break
        holder = ifcopenshell.util.element.get_aggregate(holder)
    return holder.GlobalId if holder is not None else None


def _features(element: Any, kind: Kind, mesh: Mesh, found: Features, origin: Point) -> Iterator[Feature]:
    """Yield the features of an element. A mesh far from the plan point 0, 0 is an error."""
    points = mesh.points - np.array((*origin, 0.0))
    place = f"{element.is_a()} {element.GlobalId}"
    require_near_origin(points, place, "Add origin to [building].")
    mesh = mesh._replace(points=points)
    low, high = float(points[:, 2].min()), float(points[:, 2].max())
    storey, name = _storey_of(element), _name(element, kind)
    if kind in ("stairs", "ramp", "escalator"):
        levels = tuple(key for z in (low, high) if (key := _nearest(z, found)) is not None)
        if len(set(levels)) < 2:
            found.ignored[f"{element.is_a()} that does not reach two storeys"] += 1
            return
        is_one = len([part for part in _parts_of(element) if part.is_a("IfcStairFlight")]) < 2
        ends, width = _ends(mesh) if is_one else (None, None)
        for part in _polygons(mesh.footprint, place, found):
            yield Feature(place, kind, levels, part, name, width, _way(element), ends)
        return
    levels = tuple(own.key for own in found.storeys.values() if low - NEAR <= (own.height or 0.0) <= high)
    if kind != "lift":
        levels = (storey,) if storey in found.storeys else ()
    if not levels:
        found.ignored[f"{element.is_a()} without a storey"] += 1
        return
    for part in _polygons(mesh.footprint, place, found):
        yield Feature(place, kind, levels, part, name)


def _polygons(shape: BaseGeometry, place: str, found: Features) -> Iterator[Polygon]:
    yield from (own for own in sound_parts(Named(place, shape), found.notes) if isinstance(own, Polygon))


def _name(element: Any, kind: Kind) -> str:
    """Return the name of a space, of a connection or of a door, or an empty text."""
    said = getattr(element, "LongName", None) or element.Name if kind != "obstacle" else ""
    return " ".join(str(said or "").split())[:40]


def _way(element: Any) -> Way | None:
    return "up" if _moving(element) == "escalator" else None


def _nearest(z: float, found: Features) -> str | None:
    """Return the storey whose height is nearest to `z` [m], or None without a storey in the vicinity."""
    near = [(abs((own.height or 0.0) - z), key) for key, own in found.storeys.items()]
    gap, key = min(near, default=(NEAR, None))
    return key if gap < NEAR else None


def _ends(mesh: Mesh) -> tuple[tuple[Point, Point] | None, float | None]:
    """Return the middles of the lower and of the upper end of one flight, and its width."""
    axis = long_axis(mesh.footprint)
    if axis is None:
        return None, None
    one, two, width = axis
    along = ((mesh.points[:, :2] - one) * (two - one)).sum(axis=1)
    share = along / max(float(((two - one) ** 2).sum()), 1e-9)
    tops = [float(mesh.points[near, 2].max(initial=-np.inf)) for near in (share < 0.2, share > 0.8)]
    first, last = (one, two) if tops[0] < tops[1] else (two, one)
    return ((float(first[0]), float(first[1])), (float(last[0]), float(last[1]))), width


def _floors_of_spaces(found: Features) -> None:
    """For each storey without slabs, add the polygons of its spaces and doors as floors."""
    with_slab = {key for own in found.parts if own.kind == "open" for key in own.levels}
    for own in list(found.parts):
        if own.kind in ("area", "door") and not with_slab.intersection(own.levels):
            found.parts.append(Feature(own.place, "open", own.levels, own.geometry))

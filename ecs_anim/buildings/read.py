"""Reading of a building: the content of a file becomes tables of a scene."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import shapely
from shapely.geometry.base import BaseGeometry

from ecs_anim.buildings.dxf import read_dxf_building
from ecs_anim.buildings.features import RISING, Features, Kind, Storey, ignored_parts
from ecs_anim.buildings.floors import Names, door_tables, exit_area, floor_plan, is_exit, named_areas
from ecs_anim.buildings.geojson import read_geojson_building
from ecs_anim.buildings.ifc import read_ifc_building
from ecs_anim.buildings.imdf import files_of_archive
from ecs_anim.buildings.jupedsim import read_jupedsim_building
from ecs_anim.buildings.rises import Site, connections
from ecs_anim.support.budgets import Spending

FLOORLESS = "levels without a floor"  # reason to ignore a level
SMALLEST = 0.5  # [m], smallest length of a building
# Largest numbers of connections and of doors. With these numbers, the search for the ends of stairs and for the walls
# of doors takes seconds.
MOST: tuple[tuple[int, tuple[Kind, ...], str], ...] = (
    (1_000, (*RISING, "lift"), "stairs, escalators, ramps and lifts"),
    (5_000, ("door",), "doors"),
)


@dataclass(frozen=True)
class BuildingOptions:
    """Settings for the reading of a building that the file does not contain."""

    storey_height: float = 3.4  # [m]
    heights: Mapping[str, float] = field(default_factory=dict)  # [m], by the name of a level
    unit: Literal["degrees", "metres", "millimetres"] | None = None
    origin: tuple[float, float] | None = None
    door_width: float = 0.9  # [m], width of doors that are points in the file
    # level and kind of the layers of a DXF drawing, by the name of the layer
    layers: Mapping[str, tuple[str | None, Kind | None]] = field(default_factory=dict)


@dataclass(frozen=True)
class ReadBuilding:
    """The content of a building's file as tables of a scene."""

    tables: dict[str, list[dict[str, Any]]]  # levels, stairs, ramps, escalators, lifts
    areas: dict[str, tuple[str, str]]  # well-known text and name of the level, by the name of the area
    floors: dict[str, BaseGeometry]  # floor of each level by name
    ignored: dict[str, int]  # number of ignored parts by reason
    notes: tuple[str, ...]  # repairs


def read_building(content: str | bytes, options: BuildingOptions) -> ReadBuilding:
    """Return a building from a text in GeoJSON, in JuPedSim's XML, in DXF or in IFC, or from the bytes of an IMDF
    archive.

    Raises ValueError for invalid content.
    """
    if isinstance(content, bytes):
        found = _read_geojson(files_of_archive(content), options)
    else:
        found = _read_text(content, options)
    return assembled(found, options)


def _read_text(text: str, options: BuildingOptions) -> Features:
    origin, unit = options.origin or (0.0, 0.0), options.unit
    match text.lstrip()[:1]:
        case "{" | "[":
            return _read_geojson({"": text}, options)
        case "<":
            return read_jupedsim_building(text, origin)
        case "0" | "9":  # a DXF drawing begins with one of these two codes
            if unit == "degrees":
                raise ValueError('coordinates of DXF must be "metres" or "millimetres". Change coordinates.')
            return read_dxf_building(text, unit, origin, options.layers)
        case "I":  # ISO-10303-21
            if unit is not None:
                raise ValueError("an IFC file states its unit. Leave out coordinates.")
            return read_ifc_building(text, origin)
        case _:
            raise ValueError(
                "a building must be a file of GeoJSON, of JuPedSim's XML, of DXF or of IFC, or an IMDF archive. For a"
                " plan of walls without levels, use walls.file."
            )


def _read_geojson(texts: Mapping[str, str], options: BuildingOptions) -> Features:
    if options.unit == "millimetres":
        raise ValueError('coordinates of GeoJSON must be "degrees" or "metres". Change coordinates.')
    return read_geojson_building(texts, options.unit, options.origin)


def assembled(found: Features, options: BuildingOptions) -> ReadBuilding:
    """Return the tables of a scene for the features of a building. Raises ValueError without a level with a floor."""
    names, area_names, areas = Names(), Names(), dict[str, tuple[str, str]]()
    _require_few_corners(found)
    sites = _sites(found, options)
    if not sites:
        del found.ignored[FLOORLESS]
        left_out = f" (left out: {ignored_parts(dict(found.ignored.most_common(3)))})" if found.ignored else ""
        raise ValueError(f"the building has no level with a floor{left_out}. {found.floor_advice}")
    _require_large(sites)
    tables = connections(found, sites, names)
    levels = []
    for site in sites:
        walls = site.plan.walls
        level = {"name": site.name, "height": site.height, "area": _text(site.plan.area)}
        doors = door_tables(site.plan, names)
        levels.append({**level, "walls": "" if walls.is_empty else _text(walls), "doors": doors})
        for name, area in [*named_areas(site.parts), *_exits(site)]:
            inside = area.intersection(site.plan.area)
            inside = shapely.union_all([part for part in shapely.get_parts(inside) if part.area > 0])
            if not inside.is_empty:
                areas[area_names.new(name, f" ({site.name})")] = _text(inside), site.name
    floors = {site.name: site.plan.area for site in sites}
    return ReadBuilding({"levels": levels, **tables}, areas, floors, dict(found.ignored), tuple(found.notes))


def _require_large(sites: list[Site]) -> None:
    """Raise ValueError if the building is too small for people, because the file has another unit of length."""
    x, y, to_x, to_y = shapely.union_all([site.plan.area for site in sites]).bounds
    if max(to_x - x, to_y - y) < SMALLEST:
        raise ValueError(
            f"the floors are only {to_x - x:.2g} m long and {to_y - y:.2g} m wide. Set coordinates to the unit of the"
            " file, or correct the unit in the file."
        )


def _require_few_corners(found: Features) -> None:
    """Raise ValueError if the parts of all levels have too many corners. A part on two levels counts twice."""
    count = sum(
        shapely.get_num_coordinates(own.geometry) * (len(own.levels) or len(found.storeys)) for own in found.parts
    )
    if message := Spending("wall_corners", "simplify the building").excess(int(count)):
        raise ValueError(f"the building has {message}")
    for most, kinds, name in MOST:
        if (count := sum(own.kind in kinds for own in found.parts)) > most:
            raise ValueError(f"a building must have at most {most:,} {name} (got {count:,}). Split the file.")


def _sites(found: Features, options: BuildingOptions) -> list[Site]:
    """Return the levels that have a floor, from the lowest to the highest."""
    sites, names = list[Site](), Names()
    heights = _heights(found, options)
    for storey in sorted(found.storeys.values(), key=lambda own: (heights[own.key], own.key)):
        parts = [own for own in found.parts if not own.levels or storey.key in own.levels]
        plan = floor_plan([own for own in parts if own.ends is None or len(own.levels) < 2], options.door_width)
        if plan is None:
            found.ignored[FLOORLESS] += 1
        else:
            sites.append(Site(storey.key, names.new(storey.name[:100]), heights[storey.key], parts, plan))
    return sites


def _heights(found: Features, options: BuildingOptions) -> dict[str, float]:
    """Return the height of each storey [m] by key. Raises ValueError for a storey without a height."""
    if unknown := [name for name in options.heights if name not in {own.name for own in found.storeys.values()}]:
        there = ", ".join(sorted({own.name for own in found.storeys.values()})[:10]) or "none"
        raise ValueError(f"heights has a level {unknown[0]!r} that the building does not have. The levels are {there}.")
    heights = {own.key: _height(own, options) for own in found.storeys.values()}
    if missing := [found.storeys[key].name for key, height in heights.items() if height is None]:
        raise ValueError(
            f"the building states no height for the level {missing[0]!r}. Write heights ="
            f' {{ "{missing[0]}" = 3.4 }} in [building].'
        )
    return {key: height for key, height in heights.items() if height is not None}


def _height(own: Storey, options: BuildingOptions) -> float | None:
    if own.name in options.heights:
        return options.heights[own.name]
    return own.height if own.height is not None or own.ordinal is None else own.ordinal * options.storey_height


def _exits(site: Site) -> list[tuple[str, BaseGeometry]]:
    found = [(own, line) for own, line in site.plan.doors if is_exit(line, site.plan.area)]
    return [(own.name or "exit", exit_area(line, site.plan.area)) for own, line in found]


def _text(shape: BaseGeometry) -> str:
    return str(shapely.to_wkt(shape, rounding_precision=6, trim=True))

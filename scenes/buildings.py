"""Buildings from files: this module adds the levels, connections and named areas in a file to the scene as tables."""

import warnings
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ecs_anim.scenes.loader import SceneFile, validated
from ecs_anim.scenes.scene_key import SceneKey
from ecs_anim.scenes.schema_levels import BuildingModel
from ecs_anim.scenes.sizes import require_sizes
from ecs_anim.scenes.vary import said_of
from ecs_anim.support.errors import InputError, InputWarning
from ecs_anim.support.files import Kind, opened, read_text

if TYPE_CHECKING:  # this module imports shapely, which only scenes with walls or levels need
    from ecs_anim.buildings.read import ReadBuilding

BUILDING = Kind("building", "plan_bytes", ("plan", "drawing"))
WITH_AREAS = ("crowds", "areas", "alarms")  # tables in which `area` can be the name of an area of the building


def with_building(scene: SceneFile) -> SceneFile:
    """Return the scene with the levels, connections and areas of its building. If the scene has no table [building],
    return the scene unchanged.

    Tables from the file come after the tables of the scene. Raises InputError if the building is invalid. Prints a
    warning about ignored parts of the file.
    """
    model = scene.model.building
    if model is None:
        return scene
    key = scene.key(f"building.file: {model.file}")
    with key.blamed((InputError, ValueError)):
        found = building_in(scene.folder / model.file, model)
    if left_out := ignored_text(found):
        warnings.warn(f"{key}: {left_out}", InputWarning, stacklevel=2)
    said, places = said_of(scene), dict[str, str]()
    del said["building"]
    for table, rows in found.tables.items():
        own = said.get(table, [])
        for number, row in enumerate(rows, len(own)):
            places[f"{table}[{number}]"] = f"{key.key}: {table} {row['name']!r}"
        said[table] = [*own, *rows]
    for table in WITH_AREAS:
        said[table] = _with_areas(said.get(table, []), found.areas, scene.key(table))
    filled = validated(type(scene.model), said, scene.label)
    require_sizes(scene.label, filled)
    return replace(scene, model=filled, places=places)


def building_in(path: Path, model: BuildingModel) -> "ReadBuilding":
    """Return the building in a file. Raises InputError for an unreadable file, and ValueError for invalid content."""
    from ecs_anim.buildings.imdf import SIGNATURE
    from ecs_anim.buildings.read import BuildingOptions, read_building

    layers = {name: (own.level, None if own.kind == "ignore" else own.kind) for name, own in model.layers.items()}
    options = BuildingOptions(
        model.storey_height, model.heights, model.coordinates, model.origin, model.door_width, layers
    )
    with opened(path, BUILDING) as file:
        archive = file.whole() if file.first(len(SIGNATURE)) == SIGNATURE else None
    return read_building(archive or read_text(path, BUILDING), options)


def ignored_text(found: "ReadBuilding") -> str:
    """Return one line that lists the parts of a file that the reader ignored or repaired. If the reader used the file
    unchanged, return an empty text.
    """
    from ecs_anim.buildings.features import ignored_parts

    left_out = [f"left out: {ignored_parts(found.ignored)}"] if found.ignored else []
    return "; ".join([*left_out, *found.notes[:3]])


def _with_areas(said: Any, areas: Mapping[str, tuple[str, str]], key: SceneKey) -> Any:
    """Return a copy of the tables `said` in which areas and their levels replace the names of areas."""
    if isinstance(said, list):
        return [_with_areas(own, areas, key / f"[{number}]") for number, own in enumerate(said)]
    if not isinstance(said, dict):
        return said
    filled = {name: _with_areas(own, areas, key / f".{name}") for name, own in said.items()}
    name = said.get("area")
    if isinstance(name, str) and (name in areas or "(" not in name):  # well-known text has brackets
        (key / ".area").require_among(name, areas, "the building has no area")
        text, level = areas[name]
        filled = {**filled, "area": text, "level": said.get("level", level)}
    return filled

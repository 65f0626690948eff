"""Facts about the building in a file, for `ecs-anim inspect`."""

from pathlib import Path
from typing import Any

from ecs_anim.commands.tables import print_facts
from ecs_anim.scenes.buildings import building_in, ignored_text
from ecs_anim.scenes.schema_levels import BuildingModel
from ecs_anim.support.errors import InputError


def show_building(path: Path, as_json: bool) -> None:
    """Print the levels, connections and areas of the building in a file. Raises InputError if the file is invalid."""
    try:
        print_facts(describe_building(path), as_json=as_json)
    except ValueError as error:
        raise InputError(f"{path}: {error}") from None


def describe_building(path: Path) -> dict[str, Any]:
    """Return a dictionary with the levels, connections and areas of a building, and with the parts of the file that the
    reader ignored.
    """
    found = building_in(path, BuildingModel(file=path.name))
    levels = [
        {
            "name": level["name"],
            "height_m": round(level["height"], 3),
            "area_m2": round(float(found.floors[level["name"]].area), 2),
            "doors": ", ".join(door["name"] for door in level["doors"]),
        }
        for level in found.tables["levels"]
    ]
    ways = [
        {
            "name": row["name"],
            "type": kind,
            "levels": " - ".join(row["stops"] if kind == "lifts" else (row["foot"]["level"], row["to"])),
            "width_m": round(row["size"][0] if kind == "lifts" else row["width"], 3),
        }
        for kind, rows in found.tables.items()
        if kind != "levels"
        for row in rows
    ]
    areas = [{"name": name, "level": level} for name, (_, level) in found.areas.items()]
    notes = {"notes": {"warning": text}} if (text := ignored_text(found)) else {}
    return {"levels": levels, "connections": ways, "areas": areas, **notes}

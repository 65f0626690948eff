"""Conversion of the areas in a scene file to polygons."""

from ecs_anim.routing.areas import Area
from ecs_anim.scenes.scene_key import SceneKey
from ecs_anim.scenes.schema_routing import AreaShape


def area_of(written: AreaShape, key: SceneKey) -> Area:
    """Convert `written`, an area in a scene file, to a polygon. Raises an InputError that names the scene key `key`."""
    from ecs_anim.walls.areas import read_area  # this module imports shapely, which few scenes need

    with key.blamed():
        return Area(*read_area(written))

"""Construction of the walls and doors of a scene."""

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from pathlib import Path

import numpy as np

from ecs_anim.components.doors import Doors
from ecs_anim.ground.ground import Ground
from ecs_anim.maths.color import hex_to_linear
from ecs_anim.scenes.images import read_grey
from ecs_anim.scenes.laid_pictures import picture_onto_plan
from ecs_anim.scenes.scene_key import SceneKey
from ecs_anim.scenes.schema_walls import WallPicture, WallsModel
from ecs_anim.support.budgets import limit
from ecs_anim.support.errors import InputError
from ecs_anim.support.files import Kind, read_text
from ecs_anim.walls.areas import read_shapes
from ecs_anim.walls.build import Meaning, WallStyle, standing_walls
from ecs_anim.walls.plan import PlanOptions, in_metres, read_plan
from ecs_anim.walls.shapes import NO_SHAPES, Named, Shapes, checked_shapes
from ecs_anim.walls.trace import trace
from ecs_anim.walls.walls import Walls
from ecs_anim.walls.wkt import read_wkt

PLAN = Kind("plan", "plan_bytes", ("plan",))
MOST_KEPT = 8  # number of cached wall sets; each combination of open doors has one set


def build_walls(
    model: WallsModel, label: str, folder: Path, terrain: Ground, props: Sequence[Named] = ()
) -> tuple[Walls, Doors | None]:
    """Return the walls and the doors of a scene. If the scene has no doors, the second result is None.

    `props` are the footprints of props that are obstacles. The program does not draw these footprints as walls. Raises
    InputError with the scene key, the file, and the position in the file.
    """
    unseen = _unseen(label, props)
    key = SceneKey(label, "walls")
    style = WallStyle(model.height, model.thickness, hex_to_linear(model.color), model.drawn)
    meaning: Meaning = "obstacles" if model.picture is not None else model.polygons or "walkable"
    source, geometries = _plan(model, folder, key)
    try:
        shapes = checked_shapes(geometries())
        shapes.warn(source)
        standing = standing_walls(shapes, style, meaning, terrain, unseen=unseen)
    except ValueError as error:
        raise InputError(f"{source}: {error}") from None
    if not model.doors:
        return standing, None
    doors = _doors(model, key, lambda closed: standing_walls(shapes, style, meaning, terrain, closed, unseen))
    return doors.walls, doors


def walls_of_props(label: str, terrain: Ground, props: Sequence[Named]) -> Walls:
    """Return the walls of a scene whose only obstacles are props. Raises InputError if the footprints are too
    complex.
    """
    return standing_walls(NO_SHAPES, WallStyle(drawn=False), "obstacles", terrain, unseen=_unseen(label, props))


def _unseen(label: str, props: Sequence[Named]) -> list[Shapes]:
    with SceneKey(label, "props").blamed():
        return [checked_shapes(props)] if props else []


def _doors(model: WallsModel, key: SceneKey, standing: Callable[[Sequence[Shapes]], Walls]) -> Doors:
    """Return the doors of a scene. Raises InputError for invalid doors.

    The argument of the function `standing` contains the shapes of the closed doors. The result of `standing` contains
    all walls of the scene, including the closed doors.
    """
    shapes = []
    for number, door in enumerate(model.doors):
        with (key / f".doors[{number}].shape").blamed():
            shapes.append(read_shapes(door.shape))

    @lru_cache(MOST_KEPT)
    def walls_with(is_open: tuple[bool, ...]) -> Walls:
        return standing([shape for shape, free in zip(shapes, is_open, strict=True) if not free])

    is_open = np.array([door.open for door in model.doors])
    doors = Doors(tuple(door.name for door in model.doors), walls_with, is_open)
    try:
        _ = doors.locked
    except ValueError as error:
        raise (key / ".doors").fault(f"the walls are not valid when all doors are closed: {error}") from None
    return doors


def _plan(model: WallsModel, folder: Path, key: SceneKey) -> tuple[str, Callable[[], list[Named]]]:
    """Return the name of a plan for messages, and a function that reads this plan."""
    options = PlanOptions(None if model.level is None else f"{model.level}", model.origin or (0.0, 0.0))
    if model.wkt is not None:
        wkt = model.wkt
        return f"{key}.wkt", lambda: in_metres(read_wkt(wkt), options)
    if model.file is not None:
        with (key / ".file").blamed((InputError,)):
            text = read_text(folder / model.file, PLAN)
        return f"{key}.file: {model.file}", partial(read_plan, text, options)
    assert model.picture is not None
    key /= ".picture"
    return f"{key}: {model.picture.file}", partial(_traced, model.picture, folder, key)


def _traced(picture: WallPicture, folder: Path, key: SceneKey) -> list[Named]:
    grey = read_grey(folder / picture.file, f"{key}", limit("plan_pixels"))
    height, width = grey.shape
    plan = picture_onto_plan(picture, (width, height), folder, key)
    is_wall = grey < picture.threshold if picture.walls == "dark" else grey >= picture.threshold
    return trace(is_wall, plan)

"""Construction of the ground from the table [ground] of a scene."""

import math
from dataclasses import replace
from pathlib import Path
from typing import assert_never

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.floor_material import SurfaceMaterial
from ecs_anim.ground.arrays import NOWHERE
from ecs_anim.ground.boxes import Box, box_surface
from ecs_anim.ground.expression import Expression
from ecs_anim.ground.field_surface import field_surface
from ecs_anim.ground.ground import Ground, flat, height_field, triangle_mesh
from ecs_anim.ground.pitch import pitch_surface
from ecs_anim.ground.placed import placed_surfaces
from ecs_anim.ground.stands import Stands
from ecs_anim.ground.surface import Surface
from ecs_anim.ground.windows import WindowColors, Windows, windowed_surfaces
from ecs_anim.maths import affine, elementary, quaternion
from ecs_anim.maths.color import hex_to_linear
from ecs_anim.scenes.images import read_grey
from ecs_anim.scenes.loader import SceneFile
from ecs_anim.scenes.rigs import load_model
from ecs_anim.scenes.scene_key import SceneKey
from ecs_anim.scenes.schema_base import LARGEST
from ecs_anim.scenes.schema_ground import (
    BlockModel,
    BlocksGround,
    FlatGround,
    HeightsGround,
    MeshGround,
    OnFloor,
    StandsGround,
    WindowsModel,
)
from ecs_anim.support.budgets import excess, limit
from ecs_anim.support.errors import InputError

SPACING = 0.5  # [m], default distance between the heights of a function
BURIED = 0.05  # [m], depth of blocks below the floor
WINDOW_COLORS = WindowColors(*map(hex_to_linear, ("#ece8df", "#5d4433", "#2c3740")))
TURF = 0.04  # [m], height of the grass over the surrounding floor


def build_ground(scene: SceneFile) -> Ground:
    """Return the ground of a scene. If the scene defines no ground, return a flat ground at height 0. Raises InputError
    if the ground is invalid.
    """
    key = SceneKey(scene.label, "ground")
    match scene.model.ground:
        case HeightsGround() as heights:
            return _heights(heights, scene.folder, key)
        case MeshGround() as mesh:
            return _mesh(mesh, scene.folder, key)
        case BlocksGround() as blocks:
            try:
                low = blocks.floor or 0.0
                return _of_surfaces(_boxes(blocks.blocks, low), blocks, solids=_solids(blocks.blocks, low))
            except ValueError:
                text = (
                    "the blocks are so far from the point 0, 0 that rounding makes them vanish. Write larger "
                    "blocks, or move the blocks nearer to 0, 0"
                )
                raise (key / ".blocks").fault(text) from None
        case StandsGround() as stands:
            return _stands(stands, key)
        case FlatGround(height=height):
            return flat(height)
        case None:
            return flat()
        case _:
            assert_never(scene.model.ground)


def _heights(ground: HeightsGround, folder: Path, key: SceneKey) -> Ground:
    heights = _from_image(ground, folder, key) if ground.image is not None else _from_function(ground, key)
    rows, columns = heights.shape
    spacing = ground.size[0] / (columns - 1), ground.size[1] / (rows - 1)
    origin = ground.center[0] - ground.size[0] / 2, -ground.center[1] - ground.size[1] / 2
    field = field_surface(heights, origin, spacing)
    if not ground.blocks:
        return height_field(heights, origin, spacing, floor=_floor(ground), surfaces=(field,))
    low = float(heights.min())
    return _of_surfaces((field, *_boxes(ground.blocks, low)), ground, solids=(field, *_solids(ground.blocks, low)))


def _from_function(ground: HeightsGround, key: SceneKey) -> NDArray[np.float64]:
    """Return ground heights [rows, columns] [m] from the function in the scene. Row 0 is in the north.

    The ground must consist of complete cells, so the function can change the distance of the key `spacing` a little.
    """
    assert ground.function is not None
    columns, rows = (max(1, round(length / (ground.spacing or SPACING))) + 1 for length in ground.size)
    if limit_message := excess("heights", columns * rows, "give a wider spacing"):
        raise (key / ".spacing").fault(f"a height field with {columns} x {rows} heights is too large: {limit_message}")
    (x, y), (width, depth) = ground.center, ground.size
    east, north = x + width * np.linspace(-0.5, 0.5, columns), y - depth * np.linspace(-0.5, 0.5, rows)
    with (key / ".function").blamed():
        heights = Expression(ground.function)(east[None, :], north[:, None])
    if not (np.abs(heights) <= LARGEST).all():
        row, column = np.argwhere(~(np.abs(heights) <= LARGEST))[0]
        at = f"x = {east[column]:g}, y = {north[row]:g}"
        raise (key / ".function").fault(
            f"the function must return a height in metres for each point (got {heights[row, column]:g} at {at})."
            " Correct the function."
        )
    return heights


def _from_image(ground: HeightsGround, folder: Path, key: SceneKey) -> NDArray[np.float64]:
    """Return ground heights [rows, columns] [m], one height for each pixel of the image. Row 0 is in the north."""
    assert ground.image is not None
    grey = read_grey(folder / ground.image, f"{key / '.image'}", limit("heights"))
    low = 0.0 if ground.lowest is None else ground.lowest
    return low + ((1.0 if ground.highest is None else ground.highest) - low) * grey


def _mesh(ground: MeshGround, folder: Path, key: SceneKey) -> Ground:
    turn = quaternion.from_axis_angle(np.array([0.0, 1.0, 0.0]), math.radians(ground.rotation_degrees))
    placement = affine.compose(np.array(ground.at), turn, np.full(3, ground.scale))
    try:
        return _of_surfaces(placed_surfaces(load_model(ground.model, folder), placement), ground)
    except (InputError, ValueError) as error:
        text = str(error) if isinstance(error, InputError) else f"{ground.model}: {error}"
        raise (key / ".model").fault(text) from None


def _stands(ground: StandsGround, key: SceneKey) -> Ground:
    shape = (ground.pitch, ground.margin, ground.corner_radius, ground.rows, ground.wall)
    with (key / ".corner_radius").blamed():
        stands = Stands(*shape, section_width=ground.section_width)
    pieces = ground.rows * sum(1 for _ in stands.sections())
    if limit_message := excess("stands", pieces, "write fewer rows for the ground, or wider sections"):
        raise (key / ".rows").fault(limit_message)
    colors = (hex_to_linear(color) for color in (ground.color, ground.seat_color, ground.apron_color))
    surfaces = (*stands.surfaces(*colors), pitch_surface(ground.pitch, TURF))
    return _of_surfaces(surfaces, ground, stands.seats())


def _of_surfaces(
    surfaces: tuple[Surface, ...],
    said: OnFloor,
    seats: NDArray[np.float64] | None = None,
    solids: tuple[Surface, ...] = (),
) -> Ground:
    """Return a ground with the surfaces `surfaces`. Actors stand on the triangles in `solids`, or, if `solids` is
    empty, on the triangles in `surfaces`.

    Raises ValueError if no triangle faces up.
    """
    solids = solids or surfaces
    corners = np.concatenate([surface.corners() for surface in solids])
    double_sided = np.repeat([own.double_sided for own in solids], [own.triangle_count for own in solids])
    return triangle_mesh(corners, double_sided, floor=_floor(said), surfaces=surfaces, seats=seats)


def _floor(said: OnFloor) -> float:
    """Return the height of the infinite floor [m]. If the ground has no floor, return `NOWHERE`."""
    return NOWHERE if said.floor is None else said.floor


def _boxes(blocks: list[BlockModel], floor: float) -> tuple[Surface, ...]:
    """Return one surface for each pair of a colour and a material of the blocks.

    The order of the surfaces is the order of the pairs in `blocks`.
    """
    by_look: dict[tuple[str | None, SurfaceMaterial | None], list[BlockModel]] = {}
    for block in blocks:
        if block.windows is None:
            by_look.setdefault((block.color, block.material), []).append(block)
    plain = [_painted(painted, *look, floor) for look, painted in by_look.items()]
    houses = [surface for block in blocks if block.windows for surface in _house(block, block.windows, floor)]
    return (*plain, *houses)


def _solids(blocks: list[BlockModel], floor: float) -> tuple[Surface, ...]:
    """Return the faces of all blocks without their windows. Without windows, actors cannot stand on window sills, and
    rays must test fewer faces.
    """
    return (box_surface([_box(block, floor) for block in blocks]),)


def _house(block: BlockModel, windows: WindowsModel, floor: float) -> list[Surface]:
    color = hex_to_linear(block.color) if block.color is not None else None
    rows = Windows(windows.size, windows.spacing, windows.storey, windows.sill + BURIED, windows.doors)
    surfaces = windowed_surfaces([_box(block, floor)], rows, color, WINDOW_COLORS)
    return [replace(surface, kind="block") for surface in surfaces]


def _painted(blocks: list[BlockModel], color: str | None, material: SurfaceMaterial | None, floor: float) -> Surface:
    boxes = box_surface([_box(block, floor) for block in blocks])
    return replace(boxes, color=hex_to_linear(color) if color is not None else None, kind="block", material=material)


def _box(block: BlockModel, floor: float) -> Box:
    pitch, roll = (math.radians(angle) for angle in block.tilt_degrees)
    width, depth = block.size
    sunk = (width * abs(elementary.sin(roll)) + depth * abs(elementary.sin(pitch))) / 2 + BURIED
    thickness = block.thickness or max(block.height - floor, 0.0) + sunk
    return Box(
        (block.at[0], block.height, 0.0 - block.at[1]),
        (width, thickness, depth),
        math.radians(block.rotation_degrees),
        pitch,
        roll,
    )

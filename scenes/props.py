"""Construction of the props of a scene: their models, their positions, and the footprints of obstacles."""

import math
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.rig import Rig
from ecs_anim.assets.skinning import rest_bounds
from ecs_anim.gltf import load as gltf
from ecs_anim.ground.ground import Ground
from ecs_anim.maths import elementary
from ecs_anim.maths.plan import space_from_plan, yaw_degrees_from_heading
from ecs_anim.rigs.prop_models import PROP_MODELS
from ecs_anim.rigs.props import Props, static_rig
from ecs_anim.scenes.layouts import place
from ecs_anim.scenes.loader import SceneFile
from ecs_anim.scenes.scene_key import SceneKey
from ecs_anim.scenes.schema_props import PropModel
from ecs_anim.support.arguments import FARTHEST
from ecs_anim.support.errors import Faults, InputError, nearest
from ecs_anim.support.files import MissingFile

if TYPE_CHECKING:  # these modules import shapely, which only scenes with walls, levels or obstacles need
    from ecs_anim.storeys.building import Building
    from ecs_anim.walls.shapes import Named

Reals = NDArray[np.float64]
STREAM = 7_281  # number of the random streams of props, so that props do not change the random numbers of crowds
OBSTACLE_TOP = 2.0  # [m], height below which the parts of a prop are obstacles
SHADOW_TOP = 0.3  # [m], height below which the parts of a prop determine its contact shadow
ABOVE = 0.01  # [m], height above a floor at which a ray to the floor starts
LARGEST_SHADOW = 1.0  # [m], largest radius of a contact shadow


class PlacedProps(NamedTuple):
    """The props of a scene, and the footprints of all props that are obstacles."""

    props: tuple[Props, ...]
    obstacles: "dict[int, list[Named]]"  # by number of the level; without levels, all obstacles have the number 0


class _Places(NamedTuple):
    """Positions, headings and sizes of the copies of a model."""

    positions: Reals  # [copy, 2], plan points [m]
    yaws: Reals  # [copy], [rad]
    scales: Reals  # [copy], [m] per model unit


def build_props(scene: SceneFile, terrain: Ground, seed: int, building: "Building | None" = None) -> PlacedProps:
    """Return the props of a scene on `terrain`. Raises one InputError with the problems of all props."""
    props, obstacles, read = list[Props](), dict[int, list["Named"]](), dict[str, Rig]()
    with Faults() as faults:
        for index, said in enumerate(scene.model.props):
            with faults.kept():
                key = SceneKey(scene.label, f"props[{index}]")
                model = _model(scene, said, key, read)
                places = _places(said, model, key, np.random.default_rng((seed, STREAM, index)))
                level = _level(said, key, building, places)
                floor = None if building is None or level is None else building.levels[level].height
                storey = None if building is None or floor is None else building.storey(floor)
                props.append(_standing(said, model, places, terrain, floor, storey))
                if said.obstacle:
                    obstacles.setdefault(level or 0, []).extend(_obstacles(said, model, places, key))
    return PlacedProps(tuple(props), obstacles)


def _level(said: PropModel, key: SceneKey, building: "Building | None", places: _Places) -> int | None:
    """Return the number of the level on which props stand, or None without a level. Raises InputError if the level is
    unknown or has no floor there.
    """
    if building is None or said.level is None:
        if said.level is not None:
            raise (key / ".level").fault("the scene has no levels. Add [[levels]], or leave out level.")
        if building is not None and said.obstacle:
            raise (key / ".obstacle").fault("an obstacle in a scene with levels needs a level. Add the key level.")
        return None
    (key / ".level").require_among(said.level, building.names, "the scene has no level", "the levels are")
    number = building.number(said.level)
    beside = ~building.has_floor(number, places.positions)
    if beside.any():
        x, y = places.positions[beside][0].tolist()
        text = f"level {said.level!r} has no floor at [{x:.4g}, {y:.4g}]. Move the prop, or leave out level"
        raise key.fault(f"{text}.")
    return number


def _model(scene: SceneFile, said: PropModel, key: SceneKey, read: dict[str, Rig]) -> Rig:
    """Return the static model that a table names. The function takes the models of preceding tables from `read`."""
    if said.model not in read:
        with (key / ".model").blamed((InputError, ValueError)):
            read[said.model] = static_model(scene, said.model)
    return read[said.model]


def static_model(scene: SceneFile, model: str) -> Rig:
    """Return a static model: a rig of the caller, a built-in prop, or a file. Raises InputError, and ValueError as
    `static_rig`.
    """
    if model in scene.models:
        return static_rig(scene.models[model])
    if model in PROP_MODELS:
        return _built_in(model)
    path = scene.folder / model
    try:
        return static_rig(gltf.load_rig(path))
    except MissingFile:
        known = ", ".join(f"'{name}'" for name in PROP_MODELS)
        raise InputError(
            f"there is no file {path};{nearest(model, list(PROP_MODELS))} give the path of a .gltf, .glb or .vrm file,"
            f" or the name of a built-in prop: {known}"
        ) from None


@cache
def _built_in(model: str) -> Rig:
    """Return a built-in prop. All worlds share it."""
    return static_rig(PROP_MODELS[model]())


def _places(said: PropModel, model: Rig, key: SceneKey, rng: np.random.Generator) -> _Places:
    positions = _positions(said, key, rng)
    count = len(positions)
    least, most = said.scale_range
    scales = _scale(said, model, key) * rng.uniform(least, most, count)
    return _Places(positions, _yaws(said, count, rng), scales)


def _positions(said: PropModel, key: SceneKey, rng: np.random.Generator) -> Reals:
    if said.layout is None:
        return np.array(said.positions or said.position, np.float64).reshape(-1, 2)
    with (key / ".layout").blamed():
        placed = place(said.layout, said.copies, rng)
        if (far := np.abs(placed).max()) > FARTHEST:
            raise ValueError(
                f"each prop of the layout must be at most {FARTHEST:g} m from the origin (got {far:g} m). Make"
                " the layout smaller."
            )
        return placed


def _scale(said: PropModel, model: Rig, key: SceneKey) -> float:
    if said.height is None:
        return said.scale or 1.0
    low, high = rest_bounds(model)
    height = float(high[1] - low[1])
    if not (math.isfinite(height) and height > 0):
        raise (key / ".height").fault(
            f"the model must have a height above 0 (got {height:g}). Replace height by scale."
        )
    return said.height / height


def _yaws(said: PropModel, count: int, rng: np.random.Generator) -> Reals:
    """Return the yaw [copy] [rad] of each prop."""
    if said.heading_degrees == "random":
        return rng.uniform(0, math.tau, count)
    headings = said.heading_degrees if isinstance(said.heading_degrees, list) else [said.heading_degrees] * count
    return np.array([math.radians(yaw_degrees_from_heading(heading)) for heading in headings])


def _standing(
    said: PropModel, model: Rig, places: _Places, terrain: Ground, floor: float | None, storey: int | None
) -> Props:
    """Return the copies of a model on the ground, or on a floor with the height `floor` [m]."""
    space = space_from_plan(places.positions)
    # a ray starts slightly above the floor
    space[:, 1] = np.inf if floor is None else floor + ABOVE
    heights, normals = terrain.below(space)
    heights = np.where(np.isfinite(heights), heights, 0.0)
    space[:, 1] = heights + said.ground_offset
    instances = np.zeros((len(space), 12), np.float32)
    instances[:, :3], instances[:, 3] = space, places.scales
    instances[:, 5], instances[:, 7] = elementary.sin(places.yaws / 2), elementary.cos(places.yaws / 2)
    instances[:, 8:11] = 1
    contacts = np.concatenate([heights[:, None], normals], axis=1).astype(np.float32) if terrain.surfaces else None
    return Props(model, instances, contacts, _shadow_radius(model, _nominal(places)), storey)


def _nominal(places: _Places) -> float:
    """Return the mean size of the copies [m per model unit]."""
    return float(places.scales.mean())


def _shadow_radius(model: Rig, scale: float) -> float:
    """Return the radius [model units] of the contact shadow: half of the mean width of the parts near the ground."""
    points = np.concatenate([mesh.positions for mesh in model.level(0)])
    low = points[points[:, 1] <= points[:, 1].min() + SHADOW_TOP / scale]
    return min(float(np.ptp(low[:, ::2], axis=0).mean()) / 2, LARGEST_SHADOW / scale)


def _obstacles(said: PropModel, model: Rig, places: _Places, key: SceneKey) -> "list[Named]":
    """Return the footprints of all copies of a model that are obstacles."""
    from ecs_anim.walls.footprints import circle, hull, placed_footprints
    from ecs_anim.walls.shapes import Named

    scales = np.ones(len(places.scales)) if said.radius else places.scales
    with (key / ".obstacle").blamed():
        ring = circle(said.radius) if said.radius else hull(_triangles(model), _top(said, places))
    footprints = placed_footprints(ring, places.positions, places.yaws, scales)
    return [Named(key.key, footprint) for footprint in footprints]


def _top(said: PropModel, places: _Places) -> float:
    """Return the height [model units] below which the parts of a model are obstacles."""
    return (OBSTACLE_TOP - said.ground_offset) / _nominal(places)


def _triangles(model: Rig) -> NDArray[np.float32]:
    return np.concatenate([mesh.positions[mesh.indices].reshape(-1, 3, 3) for mesh in model.level(0)])

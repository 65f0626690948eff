"""Street furniture: props at random places of the free floor, as additional tables [[props]] of a scene."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.skinning import rest_bounds
from ecs_anim.components.steering import Steering
from ecs_anim.components.transforms import Transforms
from ecs_anim.ground.ground import Ground
from ecs_anim.maths.plan import plan_from_space, space_from_plan
from ecs_anim.maths.small_matrices import length
from ecs_anim.rigs.props import Props
from ecs_anim.scenes.free_ground import is_clear
from ecs_anim.scenes.loader import SceneFile
from ecs_anim.scenes.parts.goals import level_offset
from ecs_anim.scenes.props import static_model
from ecs_anim.scenes.schema_furniture import FurnitureModel
from ecs_anim.scenes.schema_props import PropModel
from ecs_anim.support.errors import InputError
from ecs_anim.walls.walls import Walls

if TYPE_CHECKING:
    from ecs_anim.storeys.unfolded import Unfolded  # this module imports shapely

Reals = NDArray[np.float64]
STREAM = 7_282  # number of the random stream of furniture
PASSAGE = 1.2  # [m], least distance from walls and from other props, so that people can pass
FROM_ACTORS, FROM_GOALS, FROM_EYES = 0.7, 2.0, 3.0  # [m], least distances; goals include sources and ends of stairs
BORDER = 3.0  # [m], distance around actors and goals in which furniture stands, in scenes without levels
STOREY = 3.0  # [m], largest height over a floor of the actors and the cameras on this floor
AROUND = np.array([(0, 0), (1, 0), (0, 1), (-1, 0), (0, -1)])  # points around a prop, in radii, with equal heights
LEVEL = 0.02  # [m], largest difference between these heights
TRIES = 2000  # number of random points on each floor at which furniture can stand


class Site(NamedTuple):
    """A scene that was built without furniture."""

    scene: SceneFile
    terrain: Ground
    walls: Walls | None
    unfolded: "Unfolded | None"
    props: Sequence[Props]
    crowds: Sequence[tuple[object, ...]]  # components of each crowd


class Floor(NamedTuple):
    """A floor on which furniture can stand."""

    name: str | None  # name of the level; None without levels
    number: int
    height: float  # [m]; 0 without levels
    offset: Reals  # [2], [m], from the plan to the unfolded plan


def with_furniture(site: Site, seed: int) -> SceneFile:
    """Return the scene with furniture in its [[props]]. The seed determines the furniture.

    Raises InputError if a model is unknown.
    """
    scene, said = site.scene, site.scene.model.furniture
    with scene.key("furniture.models").blamed((InputError, ValueError)):
        reaches = np.array([_reach(scene, name) for name in said.models])
    rng = np.random.default_rng((seed, STREAM))
    more = [prop for floor in _floors(site) for prop in _standing(site, floor, reaches, rng)]
    props = [*scene.model.props, *more]
    return replace(scene, model=scene.model.model_copy(update={"props": props, "furniture": FurnitureModel()}))


def _reach(scene: SceneFile, name: str) -> float:
    """Return the radius [m] of a circle around a model."""
    low, high = rest_bounds(static_model(scene, name))
    return float(length(np.maximum(-low, high)[::2]))


def _floors(site: Site) -> Iterator[Floor]:
    if site.unfolded is None:
        yield Floor(None, 0, 0.0, np.zeros(2))
        return
    building, offsets = site.unfolded.building, site.unfolded.offsets
    for number, name in enumerate(building.names):
        yield Floor(name, number, building.levels[number].height, offsets[number])


def _standing(site: Site, floor: Floor, reaches: Reals, rng: np.random.Generator) -> list[PropModel]:
    """Return the furniture of a floor: a table for each model."""
    said, boxes = site.scene.model.furniture, list(_kept_free(site, floor))
    low, high = _bounds(site, floor, np.concatenate([own for own, _ in boxes]))
    at, kinds = rng.uniform(low, high, (TRIES, 2)), rng.integers(len(reaches), size=TRIES)
    headings, reach = 90.0 * rng.integers(4, size=TRIES), reaches[kinds]
    is_floor = _is_floor(site, floor, at, reach)
    wanted = said.density * np.prod(high - low) * is_floor.mean() + rng.random()
    kept = np.concatenate([np.column_stack([own, np.full(len(own), distance)]) for own, distance in boxes])
    rows = list[int]()
    for row in np.flatnonzero(is_floor).tolist():
        if len(rows) > wanted - 1:
            break
        beside = length(at[rows] - at[row]) > reach[rows] + reach[row] + PASSAGE
        if beside.all() and (_distances(at[row], kept) > reach[row] + kept[:, 4]).all():
            rows.append(row)
    found = []
    for kind, model in enumerate(said.models):
        own = [row for row in rows if kinds[row] == kind]
        if own:
            positions, turned = [(float(x), float(y)) for x, y in at[own].round(3)], headings[own].tolist()
            found.append(
                PropModel(model=model, positions=positions, heading_degrees=turned, obstacle=True, level=floor.name)
            )
    return found


def _bounds(site: Site, floor: Floor, boxes: Reals) -> tuple[Reals, Reals]:
    """Return the corners [2] [m] of the area of furniture: of the level, or around the actors and goals."""
    if site.unfolded is not None:
        left, lower, right, upper = site.unfolded.own[floor.number].bounds
        return np.array([left, lower]), np.array([right, upper])
    if not len(boxes):
        return np.zeros(2), np.zeros(2)
    return boxes[:, :2].min(axis=0) - BORDER, boxes[:, 2:].max(axis=0) + BORDER


def _kept_free(site: Site, floor: Floor) -> Iterator[tuple[Reals, float]]:
    """Yield boxes [n, 4] on the plan (least x and y, greatest x and y), and the least distance [m] from these boxes."""
    yield _boxes([[at] for at in _actors(site, floor)]), FROM_ACTORS
    steering = [own for own in chain.from_iterable(site.crowds) if isinstance(own, Steering)]
    goals = [goal for own in steering for goal in own.goals]
    rings = [[(goal.x, goal.y)] if goal.area is None else goal.area.bounds for goal in goals]
    yield _boxes([*(np.array(ring) - floor.offset for ring in rings), *_sources(site, floor)]), FROM_GOALS
    yield _boxes(list(_stairs(site, floor))), FROM_GOALS
    yield _boxes([corners for own in site.props for corners in _corners(own)]), PASSAGE
    yield _boxes([[at] for at in _on_floor(_eyes(site), floor)]), FROM_EYES


def _boxes(points: Sequence[Sequence[object] | Reals]) -> Reals:
    """Return the boxes [n, 4] around lists of plan points [m]."""
    found = [np.array(own, np.float64) for own in points]
    return np.array([[*own.min(axis=0), *own.max(axis=0)] for own in found]).reshape(-1, 4)


def _actors(site: Site, floor: Floor) -> Reals:
    rows = [own.translation for own in chain.from_iterable(site.crowds) if isinstance(own, Transforms)]
    return _on_floor(np.concatenate([np.zeros((0, 3)), *rows]), floor)


def _eyes(site: Site) -> Reals:
    eyes = [camera.eye for camera in site.scene.model.cameras if camera.eye is not None]
    return np.array(eyes, np.float64).reshape(-1, 3)


def _on_floor(points: Reals, floor: Floor) -> Reals:
    """Return the plan points [n, 2] of the points in space that are less than a storey above or below a floor."""
    near = (floor.name is None) | (np.abs(points[:, 1] - floor.height) < STOREY)
    return plan_from_space(points[near]).astype(np.float64)


def _sources(site: Site, floor: Floor) -> Iterator[Reals]:
    """Yield the corners [n, 2] of the sources of steered crowds. Sources of other levels are outside of the floor."""
    for crowd in site.scene.model.crowds:
        for source in crowd.steering.sources if crowd.steering else ():
            _, offset = level_offset(source.level, site.scene.key("crowds"), site.unfolded)
            yield np.array(source.area) + np.array(offset) - floor.offset


def _stairs(site: Site, floor: Floor) -> Iterator[Reals]:
    """Yield the ends [2, 2] of the seams at stairs, ramps, escalators and lifts."""
    for seam in site.unfolded.seams if site.unfolded else ():
        if floor.number in (seam.space, seam.to):
            half = seam.half + seam.depth
            yield np.array(seam.middle) + np.array([[-half, -half], [half, half]])


def _corners(props: Props) -> Iterator[Reals]:
    """Yield the corners [4, 2] of each copy of a prop on the plan."""
    low, high = rest_bounds(props.model)
    corners = np.array([(x, z) for x in (low[0], high[0]) for z in (low[2], high[2])], np.float64)
    for row in props.instances.astype(np.float64):
        sine, cosine = 2 * row[5] * row[7], 1 - 2 * row[5] ** 2
        x, z = row[3] * corners.T
        yield np.stack([row[0] + cosine * x + sine * z, sine * x - cosine * z - row[2]], axis=1)


def _is_floor(site: Site, floor: Floor, points: Reals, reach: Reals) -> NDArray[np.bool_]:
    """Return a mask [n] of the points that have a level floor and are clear of walls."""
    if site.unfolded is not None:
        free = site.unfolded.building.has_floor(floor.number, points)
    else:
        around = points[:, None] + reach[:, None, None] * AROUND
        heights = site.terrain.height_at(space_from_plan(around.reshape(-1, 2))[:, ::2]).reshape(-1, len(AROUND))
        free = np.ptp(heights, axis=1) < LEVEL
    return free if site.walls is None else free & is_clear(site.walls, points + floor.offset, reach + PASSAGE)


def _distances(point: Reals, boxes: Reals) -> Reals:
    """Return the distances [n] [m] of a plan point from boxes. The distance from a box around the point is 0."""
    found: Reals = length(np.maximum(np.maximum(boxes[:, :2] - point, point - boxes[:, 2:4]), 0))
    return found

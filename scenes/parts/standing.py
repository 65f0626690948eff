"""Positions, headings and sizes of actors. The part builds the component `Transforms` from the layout of a crowd."""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from ecs_anim.components.transforms import Transforms
from ecs_anim.maths import elementary
from ecs_anim.maths.plan import space_from_plan, yaw_degrees_from_heading, yaw_of_direction
from ecs_anim.scenes.figures import figure_sizes
from ecs_anim.scenes.free_ground import IsFree, free_ground, free_level
from ecs_anim.scenes.layouts import place, take_seats
from ecs_anim.scenes.parts.part import Drawn, Joining, Making, Part, drawn_rows
from ecs_anim.scenes.schema_base import Finite, Positive, Table
from ecs_anim.scenes.schema_layout import GridLayout, Layout, PointsLayout, SeatsLayout
from ecs_anim.scenes.schema_rules import least_first
from ecs_anim.support.arguments import FARTHEST

if TYPE_CHECKING:  # this module imports shapely, which only scenes with walls or levels need
    from ecs_anim.storeys.unfolded import Unfolded

SOUTH = 0.0  # [rad], yaw


class StandingKeys(Table):
    """Positions, headings and sizes of actors."""

    layout: Layout = GridLayout(kind="grid")
    heading_degrees: Finite | Literal["random", "center"] | None = Field(
        None,
        description="heading of actors, counter-clockwise from east: 0 is east, 90 is north. 'random': a random"
        " heading for each actor. 'center': each actor faces the middle of the layout. Default: -90 (south). By"
        " default, actors in seats face the pitch",
    )
    scale_range: tuple[Positive, Positive] = Field(
        (1.0, 1.0), description="range [least, most] of random sizes, as factors of the size of the rig"
    )

    _scale_rises = least_first("scale_range")


class StandingPart(Part[StandingKeys]):
    """Positions, headings and sizes of actors. Every crowd has this part."""

    keys = StandingKeys
    always = True
    cpu_only = ()

    def build(self, crowd: StandingKeys, making: Making) -> Iterator[object]:
        """Build the transforms of all actors from the layout."""
        positions, yaws = _positions(crowd, making)
        yield _stand(crowd, making, positions, yaws, positions.mean(axis=0), making.variants, making.rng)

    def draw(self, crowd: StandingKeys, joining: Joining) -> Iterator[Drawn]:
        """Yield the positions, headings and sizes of new actors."""
        yaws = np.full(joining.count, SOUTH)
        stood = _stand(crowd, joining.making, joining.positions, yaws, joining.middle, joining.variants, joining.rng)
        return drawn_rows(joining.making.get(Transforms), stood)


def _stand(
    crowd: StandingKeys,
    making: Making,
    positions: NDArray[np.float64],
    yaws: NDArray[np.float64],
    middle: NDArray[np.float64],
    variants: NDArray[np.int32] | None,
    rng: np.random.Generator,
) -> Transforms:
    """Return the transforms of actors at the plan points `positions` [n, 2].

    `yaws` [n] [rad] contains the default yaws. If the scene sets the heading "center", actors face the plan point
    `middle` [2]. `variants` [n] contains the variant of each actor. The variant (body shape) of an actor changes its
    size.
    """
    count, loaded = len(positions), making.loaded
    least, most = crowd.scale_range
    scale = loaded.scale * ((least + most) / 2 + (most - least) / 2 * rng.uniform(-1, 1, count))
    if variants is not None:
        scale *= figure_sizes(loaded.rig, variants)
    half = (_yaws(crowd, positions, yaws, middle, rng) - loaded.facing) / 2
    translation, rotation = on_ground(positions, making), np.zeros((count, 4), np.float32)
    rotation[:, 1], rotation[:, 3] = elementary.sin(half), elementary.cos(half)
    return Transforms(translation, rotation, scale.astype(np.float32))


def on_ground(points: NDArray[np.float64], making: Making) -> NDArray[np.float32]:
    """Return the translations [n, 3] of actors on the ground at the plan points `points` [n, 2].

    In a scene with levels, the actors are on the level of the layout.
    """
    space = space_from_plan(points)
    if making.unfolded is not None:
        space[:, 1] = level_height(making, making.unfolded) + making.loaded.ground_offset
    else:
        space[:, 1] = making.terrain.height_at(space[:, ::2]) + making.loaded.ground_offset
    return space.astype(np.float32)


def level_height(making: Making, unfolded: "Unfolded") -> float:
    """Return the height of the level of a crowd's layout [m]. Raises InputError for an unknown level."""
    return unfolded.building.levels[level_number(making, unfolded)].height


def level_number(making: Making, unfolded: "Unfolded") -> int:
    """Return the number of the level of a crowd's layout. Raises InputError for an unknown level."""
    name, names = getattr(getattr(making.crowd, "layout", None), "level", None), unfolded.building.names
    if name is None:
        return 0
    (making.key / ".layout.level").require_among(name, names, "the scene has no level", "the levels are")
    return names.index(name)


def _positions(crowd: StandingKeys, making: Making) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return plan points [actor_count, 2] and default yaws [actor_count] [rad].

    An actor on a seat faces in the direction of the seat. An actor without a seat faces south.
    """
    count, rng, written = making.count, making.rng, making.crowd.count
    with (making.key / ".layout").blamed():
        if isinstance(crowd.layout, SeatsLayout):
            taken = take_seats(crowd.layout, count, rng, written, making.terrain.seats)
            return taken[:, :2] * (1.0, -1.0), taken[:, 2]
        placed = place(crowd.layout, count, rng, written, _free_ground(crowd.layout, making))
        if (far := np.abs(placed).max()) > FARTHEST:
            raise ValueError(
                f"each actor of the layout must be at most {FARTHEST:g} m from the origin (got {far:g} m). Make"
                " the layout smaller."
            )
        return placed, np.full(count, SOUTH)


def _free_ground(layout: Layout, making: Making) -> IsFree | None:
    """Return a function that tests whether plan points are free ground.

    Return None for a layout that does not use free ground.
    """
    if isinstance(layout, PointsLayout | SeatsLayout) or (making.walls is None and making.occupied is None):
        return None
    if (unfolded := making.unfolded) is not None:
        return free_level(making.walls, unfolded.offsets[level_number(making, unfolded)], making.occupied)
    return free_ground(making.walls, making.terrain, layout.center, making.occupied)


def _yaws(
    crowd: StandingKeys,
    positions: NDArray[np.float64],
    yaws: NDArray[np.float64],
    middle: NDArray[np.float64],
    rng: np.random.Generator,
) -> NDArray[np.float64]:
    """Return the yaw [actor_count] [rad] of each actor from the key `heading_degrees`.

    If the scene does not set the key `heading_degrees`, return `yaws`.
    """
    match crowd.heading_degrees:
        case None:
            return yaws
        case "random":
            return rng.uniform(0, math.tau, len(positions))
        case "center":
            return yaw_of_direction(middle - positions)
        case heading:
            return np.full(len(positions), math.radians(yaw_degrees_from_heading(heading)))

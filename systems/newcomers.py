"""Newcomers: the functions compute the initial values in all columns for actors that join a crowd."""

from collections.abc import Mapping
from operator import index
from typing import Any, TypedDict

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecs_anim.components.character import Character
from ecs_anim.components.crowd import Crowd
from ecs_anim.components.palette import Palette
from ecs_anim.components.parameters import Parameters
from ecs_anim.components.spawner import Spawner
from ecs_anim.components.stage import Stage
from ecs_anim.ecs.columns import Field, Personal
from ecs_anim.ecs.world import World
from ecs_anim.maths import elementary
from ecs_anim.maths.plan import plan_from_space, space_from_plan, yaw_from_heading
from ecs_anim.support.arguments import (
    brief,
    for_each,
    numbers,
    numbers_below,
    numbers_for_each,
    require_near,
    rows_of,
    shares_for_each,
    unknown,
    whole_numbers,
)
from ecs_anim.support.budgets import excess, memory_excess
from ecs_anim.support.checked import require_options
from ecs_anim.support.errors import InputError
from ecs_anim.systems.population import STATE, add_actors


class Given(TypedDict, total=False):
    """Properties of new actors. Each property has one value for all new actors, or one value for each new actor."""

    like: ArrayLike  # rows of the actors to copy, including their poses
    # [n, 2] plan points on the ground, x east, y north; or [n, 3] points in space below the feet [m]
    positions: ArrayLike
    headings: ArrayLike  # [rad], counter-clockwise from east
    sizes: ArrayLike  # factors on the size
    tints: ArrayLike  # [n, 3 or 4], linear RGB(A); multiplies the base colour
    motion: str | ArrayLike  # name of a motion, or motion numbers
    phase: ArrayLike  # phase of the motion, 0 to 1
    parameters: Mapping[str, ArrayLike]


Rows = dict[str, NDArray[Any]]


def add_newcomers(world: World, entity: int, count: int | None, given: Given) -> NDArray[np.int64]:
    """Add actors to a crowd, and return their ids.

    Raises ValueError, TypeError or InputError if the given properties are invalid.
    """
    require_options("add", given, list(Given.__annotations__))
    number = _count(count, given)
    if number == 0:
        return np.zeros(0, np.int64)
    _require_memory(world, entity, number)

    def begin(columns: list[Field]) -> Rows:
        rows = (
            _copies(world, entity, columns, number, given) if "like" in given else _drawn(world, entity, number, given)
        )
        return rows | _said(world, entity, rows, number, given)

    spawner = world.find(entity, Spawner)
    drawn = spawner.drawn if spawner else {}
    try:
        return add_actors(world, entity, number, begin)
    except BaseException:
        if spawner:
            spawner.drawn = drawn  # after an error, the random values of later new actors are unchanged
        raise


def _require_memory(world: World, entity: int, count: int) -> None:
    """Raise InputError if the new actors exceed the largest number of actors or the free memory."""
    crowd, palette = world.get(entity, Crowd), world.find(entity, Palette)
    own = palette.made[:1].nbytes if palette is not None and palette.source is not None else 0
    limit_message = excess("actors", crowd.actor_count + count, "add fewer actors") or memory_excess(
        count * (STATE + own), "add fewer actors, or remove others first"
    )
    if limit_message:
        raise InputError(f"crowd {crowd.name!r} cannot have {count:,} more actors: {limit_message}")


def _count(count: int | None, given: Given) -> int:
    """Return the number of new actors. Raises ValueError if `count` and the values in `given` differ."""
    if count is None:
        return _listed(given)
    try:
        number = index(count)
    except TypeError:
        raise ValueError(f"the number of new actors must be a whole number (got {brief(count)})") from None
    if number < 0:
        raise ValueError(f"the number of new actors must be 0 or more (got {brief(count)}). Pass 0 or a larger number.")
    return number


def _listed(given: Given) -> int:
    """Return the number of positions or copied actors in `given`.

    If `given` contains neither positions nor copied actors, raise ValueError.
    """
    if "positions" in given:
        shape = numbers("positions", given["positions"]).shape
        if len(shape) == 1 and shape[0]:
            raise ValueError(
                "positions must be a list of points, [[x, y], ...]. For several actors at one position, pass their"
                " number: add(5, positions=[x, y])."
            )
    elif "like" in given:
        rows = whole_numbers("like", given["like"])
        shape = rows.shape if np.ndim(given["like"]) else ()
    else:
        shape = ()
    if not shape:
        raise ValueError(
            "add() needs a number of actors, a list of positions, or a list of actors to copy. Write, for"
            " example, add(100)."
        )
    found: int = shape[0]
    return found


def _drawn(world: World, entity: int, count: int, given: Given) -> Rows:
    """Return the initial rows that the scene defines, including random values."""
    spawner, crowd = world.find(entity, Spawner), world.get(entity, Crowd)
    if spawner is None:
        raise ValueError(
            f"crowd {crowd.name!r} does not come from a scene, so its new actors must be copies. Pass the rows"
            " of the actors to copy as `like`."
        )
    points = _given_points(given, count)
    drawn = spawner.draw(crowd.actor_count, count, spawner.rng, None if points is None else plan_from_space(points))
    return spawner.begin | drawn


def _copies(world: World, entity: int, columns: list[Field], count: int, given: Given) -> Rows:
    """Return copies of the rows of `like`, with initial values in columns with a `Personal` rule."""
    crowd = world.get(entity, Crowd)
    models = for_each("like", whole_numbers("like", given["like"]), (count,))
    try:
        rows = rows_of(f"crowd {crowd.name!r}", models, crowd.actor_count)
    except IndexError as error:
        raise ValueError(f"like: {error}") from None
    return {column.path: _copy(column, rows) for column in columns}


def _copy(column: Field, rows: NDArray[np.int32]) -> NDArray[Any]:
    """Return the copied rows of a column, or the initial value [1] of its `Personal` rule."""
    personal = column.told(Personal)
    return np.array([personal.value]) if personal else column.value[rows]


def _said(world: World, entity: int, rows: Rows, count: int, given: Given) -> Rows:
    """Return the rows of all columns that the properties in `given` set."""
    found: Rows = {}
    position = _standing(world, entity, count, given)
    if position is not None:
        found["Transforms.translation"] = position
    spawner = world.find(entity, Spawner)
    facing, unit = (spawner.facing, spawner.unit) if spawner else (0.0, 1.0)
    if "headings" in given:
        half = (yaw_from_heading(numbers_for_each("headings", given["headings"], (count,))) - facing) / 2
        zero = np.zeros(count)
        found["Transforms.rotation"] = np.stack([zero, elementary.sin(half), zero, elementary.cos(half)], axis=-1)
    if "sizes" in given:
        sizes = numbers_for_each("sizes", given["sizes"], (count,))
        if (sizes <= 0).any():
            raise ValueError(f"each of the sizes must be more than 0 (got {sizes.min():g})")
        found["Transforms.scale"] = unit * sizes
    if "tints" in given:
        tints = numbers("tints", given["tints"])
        width = tints.shape[-1] if tints.ndim else 0
        if width not in (3, 4):
            raise ValueError(
                f"each tint must have three numbers (RGB) or four numbers (RGBA) (got shape {tints.shape})"
            )
        if (tints < 0).any():
            raise ValueError(f"each colour component of tints must be at least 0 (got {tints.min():g})")
        found["Appearance.tint"] = np.ones((count, 4))
        found["Appearance.tint"][:, :width] = numbers_for_each("tints", tints, (count, width))
    return found | _played(world, entity, rows, count, given) | _driven(world, entity, rows, count, given)


def _played(world: World, entity: int, rows: Rows, count: int, given: Given) -> Rows:
    """Return playback rows for the motion and the phase in `given`.

    If only a phase is given, keep the scene's motions.
    """
    found: Rows = {}
    names = world.get(entity, Character).motions.index
    if "motion" in given:
        motion = given["motion"]
        if isinstance(motion, str) and motion not in names:
            raise unknown("motion", motion, names)
        wanted = names[motion] if isinstance(motion, str) else motion
        played = numbers_below("motion numbers", wanted, len(names), count)
        found["Playback.slot_count"] = np.ones(count, np.int32)
        found["Playback.motion"] = rows["Playback.motion"].copy()
        found["Playback.motion"][:, 0] = played
    if "phase" in given:
        phase = shares_for_each("phase", given["phase"], count)
        found["Playback.phase"] = np.tile(phase[:, None], rows["Playback.phase"].shape[1:])
    return found


def _driven(world: World, entity: int, rows: Rows, count: int, given: Given) -> Rows:
    """Return the rows of parameter columns. The current values and the target values equal the given values."""
    values, columns = rows["Parameters.value"].copy(), world.get(entity, Parameters).index
    wanted = given.get("parameters", {})
    if not isinstance(wanted, Mapping):
        raise ValueError(
            f'parameters must be a dictionary from names to values, such as {{"speed": 1.2}} (got {brief(wanted)})'
        )
    for name, value in wanted.items():
        if name not in columns:
            raise unknown("parameter", name, columns)
        values[:, columns[name]] = numbers_for_each(f"parameter {name!r}", value, (count,))
    return {"Parameters.value": values, "Parameters.target": values} if "parameters" in given else {}


def _standing(world: World, entity: int, count: int, given: Given) -> NDArray[np.float64] | None:
    """Return the translations [n, 3] of new actors at the given positions.

    New actors at plan points stand on the ground.

    Return None in two cases: if no positions are given, or if the scene's layout has already put the actors at
    the given plan points.
    """
    points = _given_points(given, count)
    if points is None:
        return None
    on_the_ground = bool(np.isnan(points[:, 1]).all())
    if on_the_ground and "like" not in given:
        return None
    heights = _heights(world, points[:, [0, 2]]) if on_the_ground else points[:, 1]
    return np.column_stack([points[:, 0], _lift(world, entity) + heights, points[:, 2]])


def _lift(world: World, entity: int) -> float:
    """Return the height of an actor's translation above its feet in metres."""
    spawner = world.find(entity, Spawner)
    return spawner.lift if spawner else 0.0


def _heights(world: World, places: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the height [m] of the highest ground at each x and z. Without ground, the height is 0."""
    terrain = next((stage.terrain for _, (stage,) in world.query(Stage)), None)
    return np.zeros(len(places)) if terrain is None else terrain.height_at(places)


def _given_points(given: Given, count: int) -> NDArray[np.float64] | None:
    """Return the given positions in space [n, 3], or None. The height of plan points is NaN.

    Raises ValueError if a position has a wrong shape.
    """
    if "positions" not in given:
        return None
    points = numbers("positions", given["positions"])
    if points.shape[-1:] not in ((2,), (3,)):
        raise ValueError(f"each position must be x, y on the plan or x, y, z in space (got shape {points.shape})")
    points = for_each("positions", require_near("positions", points), (count, *points.shape[-1:]))
    return space_from_plan(points, np.nan) if points.shape[1] == 2 else points

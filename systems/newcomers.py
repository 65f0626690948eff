"""Newcomers: the rows that actors who join a crowd begin with."""

from collections.abc import Mapping
from typing import Any, TypedDict

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecs_anim.bounds import LARGEST
from ecs_anim.columns import Field
from ecs_anim.components.character import Character
from ecs_anim.components.crowd import Crowd
from ecs_anim.components.parameters import Parameters
from ecs_anim.components.recipe import Recipe
from ecs_anim.components.stage import Stage
from ecs_anim.systems.population import add_actors
from ecs_anim.world import World

OWN = ("Nearness.", "Crowd.")  # what is nobody else's


class Given(TypedDict, total=False):
    """What is said of new actors: one value for all of them, or one for each."""

    like: ArrayLike  # rows of the actors that they are copies of, poses and all
    places: ArrayLike  # [n, 2] x and z [m], on the ground; or [n, 3] where their feet are
    headings: ArrayLike  # [rad] about +Y from +Z
    sizes: ArrayLike  # factors
    tints: ArrayLike  # [n, 3 or 4], linear RGB(A), multiplies the base colour
    motion: str | ArrayLike  # a name, or numbers of motions
    phase: ArrayLike  # 0 to 1, of the motion
    parameters: Mapping[str, ArrayLike]


Rows = dict[str, NDArray[Any]]


def add_newcomers(world: World, entity: int, count: int | None, given: Given) -> NDArray[np.int64]:
    """Add actors to a crowd; returns their ids. Raises ValueError and KeyError."""
    unknown = given.keys() - Given.__annotations__.keys()
    if unknown:
        raise TypeError(
            f"add() does not know {', '.join(sorted(unknown))}; it knows: {', '.join(Given.__annotations__)}"
        )
    number = _count(count, given)
    if number == 0:
        return np.zeros(0, np.int64)

    def begin(columns: list[Field]) -> Rows:
        rows = (
            _copies(world, entity, columns, number, given) if "like" in given else _drawn(world, entity, number, given)
        )
        return rows | _said(world, entity, rows, number, given)

    return add_actors(world, entity, number, begin)


def _count(count: int | None, given: Given) -> int:
    """How many there are: as said, else as many as there are places or models."""
    if count is None:
        listed = [np.shape(given[key]) for key in ("places", "like") if key in given]
        if not listed or not listed[0]:
            raise ValueError("say how many actors to add: add(100), or places or rows to copy, one for each")
        count = listed[0][0]
    if count < 0:
        raise ValueError(f"a number of actors is 0 or more (got {count})")
    return count


def _drawn(world: World, entity: int, count: int, given: Given) -> Rows:
    """As the scene says."""
    recipe, crowd = world.find(entity, Recipe), world.get(entity, Crowd)
    if recipe is None:
        raise ValueError(f"crowd {crowd.name!r} is of no scene that could draw actors; give `like`, rows to copy")
    places = _level_places(given, count)
    drawn = recipe.draw(crowd.actor_count, count, recipe.rng, None if places is None else places[:, [0, -1]])
    return recipe.begin | drawn


def _copies(world: World, entity: int, columns: list[Field], count: int, given: Given) -> Rows:
    """All that others are, but who they are."""
    crowd, recipe = world.get(entity, Crowd), world.find(entity, Recipe)
    rows = np.broadcast_to(np.asarray(given["like"]), (count,))
    if count and not -crowd.actor_count <= rows.min() <= rows.max() < crowd.actor_count:
        raise ValueError(
            f"crowd {crowd.name!r} has rows 0 to {crowd.actor_count - 1} (got {rows.min()} to {rows.max()})"
        )
    copies = {column.path: column.value[rows] for column in columns if not column.path.startswith(OWN)}
    fresh = recipe.begin if recipe else {"Nearness.slot": np.array([-1], np.int32)}
    return copies | {path: row for path, row in fresh.items() if path.startswith(OWN)}


def _said(world: World, entity: int, rows: Rows, count: int, given: Given) -> Rows:
    """What is given, as rows of columns."""
    found: Rows = {}
    place = _standing(world, entity, rows["Transforms.translation"], count, given)
    if place is not None:
        found["Transforms.translation"] = place
    recipe = world.find(entity, Recipe)
    facing, unit = (recipe.facing, recipe.unit) if recipe else (0.0, 1.0)
    if "headings" in given:
        half = (_numbers("headings", given["headings"], (count,)) - facing) / 2
        zero = np.zeros(count)
        found["Transforms.rotation"] = np.stack([zero, np.sin(half), zero, np.cos(half)], axis=-1)
    if "sizes" in given:
        sizes = _numbers("sizes", given["sizes"], (count,))
        if (sizes <= 0).any():
            raise ValueError(f"sizes must be more than 0 (got {sizes.min():g})")
        found["Transforms.scale"] = unit * sizes
    if "tints" in given:
        tints = np.asarray(given["tints"], np.float64)
        width = tints.shape[-1] if tints.ndim else 0
        if width not in (3, 4):
            raise ValueError(f"tints are RGB or RGBA (got shape {tints.shape})")
        found["Appearance.tint"] = np.ones((count, 4))
        found["Appearance.tint"][:, :width] = _numbers("tints", tints, (count, width))
    return found | _played(world, entity, rows, count, given) | _driven(world, entity, rows, count, given)


def _played(world: World, entity: int, rows: Rows, count: int, given: Given) -> Rows:
    """A motion of its own from the first slot on; a phase alone is that of what plays."""
    found: Rows = {}
    index = world.get(entity, Character).motions.index
    if "motion" in given:
        motion = given["motion"]
        if isinstance(motion, str) and motion not in index:
            raise KeyError(f"no motion {motion!r}; motions are: {', '.join(index)}")
        numbers = np.broadcast_to(np.asarray(index[motion] if isinstance(motion, str) else motion), (count,))
        if not 0 <= numbers.min() <= numbers.max() < len(index):
            raise ValueError(f"motion numbers must be 0 to {len(index) - 1}")
        found["Playback.slot_count"] = np.ones(count, np.int32)
        found["Playback.motion"] = rows["Playback.motion"].copy()
        found["Playback.motion"][:, 0] = numbers
    if "phase" in given:
        phase = _numbers("phase", given["phase"], (count,))
        if not ((phase >= 0) & (phase <= 1)).all():
            raise ValueError("a phase must be 0 to 1")
        found["Playback.phase"] = np.tile(phase[:, None], rows["Playback.phase"].shape[1:])
    return found


def _driven(world: World, entity: int, rows: Rows, count: int, given: Given) -> Rows:
    """Parameters: at once, not approached."""
    values, index = rows["Parameters.value"].copy(), world.get(entity, Parameters).index
    for name, value in given.get("parameters", {}).items():
        if name not in index:
            raise KeyError(f"no parameter {name!r}; parameters are: {', '.join(index) or 'none'}")
        values[:, index[name]] = _numbers(f"parameter {name!r}", value, (count,))
    return {"Parameters.value": values, "Parameters.target": values} if "parameters" in given else {}


def _standing(
    world: World, entity: int, translation: NDArray[Any], count: int, given: Given
) -> NDArray[np.float64] | None:
    """Where feet are to be, [n, 3]; drawn actors stand at their places already, copies are put on the ground."""
    places = _level_places(given, count)
    if places is None or (places.shape[1] == 2 and "like" not in given):
        return None
    out = translation.astype(np.float64)
    out[:, [0, 2]] = places[:, [0, -1]]
    lift = _lift(world, entity)
    out[:, 1] = lift + (places[:, 1] if places.shape[1] == 3 else _heights(world, places))
    return out


def _lift(world: World, entity: int) -> float:
    """[m] of an actor's translation over its feet."""
    recipe = world.find(entity, Recipe)
    return recipe.lift if recipe else 0.0


def _heights(world: World, places: NDArray[np.float64]) -> NDArray[np.float64]:
    """Of the highest ground at x and z; 0 where there is none."""
    terrain = next((stage.terrain for _, (stage,) in world.query(Stage)), None)
    return np.zeros(len(places)) if terrain is None else terrain.height_at(places)


def _level_places(given: Given, count: int) -> NDArray[np.float64] | None:
    if "places" not in given:
        return None
    width = np.shape(given["places"])[-1:]
    if width not in ((2,), (3,)):
        raise ValueError(f"places are x, z or x, y, z (got shape {np.shape(given['places'])})")
    return _numbers("places", given["places"], (count, *width))


def _numbers(what: str, value: ArrayLike, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Finite numbers of this shape. Raises ValueError."""
    values = np.asarray(value, np.float64)
    if not np.all(np.abs(values) <= LARGEST):
        raise ValueError(f"{what} must be finite (got {value!r})")
    try:
        return np.broadcast_to(values, shape)
    except ValueError:
        raise ValueError(
            f"{what} must be one for all or one for each of {shape[0]} (got shape {values.shape})"
        ) from None

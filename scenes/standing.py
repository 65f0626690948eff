"""Where the actors of a crowd stand and how they look, drawn as its scene says."""

import math
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.appearance import Appearance
from ecs_anim.components.transforms import Transforms
from ecs_anim.ground.ground import Ground
from ecs_anim.maths import elementary
from ecs_anim.maths.color import hex_to_linear
from ecs_anim.scenes.layouts import place, take_seats
from ecs_anim.scenes.motions import Place
from ecs_anim.scenes.rigs import LoadedRig
from ecs_anim.scenes.schema import CrowdModel
from ecs_anim.scenes.schema_layout import SeatsLayout
from ecs_anim.scenes.variants import draw_variants


def first_transforms(
    crowd: CrowdModel, loaded: LoadedRig, terrain: Ground, count: int, rng: np.random.Generator, key: Place
) -> Transforms:
    """Of a crowd that is made. Raises InputError."""
    places, ahead = _places(crowd, terrain, count, rng, key)
    return stand(crowd, loaded, terrain, places, ahead, places.mean(axis=0), rng)


def stand(
    crowd: CrowdModel,
    loaded: LoadedRig,
    terrain: Ground,
    places: NDArray[np.float64],
    ahead: NDArray[np.float64],
    middle: NDArray[np.float64],
    rng: np.random.Generator,
) -> Transforms:
    """Actors at x, z `places` [n, 2] [m], their headings counted from `ahead` [n] [rad], or to the `middle` [2]."""
    count = len(places)
    scale = loaded.scale * (1 + crowd.size_variation * rng.uniform(-1, 1, count))
    half = (_headings(crowd, places, ahead, middle, rng) - loaded.facing) / 2
    translation, rotation = np.empty((count, 3), np.float32), np.zeros((count, 4), np.float32)
    translation[:, ::2] = places
    translation[:, 1] = terrain.height_at(places) + loaded.ground_offset
    rotation[:, 1], rotation[:, 3] = elementary.sin(half), elementary.cos(half)
    return Transforms(translation, rotation, scale.astype(np.float32))


def _places(
    crowd: CrowdModel, terrain: Ground, count: int, rng: np.random.Generator, key: Place
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """x, z [actor_count, 2] [m], and the headings [actor_count] [rad] that seats give; 0 elsewhere."""
    try:
        if isinstance(crowd.layout, SeatsLayout):
            taken = take_seats(crowd.layout, count, rng, crowd.count, terrain.seats)
            return taken[:, :2], taken[:, 2]
        return place(crowd.layout, count, rng, crowd.count), np.zeros(count)
    except ValueError as error:
        raise (key / ".layout").fault(str(error)) from None


def _headings(
    crowd: CrowdModel,
    places: NDArray[np.float64],
    ahead: NDArray[np.float64],
    middle: NDArray[np.float64],
    rng: np.random.Generator,
) -> NDArray[np.float64]:
    """Angles [actor_count] in radians about +Y from +Z."""
    if crowd.heading_degrees == "random":
        return rng.uniform(0, math.tau, len(places))
    if crowd.heading_degrees == "center":
        inward = middle - places
        return elementary.arctan2(inward[:, 0], inward[:, 1])
    return ahead + math.radians(crowd.heading_degrees)


def first_appearance(crowd: CrowdModel, loaded: LoadedRig, count: int, rng: np.random.Generator) -> Appearance:
    """Tints and textures of a crowd's actors."""
    tint = _tints(tuple(crowd.tints)).take(rng.integers(len(crowd.tints), size=count), axis=0)
    variant = draw_variants(loaded.rig, count, rng)
    shown = crowd.show_skin, crowd.show_joints, crowd.show_targets
    return Appearance(tint, loaded.shadow_radius, *shown, variant)


@cache
def _tints(colors: tuple[str, ...]) -> NDArray[np.float32]:
    """Linear RGBA [color_count, 4]."""
    return np.array([(*hex_to_linear(color), 1.0) for color in colors], np.float32)

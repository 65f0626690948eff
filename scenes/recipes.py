"""Recipes: how a scene makes new actors of a crowd."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.morphs import Morphs
from ecs_anim.components.recipe import Recipe
from ecs_anim.components.targets import Targets
from ecs_anim.components.transforms import Transforms
from ecs_anim.ecs.columns import Role, fields_of
from ecs_anim.ground.ground import Ground
from ecs_anim.scenes.drivers import build_parameters
from ecs_anim.scenes.layouts import place_more
from ecs_anim.scenes.morphs import first_weights
from ecs_anim.scenes.motions import FirstMotions
from ecs_anim.scenes.rigs import LoadedRig
from ecs_anim.scenes.schema import CrowdModel
from ecs_anim.scenes.standing import first_appearance, stand
from ecs_anim.scenes.targets import first_phases


@dataclass(frozen=True)
class Beginning:
    """What a crowd's first actors were drawn by."""

    crowd: CrowdModel
    loaded: LoadedRig
    first: FirstMotions
    names: tuple[str, ...]  # of parameters
    terrain: Ground


def build_recipe(beginning: Beginning, components: Sequence[object], seed: tuple[int, int]) -> Recipe:
    """How to draw more actors of a crowd that has just been made of these components."""
    own = {type(component): component for component in components}
    transforms = own[Transforms]
    assert isinstance(transforms, Transforms)
    middle = transforms.translation[:, [0, 2]].mean(axis=0, dtype=np.float64)

    def draw(
        have: int, count: int, rng: np.random.Generator, places: NDArray[np.float64] | None
    ) -> dict[str, NDArray[Any]]:
        return _drawn(beginning, own.keys(), middle, have, count, rng, places)

    begin = {
        field.path: field.value[:1].copy()
        for field in fields_of(components)
        if field.role is Role.ACTOR and len(field.value)
    }
    loaded = beginning.loaded
    rng = np.random.default_rng((*seed, 0))
    return Recipe(draw, begin, loaded.facing, loaded.scale, loaded.ground_offset, rng)


def _drawn(
    beginning: Beginning,
    kinds: Any,
    middle: NDArray[np.float64],
    have: int,
    count: int,
    rng: np.random.Generator,
    places: NDArray[np.float64] | None,
) -> dict[str, NDArray[Any]]:
    crowd, loaded = beginning.crowd, beginning.loaded
    if places is None:
        places = place_more(crowd.layout, have, count, rng, crowd.count)
    motion, phase, speed = beginning.first.draw(count, rng, have)
    drawn: list[object] = [
        stand(crowd, loaded, beginning.terrain, places, np.zeros(count), middle, rng),
        first_appearance(crowd, loaded, count, rng),
    ]
    if beginning.names:
        drawn.append(build_parameters(crowd, beginning.names, count, rng))
    rows = {
        f"{type(own).__name__}.{name}": value
        for own in drawn
        for name, value in vars(own).items()
        if isinstance(value, np.ndarray)
    }
    # All slots get what the first one has: those that are not in use say nothing.
    rows |= {"Playback.motion": motion[:, None], "Playback.phase": phase[:, None], "Playback.speed": speed[:, None]}
    if Targets in kinds:
        for number, model in enumerate(crowd.targets.values()):
            rows[f"Targets.targets[{number}].phase"] = first_phases(model, count, rng)
    if Morphs in kinds:
        rows["Morphs.weights"] = first_weights(crowd, loaded, count, rng)
    return rows

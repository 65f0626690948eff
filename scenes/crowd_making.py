"""Construction of the components of a crowd from a scene. Each part (feature) of the crowd builds its own
components.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.character import Character
from ecs_anim.components.crowd import Crowd
from ecs_anim.components.update_rates import UpdateRates
from ecs_anim.ground.ground import Ground
from ecs_anim.scenes.crowds import DRAWN, PARTS, CrowdModel
from ecs_anim.scenes.figures import draw_variants, figure_shares
from ecs_anim.scenes.loaded_rig import LoadedRig
from ecs_anim.scenes.loader import SceneFile
from ecs_anim.scenes.motions import build_motions
from ecs_anim.scenes.parts.parameters import parameter_names
from ecs_anim.scenes.parts.part import Asked, Making, Part
from ecs_anim.scenes.scene_key import SceneKey
from ecs_anim.scenes.spawners import build_spawner
from ecs_anim.scenes.variants import with_variants
from ecs_anim.support.reuse import reusable
from ecs_anim.systems.applicable import remembering
from ecs_anim.systems.schedule import ORDER, split_order
from ecs_anim.walls.walls import Walls

if TYPE_CHECKING:
    from ecs_anim.scenes.recordings import Recorded
    from ecs_anim.storeys.unfolded import Unfolded  # this module imports shapely


class Setting(NamedTuple):
    """The inputs for the construction of all crowds of a scene."""

    scene: SceneFile
    rigs: Mapping[str, LoadedRig]
    terrain: Ground
    walls: Walls | None
    seed: int  # seed of the scene
    unfolded: "Unfolded | None" = None  # the unfolded plan of the levels


def make_crowd(
    setting: Setting,
    index: int,
    own: Sequence[Asked],
    count: int,
    rng: np.random.Generator,
    recorded: "Recorded | None" = None,
    occupied: NDArray[np.float64] | None = None,
) -> tuple[object, ...]:
    """Return all components of a crowd of `count` actors. `own` contains the user parts of the crowd.

    `recorded` contains the people in a trajectory file that the crowd follows. `occupied` [n, 2] contains the plan
    points of actors of other crowds. Additional actors of the crowd do not stand near the points in `occupied`. Raises
    InputError if a key of the crowd is invalid.
    """
    crowd, key = setting.scene.model.crowds[index], SceneKey(setting.scene.label, f"crowds[{index}]")
    asked = [*_wanted(PARTS, crowd), *own]
    making = _begin(setting, crowd, key, asked, count, rng, recorded, occupied)
    _require_posable(crowd, asked, making)
    making.add(Crowd(crowd.called, count))
    making.add(Character(making.loaded.rig, making.motions, _level(crowd, making)))
    for part, keys, told in asked:
        with told():
            for component in part.build(keys, making):
                making.add(component)
    _require_free_poses(making)
    drawn = [*_wanted(DRAWN, crowd), *own]
    return (*making.components.values(), build_spawner(making, drawn, crowd.layout, (setting.seed, index)))


@reusable
def _wanted(parts: Sequence[Part[CrowdModel]], crowd: CrowdModel) -> list[Asked]:
    """Return the parts among `parts` that a crowd uses."""
    return [Asked(part, crowd) for part in parts if part.is_wanted(crowd)]


def _begin(
    setting: Setting,
    crowd: CrowdModel,
    key: SceneKey,
    asked: Sequence[Asked],
    count: int,
    rng: np.random.Generator,
    recorded: "Recorded | None",
    occupied: NDArray[np.float64] | None,
) -> Making:
    """Return the data for the construction of a crowd, before any part has built a component."""
    loaded = with_variants(setting.scene, crowd, setting.rigs[crowd.rig], key)
    more = [motion for part in PARTS if part.is_wanted(crowd) for motion in part.motions(crowd, loaded, key)]
    of_motions = ((f".{motion.name}", name) for motion in more for name in motion.parameters)
    names = parameter_names(crowd, chain(_parameters(asked), of_motions), key)
    motions = build_motions(crowd, loaded, names, key, more)
    shares = figure_shares(crowd, loaded, key)
    return Making(
        key=key,
        crowd=crowd,
        crowds=setting.scene.model.crowds,
        loaded=loaded,
        rigs=setting.rigs,
        terrain=setting.terrain,
        walls=setting.walls,
        unfolded=setting.unfolded,
        names=names,
        motions=motions,
        count=count,
        rng=rng,
        recorded=recorded,
        occupied=occupied,
        figure_shares=shares,
        variants=draw_variants(loaded.rig, shares, count, rng),
    )


def _parameters(asked: Iterable[Asked]) -> Iterator[tuple[str, str]]:
    for part, keys, told in asked:
        with told():
            yield from part.parameters(keys)


def _level(crowd: CrowdModel, making: Making) -> int:
    """Return the fixed level of detail of a crowd, or 0 if the level is "auto".

    Raises InputError if the rig does not have this level of detail.
    """
    level, count = 0 if crowd.level == "auto" else crowd.level, making.loaded.rig.level_count
    if level >= count:
        raise (making.key / ".level").fault(
            f"the detail level must be below {count}, the number of detail levels of rig {crowd.rig!r} (got"
            f" {level}). Lower the level."
        )
    return level


def _require_posable(crowd: CrowdModel, asked: Iterable[Asked], making: Making) -> None:
    """Raise InputError for parts that the GPU does not support.

    The loader calls this function before the construction of the bake.
    """
    for part, keys, told in asked:
        with told():
            if crowd.path != "pose":
                part.require_showable(keys, making)
            if crowd.path == "baked":
                part.require_bakeable(keys, making)


def _require_free_poses(making: Making) -> None:
    """Raise InputError if a crowd with update rates has a system that needs poses in each time step."""
    if UpdateRates in making.components:
        names = remembering(split_order(ORDER)[1], making.components, ("steps",))
        if names:
            text = f"{names[0]} needs the poses of all actors in each time step. Leave out one of these keys"
            raise (making.key / ".detail.update_rates").fault(text)

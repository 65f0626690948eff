"""Alarms of a scene: the pre-movement times of actors begin when an alarm reaches the actors."""

from collections.abc import Sequence

import numpy as np

from ecs_anim.components.alarms import Alarm, Alarms
from ecs_anim.components.groups import Groups
from ecs_anim.components.journeys import Journeys
from ecs_anim.components.transforms import Transforms
from ecs_anim.ecs.world import World
from ecs_anim.maths.plan import plan_from_space
from ecs_anim.scenes.areas import area_of
from ecs_anim.scenes.loader import SceneFile
from ecs_anim.scenes.scene_key import SceneKey
from ecs_anim.scenes.schema_alarms import AlarmModel
from ecs_anim.steering.groups import of_first
from ecs_anim.systems.unfolding import level_names


def set_alarms(scene: SceneFile, indices: Sequence[int], world: World) -> None:
    """Add alarms to the crowds that wait for an alarm, and set the times at which the actors of these crowds start to
    walk.

    `indices` contains the indices of the crowds that have actors. Raises InputError if no alarm reaches one of the
    actors, if the scene has no alarms, or if no crowd waits for the alarms.
    """
    said = scene.model.alarms
    steered = [(number, crowd.steering) for number, crowd in enumerate(scene.model.crowds)]
    waiting = [number for number, crowd in steered if crowd is not None and crowd.waits_for_alarm]
    if said and not waiting:
        raise SceneKey(scene.label, "alarms").fault(
            "no crowd waits for an alarm. Add waits_for_alarm = true to the steering of a crowd."
        )
    if not waiting:
        return
    keys = [SceneKey(scene.label, f"crowds[{number}].steering.waits_for_alarm") for number in waiting]
    if not said:
        raise keys[0].fault("the scene has no alarms. Add [[alarms]] with at_seconds = 10.0.")
    alarms = Alarms(
        tuple(_alarm(scene, own, SceneKey(scene.label, f"alarms[{number}]")) for number, own in enumerate(said))
    )
    entities = dict(zip(indices, (entity for entity, _ in world.query(Transforms)), strict=True))
    for number, key in zip(waiting, keys, strict=True):
        crowd = scene.model.crowds[number].steering
        if crowd is not None and crowd.sources and all(own.area is not None or own.level is not None for own in said):
            raise key.fault(
                "a crowd with sources needs an alarm without area and level, because new actors can arrive anywhere."
                " Remove the area and the level of one alarm."
            )
        if number in entities:
            _delay(world, entities[number], alarms, key)


def _alarm(scene: SceneFile, said: AlarmModel, key: SceneKey) -> Alarm:
    area = None if said.area is None else area_of(said.area, key / ".area")
    if said.level is not None:
        names = [level.name for level in scene.model.levels]
        (key / ".level").require_among(said.level, names, "the scene has no level", "the levels are")
    return Alarm(said.at_seconds, area, said.origin, said.spread_m_s or np.inf, said.level)


def _delay(world: World, entity: int, alarms: Alarms, key: SceneKey) -> None:
    """Add the time until the first alarm to the pre-movement times of a crowd. All members of a group get the delay of
    the first member.
    """
    points = plan_from_space(world.get(entity, Transforms).translation).astype(np.float64)
    delays = alarms.delays(points, level_names(world, entity, len(points)), 0.0)
    if (groups := world.find(entity, Groups)) is not None:
        delays = delays[of_first(groups.number)]
    if count := int(np.count_nonzero(np.isinf(delays))):
        raise key.fault(
            f"no alarm reaches {count} of the {len(points)} actors. Enlarge the areas of the alarms, or add an alarm"
            " without area and level."
        )
    world.get(entity, Journeys).rest[:] += delays.astype(np.float32)
    world.attach(entity, alarms)

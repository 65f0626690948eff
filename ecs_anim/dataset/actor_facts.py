"""Facts about actors for the labels of a data set: appearance, action, movement, body and goal.

All facts describe the end of the last time step. The module `ecs_anim.labels.schema` describes the fields.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.character import Character
from ecs_anim.components.crowd import Crowd
from ecs_anim.dataset.actions import actions_of, states_of
from ecs_anim.dataset.aims import goals_of, groups_of
from ecs_anim.dataset.bodies import body_facts
from ecs_anim.dataset.label_formats import BodyModel
from ecs_anim.dataset.looks import look_facts
from ecs_anim.dataset.movement import Before, speeds_of, velocities_of
from ecs_anim.dataset.poses import smpl_facts
from ecs_anim.dataset.rounding import METRE_DIGITS, UNIT_DIGITS, rounded
from ecs_anim.ecs.world import World
from ecs_anim.systems.actor_points import ground_points, headings_of

Facts = dict[str, Any]
Rows = NDArray[np.int32]


def actor_facts(
    world: World, ids: NDArray[np.int64], before: Before | None, poses: BodyModel | None = None
) -> dict[int, Facts]:
    """Return the facts about the actors with the ids `ids` [n], by id.

    `before` contains the positions of all actors one time step earlier. Without `before`, the velocities are None.
    If `poses` is "smplx", the facts contain SMPL-X poses.
    """
    found: dict[int, Facts] = {}
    for entity, (crowd, _) in world.query(Crowd, Character):
        rows = crowd.index.find(ids)
        rows = rows[rows >= 0].astype(np.int32)
        if len(rows):
            columns = _columns(world, entity, rows, before)
            if poses == "smplx":
                columns["smplx"] = smpl_facts(world, entity, rows)
            for number, actor in enumerate(crowd.ids[rows].tolist()):
                found[actor] = {name: column[number] for name, column in columns.items()}
    return found


def skeletons(world: World) -> dict[str, Facts]:
    """Return the joint names and the parent joint of each joint, by the name of the crowd. -1 = no parent."""
    return {
        crowd.name: {
            "joint_names": list(character.rig.skeleton.joint_names),
            "parents": character.rig.skeleton.parents.tolist(),
        }
        for _, (crowd, character) in world.query(Crowd, Character)
    }


def _columns(world: World, entity: int, rows: Rows, before: Before | None) -> dict[str, list[Any]]:
    """Return the facts about the actors in `rows` [n] of a crowd: a list [n] for each field."""
    velocities = velocities_of(world, entity, rows, before)
    return {
        **look_facts(world, entity, rows),
        "action": actions_of(world, entity, rows, speeds_of(world, entity, rows, velocities)),
        "state": states_of(world, entity, rows),
        "position": rounded(ground_points(world, entity, rows), METRE_DIGITS),
        "heading": rounded(headings_of(world, entity, rows), UNIT_DIGITS),
        "velocity": rounded(velocities, METRE_DIGITS),
        **body_facts(world, entity, rows),
        "group": groups_of(world, entity, rows),
        "goal": goals_of(world, entity, rows),
    }

"""Handrails: actors on stairs and escalators put a hand on the handrail. The part builds the component `HandRails`."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import numpy as np
from pydantic import Field

from ecs_anim.assets.hierarchy import model_matrices
from ecs_anim.components.handrails import HandRails
from ecs_anim.components.reach import Goal, Reach
from ecs_anim.components.storeys import Storeyed
from ecs_anim.components.targets import Still, Target
from ecs_anim.ik.arrays import SOLVERS
from ecs_anim.ik.chain import Chain, find_chain
from ecs_anim.maths import elementary
from ecs_anim.roles.roles import Roles, find_roles
from ecs_anim.scenes.loaded_rig import LoadedRig
from ecs_anim.scenes.parts.part import Drawn, Joining, Making, Part
from ecs_anim.scenes.parts.reach import new_goal
from ecs_anim.scenes.scene_key import SceneKey
from ecs_anim.scenes.schema_base import Table
from ecs_anim.storeys.handrails import Arms, Rails

if TYPE_CHECKING:  # this module imports shapely, which only scenes with levels need
    from ecs_anim.storeys.building import Building

SIDES = ("left", "right")
TOLERANCE = 0.005  # [m]


class HandrailKeys(Table):
    """Hands on handrails."""

    hold_handrails: Annotated[float, Field(ge=0, le=1)] = Field(
        0.0,
        description="share of the actors that put a hand on a handrail while they are beside it, on stairs, ramps and"
        " escalators",
    )


class HandrailPart(Part[HandrailKeys]):
    """The hands of a crowd on handrails. The part adds two arms to the component `Reach`."""

    keys = HandrailKeys
    kernels, corrections = ("handrails",), ("reach",)

    def build(self, crowd: HandrailKeys, making: Making) -> Iterator[object]:
        """Build `HandRails`, and `Reach` if the crowd does not have it yet. Raises InputError."""
        key = making.key / ".hold_handrails"
        rails = _rails(making, key)
        roles = _arms(making.loaded, key)
        chains = [_chain(making.loaded, roles, side) for side in SIDES]
        goals = tuple(_goal(chain, making) for chain in chains)
        reach = making.find(Reach)
        if reach is None:
            reach = Reach(())
            yield reach
        names = {goal.name for goal in reach.goals}
        for goal in goals:
            if goal.name in names:
                raise key.fault(f"`reach` already moves the joint {goal.name}. Leave out this chain or hold_handrails.")
        first = len(reach.goals)
        reach.goals += goals
        yield HandRails(
            rails=rails,
            arms=_standing(roles, making.loaded, chains),
            goals=(first, first + 1),
            holds=making.rng.random(making.count) < crowd.hold_handrails,
            flight=np.full(making.count, -1, np.int32),
            grip=np.zeros((making.count, 2), np.float32),
        )

    def draw(self, crowd: HandrailKeys, joining: Joining) -> Iterator[Drawn]:
        """Draw which of the new actors use handrails."""
        own = joining.making.get(HandRails)
        yield own, "holds", joining.rng.random(joining.count) < crowd.hold_handrails


def _arms(loaded: LoadedRig, key: SceneKey) -> Roles:
    """Return the roles of a rig with two arms. Raises InputError for a rig without arms."""
    roles = find_roles(loaded.rig)
    if None in roles.arms:
        raise key.fault(f"rig {loaded.label} has no joints of two arms. Use a humanoid, or leave out hold_handrails.")
    return roles


def _chain(loaded: LoadedRig, roles: Roles, side: str) -> Chain:
    skeleton = loaded.rig.skeleton
    ends = [skeleton.joint_names[roles.joints[f"{side}_{part}"]] for part in ("upper_arm", "hand")]
    return find_chain(skeleton, ends)


def _goal(chain: Chain, making: Making) -> Goal:
    skeleton, count = making.loaded.rig.skeleton, making.count
    still, at = Still(np.zeros(3, np.float32)), np.zeros((count, 3), np.float32)
    phase, color = np.zeros(count, np.float32), (1.0, 1.0, 1.0, 1.0)
    name = f"handrail beside {skeleton.joint_names[chain.joints[-1]]}"
    target = Target(name, still, False, phase, at, color, 0.02, False)
    solver = SOLVERS["two_bone" if len(chain.joints) == 3 else "ccd"]
    return new_goal(chain, skeleton, target, solver, np.zeros(count, np.float32), tolerance=TOLERANCE)


def _standing(roles: Roles, loaded: LoadedRig, chains: list[Chain]) -> Arms:
    """Return the arms in the standing pose of a rig."""
    points = model_matrices(loaded.rig.skeleton, roles.pose)[..., 3].astype(np.float64)
    shoulders = np.stack([points[chain.joints[0]] for chain in chains])
    bones = [np.diff(points[list(chain.joints)], axis=0) for chain in chains]
    lengths = np.array([np.sqrt((own * own).sum(axis=-1)).sum() for own in bones])
    forward = np.array([float(elementary.sin(loaded.facing)), 0.0, float(elementary.cos(loaded.facing))])
    return Arms(shoulders, lengths, forward)


def _rails(making: Making, key: SceneKey) -> Rails:
    """Return the handrails of the scene. Raises InputError for a scene without handrails."""
    found = None if making.unfolded is None else handrails(making.unfolded.building)
    if found is None or not found.sides.any():
        raise key.fault("the scene has no handrails. Add [[stairs]] with railings, or leave out hold_handrails.")
    if making.find(Storeyed) is None:
        raise key.fault("only steered actors hold handrails. Add [crowds.steering], or leave out hold_handrails.")
    return found


def handrails(building: "Building") -> Rails:
    """Return the handrails of all flights of a building."""
    from ecs_anim.storeys.railings import ASIDE, HEIGHT, slope_of

    flights = building.flights
    return Rails(
        first=len(building.levels),
        foot=np.array([own.foot for own in flights]).reshape(-1, 2),
        uphill=np.array([own.uphill for own in flights]).reshape(-1, 2),
        aside=np.array([own.width / 2 + ASIDE for own in flights]),
        length=np.array([own.length for own in flights]),
        low=np.array([own.base + own.riser + HEIGHT for own in flights]),
        slope=np.array([slope_of(own) for own in flights]),
        sides=np.array([[1 in own.rails, -1 in own.rails] for own in flights], np.bool_).reshape(-1, 2),
    )

"""Reach: actors reach for targets. The part builds the component `Reach` from the keys `reach` and `limits`."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Annotated, Literal, assert_never

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.components.reach import Goal, Reach
from ecs_anim.components.targets import Target
from ecs_anim.ik.arrays import SOLVERS, Solver, chain_arrays
from ecs_anim.ik.chain import Chain, find_chain
from ecs_anim.ik.limits import BallLimit, HingeLimit, Limit
from ecs_anim.scenes.loaded_rig import LoadedRig, require_joint
from ecs_anim.scenes.parts.part import Making, Part
from ecs_anim.scenes.parts.targets import find_target
from ecs_anim.scenes.scene_key import SceneKey
from ecs_anim.scenes.schema_base import Point3, Positive, Table
from ecs_anim.scenes.schema_rules import rule

Degrees = Annotated[float, Field(ge=-180, le=180)]


class BallLimitModel(Table):
    """Limit of a ball joint: a cone around the bone's rest direction, and a range of twist around the bone."""

    kind: Literal["ball"]
    swing_degrees: Annotated[float, Field(ge=0, le=180)] = Field(description="half of the opening angle of the cone")
    twist_degrees: tuple[Degrees, Degrees] = Field(
        (-180.0, 180.0), description="smallest and largest angle, 0 = rest pose"
    )

    _rises = rule(
        "twist_degrees: write the smaller angle first, such as [-30, 30]",
        lambda ball: ball.twist_degrees[0] <= ball.twist_degrees[1],
    )


class HingeLimitModel(Table):
    """Limit of a hinge joint: one axis, and a range of angles about the axis."""

    kind: Literal["hinge"]
    axis: Point3 = Field(description="axis of the hinge, in the coordinate frame of the joint in the rest pose")
    range_degrees: tuple[Degrees, Degrees] = Field(
        (-180.0, 180.0), description="smallest and largest angle, 0 = rest pose"
    )

    _turns = rule(
        "at least one number of axis must not be 0. Write an axis such as [1, 0, 0]",
        lambda hinge: hinge.axis != (0, 0, 0),
    )
    _rises = rule(
        "range_degrees: write the smaller angle first, such as [0, 150]",
        lambda hinge: hinge.range_degrees[0] <= hinge.range_degrees[1],
    )


LimitModel = Annotated[BallLimitModel | HingeLimitModel, Field(discriminator="kind")]


class ReachModel(Table):
    """A chain of joints. The end of the chain reaches for a target."""

    target: str = Field(description="name of a target of the crowd")
    root: str = Field(description="first joint of the chain, such as an upper arm")
    effector: str = Field(description="last joint of the chain, which reaches the target, such as a hand")
    solver: Solver = Field(
        "ccd",
        description="solver. 'two_bone' is exact and needs a chain of three joints. If joint limits prevent the exact "
        "solution, the solver 'ccd' continues from there",
    )
    iterations: Annotated[int, Field(ge=0, le=1000)] = Field(
        30, description="largest number of iterations of 'ccd' and 'fabrik'"
    )
    tolerance: Positive = Field(0.001, description="distance from the target at which the solver stops [m]")
    weight: Annotated[float, Field(ge=0, le=1)] | str = Field(1.0, description="a share, or a parameter")


class ReachKeys(Table):
    """Targets that chains of joints reach for."""

    reach: list[ReachModel] = Field(
        [], description="chains of joints that reach for targets. The program solves the chains in this order"
    )
    limits: dict[str, LimitModel] = Field(
        {}, description="rotation limits of the joints of these chains, by joint name"
    )


class ReachPart(Part[ReachKeys]):
    """The reach goals of a crowd. The system solves the goals in the order of the scene file."""

    keys = ReachKeys
    corrections = ("reach",)

    def build(self, crowd: ReachKeys, making: Making) -> Iterator[object]:
        """Build all reach goals of a crowd."""
        loaded, key = making.loaded, making.key
        for joint in crowd.limits:
            require_joint(loaded, joint, key / ".limits")
        limits = {joint: make_limit(model) for joint, model in crowd.limits.items()}
        keys = [key / f".reach[{i}]" for i in range(len(crowd.reach))]
        chains = [_chain(model, loaded, limits, own) for model, own in zip(crowd.reach, keys, strict=True)]
        _require_use(limits, chains, loaded, key / ".limits")
        goals = [_goal(*each, making) for each in zip(crowd.reach, chains, keys, strict=True)]
        yield Reach(tuple(goals))


def _goal(model: ReachModel, chain: Chain, key: SceneKey, making: Making) -> Goal:
    target = find_target(making, model.target, key / ".target")
    weight, weight_parameter = making.weight(model.weight, key / ".weight")
    skeleton, solver = making.loaded.rig.skeleton, SOLVERS[model.solver]
    goal = new_goal(chain, skeleton, target, solver, weight, iterations=model.iterations, tolerance=model.tolerance)
    return replace(goal, weight_parameter=weight_parameter)


def new_goal(
    chain: Chain,
    skeleton: Skeleton,
    target: Target,
    solver: np.int64,
    weight: NDArray[np.float32],
    *,
    iterations: int = 30,
    tolerance: float = 0.001,
) -> Goal:
    """Return a goal for the chain, before the first step. No parameter sets its weights `weight` [actor_count]."""
    count = len(weight)
    return Goal(
        name=skeleton.joint_names[chain.joints[-1]],
        target=target,
        chain=chain_arrays(skeleton, chain),
        solver=solver,
        iterations=iterations,
        tolerance=tolerance,
        weight=weight,
        weight_parameter=-1,
        distance=np.full(count, np.inf, np.float32),
        reached=np.zeros(count, np.bool_),
        iterations_used=np.zeros(count, np.int32),
    )


def make_limit(model: LimitModel) -> Limit:
    """Return the joint limit as the data type that the solvers use."""
    match model:
        case BallLimitModel():
            low, high = model.twist_degrees
            return BallLimit(math.radians(model.swing_degrees), (math.radians(low), math.radians(high)))
        case HingeLimitModel():
            low, high = model.range_degrees
            return HingeLimit(model.axis, (math.radians(low), math.radians(high)))
        case _:
            assert_never(model)


def _chain(model: ReachModel, loaded: LoadedRig, limits: Mapping[str, Limit], key: SceneKey) -> Chain:
    for tail, name in ((".root", model.root), (".effector", model.effector)):
        require_joint(loaded, name, key / tail)
    try:
        chain = find_chain(loaded.rig.skeleton, (model.root, model.effector), limits)
    except ValueError as error:
        raise (key / ".effector").fault(f"{error}. Name an effector below the root.") from None
    if model.solver == "two_bone" and len(chain.joints) != 3:
        listing = ", ".join(loaded.rig.skeleton.joint_names[joint] for joint in chain.joints)
        raise (key / ".solver").fault(
            f"a two-bone chain must have three joints (got {len(chain.joints)}: {listing}). Name another root"
            " or effector, or use 'ccd' or 'fabrik'."
        )
    return chain


def _require_use(limits: Mapping[str, Limit], chains: list[Chain], loaded: LoadedRig, key: SceneKey) -> None:
    """Raise InputError if a limit names a joint that does not belong to a chain."""
    names = loaded.rig.skeleton.joint_names
    turning = list(dict.fromkeys(names[joint] for chain in chains for joint in chain.joints[:-1]))
    for joint in limits:
        if joint not in turning:
            raise (key / f".{joint}").fault(
                "no chain in `reach` rotates this joint, so the limit has no effect. Remove the limit, or name one of"
                f" the joints: {', '.join(turning) or 'none'}"
            )

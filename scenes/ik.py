"""From a scene file's reach and limits to a crowd's component."""

import math
from collections.abc import Mapping
from typing import assert_never

import numpy as np

from ecs_anim.components.reach import Goal, Reach
from ecs_anim.components.targets import Targets
from ecs_anim.ik.arrays import CCD, FABRIK, TWO_BONE, chain_arrays
from ecs_anim.ik.chain import Chain, find_chain
from ecs_anim.ik.limits import BallLimit, HingeLimit, Limit
from ecs_anim.scenes.drivers import parameter_column
from ecs_anim.scenes.motions import Place
from ecs_anim.scenes.rigs import LoadedRig
from ecs_anim.scenes.schema import CrowdModel
from ecs_anim.scenes.schema_ik import BallLimitModel, HingeLimitModel, LimitModel, ReachModel
from ecs_anim.scenes.targets import find_target
from ecs_anim.support.errors import nearest

SOLVERS = {"ccd": CCD, "fabrik": FABRIK, "two_bone": TWO_BONE}


def build_reach(
    crowd: CrowdModel, loaded: LoadedRig, targets: Targets | None, names: tuple[str, ...], count: int, place: Place
) -> Reach:
    """All goals of a crowd; `names` are its parameters. Raises InputError."""
    for joint in crowd.limits:
        _require_joint(joint, loaded, place / ".limits")
    limits = {joint: make_limit(model) for joint, model in crowd.limits.items()}
    places = [place / f".reach[{i}]" for i in range(len(crowd.reach))]
    chains = [_chain(model, loaded, limits, key) for model, key in zip(crowd.reach, places, strict=True)]
    _require_use(limits, chains, loaded, place / ".limits")
    goals = []
    for model, chain, key in zip(crowd.reach, chains, places, strict=True):
        name = find_target(crowd, model.target, key / ".target")
        assert targets is not None  # it has that name
        driven = isinstance(model.weight, str)
        goals.append(
            Goal(
                name=model.effector,
                target=targets.by_name[name],
                chain=chain_arrays(loaded.rig.skeleton, chain),
                solver=SOLVERS[model.solver],
                iterations=model.iterations,
                tolerance=model.tolerance,
                weight=np.full(count, 0.0 if driven else model.weight, np.float32),
                weight_parameter=parameter_column(model.weight, names, key / ".weight")
                if isinstance(model.weight, str)
                else -1,
                distance=np.full(count, np.inf, np.float32),
                reached=np.zeros(count, np.bool_),
                iterations_used=np.zeros(count, np.int32),
            )
        )
    return Reach(tuple(goals))


def make_limit(model: LimitModel) -> Limit:
    """A limit as the solvers take it."""
    match model:
        case BallLimitModel():
            low, high = model.twist_degrees
            return BallLimit(math.radians(model.swing_degrees), (math.radians(low), math.radians(high)))
        case HingeLimitModel():
            low, high = model.range_degrees
            return HingeLimit(model.axis, (math.radians(low), math.radians(high)))
        case _:
            assert_never(model)


def _chain(model: ReachModel, loaded: LoadedRig, limits: Mapping[str, Limit], place: Place) -> Chain:
    for key, name in ((".root", model.root), (".effector", model.effector)):
        _require_joint(name, loaded, place / key)
    try:
        chain = find_chain(loaded.rig.skeleton, (model.root, model.effector), limits)
    except ValueError as error:
        raise (place / ".effector").fault(f"{error}; name a joint below the root") from None
    if model.solver == "two_bone" and len(chain.joints) != 3:
        listing = ", ".join(loaded.rig.skeleton.joint_names[joint] for joint in chain.joints)
        raise (place / ".solver").fault(
            f"a two-bone chain has three joints, this one {len(chain.joints)}: {listing};"
            " name another root or effector, or take 'ccd' or 'fabrik'"
        )
    return chain


def _require_joint(name: str, loaded: LoadedRig, place: Place) -> None:
    known = loaded.rig.skeleton.joint_names
    if name not in known:
        listing = f"its joints are: {', '.join(known)}"
        raise place.fault(f"rig {loaded.label} has no joint {name!r};{nearest(name, known)} {listing}")


def _require_use(limits: Mapping[str, Limit], chains: list[Chain], loaded: LoadedRig, place: Place) -> None:
    """Every limit is one of a joint that some chain turns: others would limit nothing."""
    names = loaded.rig.skeleton.joint_names
    turning = list(dict.fromkeys(names[joint] for chain in chains for joint in chain.joints[:-1]))
    for joint in limits:
        if joint not in turning:
            listing = f"those that turn: {', '.join(turning) or 'none'}"
            raise (place / f".{joint}").fault(f"no reach turns this joint; {listing}")

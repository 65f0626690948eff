"""From a scene file's look_at to a crowd's component."""

import math
from typing import assert_never

import numpy as np

from ecs_anim.components.look_at import Look, LookAt
from ecs_anim.components.targets import Targets
from ecs_anim.ik.look_at import LookChain, LookSettings, LookState, find_joints, make_chain
from ecs_anim.scenes.drivers import parameter_column
from ecs_anim.scenes.motions import Place
from ecs_anim.scenes.rigs import LoadedRig
from ecs_anim.scenes.schema import CrowdModel
from ecs_anim.scenes.schema_look_at import LookAtModel, LookJointModel
from ecs_anim.scenes.targets import find_target

BRIEFEST = 1e-6  # [s], a time constant that is as good as none


def build_look_at(
    crowd: CrowdModel, loaded: LoadedRig, targets: Targets | None, names: tuple[str, ...], count: int, place: Place
) -> LookAt:
    """All looks of a crowd; `names` are its parameters. Raises InputError."""
    if isinstance(crowd.look_at, list):
        places = [place / f".look_at[{i}]" for i in range(len(crowd.look_at))]
        models = crowd.look_at
    else:
        places, models = [place / ".look_at"], [crowd.look_at] if crowd.look_at else []
    return LookAt(
        tuple(
            _look(model, crowd, loaded, targets, names, count, key) for model, key in zip(models, places, strict=True)
        )
    )


def _look(
    model: LookAtModel,
    crowd: CrowdModel,
    loaded: LoadedRig,
    targets: Targets | None,
    names: tuple[str, ...],
    count: int,
    place: Place,
) -> Look:
    name = find_target(crowd, model.target, place / ".target")
    assert targets is not None  # it has that name
    driven = isinstance(model.weight, str)
    return Look(
        target=targets.by_name[name],
        chain=_chain(model, loaded, place / ".joints"),
        settings=LookSettings(
            max_yaw=math.radians(model.max_yaw_degrees),
            max_pitch=math.radians(model.max_pitch_degrees),
            release=_release(model),
            seconds=max(model.seconds, BRIEFEST),
            speed=math.radians(model.max_speed_degrees),
        ),
        weight=np.full(count, 0.0 if driven else model.weight, np.float32),
        weight_parameter=parameter_column(model.weight, names, place / ".weight")
        if isinstance(model.weight, str)
        else -1,
        state=LookState(np.zeros((count, 4), np.float32), np.zeros((count, 4), np.float32)),
    )


def _release(model: LookAtModel) -> float:
    """How far past the limits [rad] a target is let go."""
    match model.beyond:
        case "release":
            return math.radians(model.release_degrees)
        case "hold":
            return math.inf
        case _:
            assert_never(model.beyond)


def _chain(model: LookAtModel, loaded: LoadedRig, place: Place) -> LookChain:
    skeleton = loaded.rig.skeleton
    joints = _joints(model, loaded, place)
    shares = [joint.share for joint in joints.values()]
    limits = [(_limit(joint.max_yaw_degrees), _limit(joint.max_pitch_degrees)) for joint in joints.values()]
    try:
        return make_chain(skeleton, list(joints), shares, limits, loaded.facing)
    except KeyError as error:
        raise place.fault(f"rig {loaded.label} has {error.args[0]}") from None
    except ValueError as error:
        raise place.fault(f"{error}; name joints from the hips up") from None


def _joints(model: LookAtModel, loaded: LoadedRig, place: Place) -> dict[str, LookJointModel]:
    """The joints that the scene names, or those found by name, with what it says of them."""
    if isinstance(model.joints, dict):
        return {
            name: told if isinstance(told, LookJointModel) else LookJointModel(share=told)
            for name, told in model.joints.items()
        }
    found = model.joints if model.joints is not None else find_joints(loaded.rig.skeleton)
    if not found:
        listing = ", ".join(loaded.rig.skeleton.joint_names)
        raise place.fault(
            f"rig {loaded.label} has no joint that is called Head; name those that turn, from the hips up,"
            f" such as joints = ['Spine', 'Neck', 'Head']; its joints are: {listing}"
        )
    return {name: LookJointModel(share=1.0 + i) for i, name in enumerate(found)}


def _limit(degrees: float | None) -> float:
    return math.inf if degrees is None else math.radians(degrees)

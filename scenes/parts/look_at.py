"""Gaze: actors turn their heads to targets. The part builds the component `LookAt` from the key `look_at`."""

import math
from collections.abc import Iterator
from typing import Annotated, Literal, assert_never

import numpy as np
from pydantic import Field

from ecs_anim.components.look_at import Look, LookAt
from ecs_anim.ik.look_at import LookChain, LookSettings, LookState, find_joints, make_chain
from ecs_anim.scenes.loaded_rig import LoadedRig
from ecs_anim.scenes.parts.part import Making, Part
from ecs_anim.scenes.parts.targets import find_target
from ecs_anim.scenes.scene_key import SceneKey
from ecs_anim.scenes.schema_base import BRIEFEST, LARGEST, NotNegative, Positive, Table

Angle = Annotated[float, Field(gt=0, le=180)]
Share = Annotated[float, Field(ge=0, le=LARGEST, allow_inf_nan=False)]


class LookJointModel(Table):
    """A joint that rotates towards the target."""

    share: Share = Field(
        1.0,
        description="weight of this joint in the rotation, relative to the weights of all joints. The last joint makes"
        " the remaining rotation",
    )
    max_yaw_degrees: Angle | None = Field(None, description="largest sideways turn of this joint. Default: no limit")
    max_pitch_degrees: Angle | None = Field(
        None, description="largest turn of this joint upwards or downwards. Default: no limit"
    )


class LookAtModel(Table):
    """Joints that rotate until the last joint faces a target."""

    target: str = Field(description="name of a target of the crowd")
    joints: (
        Annotated[list[str], Field(min_length=1)]
        | Annotated[dict[str, Share | LookJointModel], Field(min_length=1)]
        | None
    ) = Field(
        None,
        description="joints from the hips upwards. The last joint faces the target. In a list, the weights of the"
        " joints increase evenly. In a table, each joint has a weight or a table. Default: Spine, Neck, Head and"
        " similar joints",
    )
    max_yaw_degrees: Angle = Field(
        80.0, description="largest sideways rotation of the last joint relative to the pose in the clip"
    )
    max_pitch_degrees: Angle = Field(45.0, description="largest rotation of the last joint upwards or downwards")
    beyond: Literal["hold", "release"] = Field(
        "hold",
        description="behaviour for a target beyond the limits. 'hold': the head stays at the limit. 'release': the"
        " actor stops looking at the target",
    )
    release_degrees: Angle = Field(
        30.0,
        description="range of angles beyond the limits within which the actor gradually stops looking at the target",
    )
    seconds: NotNegative = Field(0.2, description="time constant with which the gaze reaches its target [s]")
    max_speed_degrees_s: Positive = Field(300.0, description="largest speed of the rotation [degrees/s]")
    weight: Annotated[float, Field(ge=0, le=1)] | str = Field(1.0, description="a share, or a parameter")


class LookAtKeys(Table):
    """Targets that actors look at."""

    look_at: LookAtModel | list[LookAtModel] | None = Field(
        None,
        description="targets that actors look at: one table, or a list of tables, such as one table for the head and"
        " then one table for each eye",
    )


class LookAtPart(Part[LookAtKeys]):
    """The gazes of a crowd. The system applies the gazes in the order of the scene file."""

    keys = LookAtKeys
    corrections = ("look_at",)

    def build(self, crowd: LookAtKeys, making: Making) -> Iterator[object]:
        """Build all gazes of a crowd."""
        key, written = making.key / ".look_at", crowd.look_at
        if isinstance(written, list):
            yield LookAt(tuple(_look(model, making, key / f"[{i}]") for i, model in enumerate(written)))
        elif written is not None:
            yield LookAt((_look(written, making, key),))


def _look(model: LookAtModel, making: Making, key: SceneKey) -> Look:
    target = find_target(making, model.target, key / ".target")
    chain = _chain(model, making.loaded, key / ".joints")
    weight, weight_parameter = making.weight(model.weight, key / ".weight")
    return Look(
        target=target,
        chain=chain,
        settings=LookSettings(
            max_yaw=math.radians(model.max_yaw_degrees),
            max_pitch=math.radians(model.max_pitch_degrees),
            release=_release(model),
            seconds=max(model.seconds, BRIEFEST),
            speed=math.radians(model.max_speed_degrees_s),
        ),
        weight=weight,
        weight_parameter=weight_parameter,
        state=LookState(np.zeros((making.count, 4), np.float32), np.zeros((making.count, 4), np.float32)),
    )


def _release(model: LookAtModel) -> float:
    """Return the angle [rad] beyond the joint limits at which an actor stops looking at a target."""
    match model.beyond:
        case "release":
            return math.radians(model.release_degrees)
        case "hold":
            return math.inf
        case _:
            assert_never(model.beyond)


def _chain(model: LookAtModel, loaded: LoadedRig, key: SceneKey) -> LookChain:
    skeleton = loaded.rig.skeleton
    joints = _joints(model, loaded, key)
    shares = [joint.share for joint in joints.values()]
    limits = [(_limit(joint.max_yaw_degrees), _limit(joint.max_pitch_degrees)) for joint in joints.values()]
    try:
        return make_chain(skeleton, list(joints), shares, limits, loaded.facing)
    except KeyError as error:
        raise key.fault(f"rig {loaded.label} has {error.args[0]}") from None
    except ValueError as error:
        raise key.fault(f"{error}. Name the joints in order from the hips to the head.") from None


def _joints(model: LookAtModel, loaded: LoadedRig, key: SceneKey) -> dict[str, LookJointModel]:
    """Return the joints that rotate towards the target. The scene can name the joints.

    If the scene names no joints, the function finds joints with usual names. Keys in the scene replace the default
    limits and the default weights of the joints.
    """
    if isinstance(model.joints, dict):
        return {
            name: told if isinstance(told, LookJointModel) else LookJointModel(share=told)
            for name, told in model.joints.items()
        }
    found = model.joints if model.joints is not None else find_joints(loaded.rig)
    if not found:
        listing = ", ".join(loaded.rig.skeleton.joint_names)
        raise key.fault(
            f"rig {loaded.label} has no joint with the name Head. Name the joints that turn, from the hips to"
            f" the head, such as joints = ['Spine', 'Neck', 'Head']. The joints are: {listing}"
        )
    return {name: LookJointModel(share=1.0 + i) for i, name in enumerate(found)}


def _limit(degrees: float | None) -> float:
    return math.inf if degrees is None else math.radians(degrees)

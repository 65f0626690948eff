"""Foot placement on the ground. The part builds the components `FootContacts` and `Grounding`."""

import math
from collections.abc import Iterator, Sequence
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from ecs_anim.components.foot_contacts import FootContacts
from ecs_anim.components.grounding import Grounding
from ecs_anim.ik.foot_contacts import CURVE_COUNT, contact_curves
from ecs_anim.ik.grounding import GroundingSettings, new_foot_state
from ecs_anim.ik.legs import Leg, find_legs, leg_arrays, make_leg
from ecs_anim.maths import elementary
from ecs_anim.runtime.motion import Member, MotionSet
from ecs_anim.runtime.root_path import with_path
from ecs_anim.scenes.loaded_rig import Contacts, LoadedRig, require_joint
from ecs_anim.scenes.parts.part import Making, Part
from ecs_anim.scenes.scene_key import SceneKey
from ecs_anim.scenes.schema_base import BRIEFEST, NotNegative, Positive, Table


class GroundingModel(Table):
    """Foot placement. The program changes the poses of clips so that standing feet stay on the ground."""

    legs: Annotated[list[Annotated[list[str], Field(min_length=3, max_length=4)]], Field(min_length=1)] | None = Field(
        None, description="joints of each leg: hip, knee, ankle and toe. Default: joints with usual names"
    )
    weight: Annotated[float, Field(ge=0, le=1)] | str = Field(1.0, description="a share, or a parameter")
    pins: list[str] | None = Field(
        None,
        description="names of parameters, one for each leg, that state whether the foot is planted: 1 is planted, 0 is "
        "free. Default: computed from the movement of the feet in the clips",
    )
    lock_share: Annotated[float, Field(ge=0, le=0.5)] = Field(
        0.15,
        description="largest distance between a planted foot and its position in the clip, as a share of the leg"
        " length. With 0, planted feet slide as in the clip",
    )
    slope_degrees: Annotated[float, Field(ge=0, le=60)] = Field(
        35.0, description="largest rotation of a foot towards the slope of the ground"
    )
    pelvis_seconds: NotNegative = Field(
        0.12, description="time constant with which the height of the pelvis follows the lower foot [s]"
    )
    step_seconds: NotNegative = Field(
        0.06, description="time constant with which a foot follows a sudden change of the ground height [s]"
    )
    release_seconds: NotNegative = Field(0.1, description="time in which a lifted foot returns to its clip [s]")
    fade_distance: Positive | None = Field(
        None, description="distance from the camera beyond which feet have no grounding [m]. Default: no limit"
    )


class GroundingKeys(Table):
    """The key `grounding` of a crowd."""

    grounding: GroundingModel | None = Field(
        None, description="foot placement: standing feet stay on the ground. {} uses all defaults"
    )


class GroundingPart(Part[GroundingKeys]):
    """Foot placement. The program changes the poses of clips so that standing feet stay on the ground."""

    keys = GroundingKeys
    kernels = ("foot_contacts", "ground")
    corrections = ("grounding",)

    def build(self, crowd: GroundingKeys, making: Making) -> Iterator[object]:
        """Build foot contacts and grounding for all actors."""
        assert crowd.grounding is not None  # is_wanted has checked the key
        contacts = _contacts(crowd.grounding, making, making.key / ".grounding")
        yield contacts
        yield _grounding(crowd.grounding, making, contacts, making.key / ".grounding")


def _contacts(model: GroundingModel, making: Making, key: SceneKey) -> FootContacts:
    """Return the component `FootContacts`: the legs of a crowd, and the weights that pin feet to the ground.

    The weights come from measured clips or from parameters.
    """
    legs, curves = _of_clips(model, making, key)
    return FootContacts(
        leg_arrays(making.loaded.rig.skeleton, legs),
        making.loaded.ground_offset,
        curves,
        _pin_columns(model, len(legs), making, key / ".pins"),
        np.zeros((making.count, len(legs), CURVE_COUNT), np.float32),
    )


def _of_clips(model: GroundingModel, making: Making, key: SceneKey) -> Contacts:
    """Return the foot contacts in the clips of a crowd. Crowds with equal settings share one measurement."""
    said, known = (repr(model.legs), making.motions), making.loaded.contacts
    if said not in known:
        legs = legs_of(model.legs, making.loaded, key)
        known[said] = Contacts(legs, _measured(making.motions, legs, making.loaded.facing))
    return known[said]


def _measured(motions: MotionSet, legs: Sequence[Leg], facing: float) -> NDArray[np.float32]:
    """Return the contact curves of all clips.

    During the measurement, the character moves over the ground with the velocity or along the path of the clip.
    """
    members = {member.clip.name: member for own in motions.motions for member in own.members}
    found = []
    for clip in motions.tables.clips:
        own = members.get(clip.name, Member(clip, (0.0, 0.0)))
        moved = clip if own.path is None else with_path(clip, own.path)
        found.append(contact_curves(moved, legs, own.velocity, facing, own.turn))
    return np.stack(found)


def _grounding(model: GroundingModel, making: Making, contacts: FootContacts, key: SceneKey) -> Grounding:
    settings = GroundingSettings(
        floor=making.loaded.ground_offset,
        pelvis_seconds=max(model.pelvis_seconds, BRIEFEST),
        step_seconds=max(model.step_seconds, BRIEFEST),
        release_seconds=max(model.release_seconds, BRIEFEST),
        slope_sine=elementary.sin(math.radians(model.slope_degrees)),
        lock_share=model.lock_share,
        viewer_x=0.0,
        viewer_y=0.0,
        viewer_z=0.0,
        range=model.fade_distance or math.inf,
    )
    weight = making.weight(model.weight, key / ".weight")
    state = new_foot_state(*contacts.pin.shape[:2])
    return Grounding(contacts.legs, making.terrain, settings, *weight, state)


def legs_of(said: list[list[str]] | None, loaded: LoadedRig, key: SceneKey) -> list[Leg]:
    """Return the legs whose joints have the names in `said`. If `said` is None, find the legs by usual joint names.

    Raises InputError.
    """
    if said is not None:
        return [_leg(names, loaded, key / f".legs[{number}]") for number, names in enumerate(said)]
    legs = find_legs(loaded.rig)
    if not legs:
        raise key.fault(
            f"rig {loaded.label} has no leg joints with usual names. Write legs = [[hip, knee, ankle, toe], ...] with"
            f" the names of joints. The joints are: {', '.join(loaded.rig.skeleton.joint_names)}"
        )
    return list(legs)


def _leg(names: list[str], loaded: LoadedRig, key: SceneKey) -> Leg:
    for name in names:
        require_joint(loaded, name, key)
    with key.blamed():
        return make_leg(loaded.rig, names)


def _pin_columns(model: GroundingModel, leg_count: int, making: Making, key: SceneKey) -> tuple[int, ...]:
    if model.pins is None:
        return ()
    if len(model.pins) != leg_count:
        raise key.fault(
            f"pins must name one parameter for each of the {leg_count} legs (got {len(model.pins)} names). Write "
            f"{leg_count} names."
        )
    return tuple(making.parameter(name, key) for name in model.pins)

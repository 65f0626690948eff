"""Feet on the ground: from a scene file to components."""

import math

import numpy as np

from ecs_anim.assets.skinning import rest_bounds
from ecs_anim.components.foot_contacts import FootContacts
from ecs_anim.components.footing import Footing
from ecs_anim.components.grounding import Grounding
from ecs_anim.ground.ground import Ground
from ecs_anim.ik.foot_contacts import CURVE_COUNT, contact_curves
from ecs_anim.ik.grounding import GroundingSettings, new_foot_state
from ecs_anim.ik.legs import Leg, find_legs, leg_arrays, make_leg
from ecs_anim.maths import elementary
from ecs_anim.runtime.motion import MotionSet
from ecs_anim.scenes.drivers import parameter_column
from ecs_anim.scenes.loader import nearest
from ecs_anim.scenes.motions import Place
from ecs_anim.scenes.rigs import LoadedRig
from ecs_anim.scenes.schema_grounding import GroundingModel

BRIEFEST = 1e-6  # [s], a time constant that is as good as none
CLIMB_SHARE = 0.3  # of the character's height: the tallest step that an actor walks onto


def build_footing(loaded: LoadedRig, terrain: Ground) -> Footing:
    """Actors keep to the ground; their height limits how tall their steps are."""
    low, high = rest_bounds(loaded.rig)
    return Footing(terrain, loaded.ground_offset, CLIMB_SHARE * loaded.scale * float(high[1] - low[1]))


def build_contacts(
    model: GroundingModel, loaded: LoadedRig, motions: MotionSet, names: tuple[str, ...], count: int, place: Place
) -> FootContacts:
    """Pin weights of the legs, from the clips' feet or from parameters. Raises InputError."""
    legs = legs_of(model.legs, loaded, place)
    velocity = {member.clip.name: member.velocity for motion in motions.motions for member in motion.members}
    curves = [
        contact_curves(clip, legs, velocity.get(clip.name, (0.0, 0.0)), loaded.facing) for clip in motions.tables.clips
    ]
    return FootContacts(
        leg_arrays(loaded.rig.skeleton, legs),
        loaded.ground_offset,
        np.stack(curves),
        _pin_columns(model, len(legs), names, place),
        np.zeros((count, len(legs), CURVE_COUNT), np.float32),
    )


def build_grounding(
    model: GroundingModel,
    loaded: LoadedRig,
    contacts: FootContacts,
    terrain: Ground,
    names: tuple[str, ...],
    place: Place,
) -> Grounding:
    """Grounding of all actors, from the first step on. Raises InputError."""
    count, leg_count = contacts.pin.shape[:2]
    driven = isinstance(model.weight, str)
    settings = GroundingSettings(
        floor=loaded.ground_offset,
        pelvis_seconds=max(model.pelvis_seconds, BRIEFEST),
        step_seconds=max(model.step_seconds, BRIEFEST),
        release_seconds=max(model.release_seconds, BRIEFEST),
        slope_sine=elementary.sin(math.radians(model.slope_degrees)),
        lock_share=model.lock_share,
        viewer_x=0.0,
        viewer_y=0.0,
        viewer_z=0.0,
        range=model.range or math.inf,
    )
    return Grounding(
        contacts.legs,
        terrain,
        settings,
        np.full(count, 0.0 if driven else model.weight, np.float32),
        parameter_column(model.weight, names, place / ".weight") if isinstance(model.weight, str) else -1,
        new_foot_state(count, leg_count),
    )


def legs_of(said: list[list[str]] | None, loaded: LoadedRig, place: Place) -> list[Leg]:
    """The legs that the scene names, or those found by name. Raises InputError."""
    if said is not None:
        return [_leg(names, loaded, place / f".legs[{number}]") for number, names in enumerate(said)]
    legs = find_legs(loaded.rig)
    if not legs:
        text = f"rig {loaded.label} has no legs of the usual names; give legs = [[hip, knee, ankle, toe], ...]"
        raise place.fault(f"{text}; its joints are: {', '.join(loaded.rig.skeleton.joint_names)}")
    return list(legs)


def _leg(names: list[str], loaded: LoadedRig, place: Place) -> Leg:
    """A leg of its joints' names."""
    known = loaded.rig.skeleton.joint_names
    for name in names:
        if name not in known:
            raise place.fault(f"rig {loaded.label} has no joint {name!r};{nearest(name, known)} see `ecs-anim inspect`")
    try:
        return make_leg(loaded.rig, names)
    except ValueError as error:
        raise place.fault(str(error)) from None


def _pin_columns(model: GroundingModel, leg_count: int, names: tuple[str, ...], place: Place) -> tuple[int, ...]:
    if model.pins is None:
        return ()
    if len(model.pins) != leg_count:
        raise (place / ".pins").fault(f"there are {leg_count} legs; give as many parameters (got {len(model.pins)})")
    return tuple(parameter_column(name, names, place / ".pins") for name in model.pins)

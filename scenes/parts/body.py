"""The walking body. The part builds a blend space of walking clips, and the components `Body` and `Movers`."""

import math
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from ecs_anim.assets.clip import Clip
from ecs_anim.assets.skinning import rest_bounds
from ecs_anim.body.footfalls import Footfall, footfalls, with_footfalls
from ecs_anim.body.gait_plan import GAIT, SWING_SECONDS, GaitPlan, Pace, gait_table
from ecs_anim.body.movers import CLIP, VELOCITY
from ecs_anim.body.state import new_body_state
from ecs_anim.body.treads import Stairs, treads_of
from ecs_anim.components.body import Body
from ecs_anim.components.movers import new_movers
from ecs_anim.components.treads import Treads
from ecs_anim.ik.legs import Leg, LegArrays, leg_arrays
from ecs_anim.ik.look_at import LookChain, find_joints, spine_of
from ecs_anim.runtime.gait import ground_velocity
from ecs_anim.runtime.motion import Member, Motion, MotionSet
from ecs_anim.runtime.phase_sync import synchronise
from ecs_anim.scenes.loaded_rig import Gait, LoadedRig, find_clip
from ecs_anim.scenes.parts.grounding import GroundingKeys, legs_of
from ecs_anim.scenes.parts.locomotion import LocomotionKeys, new_footing, new_locomotion
from ecs_anim.scenes.parts.look_at import LookAtKeys
from ecs_anim.scenes.parts.part import Making, Part
from ecs_anim.scenes.parts.playback import PlaybackKeys
from ecs_anim.scenes.scene_key import SceneKey
from ecs_anim.scenes.schema_base import Positive, Table
from ecs_anim.scenes.usual_clips import USUAL, usual_clip
from ecs_anim.support.errors import InputWarning
from ecs_anim.support.reuse import reusable

if TYPE_CHECKING:  # this module imports shapely, which only scenes with levels need
    from ecs_anim.storeys.parts import Flight

ASIDE, ONWARD = "body.aside", "body.onward"  # parameters of the gait
AHEAD = ("idle", "walk", "run")
SLOW_SWING = 1.5  # largest factor of the clip's swing time for bodies that do not have two legs


class BodyModel(Table):
    """Walking with planted feet: standing feet do not slide.

    Actors take footsteps whenever they move. If the clips of the rig have the usual names, the empty table body = {} is
    sufficient.
    """

    idle: str | None = Field(None, description="clip of standing. Default: a clip with a usual name, such as idle")
    walk: str | None = Field(
        None, description="clip of walking forward. Default: a clip with a usual name, such as walk"
    )
    run: str | None = Field(
        None,
        description="clip of running. Default: a clip with a usual name, such as run. If the rig has no such clip,"
        " actors do not run",
    )
    back: str | None = Field(
        None, description="clip of walking backward. Default: a clip with a usual name, if the rig has such a clip"
    )
    left: str | None = Field(
        None, description="clip of walking to the left. Default: a clip with a usual name, if the rig has such a clip"
    )
    right: str | None = Field(
        None, description="clip of walking to the right. Default: a clip with a usual name, if the rig has such a clip"
    )
    legs: Annotated[list[Annotated[list[str], Field(min_length=3, max_length=4)]], Field(min_length=1)] | None = Field(
        None, description="joints of each leg: hip, knee, ankle and optionally toe. Default: joints with usual names"
    )
    acceleration_m_s2: Positive | None = Field(2.5, description="largest acceleration of an actor [m/s^2]")
    poise: Annotated[float, Field(ge=0, le=1)] = Field(
        1.0,
        description="amount by which standing actors shift their weight and look around. 0: standing actors only play"
        " the standing clip",
    )


class BodyKeys(GroundingKeys, LocomotionKeys, PlaybackKeys):
    """The key `body` of a crowd."""

    body: BodyModel | None = Field(
        None, description="walking bodies: actors take footsteps whenever they move. {} uses all defaults"
    )


class BodyPart(Part[BodyKeys]):
    """Walking bodies: actors take footsteps whenever they move."""

    keys = BodyKeys
    cpu_shown = ("body",)
    kernels = ("movers", "bodies", "parameters")
    corrections = ("poise", "step_feet")

    def motions(self, crowd: BodyKeys, loaded: LoadedRig, key: SceneKey) -> Iterator[Motion]:
        """Yield the blend space of the crowd's gait."""
        yield _gait(crowd, loaded, key / ".body").motion

    def build(self, crowd: BodyKeys, making: Making) -> Iterator[object]:
        """Build the components `Body` and `Movers` for all actors.

        If the crowd has the key `locomotion`, its clips move the actors. Otherwise, the actors stand until steering or
        a program moves them.
        """
        assert crowd.body is not None  # is_wanted has checked the key
        body = _new_body(crowd, making)
        yield body
        locomotion = new_locomotion(crowd.locomotion, making) if crowd.locomotion else None
        kind, most = VELOCITY if locomotion is None else CLIP, crowd.body.acceleration_m_s2 or math.inf
        yield new_movers(making.loaded.facing, len(body.legs.joints), most, kind, making.count, locomotion)
        yield from new_footing(making)
        if making.unfolded is not None and crowd.grounding is None:
            yield from _treads(making.unfolded.building.flights)


def _treads(flights: "Sequence[Flight]") -> Iterator[Treads]:
    """Yield the component `Treads` if a building has stairs."""
    stairs = [own for own in flights if own.risers > 1]
    if stairs:
        rows = [Stairs(own.foot, own.uphill, own.width, own.going, own.riser, own.base, own.risers) for own in stairs]
        yield Treads(treads_of(rows), {own.name: number for number, own in enumerate(stairs)})


def _gait(crowd: BodyKeys, loaded: LoadedRig, key: SceneKey) -> Gait:
    """Return the gait of a crowd. Raises InputError if the rig has no suitable clips.

    Crowds whose tables `body` are equal share one gait, so the function measures such a gait only once.
    """
    said = repr((crowd.body, crowd.grounding and crowd.grounding.legs))
    if said not in loaded.gaits:
        loaded.gaits[said] = _new_gait(crowd, loaded, key)
    return loaded.gaits[said]


def _new_gait(crowd: BodyKeys, loaded: LoadedRig, key: SceneKey) -> Gait:
    """Return a new gait: a blend space of walking clips. The function measures the foot contacts of the clips to
    synchronize the clips.

    Raises InputError.
    """
    assert crowd.body is not None  # is_wanted has checked the key
    legs = _legs(crowd, loaded, key)
    clips = _in_step(_clips(crowd.body, loaded, key), legs, loaded, key)
    sideways = not clips.keys().isdisjoint(("back", "left", "right"))
    members = [Member(clip, velocity, _at(velocity, loaded.scale, sideways)) for clip, velocity in clips.values()]
    members.sort(key=lambda member: member.at)
    if len({member.at for member in members}) < len(members):
        raise key.fault(
            f"the clips {', '.join(m.clip.name for m in members)} must have different speeds. Name clips"
            " with different speeds."
        )
    motion = Motion(GAIT, tuple(members), True, (ASIDE, ONWARD) if sideways else (ONWARD,))
    return Gait(legs, motion, _paces(motion, legs, loaded))


def _new_body(crowd: BodyKeys, making: Making) -> Body:
    legs = _gait(crowd, making.loaded, making.key / ".body").legs
    fixed = _fixed(crowd, making.loaded, making.motions, making.names, making.key)
    return Body(*fixed, new_body_state(making.count, len(legs)))


@reusable
def _fixed(
    crowd: BodyKeys, loaded: LoadedRig, motions: MotionSet, names: tuple[str, ...], key: SceneKey
) -> tuple[NDArray[np.float32], GaitPlan, LegArrays, LookChain]:
    """Return the fields of the component `Body` that are equal for all actors."""
    assert crowd.body is not None  # is_wanted has checked the key
    legs, motion, paces = _gait(crowd, loaded, key / ".body")
    skeleton = loaded.rig.skeleton
    arrays = leg_arrays(skeleton, legs)
    idle, walk = paces[:2]
    low, high = rest_bounds(loaded.rig)
    height = loaded.scale * float(high[1] - low[1])
    swing = walk.clip.duration * (1 - walk.falls[0].duty)
    plan = GaitPlan(
        floor=loaded.ground_offset,
        facing=loaded.facing,
        unit=loaded.scale,
        walk_speed=walk.speed,
        idle_rate=1 / idle.clip.duration if idle.clip.duration > 0 else 0.0,
        swing_seconds=max(SWING_SECONDS, swing) if len(legs) == 2 else SLOW_SWING * swing,
        leg_length=float(arrays.length.mean()),
        reverses=all(member.velocity[1] >= 0 for member in motion.members),
        poise=crowd.body.poise,
        motion=motions.index[GAIT],
        aside_column=names.index(ASIDE) if ASIDE in motion.parameters else -1,
        onward_column=names.index(ONWARD),
    )
    table = gait_table(paces, legs, height, loaded.scale, loaded.facing)
    looks = isinstance(crowd, LookAtKeys) and crowd.look_at is not None  # look_at already rotates these joints
    spine = spine_of(skeleton, () if looks else find_joints(loaded.rig), loaded.facing)
    return table, plan, arrays, spine


def _legs(crowd: BodyKeys, loaded: LoadedRig, key: SceneKey) -> list[Leg]:
    """Return the legs of a crowd. The scene can name the legs in the table `body` or in the table `grounding`.

    If the scene does not name the legs, the function finds the legs by joint names.
    """
    said = next((own.legs for own in (crowd.body, crowd.grounding) if own and own.legs), None)
    return legs_of(said, loaded, key)


def _clips(body: BodyModel, loaded: LoadedRig, key: SceneKey) -> dict[str, Clip]:
    """Return a dictionary from role to clip. For a role without a clip in the scene, the function uses a clip with a
    usual name.

    Raises InputError if no idle clip or no walk clip exists.
    """
    found = {}
    for role in USUAL:
        name = getattr(body, role) or usual_clip(role, loaded.rig.clips)
        if name is not None:
            found[role] = find_clip(loaded, name, key / f".{role}")
    for role in ("idle", "walk"):
        if role not in found:
            known = ", ".join(loaded.rig.clips) or "none"
            raise (key / f".{role}").fault(
                f"rig {loaded.label} has no clip whose name shows that it is the {role} clip. Name one of the clips of"
                f" the rig: {known}"
            )
    return found


def _in_step(
    clips: Mapping[str, Clip], legs: Sequence[Leg], loaded: LoadedRig, key: SceneKey
) -> dict[str, tuple[Clip, tuple[float, float]]]:
    """Return a dictionary from role to a pair of clip and velocity [rig units/s].

    In all returned clips, feet touch the ground at equal phases (a common step cycle).

    The function changes the timing of clips, and omits clips that do not fit the common step cycle.
    """
    velocity = {role: _velocity(role, clip, loaded) for role, clip in clips.items()}
    if velocity["walk"][1] <= 0:
        raise (key / ".walk").fault(_wrong_way(clips["walk"], loaded))
    marked: dict[str, Clip] = {}
    for role, clip in clips.items():
        if role == "idle":
            continue
        try:
            falls = footfalls(clip, legs, velocity[role], loaded.facing)
            step = with_footfalls(clip, falls)
            synchronise([marked.get("walk", step), step])
            marked[role] = step
        except ValueError as error:
            if role == "walk":
                raise (key / ".walk").fault(str(error)) from None
            warnings.warn(
                f"{key}: clip {clip.name!r} does not fit the other clips and is left out: {error}",
                InputWarning,
                stacklevel=2,
            )
    together = dict(zip(marked, synchronise([*marked.values()]), strict=True))
    return {role: (clip, velocity[role]) for role, clip in {"idle": clips["idle"], **together}.items()}


def _wrong_way(clip: Clip, loaded: LoadedRig) -> str:
    """Return the text of the error for a walk clip with feet that do not walk forward."""
    ahead = {degrees: ground_velocity(clip, math.radians(degrees))[1] for degrees in (0, 90, 180, -90)}
    best = max(ahead, key=lambda degrees: ahead[degrees])
    text = f"the feet of clip {clip.name!r} must walk forward. "
    if ahead[best] > 0:
        text += f"If the character faces another way, set facing_degrees = {best} in the rig. Otherwise, "
    return text + "name another clip"


def _velocity(role: str, clip: Clip, loaded: LoadedRig) -> tuple[float, float]:
    """Return the velocity of a clip [rig units/s].

    For a forward clip, the function ignores sideways drift, because such drift is an artefact of motion capture.
    """
    side, ahead = ground_velocity(clip, loaded.facing)
    return (0.0 if role in AHEAD else side, ahead)


def _at(velocity: tuple[float, float], scale: float, sideways: bool) -> tuple[float, float]:
    aside, onward = (part * scale for part in velocity)
    return (aside, onward) if sideways else (onward, 0.0)


def _paces(motion: Motion, legs: Sequence[Leg], loaded: LoadedRig) -> list[Pace]:
    """Return a pace for each clip in which the character stands or walks forward, in ascending order of speed."""
    ahead = sorted((m for m in motion.members if m.velocity[0] == 0 <= m.velocity[1]), key=lambda m: m.velocity[1])
    return [_pace(member, legs, loaded) for member in ahead]


def _pace(member: Member, legs: Sequence[Leg], loaded: LoadedRig) -> Pace:
    falls: list[Footfall] = []
    if member.velocity[1] > 0:
        falls = footfalls(member.clip, legs, member.velocity, loaded.facing)
    return Pace(member.clip, loaded.scale * member.velocity[1], falls)

"""The walking body: from a scene file to the blend space of its gait, and to components."""

import math
import re
import warnings
from collections.abc import Mapping, Sequence

from ecs_anim.assets.clip import Clip
from ecs_anim.assets.skinning import rest_bounds
from ecs_anim.body.footfalls import Footfall, footfalls, with_footfalls
from ecs_anim.body.gait_plan import GAIT, SWING_SECONDS, GaitPlan, Pace, gait_table
from ecs_anim.body.movers import CLIP, VELOCITY
from ecs_anim.body.state import new_body_state
from ecs_anim.components.body import Body
from ecs_anim.components.locomotion import Locomotion
from ecs_anim.components.movers import Movers, new_movers
from ecs_anim.ik.legs import Leg, leg_arrays
from ecs_anim.runtime.gait import ground_velocity
from ecs_anim.runtime.motion import Member, Motion, MotionSet
from ecs_anim.runtime.phase_sync import synchronise
from ecs_anim.scenes.grounding import legs_of
from ecs_anim.scenes.motions import Place, find_clip
from ecs_anim.scenes.rigs import LoadedRig
from ecs_anim.scenes.schema import CrowdModel
from ecs_anim.scenes.schema_body import BodyModel
from ecs_anim.support.errors import InputWarning

ASIDE, ONWARD = "body.aside", "body.onward"  # its parameters
# The names that clips usually have; of those that fit the shortest is taken.
OTHERWISE = r"^(?!.*(back|left|right|strafe|start|stop|turn|sit|jump|crouch|lean)).*"
USUAL = {
    "idle": re.compile(OTHERWISE + "(idle|stand|survey)"),
    "walk": re.compile(OTHERWISE + "walk"),
    "run": re.compile(OTHERWISE + "(run|jog)"),
    "back": re.compile("walk.*back|back.*walk"),
    "left": re.compile("(strafe|walk).*left|left.*(strafe|walk)"),
    "right": re.compile("(strafe|walk).*right|right.*(strafe|walk)"),
}
SLOW_SWING = 1.5  # times as long as in its clip is a foot in the air at most, of bodies with other than two legs

Members = dict[str, Member]  # by what they are to the gait


def gait_motion(crowd: CrowdModel, body: BodyModel, loaded: LoadedRig, place: Place) -> Motion:
    """The blend space of a body's clips, in step by their measured contacts. Raises InputError."""
    legs = _legs(crowd, body, loaded, place)
    clips = _in_step(_clips(body, loaded, place), legs, loaded, place)
    sideways = not clips.keys().isdisjoint(("back", "left", "right"))
    members = [Member(clip, velocity, _at(velocity, loaded.scale, sideways)) for clip, velocity in clips.values()]
    members.sort(key=lambda member: member.at)
    if len({member.at for member in members}) < len(members):
        raise place.fault(f"two of the clips {', '.join(m.clip.name for m in members)} have the same speed")
    return Motion(GAIT, tuple(members), True, (ASIDE, ONWARD) if sideways else (ONWARD,))


def gait_parameters(gait: Sequence[Motion]) -> tuple[str, ...]:
    """Names of the parameters that the body drives, if there is one."""
    return tuple(name for motion in gait for name in motion.parameters)


def build_body(
    crowd: CrowdModel,
    body: BodyModel,
    loaded: LoadedRig,
    motions: MotionSet,
    names: Sequence[str],
    count: int,
    place: Place,
) -> Body:
    """Bodies that have just come. Raises InputError."""
    legs = _legs(crowd, body, loaded, place)
    arrays = leg_arrays(loaded.rig.skeleton, legs)
    motion = motions.motions[motions.index[GAIT]]
    idle, walk, faster = _paces(motion, legs, loaded)
    low, high = rest_bounds(loaded.rig)
    height = loaded.scale * float(high[1] - low[1])
    swing = SLOW_SWING * walk.clip.duration * (1 - walk.falls[0].duty)
    plan = GaitPlan(
        floor=loaded.ground_offset,
        facing=loaded.facing,
        unit=loaded.scale,
        walk_speed=walk.speed,
        idle_rate=1 / idle.clip.duration if idle.clip.duration > 0 else 0.0,
        swing_seconds=SWING_SECONDS if len(legs) == 2 else swing,
        leg_length=float(arrays.length.mean()),
        reverses=all(member.velocity[1] >= 0 for member in motion.members),
        motion=motions.index[GAIT],
        aside_column=list(names).index(ASIDE) if ASIDE in motion.parameters else -1,
        onward_column=list(names).index(ONWARD),
    )
    table = gait_table([idle, walk, *faster], legs, height, loaded.facing)
    return Body(table, plan, arrays, new_body_state(count, len(legs)))


def build_movers(model: BodyModel, loaded: LoadedRig, body: Body, locomotion: Locomotion | None, count: int) -> Movers:
    """Actors that what they play moves, where the scene says so; else they wait to be told."""
    kind = VELOCITY if locomotion is None else CLIP
    leg_count = len(body.legs.joints)
    return new_movers(loaded.facing, leg_count, model.acceleration or math.inf, kind, count, locomotion)


def _legs(crowd: CrowdModel, body: BodyModel, loaded: LoadedRig, place: Place) -> list[Leg]:
    said = body.legs or (crowd.grounding.legs if crowd.grounding else None)
    return legs_of(said, loaded, place)


def _clips(body: BodyModel, loaded: LoadedRig, place: Place) -> dict[str, Clip]:
    """The clips that the scene names, or those of usual names. Raises InputError where there is none to walk."""
    found = {}
    for role, usual in USUAL.items():
        name = getattr(body, role) or _usual_name(usual, loaded.rig.clips)
        if name is not None:
            found[role] = find_clip(loaded, name, place / f".{role}")
    for role in ("idle", "walk"):
        if role not in found:
            known = ", ".join(loaded.rig.clips) or "none"
            raise (place / f".{role}").fault(f"rig {loaded.label} has no clip of such a name; its clips are: {known}")
    return found


def _usual_name(usual: re.Pattern[str], clips: Mapping[str, Clip]) -> str | None:
    return min((name for name in clips if usual.search(name.lower())), key=len, default=None)


def _in_step(
    clips: Mapping[str, Clip], legs: Sequence[Leg], loaded: LoadedRig, place: Place
) -> dict[str, tuple[Clip, tuple[float, float]]]:
    """Clips with velocities [rig units/s], re-timed to step together; those that do not step alike are left out."""
    velocity = {role: ground_velocity(clip, loaded.facing) for role, clip in clips.items()}
    if velocity["walk"][1] <= 0:
        raise (place / ".walk").fault(f"the feet of clip {clips['walk'].name!r} do not walk ahead; name another clip")
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
                raise (place / ".walk").fault(str(error)) from None
            warnings.warn(f"{place}: clip {clip.name!r} is left out: {error}", InputWarning, stacklevel=2)
    together = dict(zip(marked, synchronise([*marked.values()]), strict=True))
    return {role: (clip, velocity[role]) for role, clip in {"idle": clips["idle"], **together}.items()}


def _at(velocity: tuple[float, float], scale: float, sideways: bool) -> tuple[float, float]:
    aside, onward = (part * scale for part in velocity)
    return (aside, onward) if sideways else (onward, 0.0)


def _paces(motion: Motion, legs: Sequence[Leg], loaded: LoadedRig) -> tuple[Pace, Pace, list[Pace]]:
    """Of the clips that stand or go ahead: the one that stands, the slowest, and the others in the order of speeds."""
    ahead = sorted((m for m in motion.members if m.velocity[0] == 0 <= m.velocity[1]), key=lambda m: m.velocity[1])
    idle, walk, *faster = (_pace(member, legs, loaded) for member in ahead)
    return idle, walk, faster


def _pace(member: Member, legs: Sequence[Leg], loaded: LoadedRig) -> Pace:
    falls: list[Footfall] = []
    if member.velocity[1] > 0:
        falls = footfalls(member.clip, legs, member.velocity, loaded.facing)
    return Pace(member.clip, loaded.scale * member.velocity[1], falls)

"""The scene that `ecs-anim new --rig MODEL` writes: a crowd with all clips of a model, and a state machine."""

import math
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from ecs_anim.assets.clip import Clip
from ecs_anim.assets.rig import Rig
from ecs_anim.assets.skinning import rest_bounds
from ecs_anim.maths.elementary import cos, sin
from ecs_anim.roles.facing import measured_facing
from ecs_anim.roles.roles import find_roles
from ecs_anim.runtime.gait import ground_speed
from ecs_anim.scenes.studio import height_of, is_plausible
from ecs_anim.scenes.toml_text import toml_of
from ecs_anim.scenes.usual_clips import usual_clip
from ecs_anim.view.camera import OrbitCamera
from ecs_anim.view.framing import fitting_distance

SLOWEST = 0.2  # [m/s], ground speed above which a clip moves its actor
HUMAN, OTHER = 1.75, 1.0  # [m], heights in place of an implausible height
EVERY = 4.0  # [s], time between two cues
TURN_RATE = 120  # [degrees/s], of actors that leave the area
ELEVATION = 18.0  # [degrees], of the camera
ROLES = ("hips", "head", "left_hand", "right_hand", "left_foot", "right_foot")


def scene_text(rig: Rig, model: str, picture: str = "FILE.png") -> str:
    """Return the text of a scene file with one crowd, whose actors have the body `rig`. `model` is the path of the
    model in the scene file.

    If the model names no texture picture, a comment in the scene file names `picture`. Raises InputError for a model
    without meshes.
    """
    states = _states(rig)
    crowd = (_crowd(rig, states), _controller(states), _timeline(states))
    parts = (_rig(rig, model, picture), _camera(rig, states), *crowd)
    return f"title = {toml_of(rig.name)}\nseed = 1\n\n" + "\n".join(filter(None, parts))


def _camera(rig: Rig, states: dict[str, str]) -> str:
    """Return the TOML table of a camera from which the whole area of the actors is in the picture."""
    around = np.arange(0, 2 * np.pi, np.pi / 16)
    beyond = 1.0 if _moves(rig, states) else 0.5  # actors that turn back leave the area for a short time
    reach = _area(rig) + beyond * _extent(rig)
    ring = np.stack([reach * sin(around), np.zeros_like(around), reach * cos(around)], axis=1)
    points = np.concatenate([ring, ring + np.array([0.0, _height(rig), 0.0])])
    target = np.array([0.0, 0.5 * _height(rig), 0.0])
    distance = fitting_distance(OrbitCamera(target, elevation=math.radians(ELEVATION)), points, 16 / 9)
    return (
        f"[camera]\ntarget = [0.0, {target[1]:.2f}, 0.0]          # x, y, z [m]; y is up\n"
        f"distance = {distance:.1f}                   # [m]\nelevation_degrees = {ELEVATION}\n"
    )


def _moves(rig: Rig, states: dict[str, str]) -> bool:
    """Return whether at least one of the clips in `states` moves its actor over the ground."""
    return any(ground_speed(rig.clips[name]) > SLOWEST for name in states.values() or rig.clips)


def _apart(rig: Rig) -> float:
    """Return the smallest distance [m] between two actors at the start."""
    return 0.85 * _extent(rig)


def _area(rig: Rig) -> float:
    """Return the radius [m] of the area in which the actors start and move."""
    return 3.3 * _apart(rig)


def _extent(rig: Rig) -> float:
    """Return the largest extent [m] of an actor in its rest pose."""
    low, high = rest_bounds(rig)
    return float((high - low).max()) * _height(rig) / height_of(rig)


def _states(rig: Rig) -> dict[str, str]:
    """Return a dictionary from state to clip.

    Actors start in the first state. If the rig has no clip of a standing character, return an empty dictionary.
    """
    usual = {role: usual_clip(role, rig.clips) for role in ("idle", "walk", "run")}
    if usual["idle"] is None or len(rig.clips) < 2:
        return {}
    found = {role: clip for role, clip in usual.items() if clip is not None}
    others = [name for name in rig.clips if name not in found.values()]
    return found | {name: clip for name, clip in zip(_plain(others), others, strict=True) if name not in found}


def _actions(states: dict[str, str]) -> list[str]:
    """Return the states that play their clip only once, each time after a trigger."""
    return [state for state in states if state not in ("idle", "walk", "run")]


def _rig(rig: Rig, model: str, picture: str) -> str:
    """Return the TOML table of the rig.

    The table contains `height` and `facing_degrees` only if the values in the model file are implausible.
    """
    roles = find_roles(rig)
    lines = ["[rigs.actor]", f"model = {toml_of(model)}"]
    if all(mesh.material.texture is None and mesh.colors is None for mesh in rig.meshes):
        lines.append(f"# texture = {toml_of(picture)} # the model names no picture; remove the # to use this picture")
    if not is_plausible(rig):
        lines.append(f"height = {_height(rig)}                     # [m]; the file has {height_of(rig):.3g}")
    facing = None if rig.avatar is not None else measured_facing(rig)
    if facing:
        lines.append(f"facing_degrees = {round(math.degrees(facing))}             # measured from the joints")
    if roles.is_humanoid:
        names = rig.skeleton.joint_names
        found = {role: joints for role, joints in roles.table().items() if role in ROLES}
        lines += [f"# joint of {role}: {', '.join(names[joint] for joint in joints)}" for role, joints in found.items()]
    return "\n".join(lines) + "\n"


def _height(rig: Rig) -> float:
    """Return the height [m] of the actors."""
    if is_plausible(rig):
        return height_of(rig)
    return HUMAN if find_roles(rig).is_humanoid else OTHER


def _crowd(rig: Rig, states: dict[str, str]) -> str:
    once = {states[state] for state in _actions(states)}
    lines = [
        "[[crowds]]",
        'name = "actors"',
        'rig = "actor"',
        "count = 20",
        f'layout = {{ kind = "scatter", radius = {_area(rig):.1f}, min_distance = {_apart(rig):.2f} }}',
        'heading_degrees = "random"',
    ]
    if _moves(rig, states):
        keys = f"area_radius = {_area(rig):.1f}, turn_rate_degrees_s = {TURN_RATE}"
        lines.append(f"locomotion = {{ {keys} }}   # at the speed of the clips; actors outside turn back")
    if states:
        lines.append("parameters = { hurry = [0.0, 1.0] }")
    if actions := _actions(states):
        lines.append(f"triggers = {toml_of(actions)}")
    if rig.clips:
        lines += ["clips = [", *(f"    {_clip(clip, clip.name in once)}" for clip in rig.clips.values()), "]"]
    return "\n".join(lines) + "\n"


def _clip(clip: Clip, is_once: bool) -> str:
    once = ", loop = false, phase = 0.0" if is_once else ""
    return f"{{ name = {toml_of(clip.name)}{once} }},   # {clip.duration:.2f} s"


def _controller(states: dict[str, str]) -> str:
    if not states:
        return ""
    written = ", ".join(f"{state} = {toml_of(clip)}" for state, clip in states.items())
    lines = ["[crowds.controller]", 'start = "idle"', f"states = {{ {written} }}", "transitions = ["]
    lines += [f"    {line}," for line in _transitions(states)]
    return "\n".join([*lines, "]"]) + "\n"


def _transitions(states: dict[str, str]) -> Iterator[str]:
    gaits = [state for state in ("idle", "walk", "run") if state in states]
    for number, (slow, fast) in enumerate(pairwise(gaits), 1):
        limit = number / len(gaits)
        yield f'{{ from = "{slow}", to = "{fast}", when = ["hurry > {limit + 0.05:.2f}"], fade_seconds = 0.3 }}'
        yield f'{{ from = "{fast}", to = "{slow}", when = ["hurry < {limit - 0.05:.2f}"], fade_seconds = 0.3 }}'
    for state in _actions(states):
        yield f'{{ from = "any", to = "{state}", when = ["{state}"], fade_seconds = 0.2 }}'
        yield f'{{ from = "{state}", to = "idle", when = ["finished"], fade_seconds = 0.3 }}'


def _timeline(states: dict[str, str]) -> str:
    """Return cues that repeatedly change the state of some actors."""
    if not states:
        return ""
    cues = [("set = { hurry = [0.0, 1.0] }", 0.0), *((f'trigger = "{name}"', EVERY) for name in _actions(states))]
    gap = EVERY / len(cues)
    return "\n".join(
        f"[[timeline]]\nat_seconds = {number * gap + begin:.2f}\nevery_seconds = {EVERY}\nshare = 0.2\n{action}\n"
        for number, (action, begin) in enumerate(cues)
    )


def _plain(names: Sequence[str]) -> list[str]:
    """Return names for states and triggers. All names differ and contain only letters, digits and underscores."""
    found: list[str] = []
    for name in names:
        plain = re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_").lower() or "clip"
        plain = (
            f"clip_{plain}"
            if plain[0].isdigit() or plain in ("any", "finished", "elapsed", "phase", "hurry")
            else plain
        )
        found.append(plain if plain not in found else f"{plain}_{len(found)}")
    return found

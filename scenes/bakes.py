"""Crowds that the GPU poses: from a scene file to components."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from threading import Timer
from typing import assert_never
from weakref import WeakValueDictionary

from ecs_anim.assets.clip import Clip
from ecs_anim.assets.rig import Rig
from ecs_anim.bake.bake import Bake
from ecs_anim.bake.build import choose_clips
from ecs_anim.bake.cache import cached_bake
from ecs_anim.bake.measure import character_size
from ecs_anim.bake.options import ERROR_MM, BakeOptions
from ecs_anim.bake.signature import content_key
from ecs_anim.components.baked import Baked, Detail
from ecs_anim.components.nearness import NearBudget, Nearness, new_nearness
from ecs_anim.runtime.motion import MotionSet
from ecs_anim.scenes.motions import Place
from ecs_anim.scenes.rigs import LoadedRig
from ecs_anim.scenes.schema import CrowdModel
from ecs_anim.scenes.schema_bake import NEAR_ACTORS, BakeModel, DetailModel, NearModel
from ecs_anim.support.errors import InputError
from ecs_anim.support.terminal import print_note

SLOW = 1.0  # [s], a bake that takes longer is told of

# What only the CPU can do to a pose, by key; and what no palette that the GPU makes can show.
CPU_ONLY = ("blend_spaces", "layers", "grounding", "look_at", "reach", "limits", "morphs")
UNSEEN = {"show_joints": False, "skinning": "linear", "palette_bits": 32}

_bakes: WeakValueDictionary[str, Bake] = WeakValueDictionary()  # by content: crowds that play alike share one


def build_baked(crowd: CrowdModel, loaded: LoadedRig, motions: MotionSet, place: Place) -> Baked:
    """What the GPU poses a crowd from, made or taken from the cache. Raises InputError for what it cannot show."""
    _require_bakeable(crowd, loaded, motions, place)
    model = crowd.bake or BakeModel()
    options = BakeOptions(model.space, model.format, model.rate, model.error_mm or ERROR_MM, model.rotation_only)
    try:
        bake = _bake_of(_with_clips(loaded.rig, _played(motions)), options)
    except InputError as error:
        raise (place / ".bake").fault(str(error)) from None
    return Baked(bake, model.interpolate, model.influences, model.shader)


def build_detail(crowd: CrowdModel) -> Detail:
    """How levels of detail are chosen."""
    model = crowd.detail or DetailModel()
    return Detail(model.pixel_error, model.update_rates, model.impostors)


def build_nearness(crowd: CrowdModel, count: int) -> Nearness:
    """Which actors the CPU poses: nobody yet."""
    model = crowd.near or NearModel()
    actors = NEAR_ACTORS if model.actors is None and model.milliseconds is None else model.actors
    return new_nearness(NearBudget(actors, model.milliseconds), model.fade, count)


def _require_bakeable(crowd: CrowdModel, loaded: LoadedRig, motions: MotionSet, place: Place) -> None:
    for key, default in UNSEEN.items():
        if getattr(crowd, key) != default:
            raise (place / f".{key}").fault('the GPU cannot show this of a bake; leave it out, or use path = "pose"')
    match crowd.path:
        case "auto":
            if crowd.bake and crowd.bake.shader == "classic":
                raise (place / ".bake.shader").fault('"classic" takes no palettes of near actors; use path = "baked"')
        case "baked":
            _require_plain(crowd, loaded, motions, place)
        case "pose":
            pass  # nothing is baked
        case _:
            assert_never(crowd.path)


def _require_plain(crowd: CrowdModel, loaded: LoadedRig, motions: MotionSet, place: Place) -> None:
    """That the GPU alone can pose all of the crowd's actors. Raises InputError."""
    hint = 'leave it out, or use path = "auto", which does it for near actors'
    for key in CPU_ONLY:
        if getattr(crowd, key):
            raise (place / f".{key}").fault(f"a baked crowd plays plain clips, which the GPU poses; {hint}")
    if any(clip.morph_tracks for clip in _played(motions)) or loaded.rig.morph_targets.defaults.any():
        text = f"rig {loaded.label} shows morph targets, which a bake does not hold"
        raise (place / ".path").fault(f'{text}; use path = "auto", which shows those of near actors, or "pose"')


def _played(motions: MotionSet) -> tuple[Clip, ...]:
    """The clips of all motions: the first of the tables; what only layers use comes after them."""
    return motions.tables.clips[: 1 + int(motions.arrays.member["clip"].max())]


def _with_clips(rig: Rig, clips: tuple[Clip, ...]) -> Rig:
    """A rig with these clips alone, in this order; a clip that was re-timed may have another's name."""
    called: dict[str, Clip] = {}
    for clip in clips:
        name = clip.name if clip.name not in called else f"{clip.name} #{len(called)}"
        called[name] = clip if name == clip.name else replace(clip, name=name)
    return replace(rig, clips=called)


def _bake_of(rig: Rig, options: BakeOptions) -> Bake:
    content = content_key(rig.skeleton, choose_clips(rig, None), options, character_size(rig))
    bake = _bakes.get(content)
    if bake is None:
        with _told_when_slow(f"ecs-anim: baking {len(rig.clips)} clips of {rig.name}; they are kept for next time"):
            bake = _bakes[content] = cached_bake(rig, options)
    return bake


@contextmanager
def _told_when_slow(text: str) -> Iterator[None]:
    """Say on standard error what takes long."""
    timer = Timer(SLOW, lambda: print_note(text))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()

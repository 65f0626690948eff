"""Construction of bakes for crowds whose poses the GPU computes."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from threading import Timer
from weakref import WeakValueDictionary

from ecs_anim.assets.clip import Clip
from ecs_anim.assets.rig import Rig
from ecs_anim.bake.bake import Bake
from ecs_anim.bake.build import choose_clips
from ecs_anim.bake.cache import cached_bake
from ecs_anim.bake.measure import character_size
from ecs_anim.bake.options import ERROR_MM, BakeOptions
from ecs_anim.bake.signature import content_key
from ecs_anim.components.baked import Baked
from ecs_anim.runtime.motion import MotionSet
from ecs_anim.scenes.scene_key import SceneKey
from ecs_anim.scenes.schema_bake import BakeModel
from ecs_anim.support.errors import InputError
from ecs_anim.support.terminal import print_note

SLOW = 1.0  # [s]; if a bake takes longer, the program prints a message

_bakes: WeakValueDictionary[str, Bake] = WeakValueDictionary()  # by content hash: crowds with equal clips share a bake


def build_baked(model: BakeModel, rig: Rig, motions: MotionSet, key: SceneKey) -> Baked:
    """Return the bake from which the GPU computes the poses of a crowd.

    If the cache contains this bake, the function reads it from the cache. Raises InputError if the bake is impossible.
    """
    options = BakeOptions(model.space, model.format, model.rate_hz, model.error_mm or ERROR_MM, model.rotation_only)
    with key.blamed((InputError,)):
        bake = _bake_of(_with_clips(rig, motions.clips), options)
    return Baked(bake, model.interpolate, model.influences, model.shader)


def _with_clips(rig: Rig, clips: tuple[Clip, ...]) -> Rig:
    """Return `rig` with only the clips `clips`, in the order of `clips`.

    If two clips have the same name, the second clip gets a new name. Two clips have the same name if the second clip is
    a copy of the first clip with another timing.
    """
    called: dict[str, Clip] = {}
    for clip in clips:
        name = clip.name if clip.name not in called else f"{clip.name} #{len(called)}"
        called[name] = clip if name == clip.name else replace(clip, name=name)
    return replace(rig, clips=called)


def _bake_of(rig: Rig, options: BakeOptions) -> Bake:
    content = content_key(rig.skeleton, choose_clips(rig, None), options, character_size(rig))
    bake = _bakes.get(content)
    if bake is None:
        with _told_when_slow(
            f"ecs-anim: baking {len(rig.clips)} clips of {rig.name}. The next run reads these clips from the cache"
        ):
            bake = _bakes[content] = cached_bake(rig, options)
    return bake


@contextmanager
def _told_when_slow(text: str) -> Iterator[None]:
    """Print `text` on standard error if the `with` block takes longer than `SLOW`."""
    timer = Timer(SLOW, lambda: print_note(text))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()

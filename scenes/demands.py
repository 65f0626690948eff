"""What a scene asks for, against what there may be: told before anything of it is made."""

from collections import Counter
from collections.abc import Mapping, Sequence

from ecs_anim.budgets import excess, memory_excess
from ecs_anim.errors import InputError
from ecs_anim.scenes.loader import SceneFile
from ecs_anim.scenes.rigs import LoadedRig
from ecs_anim.scenes.schema import CrowdModel, CueModel, SceneModel
from ecs_anim.scenes.schema_bake import NEAR_ACTORS
from ecs_anim.skeleton import Skeleton
from ecs_anim.skinning import PALETTE_ROWS
from ecs_anim.systems.population import STATE


def require_sizes(scene: SceneFile, actors: int | None, threads: int | None) -> None:
    """What can be told from the scene file and the options alone. Raises InputError."""
    model = scene.model
    _require("threads", threads or 1, "--threads", "leave it out, for one a processor")
    _require("crowds", len(model.crowds), f"{scene.label}: crowds", "let actors that share a rig share a crowd")
    if actors is not None:
        _require("actors", actors, "--actors", "lower it")
    else:
        largest = max(range(len(model.crowds)), key=lambda index: model.crowds[index].count)
        place = f"{scene.label}: crowds[{largest}].count"
        _require("actors", sum(crowd.count for crowd in model.crowds), place, "lower the crowds' counts")
    place = f"{scene.label}: timeline"
    _require("cues", sum(map(_cues, model.timeline)), place, "give it fewer cues, or sweeps fewer sections")
    _require("firings", _firings(model), place, "fewer and rarer cues, each for one crowd, do")


def require_memory(scene: SceneFile, rigs: Mapping[str, LoadedRig], counts: Sequence[int]) -> None:
    """Palettes are by far the most of what is allocated; told before the machine swaps. Raises InputError."""
    pairs = list(zip(scene.model.crowds, counts, strict=True))
    palettes = sum(_palettes(crowd, count, rigs[crowd.rig].rig.skeleton) for crowd, count in pairs)
    actors = sum(counts)
    hint = ', or use path = "baked"' if any(crowd.path == "pose" for crowd, _ in pairs) else ""
    text = memory_excess(palettes + actors * STATE, f"lower --actors{hint}")
    if text:
        raise InputError(f"{scene.label}: {actors:,} actors and their palettes take {text}")


def _palettes(crowd: CrowdModel, count: int, skeleton: Skeleton) -> int:
    """What the palettes of those that the CPU poses take [bytes]."""
    if crowd.path == "baked":
        return 0
    if crowd.path == "auto":
        near = crowd.near.actors if crowd.near else None
        count = min(count, near or NEAR_ACTORS)
    return count * skeleton.palette_count * PALETTE_ROWS[crowd.skinning] * 16


def _cues(cue: CueModel) -> int:
    """One, or one for each section of its sweep."""
    return cue.sweep.sections if cue.sweep else 1


def _firings(model: SceneModel) -> int:
    """How many crowds cues reach in the fullest step, about: cues that come again, and those that fall together."""
    names = Counter(crowd.name or crowd.rig for crowd in model.crowds)
    steady, at_once = 0.0, Counter[int]()
    for cue in model.timeline:
        reached = names[cue.crowd] if cue.crowd else len(model.crowds)
        if cue.every is not None:
            steady += reached * _cues(cue) / (cue.every * model.frame_rate)
        swept = max(cue.sweep.seconds * model.frame_rate, 1.0) if cue.sweep else 1.0
        at_once[int(cue.at * model.frame_rate)] += int(reached * max(_cues(cue) / swept, 1.0))
    return int(steady) + max(at_once.values(), default=0)


def _require(name: str, asked: int, place: str, advice: str) -> None:
    text = excess(name, asked, advice)
    if text:
        raise InputError(f"{place}: {text}")

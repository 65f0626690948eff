"""Checks that a scene file does not have more items than the budgets allow."""

from collections import Counter
from collections.abc import Iterator

from ecs_anim.scenes.crowds import PARTS
from ecs_anim.scenes.parts.part import Demand
from ecs_anim.scenes.schema import CueModel, SceneModel
from ecs_anim.support.budgets import require


def require_sizes(label: str, scene: SceneModel) -> None:
    """Raise InputError for the first scene key that exceeds its budget."""
    for budget, asked, key, advice in (*_of_scene(scene), *_of_crowds(scene)):
        require(budget, asked, f"{label}: {key}", advice)


def _of_scene(scene: SceneModel) -> Iterator[Demand]:
    crowds = scene.crowds
    yield "rigs", len(scene.rigs), "rigs", "let several crowds use the same rig"
    yield "crowds", len(crowds), "crowds", "put actors with the same rig into one crowd"
    largest = max(range(len(crowds)), key=lambda index: crowds[index].count)
    yield "actors", sum(crowd.count for crowd in crowds), f"crowds[{largest}].count", "lower the counts of crowds"
    yield "prop_tables", len(scene.props), "props", "put props with the same model into one table"
    if scene.props:
        most = max(range(len(scene.props)), key=lambda index: scene.props[index].copies)
        yield "props", sum(prop.copies for prop in scene.props), f"props[{most}]", "place fewer props"
    yield "cues", sum(map(_cues, scene.timeline)), "timeline", "use fewer cues, or fewer sections in sweeps"
    yield "firings", _firings(scene), "timeline", "write fewer cues, repeat cues less often, and name one crowd in"
    " each cue"
    spaces = {(crowd.rig, crowd.said_of_motions): len(crowd.blend_spaces) for crowd in crowds if crowd.blend_spaces}
    yield "blend_spaces", sum(spaces.values()), "crowds.blend_spaces", "let several crowds use the same rig and the"
    " same blend spaces"


def _of_crowds(scene: SceneModel) -> Iterator[Demand]:
    for index, crowd in enumerate(scene.crowds):
        for part in PARTS:
            for budget, asked, key, advice in part.demands(crowd):
                yield budget, asked, f"crowds[{index}]{key}", advice


def _cues(cue: CueModel) -> int:
    """Return the number of sections in the sweep of a cue, or 1 for a cue without a sweep."""
    return cue.sweep.sections if cue.sweep else 1


def _firings(scene: SceneModel) -> int:
    """Return the estimated number of cue executions in the busiest time step.

    If a cue reaches several crowds in a time step, the function counts the cue once for each crowd.
    """
    names = Counter(crowd.called for crowd in scene.crowds)
    steady, at_once = 0.0, Counter[int]()
    for cue in scene.timeline:
        reached = names[cue.crowd] if cue.crowd else len(scene.crowds)
        if cue.every_seconds is not None:
            steady += reached * _cues(cue) / (cue.every_seconds * scene.frame_rate)
        swept = max(cue.sweep.seconds * scene.frame_rate, 1.0) if cue.sweep else 1.0
        at_once[int(cue.at_seconds * scene.frame_rate)] += int(reached * max(_cues(cue) / swept, 1.0))
    return int(steady) + max(at_once.values(), default=0)

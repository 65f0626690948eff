"""What happens when: from a scene's timeline to `Timeline`."""

import math
from collections.abc import Sequence
from dataclasses import replace

from ecs_anim.components.parameters import Parameters
from ecs_anim.components.timeline import Cue, Sector, Timeline
from ecs_anim.scenes.scene_key import SceneKey
from ecs_anim.scenes.schema import CueModel, SceneModel


def build_timeline(
    scene: SceneModel, label: str, seed: int, crowds: Sequence[tuple[str, tuple[str, ...], Parameters]]
) -> Timeline:
    """The scene's cues, checked against the crowds that they name; of each crowd its name, motions, parameters.

    A crowd that has no actors, as `actors` can leave it, is not among them; a cue for it does nothing.
    """
    names = [crowd.called for crowd in scene.crowds]
    for i, cue in enumerate(scene.timeline):
        _check_cue(cue, SceneKey(label, f"timeline[{i}]"), names, crowds)
        _check_doors(
            cue, SceneKey(label, f"timeline[{i}]"), [door.name for door in scene.walls.doors] if scene.walls else []
        )
    return Timeline([cue for i, model in enumerate(scene.timeline) for cue in _swept(model, _cue(model, seed + i))])


def _swept(model: CueModel, cue: Cue) -> list[Cue]:
    """A cue, or one for each section that it sweeps over; sections share its seed, so that shares are drawn once."""
    sweep = model.sweep
    if sweep is None:
        return [cue]
    width, spread = math.tau / sweep.sections, math.tau * sweep.spread_seconds / sweep.seconds
    return [
        replace(
            cue,
            at=cue.at + number * sweep.seconds / sweep.sections,
            sector=Sector(sweep.center, math.radians(sweep.from_degrees) + number * width, width, spread),
        )
        for number in range(sweep.sections)
    ]


def _cue(model: CueModel, seed: int) -> Cue:
    targets = {name: value if isinstance(value, tuple) else (value, value) for name, value in model.set.items()}
    return Cue(
        at=model.at,
        every=model.every or math.inf,
        crowd=model.crowd,
        share=model.share,
        seed=seed,
        fade_to=_listed(model.fade_to),
        fade=model.fade,
        match_phase=model.match_phase,
        targets=targets,
        triggers=_listed(model.trigger),
        opens=_listed(model.open),
        closes=_listed(model.close),
    )


def _check_cue(
    cue: CueModel, key: SceneKey, names: list[str], crowds: Sequence[tuple[str, tuple[str, ...], Parameters]]
) -> None:
    if cue.crowd is not None:
        (key / ".crowd").require_among(cue.crowd, names, "there is no crowd", "crowds are")
    for crowd, motions, parameters in crowds:
        if cue.crowd not in (None, crowd):
            continue
        wanted = [
            (".fade_to", _listed(cue.fade_to), list(motions), "motion"),
            (".set", tuple(cue.set), list(parameters.names), "parameter"),
            (".trigger", _listed(cue.trigger), sorted(parameters.triggers), "trigger"),
        ]
        for tail, asked, known, kind in wanted:
            for name in asked:
                (key / tail).require_among(name, known, f"crowd {crowd!r} has no {kind}")


def _check_doors(cue: CueModel, key: SceneKey, known: list[str]) -> None:
    for tail, asked in ((".open", _listed(cue.open)), (".close", _listed(cue.close))):
        for name in asked:
            (key / tail).require_among(name, known, "there is no door", "doors are")


def _listed(value: str | list[str] | None) -> tuple[str, ...]:
    if value is None:
        return ()
    return (value,) if isinstance(value, str) else tuple(value)

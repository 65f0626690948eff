"""Conversion of the timeline in a scene to the component `Timeline`."""

import math
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from ecs_anim.components.character import Character
from ecs_anim.components.crowd import Crowd
from ecs_anim.components.parameters import Parameters
from ecs_anim.components.timeline import Cue, Sector, Timeline
from ecs_anim.scenes.crowds import CrowdModel
from ecs_anim.scenes.scene_key import SceneKey
from ecs_anim.scenes.schema import CueModel, SceneModel
from ecs_anim.scenes.schema_levels import RiseModel


def build_timeline(scene: SceneModel, label: str, seed: int, crowds: Sequence[Sequence[object]]) -> Timeline:
    """Return a timeline with the cues of the scene.

    Raises InputError if a cue uses a name that the crowd does not have.

    If the caller of `load_scene` sets a small number `actors`, some crowds have no actors. `crowds` does not contain
    such crowds, and their cues have no effect.
    """
    names, doors = [crowd.called for crowd in scene.crowds], _doors(scene)
    runs: list[RiseModel] = [*scene.stairs, *scene.ramps, *scene.escalators]
    turning = [own.name for own in runs if own.direction != "both" and own.name]
    escalators = [own.name for own in scene.escalators if own.name]
    lifts = [own.name for own in scene.lifts if own.name]
    connections = [*(own.name for own in runs if own.name), *lifts]
    known = [_known(components) for components in crowds]
    cues = []
    for number, cue in enumerate(scene.timeline):
        key = SceneKey(label, f"timeline[{number}]")
        if cue.crowd is not None:
            (key / ".crowd").require_among(cue.crowd, names, "there is no crowd", "crowds are")
        for own in known:
            if cue.crowd in (None, own.crowd):
                _check(cue, key, own)
        for tail, asked in ((".release", cue.release), (".hold", cue.hold)):
            for name in _listed(asked):
                held = [goal for own in scene.crowds if cue.crowd in (None, own.called) for goal in _holding(own)]
                (key / tail).require_among(name, held, "there is no goal with hold = true", "goals are")
        for tail, asked in ((".open", cue.open), (".close", cue.close)):
            for name in _listed(asked):
                (key / tail).require_among(name, [*doors, *connections], *_closable(connections))
        for tail, asked in ((".start", cue.start), (".stop", cue.stop)):
            for name in _listed(asked):
                (key / tail).require_among(name, escalators, "there is no escalator", "escalators are")
        for name in _listed(cue.reverse):
            (key / ".reverse").require_among(
                name, turning, "there is no connection with one direction", "connections with one direction are"
            )
        cues += _swept(cue, _cue(cue, seed + number))
    return Timeline(cues)


def _doors(scene: SceneModel) -> list[str]:
    doors = scene.walls.doors if scene.walls else []
    return [door.name for door in (*doors, *(door for level in scene.levels for door in level.doors))]


def _closable(connections: Collection[str]) -> tuple[str, str]:
    """Return the texts of the error for an unknown name of a door or of a connection."""
    return ("there is no door or connection", "they are") if connections else ("there is no door", "doors are")


def _holding(crowd: CrowdModel) -> list[str]:
    goals = crowd.steering.goals if crowd.steering is not None else None
    return [goal.name for goal in goals or [] if goal.hold and goal.name is not None]


class _Known(NamedTuple):
    """The names of motions, parameters and triggers of a crowd that cues can use."""

    crowd: str
    motions: list[str]
    parameters: tuple[str, ...]
    triggers: list[str]


def _known(components: Sequence[object]) -> _Known:
    found: dict[type, Any] = {type(component): component for component in components}
    parameters: Parameters = found[Parameters]
    motions = [*found[Character].motions.index]
    return _Known(found[Crowd].name, motions, parameters.names, sorted(parameters.triggers))


def _check(cue: CueModel, key: SceneKey, own: _Known) -> None:
    """Raise InputError if a cue uses a motion, a parameter or a trigger that the crowd does not have."""
    for tail, asked, known, kind in (
        (".fade_to", _listed(cue.fade_to), own.motions, "motion"),
        (".set", tuple(cue.set), own.parameters, "parameter"),
        (".trigger", _listed(cue.trigger), own.triggers, "trigger"),
    ):
        for name in asked:
            (key / tail).require_among(name, known, f"crowd {own.crowd!r} has no {kind}")


def _swept(model: CueModel, cue: Cue) -> list[Cue]:
    """Return a list with the cue, or with one cue for each section of the sweep.

    The cues of all sections have the same seed. If the cue has a `share`, the random choice of actors is therefore
    equal in all sections.
    """
    sweep = model.sweep
    if sweep is None:
        return [cue]
    width, spread = math.tau / sweep.sections, math.tau * sweep.spread_seconds / sweep.seconds
    start = math.radians(sweep.from_degrees)
    return [
        replace(
            cue,
            at=cue.at + number * sweep.seconds / sweep.sections,
            sector=Sector(sweep.center, start + number * width, width, spread),
        )
        for number in range(sweep.sections)
    ]


def _cue(model: CueModel, seed: int) -> Cue:
    targets = {name: value if isinstance(value, tuple) else (value, value) for name, value in model.set.items()}
    return Cue(
        at=model.at_seconds,
        every=model.every_seconds or math.inf,
        crowd=model.crowd,
        share=model.share,
        seed=seed,
        fade_to=_listed(model.fade_to),
        fade=model.fade_seconds,
        match_phase=model.match_phase,
        targets=targets,
        triggers=_listed(model.trigger),
        opens=_listed(model.open),
        closes=_listed(model.close),
        starts=_listed(model.start),
        stops=_listed(model.stop),
        reverses=_listed(model.reverse),
        releases=_listed(model.release),
        release_count=model.release_count,
        holds=_listed(model.hold),
    )


def _listed(value: str | list[str] | None) -> tuple[str, ...]:
    if value is None:
        return ()
    return (value,) if isinstance(value, str) else tuple(value)

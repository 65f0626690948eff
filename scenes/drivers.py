"""What drives a crowd: parameters, layers, curves, events, the controller, and the scene's timeline."""

import math
from collections.abc import Mapping

import numpy as np

from ecs_anim.blending import subtree_mask
from ecs_anim.components.clip_events import ClipEvents
from ecs_anim.components.controller import Controller
from ecs_anim.components.curves import CURVE_POINTS, Curves, CurveTable
from ecs_anim.components.layers import Layer, Layers
from ecs_anim.components.parameters import Parameters
from ecs_anim.components.timeline import Cue, Timeline
from ecs_anim.motion import MotionSet
from ecs_anim.scenes.loader import nearest
from ecs_anim.scenes.motions import Place
from ecs_anim.scenes.rigs import LoadedRig
from ecs_anim.scenes.schema import (
    ClipModel,
    ControllerModel,
    CrowdModel,
    CueModel,
    LayerModel,
    ParameterModel,
    SceneModel,
)
from ecs_anim.state_machine import StateMachine, Transition, build_machine, parse_condition


def parameter_names(crowd: CrowdModel, place: Place) -> tuple[str, ...]:
    """Parameters, triggers, and what curves drive, in this order."""
    clash = set(crowd.parameters) & set(crowd.triggers)
    if clash:
        raise (place / ".triggers").fault(f"{sorted(clash)[0]!r} is a parameter already")
    curves = [name for clip in crowd.clips for name in clip.curves]
    return tuple(dict.fromkeys([*crowd.parameters, *crowd.triggers, *curves]))


def build_parameters(crowd: CrowdModel, names: tuple[str, ...], count: int, rng: np.random.Generator) -> Parameters:
    """Columns at their initial values."""
    models = [_parameter(crowd.parameters.get(name, 0.0)) for name in names]
    drawn = rng.random((count, len(names)))
    ranges = [m.initial if isinstance(m.initial, tuple) else (m.initial, m.initial) for m in models]
    low, high = np.array(ranges, np.float64).reshape(-1, 2).T
    value = np.ascontiguousarray(low + (high - low) * drawn, np.float32)
    rate = np.array([model.rate or math.inf for model in models], np.float32)
    return Parameters(names, frozenset(crowd.triggers), rate, value, value.copy())


def _parameter(written: float | tuple[float, float] | ParameterModel) -> ParameterModel:
    return written if isinstance(written, ParameterModel) else ParameterModel(initial=written)


def build_layers(
    crowd: CrowdModel, loaded: LoadedRig, motions: MotionSet, names: tuple[str, ...], count: int, place: Place
) -> Layers:
    """Layers with their difference tables and masks."""
    return Layers(
        tuple(
            _layer(layer, loaded, motions, names, count, place / f".layers[{i}]")
            for i, layer in enumerate(crowd.layers)
        )
    )


def _layer(
    model: LayerModel, loaded: LoadedRig, motions: MotionSet, names: tuple[str, ...], count: int, place: Place
) -> Layer:
    clip, tables = loaded.rig.clips[model.clip], motions.tables
    rows = tables.clip_rows(tables.index[model.clip])
    if model.mode == "additive":
        if model.reference > clip.duration:
            raise (place / ".reference").fault(f"clip {model.clip!r} is {clip.duration:g} s long")
        reference = clip.sample(clip.start + model.reference, loop=False)
        rows = tables.layout.differences(rows, tables.layout.pack(reference))
    weight = model.weight
    return Layer(
        name=model.name or model.clip,
        mode=model.mode,
        rows=np.ascontiguousarray(rows),
        duration=clip.duration,
        loops=model.loop,
        speed=model.speed,
        mask=tables.layout.lanes(_mask(model, loaded, place / ".mask")),
        phase_parameter=-1 if model.phase == "time" else _column(model.phase, names, place / ".phase"),
        weight_parameter=_column(weight, names, place / ".weight") if isinstance(weight, str) else -1,
        phase=np.zeros(count, np.float32),
        weight=np.full(count, 0.0 if isinstance(weight, str) else weight, np.float32),
    )


def _mask(model: LayerModel, loaded: LoadedRig, place: Place) -> np.ndarray:
    skeleton = loaded.rig.skeleton
    if model.mask is None:
        return np.ones(skeleton.joint_count, np.float32)
    shares = {model.mask: 1.0} if isinstance(model.mask, str) else model.mask
    known = list(skeleton.joint_names)
    for joint in shares:
        if joint not in known:
            raise place.fault(
                f"rig {loaded.label} has no joint {joint!r};{nearest(joint, known)} see `ecs-anim inspect`"
            )
    if isinstance(model.mask, str):
        return subtree_mask(skeleton, model.mask)
    return np.array([shares.get(name, 0.0) for name in known], np.float32)


def _column(name: str, names: tuple[str, ...], place: Place) -> int:
    if name not in names:
        known = ", ".join(names) or "none"
        raise place.fault(f"the crowd has no parameter {name!r};{nearest(name, list(names))} it has: {known}")
    return names.index(name)


def build_curves(crowd: CrowdModel, motions: MotionSet, names: tuple[str, ...]) -> Curves:
    """A table for each parameter that clips' curves drive; clips without the curve hold 0."""
    driven = dict.fromkeys(name for clip in crowd.clips for name in clip.curves)
    return Curves(tuple(_curve_table(name, crowd.clips, motions, names.index(name)) for name in driven))


def _curve_table(name: str, clips: list[ClipModel], motions: MotionSet, column: int) -> CurveTable:
    values = np.zeros((len(motions.tables.clips), CURVE_POINTS), np.float32)
    for entry in clips:
        if name in entry.curves:
            curve, number = entry.curves[name], motions.tables.index[entry.name]
            time = np.linspace(0, motions.tables.clips[number].duration, CURVE_POINTS)
            if curve.interpolation == "LINEAR":
                values[number] = np.interp(time, curve.times, curve.values)
            else:
                key = np.searchsorted(curve.times, time, side="right") - 1
                values[number] = np.array(curve.values)[np.maximum(key, 0)]
    return CurveTable(column, values)


def build_events(crowd: CrowdModel, motions: MotionSet, place: Place) -> ClipEvents:
    """Events by clip, their times as phases."""
    by_clip: dict[str, list[tuple[float, str]]] = {}
    for i, entry in enumerate(crowd.clips):
        duration = motions.tables.clips[motions.tables.index[entry.name]].duration
        for name, times in entry.events.items():
            for time in times:
                if time > duration:
                    key = place / f".clips[{i}].events.{name}"
                    raise key.fault(f"clip {entry.name!r} is {duration:g} s long (got {time:g})")
                by_clip.setdefault(entry.name, []).append((time / duration if duration > 0 else 0.0, name))
    events = [sorted(by_clip.get(clip.name, [])) for clip in motions.tables.clips]
    flat = [event for group in events for event in group]
    return ClipEvents(
        names=tuple(name for _, name in flat),
        clip_names=tuple(c.name for c, group in zip(motions.tables.clips, events, strict=True) for _ in group),
        first_event=np.cumsum([0, *map(len, events)]).astype(np.int32),
        event_phase=np.array([phase for phase, _ in flat], np.float32),
    )


def build_state_machine(
    model: ControllerModel, crowd: CrowdModel, motions: Mapping[str, int], names: tuple[str, ...], place: Place
) -> StateMachine:
    """The controller's states and transitions, with every name checked."""
    for state, motion in model.states.items():
        if motion not in motions:
            known = list(motions)
            text = f"the crowd has no motion {motion!r};{nearest(motion, known)} it has: {', '.join(known)}"
            raise (place / f".states.{state}").fault(text)
    transitions = []
    for i, written in enumerate(model.transitions):
        key = place / f".transitions[{i}]"
        for name, at in ((written.source, ".from"), (written.to, ".to")):
            if name not in model.states and not (name == "any" and at == ".from"):
                known = list(model.states)
                text = f"there is no state {name!r};{nearest(name, known)} states are: {', '.join(known)}"
                raise (key / at).fault(text)
        try:
            conditions = tuple(parse_condition(text, names, crowd.triggers) for text in written.when)
        except ValueError as error:
            raise (key / ".when").fault(str(error)) from None
        source = None if written.source == "any" else written.source
        transitions.append(Transition(source, written.to, conditions, written.fade, written.match_phase))
    if model.start not in model.states:
        known = list(model.states)
        raise (place / ".start").fault(f"there is no state {model.start!r};{nearest(model.start, known)}")
    return build_machine({state: motions[m] for state, m in model.states.items()}, model.start, transitions)


def build_controller(machine: StateMachine, count: int) -> Controller:
    """Every actor in the start state."""
    return Controller(machine, np.full(count, machine.start, np.int32), np.zeros(count, np.float32))


def build_timeline(
    scene: SceneModel,
    label: str,
    seed: int,
    motions: Mapping[str, tuple[str, ...]],
    parameters: Mapping[str, Parameters],
) -> Timeline:
    """The scene's cues, checked against the crowds that they name; `motions` and `parameters` by crowd."""
    for i, cue in enumerate(scene.timeline):
        _check_cue(cue, Place(label, f"timeline[{i}]"), motions, parameters)
    return Timeline([_cue(model, seed + i) for i, model in enumerate(scene.timeline)])


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
    )


def _check_cue(
    cue: CueModel, place: Place, motions: Mapping[str, tuple[str, ...]], parameters: Mapping[str, Parameters]
) -> None:
    names = list(motions)
    if cue.crowd is not None and cue.crowd not in names:
        text = f"there is no crowd {cue.crowd!r};{nearest(cue.crowd, names)} crowds are: {', '.join(names)}"
        raise (place / ".crowd").fault(text)
    for crowd in [cue.crowd] if cue.crowd else names:
        triggers = sorted(parameters[crowd].triggers)
        wanted = [
            (".fade_to", _listed(cue.fade_to), list(motions[crowd]), "motion"),
            (".set", tuple(cue.set), list(parameters[crowd].names), "parameter"),
            (".trigger", _listed(cue.trigger), triggers, "trigger"),
        ]
        for key, asked, known, kind in wanted:
            for name in asked:
                if name not in known:
                    listing = ", ".join(known) or "none"
                    text = f"crowd {crowd!r} has no {kind} {name!r};{nearest(name, known)} it has: {listing}"
                    raise (place / key).fault(text)


def _listed(value: str | list[str] | None) -> tuple[str, ...]:
    if value is None:
        return ()
    return (value,) if isinstance(value, str) else tuple(value)

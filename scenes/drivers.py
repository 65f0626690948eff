"""What drives a crowd: parameters, layers, curves, events, the controller, and the scene's timeline."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import assert_never

import numpy as np

from ecs_anim.assets.blending import subtree_mask
from ecs_anim.assets.clip import Clip
from ecs_anim.components.clip_events import ClipEvents
from ecs_anim.components.controller import Controller
from ecs_anim.components.curves import CURVE_POINTS, Curves, CurveTable
from ecs_anim.components.layers import Layer, Layers
from ecs_anim.components.parameters import Parameters
from ecs_anim.components.timeline import Cue, Sector, Timeline
from ecs_anim.runtime.motion import MotionSet
from ecs_anim.runtime.phase_sync import phase_shown, source_phase
from ecs_anim.runtime.state_machine import SUBJECTS, Condition, StateMachine, Transition, build_machine, parse_condition
from ecs_anim.scenes.motions import Place
from ecs_anim.scenes.rigs import LoadedRig
from ecs_anim.scenes.schema import (
    ClipModel,
    ControllerModel,
    CrowdModel,
    CueModel,
    CurveModel,
    LayerModel,
    ParameterModel,
    SceneModel,
)
from ecs_anim.support.errors import nearest

RESERVED = (*SUBJECTS, "time")  # words that stand where a parameter's name may stand
ROUNDING = 1e-6  # share by which a time may exceed its clip: clips keep their times as float32


def parameter_names(crowd: CrowdModel, place: Place) -> tuple[str, ...]:
    """Parameters, triggers, and what curves drive, in this order."""
    curves = [(f".clips[{i}].curves", name) for i, clip in enumerate(crowd.clips) for name in clip.curves]
    written = [(".parameters", name) for name in crowd.parameters] + [(".triggers", name) for name in crowd.triggers]
    for key, name in [*written, *curves]:
        if name in RESERVED:
            raise (place / key).fault(f"{name!r} has a meaning of its own in conditions or layers; choose another name")
        if key != ".triggers" and name in crowd.triggers:
            raise (place / key).fault(f"{name!r} is a trigger; choose another name")
    return tuple(dict.fromkeys(name for _, name in [*written, *curves]))


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
    called = [layer.name or layer.clip for layer in crowd.layers]
    for i, name in enumerate(called):
        if name in called[:i]:
            raise (place / f".layers[{i}].name").fault(f"another layer is called {name!r}; name them apart")
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
    rows = tables.clip_rows(tables.clips.index(clip))
    match model.mode:
        case "additive":
            within(clip, model.reference, place / ".reference")
            reference = clip.sample(clip.start + model.reference, loop=False)
            rows = tables.layout.differences(rows, tables.layout.pack(reference))
        case "override":
            pass  # the clip as it is
        case _:
            assert_never(model.mode)
    weight = model.weight
    return Layer(
        name=model.name or model.clip,
        mode=model.mode,
        rows=np.ascontiguousarray(rows),
        duration=clip.duration,
        loops=model.loop,
        speed=model.speed,
        mask=tables.layout.lanes(layer_mask(model, loaded, place / ".mask")),
        phase_parameter=-1 if model.phase == "time" else parameter_column(model.phase, names, place / ".phase"),
        weight_parameter=parameter_column(weight, names, place / ".weight") if isinstance(weight, str) else -1,
        phase=np.zeros(count, np.float32),
        weight=np.full(count, 0.0 if isinstance(weight, str) else weight, np.float32),
    )


def layer_mask(model: LayerModel, loaded: LoadedRig, place: Place) -> np.ndarray:
    """How far a layer reaches each joint [joint_count] f32. Raises InputError for a joint that is not there."""
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


def parameter_column(name: str, names: tuple[str, ...], place: Place) -> int:
    """A parameter's column. Raises InputError with the nearest right name."""
    if name not in names:
        known = ", ".join(names) or "none"
        raise place.fault(f"the crowd has no parameter {name!r};{nearest(name, list(names))} it has: {known}")
    return names.index(name)


def within(clip: Clip, time: float, place: Place) -> float:
    """A time [s] since the clip's start as a phase, 0 to 1. Raises InputError if the clip is over by then."""
    if time > clip.duration * (1 + ROUNDING):
        raise place.fault(f"clip {clip.name!r} is {clip.duration:g} s long (got {time:g})")
    return min(time / clip.duration, 1.0) if clip.duration > 0 else 0.0


def build_curves(crowd: CrowdModel, motions: MotionSet, names: tuple[str, ...], place: Place) -> Curves:
    """A table for each parameter that clips' curves drive; clips without the curve hold 0."""
    driven = dict.fromkeys(name for clip in crowd.clips for name in clip.curves)
    for i, entry in enumerate(crowd.clips):
        clip = motions.tables.clips[motions.tables.index[entry.name]]
        for name, curve in entry.curves.items():
            within(clip, curve.times[-1], place / f".clips[{i}].curves.{name}.times")
    return Curves(tuple(_curve_table(name, crowd.clips, motions, names.index(name)) for name in driven))


def _curve_table(name: str, entries: list[ClipModel], motions: MotionSet, column: int) -> CurveTable:
    curves = {entry.name: entry.curves[name] for entry in entries if name in entry.curves}
    values = np.zeros((len(motions.tables.clips), CURVE_POINTS), np.float32)
    phase = np.linspace(0, 1, CURVE_POINTS)
    for number, clip in enumerate(motions.tables.clips):
        if clip.name in curves:
            values[number] = _curve_values(curves[clip.name], source_phase(clip, phase) * clip.duration)
    return CurveTable(column, values)


def _curve_values(curve: CurveModel, time: np.ndarray) -> np.ndarray:
    match curve.interpolation:
        case "LINEAR":
            return np.interp(time, curve.times, curve.values)
        case "STEP":
            key = np.searchsorted(curve.times, time, side="right") - 1
            return np.array(curve.values)[np.maximum(key, 0)]
        case _:
            assert_never(curve.interpolation)


def build_events(crowd: CrowdModel, motions: MotionSet, place: Place) -> ClipEvents:
    """Events by clip, their times as phases."""
    by_clip: dict[str, list[tuple[float, str]]] = {}
    for i, entry in enumerate(crowd.clips):
        clip = motions.tables.clips[motions.tables.index[entry.name]]
        for name, times in entry.events.items():
            key = place / f".clips[{i}].events.{name}"
            by_clip.setdefault(entry.name, []).extend((within(clip, time, key), name) for time in times)
    events = [
        sorted((float(phase_shown(clip, phase)), name) for phase, name in by_clip.get(clip.name, []))
        for clip in motions.tables.clips
    ]
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
        if state == "any":
            raise (place / ".states.any").fault("'any' stands for every state; choose another name")
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
                hint = nearest(name, [*known, "any"] if at == ".from" else known)
                text = f"there is no state {name!r};{hint} states are: {', '.join(known)}"
                raise (key / at).fault(text)
        conditions = tuple(
            _condition(text, names, crowd.triggers, key / f".when[{j}]") for j, text in enumerate(written.when)
        )
        source = None if written.source == "any" else written.source
        transitions.append(Transition(source, written.to, conditions, written.fade, written.match_phase))
    if model.start not in model.states:
        known = list(model.states)
        text = f"there is no state {model.start!r};{nearest(model.start, known)} states are: {', '.join(known)}"
        raise (place / ".start").fault(text)
    return build_machine({state: motions[m] for state, m in model.states.items()}, model.start, transitions)


def _condition(text: str, names: tuple[str, ...], triggers: list[str], place: Place) -> Condition:
    try:
        return parse_condition(text, names, triggers)
    except ValueError as error:
        raise place.fault(str(error)) from None


def build_controller(machine: StateMachine, count: int) -> Controller:
    """Every actor in the start state."""
    return Controller(machine, np.full(count, machine.start, np.int32), np.zeros(count, np.float32))


def build_timeline(
    scene: SceneModel,
    label: str,
    seed: int,
    crowds: Sequence[tuple[str, tuple[str, ...], Parameters]],
) -> Timeline:
    """The scene's cues, checked against the crowds that they name; of each crowd its name, motions, parameters.

    A crowd that has no actors, as `actors` can leave it, is not among them; a cue for it does nothing.
    """
    names = [crowd.name or crowd.rig for crowd in scene.crowds]
    for i, cue in enumerate(scene.timeline):
        _check_cue(cue, Place(label, f"timeline[{i}]"), names, crowds)
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
    )


def _check_cue(
    cue: CueModel, place: Place, names: list[str], crowds: Sequence[tuple[str, tuple[str, ...], Parameters]]
) -> None:
    if cue.crowd is not None and cue.crowd not in names:
        text = f"there is no crowd {cue.crowd!r};{nearest(cue.crowd, names)} crowds are: {', '.join(names)}"
        raise (place / ".crowd").fault(text)
    for crowd, motions, parameters in crowds:
        if cue.crowd not in (None, crowd):
            continue
        wanted = [
            (".fade_to", _listed(cue.fade_to), list(motions), "motion"),
            (".set", tuple(cue.set), list(parameters.names), "parameter"),
            (".trigger", _listed(cue.trigger), sorted(parameters.triggers), "trigger"),
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

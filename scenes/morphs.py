"""From a scene's clips, layers and `morphs` to the weights of a crowd's morph targets."""

from typing import assert_never

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.layers import Layers
from ecs_anim.components.morphs import MorphDriver, MorphLayer, Morphs
from ecs_anim.runtime.morph_tables import MorphTables, build_morph_tables
from ecs_anim.runtime.motion import MotionSet
from ecs_anim.scenes.drivers import layer_mask, parameter_column
from ecs_anim.scenes.motions import Place
from ecs_anim.scenes.rigs import LoadedRig
from ecs_anim.scenes.schema import CrowdModel, LayerModel
from ecs_anim.support.errors import InputError, nearest


def build_morphs(
    crowd: CrowdModel,
    loaded: LoadedRig,
    motions: MotionSet,
    layers: Layers | None,
    names: tuple[str, ...],
    count: int,
    rng: np.random.Generator,
    place: Place,
) -> Morphs:
    """Weights at their defaults or as the scene sets them; clips leave alone what it sets. Raises InputError."""
    drivers, told = [], set[int]()
    for name, value in crowd.morphs.items():
        columns = _columns(loaded, name, place / ".morphs")
        told |= set(columns.tolist())
        if isinstance(value, str):
            drivers.append(MorphDriver(columns, parameter_column(value, names, place / f".morphs.{name}")))
    try:
        tables = build_morph_tables(motions.tables.clips, told)
    except InputError as error:
        raise place.fault(f"rig {loaded.label}: {error}") from None
    own = _layers(crowd, loaded, motions, layers, tables, place) if tables and layers else ()
    weights = first_weights(crowd, loaded, count, rng)
    return Morphs(loaded.rig.morph_targets, tables, own, tuple(drivers), weights)


def first_weights(crowd: CrowdModel, loaded: LoadedRig, count: int, rng: np.random.Generator) -> NDArray[np.float32]:
    """What actors begin with, [count, target_count]."""
    targets = loaded.rig.morph_targets
    weights = np.tile(targets.defaults, (count, 1))
    for name, value in crowd.morphs.items():
        if not isinstance(value, str):
            low, high = sorted(value) if isinstance(value, tuple) else (value, value)
            weights[:, targets.columns(name)] = rng.uniform(low, high, count)[:, None]
    return weights


def _columns(loaded: LoadedRig, name: str, place: Place) -> NDArray[np.int32]:
    targets = loaded.rig.morph_targets
    try:
        return targets.columns(name)
    except KeyError:
        known = list(dict.fromkeys(targets.names))
        listing = f"its targets are: {', '.join(known)}" if known else "it has none"
        raise place.fault(f"rig {loaded.label} has no morph target {name!r};{nearest(name, known)} {listing}") from None


def _layers(
    crowd: CrowdModel, loaded: LoadedRig, motions: MotionSet, layers: Layers, tables: MorphTables, place: Place
) -> tuple[MorphLayer, ...]:
    """What layers animate of the tables' weights."""
    found = []
    for i, (model, layer) in enumerate(zip(crowd.layers, layers.layers, strict=True)):
        clip = loaded.rig.clips[model.clip]
        moved = {int(column) for track in clip.morph_tracks for column in track.columns}
        own = np.array([k for k, column in enumerate(tables.columns) if int(column) in moved], np.intp)
        if len(own):
            mask = layer_mask(model, loaded, place / f".layers[{i}].mask")
            columns = tables.columns[own]
            rows = _rows(model, loaded, tables, motions.tables.clips.index(clip))[:, own]
            shares = mask[loaded.rig.morph_targets.joints[columns]]
            found.append(MorphLayer(layer, columns, np.ascontiguousarray(rows), shares))
    return tuple(found)


def _rows(model: LayerModel, loaded: LoadedRig, tables: MorphTables, number: int) -> NDArray[np.float32]:
    """A layer's rows; an additive one's as differences from its reference."""
    rows = tables.clip_rows(number)
    match model.mode:
        case "override":
            return rows
        case "additive":
            clip = loaded.rig.clips[model.clip]
            return rows - clip.sample_weights(clip.start + model.reference, loop=False)[tables.columns]
        case _:
            assert_never(model.mode)

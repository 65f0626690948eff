"""Morph targets. The part builds the morph weights of a crowd from clips, layers and the key `morphs`."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from ecs_anim.components.baked import Baked
from ecs_anim.components.layers import SHOWS_DIFFERENCES, Layers
from ecs_anim.components.morphs import MorphDriver, MorphLayer, Morphs
from ecs_anim.components.nearness import Nearness
from ecs_anim.runtime.morph_tables import MorphTables, build_morph_tables
from ecs_anim.scenes.loaded_rig import LoadedRig
from ecs_anim.scenes.parts.layers import LayerKeys, LayerModel, layer_mask
from ecs_anim.scenes.parts.part import Drawn, Joining, Making, Part
from ecs_anim.scenes.scene_key import SceneKey
from ecs_anim.scenes.schema_base import Finite
from ecs_anim.support.errors import InputError, nearest


class MorphKeys(LayerKeys):
    """Weights of morph targets. Layers can also animate the weights of morph targets."""

    morphs: dict[str, Finite | tuple[Finite, Finite] | str] = Field(
        {},
        description="weights of morph targets, by name of the morph target: a value, a range of random values, or the"
        " name of a parameter",
    )


class MorphPart(Part[MorphKeys]):
    """Morph targets. If a rig has morph targets, all crowds with this rig have the part `MorphPart`."""

    keys = MorphKeys
    always = True
    kernels = ("morphs",)

    def needed_kernels(self, crowd: MorphKeys) -> tuple[str, ...]:
        """Return the kernels for the morph weights that the scene sets.

        The function cannot include kernels for clips with morph weights, because the rig is not loaded yet.
        """
        return self.kernels if crowd.morphs else ()

    def require_bakeable(self, crowd: MorphKeys, making: Making) -> None:
        """Raise InputError if the keys, the clips or the rig of a crowd use morph targets."""
        super().require_bakeable(crowd, making)
        loaded = making.loaded
        if any(clip.morph_tracks for clip in making.motions.clips) or loaded.rig.morph_targets.defaults.any():
            text = f"rig {loaded.label} has morph targets, which a bake cannot contain"
            hint = 'Use path = "auto", which shows morph targets of near actors, or "pose"'
            raise (making.key / ".path").fault(f"{text}; {hint}")

    def build(self, crowd: MorphKeys, making: Making) -> Iterator[object]:
        """Build the morph weights from the scene, or from the defaults of the rig.

        If the scene sets a weight, clips do not animate this weight.
        """
        loaded, key = making.loaded, making.key
        is_posed = making.find(Baked) is None or making.find(Nearness) is not None
        if not is_posed or not (len(loaded.rig.morph_targets) or crowd.morphs):
            return
        drivers, told = [], set[int]()
        for name, value in crowd.morphs.items():
            columns = _columns(loaded, name, key / ".morphs")
            told |= set(columns.tolist())
            if isinstance(value, str):
                drivers.append(MorphDriver(columns, making.parameter(value, key / f".morphs.{name}")))
        try:
            tables = build_morph_tables(making.motions.tables.clips, told)
        except InputError as error:
            raise key.fault(f"rig {loaded.label}: {error}") from None
        layers = making.find(Layers)
        own = _layers(crowd, making, layers, tables) if tables and layers else ()
        weights = _first_weights(crowd, loaded, making.count, making.rng)
        yield Morphs(loaded.rig.morph_targets, tables, own, tuple(drivers), weights)

    def draw(self, crowd: MorphKeys, joining: Joining) -> Iterator[Drawn]:
        """Yield the first morph weights of new actors."""
        morphs = joining.making.find(Morphs)
        if morphs is not None:
            yield morphs, "weights", _first_weights(crowd, joining.making.loaded, joining.count, joining.rng)


def _first_weights(crowd: MorphKeys, loaded: LoadedRig, count: int, rng: np.random.Generator) -> NDArray[np.float32]:
    """Return the first morph weights [count, target_count] of `count` actors."""
    targets = loaded.rig.morph_targets
    weights = np.tile(targets.defaults, (count, 1))
    for name, value in crowd.morphs.items():
        if not isinstance(value, str):
            low, high = sorted(value) if isinstance(value, tuple) else (value, value)
            weights[:, targets.columns(name)] = rng.uniform(low, high, count)[:, None]
    return weights


def _columns(loaded: LoadedRig, name: str, key: SceneKey) -> NDArray[np.int32]:
    targets = loaded.rig.morph_targets
    try:
        return targets.columns(name)
    except KeyError:
        known = list(dict.fromkeys(targets.names))
        listing = f"its targets are: {', '.join(known)}" if known else "it has none"
        raise key.fault(f"rig {loaded.label} has no morph target {name!r};{nearest(name, known)} {listing}") from None


def _layers(crowd: MorphKeys, making: Making, layers: Layers, tables: MorphTables) -> tuple[MorphLayer, ...]:
    loaded, clips = making.loaded, making.motions.tables.clips
    found = []
    for i, (model, layer) in enumerate(zip(crowd.layers, layers.layers, strict=True)):
        clip = loaded.rig.clips[model.clip]
        moved = {int(column) for track in clip.morph_tracks for column in track.columns}
        own = np.array([k for k, column in enumerate(tables.columns) if int(column) in moved], np.intp)
        if len(own):
            mask = layer_mask(model, loaded, making.key / f".layers[{i}].mask")
            columns = tables.columns[own]
            rows = _rows(model, loaded, tables, clips.index(clip))[:, own]
            shares = mask[loaded.rig.morph_targets.joints[columns]]
            found.append(MorphLayer(layer, columns, np.ascontiguousarray(rows), shares))
    return tuple(found)


def _rows(model: LayerModel, loaded: LoadedRig, tables: MorphTables, number: int) -> NDArray[np.float32]:
    """Return the rows of morph weights in the clip of a layer. The columns are the columns of `tables`.

    For an additive layer, return the differences from the reference pose of the layer.
    """
    rows = tables.clip_rows(number)
    if not SHOWS_DIFFERENCES[model.mode]:
        return rows
    clip = loaded.rig.clips[model.clip]
    return rows - clip.sample_weights(clip.start + model.reference_seconds, loop=False)[tables.columns]

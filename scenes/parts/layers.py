"""Layers: clips over the base motion of actors. The part builds the component `Layers`."""

from collections.abc import Iterator
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from ecs_anim.assets.blending import subtree_mask
from ecs_anim.components.layers import SHOWS_DIFFERENCES, Layer, LayerMode, Layers
from ecs_anim.scenes.loaded_rig import LoadedRig, require_joint
from ecs_anim.scenes.parts.clip_marks import within
from ecs_anim.scenes.parts.part import Demand, Making, Part
from ecs_anim.scenes.scene_key import SceneKey
from ecs_anim.scenes.schema_base import Finite, NotNegative, Table


class LayerModel(Table):
    """A clip that an actor plays over its base motion."""

    name: str | None = Field(None, description="name of the layer. Default: the name of the clip")
    clip: str
    mode: LayerMode = "additive"
    reference_seconds: NotNegative = Field(0.0, description="time of the reference pose of an additive clip [s]")
    mask: str | dict[str, Annotated[float, Field(ge=0, le=1)]] | None = Field(
        None,
        description="joints that the layer moves: the name of a joint selects this joint and all its descendants. A"
        " table gives each joint a weight from 0 to 1. Default: all joints",
    )
    weight: Annotated[float, Field(ge=0, le=1)] | str = Field(1.0, description="a share, or a parameter")
    phase: Literal["time"] | str = Field(
        "time", description="quantity that sets the phase of the clip: 'time', or the name of a parameter from 0 to 1"
    )
    speed: Finite = 1.0
    loop: bool = True


class LayerKeys(Table):
    """Clips that actors play over their base motion."""

    layers: list[LayerModel] = []


class LayerPart(Part[LayerKeys]):
    """The layers of a crowd. The system applies the layers in the order of the scene file."""

    keys = LayerKeys
    kernels = ("layers",)

    def demands(self, crowd: LayerKeys) -> Iterator[Demand]:
        """Yield the number of layers of a crowd. A budget limits the number of layers."""
        yield "layers", len(crowd.layers), ".layers", "remove layers of the crowd"

    def build(self, crowd: LayerKeys, making: Making) -> Iterator[object]:
        """Build the layers of the crowd. Each layer has a table of pose differences and a joint mask."""
        called = [layer.name or layer.clip for layer in crowd.layers]
        keys = [making.key / f".layers[{i}]" for i in range(len(called))]
        for i, name in enumerate(called):
            if name in called[:i]:
                raise (keys[i] / ".name").fault(
                    f"the names of layers must be different (got {name!r} twice). Rename one layer."
                )
        yield Layers(tuple(_layer(layer, making, key) for layer, key in zip(crowd.layers, keys, strict=True)))


def _layer(model: LayerModel, making: Making, key: SceneKey) -> Layer:
    loaded, tables = making.loaded, making.motions.tables
    clip = loaded.rig.clips[model.clip]
    rows = tables.clip_rows(tables.clips.index(clip))
    if SHOWS_DIFFERENCES[model.mode]:
        within(clip, model.reference_seconds, key / ".reference_seconds")
        reference = clip.sample(clip.start + model.reference_seconds, loop=False)
        rows = tables.layout.differences(rows, tables.layout.pack(reference))
    mask = tables.layout.columns(layer_mask(model, loaded, key / ".mask"))
    phase_parameter = -1 if model.phase == "time" else making.parameter(model.phase, key / ".phase")
    weight, weight_parameter = making.weight(model.weight, key / ".weight")
    return Layer(
        name=model.name or model.clip,
        mode=model.mode,
        rows=np.ascontiguousarray(rows),
        duration=clip.duration,
        loops=model.loop,
        speed=model.speed,
        mask=mask,
        phase_parameter=phase_parameter,
        weight_parameter=weight_parameter,
        phase=np.zeros(making.count, np.float32),
        weight=weight,
    )


def layer_mask(model: LayerModel, loaded: LoadedRig, key: SceneKey) -> np.ndarray:
    """Return the weight of a layer at each joint, [joint_count] f32. Raises InputError for an unknown joint."""
    skeleton = loaded.rig.skeleton
    if model.mask is None:
        return np.ones(skeleton.joint_count, np.float32)
    shares = {model.mask: 1.0} if isinstance(model.mask, str) else model.mask
    for joint in shares:
        require_joint(loaded, joint, key)
    if isinstance(model.mask, str):
        return subtree_mask(skeleton, model.mask)
    return np.array([shares.get(name, 0.0) for name in skeleton.joint_names], np.float32)

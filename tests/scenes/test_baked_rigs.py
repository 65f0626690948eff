"""Rigs from bakes play what the bake samples."""

import numpy as np
import pytest

from ecs_anim.assets.hierarchy import skin_palette
from ecs_anim.bake.build import bake_rig
from ecs_anim.bake.options import BakeOptions
from ecs_anim.scenes.baked_rigs import rig_of
from ecs_anim.scenes.rigs import load_model


@pytest.mark.parametrize("space", ["local", "model"])
def test_palettes_at_rows_are_those_of_the_bake(space):
    rig = load_model("mannequin")
    bake = bake_rig(rig, BakeOptions(space, "f32", rate=12), ["walk", "wave"])
    shown = rig_of(bake)
    assert list(shown.clips) == ["walk", "wave"]
    for baked in bake.clips:
        span = baked.span
        times = np.linspace(0, span.duration, span.interval_count + 1)[:-1]
        found = skin_palette(shown.skeleton, shown.clips[baked.name].sample(times, loop=False))
        expected = bake.palette(baked.name, span.start + times, loop=False)
        np.testing.assert_allclose(found, expected, atol=2e-4)

"""Layer kernels against the readable single-pose forms."""

import numpy as np
import pytest

from ecs_anim.assets.blending import add, blend
from ecs_anim.kernels.layers import add_layer, override_layer
from ecs_anim.maths import quaternion
from ecs_anim.runtime.clip_table import build_tables
from tests.helpers import random_clip, random_skeleton

RNG = np.random.default_rng(17)
SKELETON = random_skeleton(RNG, 11)
BASE, LAYER = random_clip(RNG, SKELETON, "base", 20), random_clip(RNG, SKELETON, "layer", 14)
TABLES = build_tables(SKELETON, [BASE, LAYER])
LAYOUT = TABLES.layout
COUNT = 40
PHASES = np.linspace(0, 1, COUNT, dtype=np.float32)
WEIGHTS = np.concatenate([[0.0, 1.0], RNG.random(COUNT - 2)]).astype(np.float32)
MASKS = [np.ones(11, np.float32), RNG.random(11).astype(np.float32), (np.arange(11) > 5).astype(np.float32)]


def base_rows():
    return np.stack([LAYOUT.pack(TABLES.sample(0, np.float64(p) * BASE.duration)) for p in PHASES])


def layer_pose(phase):
    """The layer's clip as its table has it, before any normalising."""
    rows = TABLES.clip_rows(1)
    place = np.float64(phase) * (len(rows) - 1)
    low = min(int(place), len(rows) - 2)
    return LAYOUT.unpack((rows[low] + (rows[low + 1] - rows[low]) * (place - low)).astype(np.float32))


def assert_same(rows, expected):
    found = LAYOUT.unpack(rows)
    angle = quaternion.angle_between(found.rotation.astype(np.float64), expected.rotation.astype(np.float64))
    assert angle.max() < 2e-5
    np.testing.assert_allclose(found.translation, expected.translation, atol=2e-5)
    np.testing.assert_allclose(found.scale, expected.scale, atol=2e-5)


@pytest.mark.exhaustive
@pytest.mark.parametrize("mask", MASKS)
def test_additive_layers_are_the_readable_add(mask):
    reference = LAYER.sample(LAYER.start, loop=False)
    rows = LAYOUT.differences(TABLES.clip_rows(1), LAYOUT.pack(reference))
    out = base_rows()
    add_layer(rows, LAYOUT.rotation_width, PHASES, WEIGHTS, LAYOUT.columns(mask), out)
    for actor in range(COUNT):
        additive = layer_pose(PHASES[actor])
        unit = type(additive)(additive.translation, quaternion.normalize(additive.rotation), additive.scale)
        expected = add(LAYOUT.unpack(base_rows()[actor]), unit, reference, WEIGHTS[actor], mask)
        assert_same(out[actor], expected)


@pytest.mark.parametrize("mask", MASKS)
def test_override_layers_are_the_readable_blend(mask):
    out = base_rows()
    rows = np.ascontiguousarray(TABLES.clip_rows(1))
    override_layer(rows, LAYOUT.rotation_width, PHASES, WEIGHTS, LAYOUT.columns(mask), out)
    for actor in range(COUNT):
        over = layer_pose(PHASES[actor])
        unit = type(over)(over.translation, quaternion.normalize(over.rotation), over.scale)
        expected = blend(LAYOUT.unpack(base_rows()[actor]), unit, WEIGHTS[actor], mask)
        assert_same(out[actor], expected)


@pytest.mark.parametrize("kernel", [add_layer, override_layer])
def test_no_weight_or_no_mask_changes_nothing(kernel):
    rows = np.ascontiguousarray(TABLES.clip_rows(1))
    for weight, share in ((0, 1), (1, 0)):
        out = base_rows()
        weights = np.full(COUNT, weight, np.float32)
        kernel(rows, LAYOUT.rotation_width, PHASES, weights, LAYOUT.columns(np.full(11, share, np.float32)), out)
        np.testing.assert_allclose(out, base_rows(), atol=1e-6)


def test_adding_the_reference_changes_nothing():
    reference = LAYOUT.pack(LAYER.sample(LAYER.start, loop=False))
    rows = LAYOUT.differences(TABLES.clip_rows(1), reference)[:1].repeat(2, axis=0)
    out = base_rows()
    add_layer(np.ascontiguousarray(rows), LAYOUT.rotation_width, PHASES, WEIGHTS * 0 + 1, LAYOUT.columns(MASKS[0]), out)
    np.testing.assert_allclose(out, base_rows(), atol=2e-6)

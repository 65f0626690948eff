"""Model-matrix and palette kernels against the readable single-pose form."""

import numba
import numpy as np
import pytest

from ecs_anim.clip import Clip
from ecs_anim.clip_table import build_tables
from ecs_anim.hierarchy import model_matrices, skin_palette
from ecs_anim.kernels import palette as kernels
from ecs_anim.track import Track
from tests.support import random_clip, random_skeleton


@pytest.mark.parametrize("joint_count", [1, 2, 9, 43])
def test_the_kernels_are_the_plain_form(joint_count):
    rng = np.random.default_rng(joint_count)
    skeleton = random_skeleton(rng, joint_count, palette_count=joint_count + 3)
    clip = random_clip(rng, skeleton)
    tables = build_tables(skeleton, [clip])
    layout = tables.layout
    poses = clip.sample(np.linspace(clip.start, clip.end, 17), loop=False)
    model = np.full((20, joint_count, 12), np.nan, np.float32)
    kernels.model_matrices(layout.walk, 17, layout.pack(poses), model)
    expected = model_matrices(skeleton, poses)
    size = np.abs(expected).max()
    np.testing.assert_allclose(model[:17].reshape(expected.shape), expected, atol=3e-6 * size)
    assert np.isnan(model[17:]).all(), "the kernel wrote past its chunk"

    out = np.empty((17, skeleton.palette_count, 12), np.float32)
    kernels.skin_palettes(skeleton.skin_joints, skeleton.inverse_bind.reshape(-1, 12), model, out)
    expected = skin_palette(skeleton, poses)
    np.testing.assert_allclose(out.reshape(expected.shape), expected, atol=1e-5 * np.abs(expected).max())

    out, walk = np.full((18, skeleton.palette_count, 12), np.nan, np.float32), layout.skin_walk
    arguments = walk.arrays, walk.joints, walk.inverse_bind, joint_count, layout.pack(poses)
    kernels.pose_palettes(*arguments, out[:17])
    np.testing.assert_allclose(out[:17].reshape(expected.shape), expected, atol=1e-5 * np.abs(expected).max())
    assert np.isnan(out[17:]).all(), "the kernel wrote past its chunk"


@pytest.mark.parametrize("count", [1, 3, 7, 8, 9, 16])
def test_fewer_than_eight_actors_are_posed_as_many_are(count):
    rng = np.random.default_rng(count)
    skeleton = random_skeleton(rng, 6)
    clip = random_clip(rng, skeleton)
    layout = build_tables(skeleton, [clip]).layout
    rows = layout.pack(clip.sample(rng.uniform(clip.start, clip.end, 24), loop=False))
    walk = layout.skin_walk
    many, few = (np.full((n, skeleton.palette_count, 12), np.nan, np.float32) for n in (24, count))
    for out in (many, few):
        kernels.pose_palettes(walk.arrays, walk.joints, walk.inverse_bind, 6, rows[: len(out)], out)
    np.testing.assert_array_equal(few, many[:count])


def test_rows_of_a_few_numbers():
    """Where hardly anything is animated, rows are shorter than a vector."""
    rng = np.random.default_rng(0)
    skeleton = random_skeleton(rng, 4)
    slide = Track(2, "translation", "LINEAR", np.array([0, 1], np.float32), rng.normal(size=(2, 3)).astype(np.float32))
    clip = Clip("slide", skeleton, (slide,), 0, 1)
    layout = build_tables(skeleton, [clip]).layout
    poses = clip.sample(np.linspace(0, 1, 11), loop=False)
    walk, out = layout.skin_walk, np.empty((11, 4, 12), np.float32)
    assert layout.row_width == 3
    kernels.pose_palettes(walk.arrays, walk.joints, walk.inverse_bind, 4, layout.pack(poses), out)
    np.testing.assert_allclose(out.reshape(11, 4, 3, 4), skin_palette(skeleton, poses), atol=1e-5)


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="without compiling there are no signatures")
def test_the_wrong_type_is_an_error_not_a_recompilation():
    with pytest.raises(TypeError, match="No matching definition"):
        kernels.skin_palettes(np.zeros(1, np.int64), np.zeros((1, 12)), np.zeros((1, 1, 12)), np.zeros((1, 1, 12)))
    assert len(kernels.skin_palettes.signatures) == 1

"""Model-matrix and palette kernels against the readable single-pose form."""

import numba
import numpy as np
import pytest

from ecs_anim.assets.hierarchy import model_matrices, skin_palette
from ecs_anim.kernels import palette as kernels
from ecs_anim.runtime.clip_table import build_tables
from tests.helpers import random_clip, random_skeleton


@pytest.mark.parametrize("joint_count", [1, 2, 9, 43])
def test_the_kernels_are_the_plain_form(joint_count):
    rng = np.random.default_rng(joint_count)
    skeleton = random_skeleton(rng, joint_count, palette_count=joint_count + 3)
    clip = random_clip(rng, skeleton)
    tables = build_tables(skeleton, [clip])
    layout = tables.layout
    poses = clip.sample(np.linspace(clip.start, clip.end, 17), loop=False)
    model = np.full((20, joint_count, 12), np.nan, np.float32)
    kernels.model_matrices(layout.traversal, 17, layout.pack(poses), model)
    expected = model_matrices(skeleton, poses)
    size = np.abs(expected).max()
    np.testing.assert_allclose(model[:17].reshape(expected.shape), expected, atol=3e-6 * size)
    assert np.isnan(model[17:]).all(), "the kernel wrote past its chunk"

    out = np.empty((17, skeleton.palette_count, 12), np.float32)
    kernels.skin_palettes(skeleton.skin_joints, skeleton.inverse_bind.reshape(-1, 12), model, out)
    expected = skin_palette(skeleton, poses)
    np.testing.assert_allclose(out.reshape(expected.shape), expected, atol=1e-5 * np.abs(expected).max())


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="without compiling there are no signatures")
def test_the_wrong_type_is_an_error_not_a_recompilation():
    with pytest.raises(TypeError, match="No matching definition"):
        kernels.skin_palettes(np.zeros(1, np.int64), np.zeros((1, 12)), np.zeros((1, 1, 12)), np.zeros((1, 1, 12)))
    assert len(kernels.skin_palettes.signatures) == 1

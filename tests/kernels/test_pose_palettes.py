"""Palettes straight from poses against the readable single-pose form, and against the way by model matrices."""

import numpy as np
import pytest

from ecs_anim.assets.clip import Clip
from ecs_anim.assets.hierarchy import skin_palette
from ecs_anim.assets.track import Track
from ecs_anim.components.palette import Palette
from ecs_anim.kernels.pose_palettes import pose_palettes
from ecs_anim.runtime.clip_table import build_tables
from ecs_anim.scenes.build import load_scene
from ecs_anim.support.timings import Timings
from ecs_anim.systems import pose_palettes as fusing
from tests.helpers import FEW, random_clip, random_skeleton


def upto(count):
    """Slots of so many actors, one after the other."""
    return np.arange(count, dtype=np.int32)


@pytest.mark.parametrize("joint_count", [1, 2, 9, 43])
def test_the_kernel_is_the_plain_form(joint_count):
    rng = np.random.default_rng(joint_count)
    skeleton = random_skeleton(rng, joint_count, palette_count=joint_count + 3)
    clip = random_clip(rng, skeleton)
    layout = build_tables(skeleton, [clip]).layout
    poses = clip.sample(np.linspace(clip.start, clip.end, 17), loop=False)
    out, traversal = np.full((18, skeleton.palette_count, 12), np.nan, np.float32), layout.skin_traversal
    pose_palettes(
        traversal.arrays,
        traversal.joints,
        traversal.inverse_bind,
        joint_count,
        layout.pack(poses),
        upto(17),
        False,
        out,
    )
    expected = skin_palette(skeleton, poses)
    np.testing.assert_allclose(out[:17].reshape(expected.shape), expected, atol=1e-5 * np.abs(expected).max())
    assert np.isnan(out[17:]).all(), "the kernel wrote past its chunk"


@pytest.mark.parametrize("count", [1, 3, 7, 8, 9, 16])
def test_fewer_than_eight_actors_are_posed_as_many_are(count):
    rng = np.random.default_rng(count)
    skeleton = random_skeleton(rng, 6)
    clip = random_clip(rng, skeleton)
    layout = build_tables(skeleton, [clip]).layout
    rows = layout.pack(clip.sample(rng.uniform(clip.start, clip.end, 24), loop=False))
    traversal = layout.skin_traversal
    many, few = (np.full((n, skeleton.palette_count, 12), np.nan, np.float32) for n in (24, count))
    for out in (many, few):
        pose_palettes(
            traversal.arrays, traversal.joints, traversal.inverse_bind, 6, rows[: len(out)], upto(len(out)), False, out
        )
    np.testing.assert_array_equal(few, many[:count])


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("count", [1, 9, 19])
def test_chosen_palette_rows_are_written_and_no_other(count, streamed):
    rng = np.random.default_rng(count)
    skeleton = random_skeleton(rng, 6)
    clip = random_clip(rng, skeleton)
    layout = build_tables(skeleton, [clip]).layout
    poses, traversal = clip.sample(rng.uniform(clip.start, clip.end, count), loop=False), layout.skin_traversal
    palette_rows = np.sort(rng.choice(24, count, replace=False)).astype(np.int32)
    out = np.full((24, skeleton.palette_count, 12), np.nan, np.float32)
    pose_palettes(
        traversal.arrays, traversal.joints, traversal.inverse_bind, 6, layout.pack(poses), palette_rows, streamed, out
    )
    expected = skin_palette(skeleton, poses)
    np.testing.assert_allclose(out[palette_rows].reshape(expected.shape), expected, atol=1e-5 * np.abs(expected).max())
    assert np.isnan(np.delete(out, palette_rows, axis=0)).all()


def test_rows_of_a_few_numbers():
    """Where hardly anything is animated, rows are shorter than a vector."""
    rng = np.random.default_rng(0)
    skeleton = random_skeleton(rng, 4)
    slide = Track(2, "translation", "LINEAR", np.array([0, 1], np.float32), rng.normal(size=(2, 3)).astype(np.float32))
    clip = Clip("slide", skeleton, (slide,), 0, 1)
    layout = build_tables(skeleton, [clip]).layout
    poses = clip.sample(np.linspace(0, 1, 11), loop=False)
    traversal, out = layout.skin_traversal, np.empty((11, 4, 12), np.float32)
    assert layout.row_width == 3
    pose_palettes(
        traversal.arrays, traversal.joints, traversal.inverse_bind, 4, layout.pack(poses), upto(11), False, out
    )
    np.testing.assert_allclose(out.reshape(11, 4, 3, 4), skin_palette(skeleton, poses), atol=1e-5)


def test_large_palettes_are_written_past_the_caches_and_are_the_same(monkeypatch):
    found = []
    for cache in (1 << 40, 0):
        monkeypatch.setattr("ecs_anim.components.palette.CACHE", cache)
        with load_scene("throng", actors=FEW or 50, threads=2, chunk_size=16) as world:
            ((_, (palette,)),) = world.query(Palette)
            assert palette.is_streamed == (cache == 0)
            for _ in range(3):
                world.step(1 / 30)
            found.append(palette.matrices.copy())
    np.testing.assert_array_equal(*found)


def test_both_ways_give_the_same_palettes(monkeypatch):
    def posed():
        timings = Timings()
        with load_scene("throng", actors=90, threads=1, chunk_size=17) as world:
            for _ in range(5):
                world.step(1 / 60, timings)
            return [palette.matrices.copy() for _, (palette,) in world.query(Palette)], set(timings.wall_ns)

    short, ran = posed()
    monkeypatch.setattr("ecs_anim.systems.applicable.fuse", list)
    long, ran_long = posed()
    assert ran_long - ran == {"model_matrices"}
    for a, b in zip(short, long, strict=True):
        np.testing.assert_allclose(a, b, atol=2e-6)
    assert fusing.FUSED.name in ran

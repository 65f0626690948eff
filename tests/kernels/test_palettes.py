"""Stages of model matrices and palettes against the readable single-pose form."""

import numpy as np
import pytest

from ecs_anim.assets.clip import Clip
from ecs_anim.assets.hierarchy import model_matrices, skin_palette
from ecs_anim.assets.track import Track
from ecs_anim.components.palette import Palette
from ecs_anim.runtime.clip_table import build_tables
from ecs_anim.scenes.build import load_scene
from tests.helpers import FEW, random_clip, random_skeleton
from tests.helpers.stages import building, run_blockwise, writing


class Crowd:
    """Actors in random poses of a random skeleton."""

    def __init__(self, count, joint_count=6, palette_count=None, seed=0):
        rng = np.random.default_rng([seed, joint_count])
        self.count, self.skeleton = count, random_skeleton(rng, joint_count, palette_count)
        clip = random_clip(rng, self.skeleton)
        self.layout = build_tables(self.skeleton, [clip]).layout
        self.poses = clip.sample(rng.uniform(clip.start, clip.end, count), loop=False)
        self.rows = self.layout.pack(self.poses)

    def palettes(self, count=None, row_count=None, palette_rows=None, *, is_short=True, streamed=False):
        """Palettes [row, entry, 12] of the first actors, straight from poses; rows that nothing writes are NaN."""
        count = self.count if count is None else count
        short, skeleton = self.layout.skin_traversal, self.skeleton
        traversal = short.arrays if is_short else self.layout.traversal
        joints = short.joints if is_short else skeleton.skin_joints
        inverse_bind = short.inverse_bind if is_short else skeleton.inverse_bind.reshape(-1, 12)
        out = np.full((count if row_count is None else row_count, skeleton.palette_count, 12), np.nan, np.float32)
        rows = np.arange(count) if palette_rows is None else palette_rows
        last = writing(joints, inverse_bind, out, rows, streamed=streamed)
        run_blockwise(count, skeleton.joint_count, building(traversal, self.rows), last)
        return out

    def assert_right(self, found):
        """Palettes are the plain form."""
        expected = skin_palette(self.skeleton, self.poses)
        np.testing.assert_allclose(found.reshape(expected.shape), expected, atol=1e-5 * np.abs(expected).max())


@pytest.mark.parametrize("joint_count", [1, 2, 9, 43])
def test_matrices_are_the_plain_form(joint_count):
    crowd = Crowd(17, joint_count)
    room = run_blockwise(17, joint_count, building(crowd.layout.traversal, crowd.rows), keeps=True)
    expected = model_matrices(crowd.skeleton, crowd.poses)
    found = room.model[:17].reshape(expected.shape)
    np.testing.assert_allclose(found, expected, atol=3e-6 * np.abs(expected).max())


@pytest.mark.parametrize("is_short", [False, True])
@pytest.mark.parametrize("joint_count", [1, 2, 9, 43])
def test_palettes_are_the_plain_form(joint_count, is_short):
    """Also where joints that carry no skin are left out."""
    crowd = Crowd(17, joint_count, joint_count + 3)
    found = crowd.palettes(row_count=18, is_short=is_short)
    crowd.assert_right(found[:17])
    assert np.isnan(found[17:]).all(), "the stage wrote past its chunk"


@pytest.mark.parametrize("count", [1, 3, 7, 8, 9, 16, 63, 64, 65, 130])
def test_few_actors_are_posed_as_many_are(count):
    crowd = Crowd(137)
    np.testing.assert_array_equal(crowd.palettes(count), crowd.palettes()[:count])


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("count", [1, 9, 19])
def test_chosen_palette_rows_are_written_and_no_other(count, streamed):
    crowd = Crowd(count)
    rows = np.random.default_rng(count).choice(24, count, replace=False)
    found = crowd.palettes(row_count=24, palette_rows=rows, streamed=streamed)
    crowd.assert_right(found[rows])
    assert np.isnan(np.delete(found, rows, axis=0)).all()


@pytest.mark.parametrize("is_short", [False, True])
def test_palettes_past_the_caches_are_the_same(is_short):
    crowd = Crowd(75)
    np.testing.assert_array_equal(crowd.palettes(is_short=is_short, streamed=True), crowd.palettes(is_short=is_short))


def test_rows_of_a_few_numbers():
    """Where hardly anything is animated, rows are shorter than a vector."""
    crowd, rng = Crowd(11, 4), np.random.default_rng(0)
    slide = Track(2, "translation", "LINEAR", np.array([0, 1], np.float32), rng.normal(size=(2, 3)).astype(np.float32))
    clip = Clip("slide", crowd.skeleton, (slide,), 0, 1)
    crowd.layout = build_tables(crowd.skeleton, [clip]).layout
    crowd.poses = clip.sample(np.linspace(0, 1, 11), loop=False)
    crowd.rows = crowd.layout.pack(crowd.poses)
    assert crowd.layout.row_width == 3
    crowd.assert_right(crowd.palettes())


def test_large_palettes_of_a_world_are_written_past_the_caches_and_are_the_same(monkeypatch):
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

"""Run lengths, against COCO's own library."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from ecs_anim.labels.rle import counts_of, mask_of, segmentation_of
from ecs_anim.view.capture import SeenActors

pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation")  # of pycocotools, by numpy
coco_masks = pytest.importorskip("pycocotools.mask", reason="needs the labels extra")


def box_of(ids, actor):
    seen = SeenActors.of(ids)
    return tuple(seen.boxes[seen.ids.tolist().index(actor)].tolist())


def assert_as_coco_has_it(ids, actor):
    mask = ids == actor
    made = segmentation_of(mask, box_of(ids, actor))
    wanted = coco_masks.encode(np.asfortranarray(mask.astype(np.uint8)))
    assert made == {"size": wanted["size"], "counts": wanted["counts"].decode("ascii")}
    assert np.array_equal(coco_masks.decode(made), mask)
    assert np.array_equal(mask_of(made), mask)


@given(arrays(np.uint32, array_shapes(min_dims=2, max_dims=2, max_side=20), elements=st.integers(0, 3)))
def test_masks_are_told_as_coco_tells_them(ids):
    for actor in np.unique(ids[ids > 0]):
        assert_as_coco_has_it(ids, actor)


@pytest.mark.parametrize("corner", [(0, 0), (-1, -1), (0, -1), (-1, 0)])
def test_counts_of_thousands_and_differences_below_zero(corner):
    ids = np.zeros((2000, 1500), np.uint32)
    ids[300:1900, 40:1400] = 7
    ids[310:320, 700:] = 9
    ids[corner] = 7
    for actor in (7, 9):
        assert_as_coco_has_it(ids, actor)


def test_counts_go_down_each_column_and_begin_with_what_is_outside():
    mask = np.array([[1, 0, 1], [1, 1, 0]], np.bool_)
    assert counts_of(mask, (0, 0, 3, 2)).tolist() == [0, 2, 1, 2, 1]
    assert counts_of(np.array([[0, 0], [1, 0]], np.bool_), (0, 1, 1, 1)).tolist() == [1, 1, 2]
    assert counts_of(np.zeros((2, 3), np.bool_), (0, 0, 0, 0)).tolist() == [6]  # nobody

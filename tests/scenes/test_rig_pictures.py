"""`ea.render` of rigs: one picture of a pose, or several side by side."""

from dataclasses import replace

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.support.captions import cells_of, joined, with_caption


@pytest.fixture(scope="module")
def rig():
    return ea.load_rig("mannequin")


@pytest.mark.exhaustive
def test_a_pose_is_drawn_and_another_pose_differs(rig):
    walk = rig.clips["walk"]
    rest, early, late = (
        ea.render(own, (120, 90)) for own in (rig, rig.posed(walk.sample(0.1)), rig.posed(walk.sample(0.5)))
    )
    assert rest.shape == (90, 120, 3)
    assert rest.dtype == np.uint8
    assert (np.abs(early.astype(int) - late).max(axis=-1) > 30).mean() > 0.005
    np.testing.assert_array_equal(ea.render(rig, (120, 90)), rest)


def test_each_cell_has_the_picture_of_its_rig(rig):
    poses = [rig.posed(rig.clips[name].sample(0.2)) for name in ("walk", "run", "idle")]
    whole = ea.render(poses, (200, 60), captions=["walk", "run", ""])
    cells = cells_of((200, 60), 3)
    pieces = [whole[rows, columns] for rows, columns in cells]
    assert [piece.shape[:2] for piece in pieces] == [(60, 66), (60, 67), (60, 67)]
    assert not np.array_equal(pieces[1][:40], pieces[2][:40])
    assert pieces[0][-1, 1].max() < 150  # the panel of the caption
    assert pieces[2][-1, 1].min() > 100


@pytest.mark.exhaustive
def test_a_rig_far_from_the_origin_is_in_the_middle_of_its_cell(rig):
    away = rig.skeleton.rest_pose.translation.copy()
    away[0] += [24.0, 0.0, -10.0]  # [m], lines of the floor have distances of whole metres
    moved = rig.posed(replace(rig.skeleton.rest_pose, translation=away))
    picture = ea.render([rig, moved], (320, 160)).astype(int)
    assert np.abs(picture[:, :160] - picture[:, 160:]).mean() < 2
    assert np.abs(picture[:, :160] - ea.render(rig, (160, 160)).astype(int)).mean() < 2


@pytest.mark.exhaustive
def test_parts_and_cameras_change_the_picture(rig):
    plain = ea.render(rig, (80, 60))
    assert not np.array_equal(ea.render(rig, (80, 60), part="skeleton"), plain)
    assert not np.array_equal(ea.render(rig, (80, 60), part="weights"), plain)
    assert not np.array_equal(ea.render(rig, (80, 60), {"azimuth_degrees": 0.0}), plain)


def test_a_world_is_drawn_as_before():
    with ea.load_scene("single", threads=1) as world:
        assert ea.render(world, (64, 48)).shape == (48, 64, 3)
        with pytest.raises(ValueError, match="a picture of a world cannot have captions or part"):
            ea.render(world, (64, 48), captions=["a"])


def test_wrong_numbers_of_rigs_and_captions(rig):
    with pytest.raises(ValueError, match="number of rigs must be 1 to 400"):
        ea.render([], (64, 48))
    with pytest.raises(ValueError, match="one text for each of the 2 rigs"):
        ea.render([rig, rig], (64, 48), captions=["a"])


def test_a_pose_of_another_skeleton_is_an_error(rig):
    with pytest.raises(ValueError, match="rest pose of"):
        rig.posed(ea.load_rig("ball").skeleton.rest_pose)


@pytest.mark.parametrize("count", [1, 2, 5, 9, 24])
@pytest.mark.parametrize("size", [(640, 360), (101, 307)])
def test_cells_do_not_overlap_and_reach_the_borders(size, count):
    hits = np.zeros(size[::-1], int)
    for rows, columns in cells_of(size, count):
        hits[rows, columns] += 1
    assert hits.max() == 1
    assert hits[0].all()
    assert hits[:, 0].all()
    frames = [np.full((r.stop - r.start, c.stop - c.start, 3), 7, np.uint8) for r, c in cells_of(size, count)]
    assert ((joined(size, frames) == 7).all(axis=-1) == (hits == 1)).all()


def test_an_empty_caption_changes_nothing():
    frame = np.full((40, 60, 3), 200, np.uint8)
    assert with_caption(frame, "") is frame
    assert (with_caption(frame, "walk") != frame).any()
    assert (frame == 200).all()

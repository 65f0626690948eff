"""Codes of passes, and the files they go to."""

import json
import os

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from PIL import Image

from ecs_anim.support.errors import InputError
from ecs_anim.view.camera import OrbitCamera
from ecs_anim.view.camera_record import camera_facts
from ecs_anim.view.encoders import (
    MAX_ID,
    check_id,
    decode_ids,
    decode_normals,
    encode_depth,
    encode_ids,
    encode_normals,
)
from ecs_anim.view.label_passes import BY_NAME
from ecs_anim.view.pass_files import PassFiles, visible_actors
from ecs_anim.view.passes import Passes

IDS = arrays(np.uint32, (3, 4), elements=st.integers(0, MAX_ID))


@given(IDS)
def test_ids_come_back_from_their_colours(ids):
    colors = encode_ids(ids)
    assert (colors.shape, colors.dtype) == ((3, 4, 3), np.uint8)
    np.testing.assert_array_equal(decode_ids(colors), ids)
    red, green, blue = (int(channel) for channel in colors[1, 2])
    assert red + 256 * green + 65536 * blue == ids[1, 2]


def test_ids_that_do_not_fit_are_refused():
    with pytest.raises(InputError, match=f"{MAX_ID:,}"):
        encode_ids(np.array([[MAX_ID + 1]], np.uint32))
    with pytest.raises(InputError, match="--actors"):
        check_id(MAX_ID + 1)
    check_id(MAX_ID)


def test_a_picture_of_an_id_that_does_not_fit_is_not_begun(tmp_path):
    passes = some_passes()
    with PassFiles(tmp_path / "x", BY_NAME["ids"]) as files:
        files.write(passes.ids, {})
        passes.ids[3, 3] = MAX_ID + 1
        with pytest.raises(
            InputError, match="the actor ids in a picture of the pass ids must be at most 16,777,215 .got 16,777,216."
        ):
            files.write(passes.ids, {})
    assert sorted(os.listdir(tmp_path / "x")) == ["frame_00000.json", "frame_00000.png"]
    with PassFiles(tmp_path / "y.png", BY_NAME["depth"]) as files:
        files.write(passes.depth, {})


@given(st.floats(0.001, 65.535))
def test_depths_are_whole_millimetres(depth):
    assert abs(int(encode_depth(np.array([depth], np.float32))[0]) - 1000 * depth) <= 0.51


def test_depths_too_far_away_are_nothing():
    depth = np.array([0.0, 1.2342, 65.535, 65.537, 1e9], np.float32)
    np.testing.assert_array_equal(encode_depth(depth), [0, 1234, 65535, 0, 0])


@given(arrays(np.float64, 3, elements=st.floats(-1, 1)).filter(lambda n: np.linalg.norm(n) > 0.1))
def test_normals_come_back_within_half_a_degree(vector):
    normal = (vector / np.linalg.norm(vector)).astype(np.float32)
    back = decode_normals(encode_normals(normal))
    assert np.linalg.norm(back - normal) < np.radians(0.5)


def test_no_normal_is_black():
    normals = np.array([[0, 0, 0], [0, 1, 0]], np.float32)
    colors = encode_normals(normals)
    np.testing.assert_array_equal(colors, [[0, 0, 0], [128, 255, 128]])
    np.testing.assert_allclose(decode_normals(colors), normals, atol=0.01)


def some_passes() -> Passes:
    rng = np.random.default_rng(0)
    ids = rng.integers(0, 300, (7, 5)).astype(np.uint32)
    return Passes(
        {
            "ids": ids,
            "classes": rng.integers(0, 4, (7, 5)).astype(np.uint8),
            "depth": rng.uniform(0, 80, (7, 5)).astype(np.float32),
            "normals": np.zeros((7, 5, 3), np.float32),
        }
    )


def test_an_image_that_was_not_drawn_is_none_and_an_unknown_name_is_an_error():
    passes = Passes({})
    assert passes.depth is None
    with pytest.raises(AttributeError, match="depths"):
        passes.depths  # noqa: B018


def test_an_id_picture_with_its_json(tmp_path):
    passes = some_passes()
    with PassFiles(tmp_path / "x.png", BY_NAME["ids"]) as files:
        assert not files.every_frame
        files.write(passes.ids, {"time": 1.5})
    assert sorted(os.listdir(tmp_path)) == ["x.json", "x.png"]
    np.testing.assert_array_equal(decode_ids(np.asarray(Image.open(tmp_path / "x.png"))), passes.ids)
    told = json.loads((tmp_path / "x.json").read_text())
    assert (told["pass"], told["width"], told["height"], told["time"]) == ("ids", 5, 7, 1.5)
    assert "65536" in told["code"]


def test_depths_of_all_frames_are_exact_beside_their_pngs(tmp_path):
    passes = some_passes()
    with PassFiles(tmp_path / "frames", BY_NAME["depth"]) as files:
        assert files.every_frame
        for _ in range(2):
            files.write(passes.depth, {})
    assert len(os.listdir(tmp_path / "frames")) == 6
    picture = np.asarray(Image.open(tmp_path / "frames/frame_00001.png"))
    np.testing.assert_array_equal(picture, encode_depth(passes.depth))
    np.testing.assert_array_equal(np.load(tmp_path / "frames/frame_00001.npy"), passes.depth)


@pytest.mark.parametrize("name", ["x.mp4", "x.jpg", "no/such/folder/x.png"])
def test_a_path_that_cannot_keep_numbers_is_told(tmp_path, name):
    with pytest.raises(InputError, match=name.split("/")[-1]):
        PassFiles(tmp_path / name, BY_NAME["ids"])


def test_whoever_is_seen_is_listed_with_a_box():
    ids = np.zeros((6, 8), np.uint32)
    ids[1:3, 2:5] = 7
    ids[5, 7] = 3
    ids[0, 0] = 3
    assert visible_actors(ids) == [
        {"id": 3, "area": 2, "box": [0, 0, 8, 6]},
        {"id": 7, "area": 6, "box": [2, 1, 3, 2]},
    ]
    assert visible_actors(0 * ids) == []


def test_the_camera_as_files_tell_it_projects_as_the_picture_does():
    camera = OrbitCamera(azimuth=np.pi - 0.7, elevation=0.2, distance=6.0)
    told = camera_facts(camera, 320, 180)
    point = np.array([0.3, 1.2, -0.4, 1.0])
    x, y, z, _ = np.array(told["world_to_view"]) @ point
    pixel = told["center"] + told["focal_length"] * np.array([x, -y]) / -z
    clip = camera.projection_matrix(320 / 180).astype(np.float64) @ camera.view_matrix() @ point
    expected = (clip[:2] / clip[3] * [1, -1] + 1) / 2 * [320, 180]
    np.testing.assert_allclose(pixel, expected, rtol=1e-5)

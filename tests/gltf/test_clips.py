"""Animations as clips."""

import numpy as np
import pytest

from ecs_anim.gltf.load import load_rig
from ecs_anim.runtime.clip_table import build_tables
from ecs_anim.support.errors import InputError
from tests.builders.gltf_builder import GltfBuilder

NODES = [{"name": "leaf"}, {"name": "root", "children": [0]}]  # joint order: root, leaf


def add_channel(builder, animation, times, values, *, node=0, path="translation", **sampler):
    """A channel and its sampler; times and values are accessors, or values for new ones."""
    if not isinstance(times, int):
        times = builder.accessor(times)
    if not isinstance(values, int):
        kind = {"rotation": "VEC4", "weights": "SCALAR"}.get(path, "VEC3")
        values = builder.accessor(values, kind=kind)
    target = {"path": path} | ({} if node is None else {"node": node})
    animation["channels"].append({"sampler": len(animation["samplers"]), "target": target})
    animation["samplers"].append({"input": times, "output": values, **sampler})


def make(*channels, **animation):
    builder = GltfBuilder(nodes=NODES)
    entry = {"channels": [], "samplers": [], **animation}
    for channel in channels:
        add_channel(builder, entry, **channel)
    builder.document["animations"] = [entry]
    return builder


def load_clip(tmp_path, *channels, **animation):
    (clip,) = load_rig(make(*channels, **animation).write(tmp_path / "model.glb")).clips.values()
    return clip


MOVES = [[0, 0, 0], [1, 2, 3], [4, 5, 6]]


def test_tracks_follow_the_joint_order(tmp_path):
    one = {"times": [0.5, 1, 2], "values": MOVES}
    two = {"times": [0.25, 1.5], "values": MOVES[:2], "node": 1, "path": "scale", "interpolation": "STEP"}
    clip = load_clip(tmp_path, one, two, name="walk", extras={"ground_speed": 1.25})
    assert clip.name == "walk"
    assert [(track.joint_index, track.path, track.interpolation) for track in clip.tracks] == [
        (1, "translation", "LINEAR"),
        (0, "scale", "STEP"),
    ]
    np.testing.assert_array_equal(clip.tracks[0].times, np.float32([0.5, 1, 2]))
    np.testing.assert_array_equal(clip.tracks[0].values, MOVES)
    assert (clip.start, clip.end, clip.duration) == (0.25, 2.0, 1.75)
    assert clip.extras == {"ground_speed": 1.25}
    np.testing.assert_allclose(clip.sample(0.75).translation[1], [0.5, 1, 1.5])


@pytest.mark.parametrize("said", [True, "left", 1e300, -1001, 10**400, [0.2], None])
def test_a_turn_that_is_none_is_refused(tmp_path, said):
    with pytest.raises(
        InputError, match=r"animations\[0\]\.extras\.ground_turn: `ground_turn` must be a number from -1000 to 1000"
    ):
        load_clip(tmp_path, {"times": [0, 1, 2], "values": MOVES}, extras={"ground_turn": said})


@pytest.mark.parametrize("interpolation", ["LINEAR", "STEP"])
def test_rotations_are_normalised(tmp_path, interpolation):
    values = [[0, 0, 0, 2], [0, 3, 0, 4], [0, 0, 0, 0], [1e30, 0, 0, 0]]
    clip = load_clip(
        tmp_path, {"times": range(4), "values": values, "path": "rotation", "interpolation": interpolation}
    )
    expected = [[0, 0, 0, 1], [0, 0.6, 0, 0.8], [0, 0, 0, 1], [1, 0, 0, 0]]
    np.testing.assert_allclose(clip.tracks[0].values, expected, rtol=1e-7)


@pytest.mark.parametrize(("component", "largest"), [("i8", 127), ("i16", 32767)])
def test_normalised_integer_rotations(tmp_path, component, largest):
    builder = make()
    values = builder.accessor([[0, 0, 0, largest], [0, largest, 0, 0]], component, "VEC4", normalized=True)
    add_channel(builder, builder.document["animations"][0], [0, 1], values, path="rotation")
    (clip,) = load_rig(builder.write(tmp_path / "model.glb")).clips.values()
    np.testing.assert_array_equal(clip.tracks[0].values, [[0, 0, 0, 1], [0, 1, 0, 0]])


def test_cubic_splines_stay_raw(tmp_path):
    values = np.arange(24, dtype=np.float32).reshape(6, 4)
    clip = load_clip(tmp_path, {"times": [0, 1], "values": values, "path": "rotation", "interpolation": "CUBICSPLINE"})
    np.testing.assert_array_equal(clip.tracks[0].values, values.reshape(2, 3, 4))


def test_two_keys_at_one_time_are_a_jump(tmp_path):
    """Without a warning; the numbers are those of shared/cases/README.md."""
    clip = load_clip(tmp_path, {"times": [0, 10, 10, 20], "values": [[k, 0, 0] for k in (5, 5, 7, 7)]})
    found = clip.sample([5, 9.9, 10, 15], loop=False).translation[:, clip.tracks[0].joint_index, 0]
    np.testing.assert_array_equal(found, [5, 5, 7, 7])


def test_a_uniform_table_spreads_a_jump_over_one_row_at_its_highest_rate(tmp_path):
    clip = load_clip(tmp_path, {"times": [0, 1, 1, 2], "values": [[k, 0, 0] for k in (5, 5, 7, 7)]})
    tables, joint = build_tables(clip.skeleton, [clip]), clip.tracks[0].joint_index
    assert tables.rate(0) == 240
    found = tables.sample(0, np.array([0.5, 1 - 1 / 240, 1 - 0.5 / 240, 1, 1.5])).translation[:, joint, 0]
    np.testing.assert_allclose(found, [5, 5, 6, 7, 7], atol=1e-5)


@pytest.mark.filterwarnings("ignore:.*more than two keys at one time")
def test_keys_between_two_others_at_one_time_are_left_out(tmp_path):
    clip = load_clip(tmp_path, {"times": [0, 1, 1, 1, 2], "values": [[k, 0, 0] for k in range(5)]})
    np.testing.assert_array_equal(clip.tracks[0].times, [0, 1, 1, 2])
    np.testing.assert_array_equal(clip.tracks[0].values[:, 0], [0, 1, 3, 4])


@pytest.mark.filterwarnings("ignore:.*more than two keys at one time")
def test_cubic_keys_between_two_others_at_one_time_are_left_out(tmp_path):
    values = np.arange(36).reshape(12, 3)
    clip = load_clip(tmp_path, {"times": [0, 0, 0, 1], "values": values, "interpolation": "CUBICSPLINE"})
    np.testing.assert_array_equal(clip.tracks[0].values, values.reshape(4, 3, 3)[[0, 2, 3]])


def test_channels_that_no_joint_can_play_are_left_out(tmp_path):
    channels = [
        {"times": [0, 9], "values": MOVES[:2], "node": None},
        {"times": [0, 9], "values": [0, 1], "path": "weights"},
        {"times": [0, 2], "values": MOVES[:2]},
    ]
    with pytest.warns(
        UserWarning, match=r"channels\[1\]: the channel is ignored, because its node has no morph targets"
    ):
        clip = load_clip(tmp_path, *channels)
    assert len(clip.tracks) == 1
    assert clip.end == 2


def test_what_is_mended_is_told_once(tmp_path):
    """However many channels it is true of; one that has no keys moves nothing."""
    repeats = [{"times": [1, 1, 1], "values": MOVES, "node": node} for node in (0, 1)]
    empty = {"times": [], "values": MOVES[:0], "path": "scale"}
    with pytest.warns(UserWarning, match="keys") as told:
        clip = load_clip(tmp_path, *repeats, empty)
    first, second = (str(warning.message) for warning in told)
    assert first.endswith(
        "samplers[0].input and 1 more: the sampler has more than two keys at one time."
        " The loader uses only the first and the last of these keys"
    )
    assert second.endswith("samplers[2]: the sampler has no keys, so its node keeps its rest pose")
    assert [(track.joint_index, track.path) for track in clip.tracks] == [(1, "translation"), (0, "translation")]


def test_a_clip_without_tracks_lasts_no_time(tmp_path):
    with pytest.warns(UserWarning, match="is ignored"):
        clip = load_clip(tmp_path, {"times": [0, 9], "values": [0, 1], "path": "weights"})
    assert (clip.tracks, clip.start, clip.end) == ((), 0, 0)
    np.testing.assert_array_equal(clip.sample(3.0).scale, 1)


def test_names(tmp_path):
    builder = GltfBuilder(nodes=NODES)
    for name in (None, "walk", "walk", ""):
        builder.add("animations", channels=[], samplers=[], **({} if name is None else {"name": name}))
    clips = load_rig(builder.write(tmp_path / "model.glb")).clips
    assert list(clips) == ["clip_0", "walk", "walk_2", "clip_3"]
    assert [clip.name for clip in clips.values()] == list(clips)


def test_tracks_share_times(tmp_path):
    builder = make()
    times = builder.accessor([0, 1])
    for node in (0, 1):
        add_channel(builder, builder.document["animations"][0], times, MOVES[:2], node=node)
    (clip,) = load_rig(builder.write(tmp_path / "model.glb")).clips.values()
    assert clip.tracks[0].times is clip.tracks[1].times


def test_a_single_key_is_a_constant(tmp_path):
    clip = load_clip(tmp_path, {"times": [3], "values": MOVES[1:2]})
    assert (clip.start, clip.end) == (3, 3)
    np.testing.assert_array_equal(clip.sample(0.0).translation[1], [1, 2, 3])


WHO = "clip 'walk', joint 'leaf'"


@pytest.mark.parametrize(
    ("channel", "message"),
    [
        (
            {"times": [0, 2, 1]},
            rf"{WHO}: key times must not decrease \(key 2 is at 1.0 s, but the key before it is at 2.0 s\)",
        ),
        ({"times": [0, np.nan, 1]}, rf"{WHO}: key times must be finite numbers \(key 1 is nan\)"),
        ({"times": [0, 1, np.inf]}, rf"{WHO}: key times must be finite numbers \(key 2 is inf\)"),
        (
            {"values": [[0, 0, 0], [0, np.nan, 0], [0, 0, 0]]},
            rf"{WHO}: the value of each key must be a finite number \(the value of key 1 is not finite\)",
        ),
        (
            {"values": [[0, 0, 0]] * 8 + [[0, 0, np.inf]], "interpolation": "CUBICSPLINE"},
            rf"{WHO}: the value of each key must be a finite number \(the value of key 2 is not finite\)",
        ),
        ({"times": [0, 1]}, rf"{WHO}: the sampler must have 2 values for 2 LINEAR keys \(got 3\)"),
        ({"interpolation": "CUBICSPLINE"}, rf"{WHO}: the sampler must have 9 values for 3 CUBICSPLINE keys \(got 3\)"),
        (
            {"interpolation": "SINE"},
            r"animations\[0\].samplers\[0\].interpolation: the interpolation of an animation must be one of STEP",
        ),
        ({"interpolation": 3}, r"animations\[0\].samplers\[0\].interpolation: the value must be a string"),
        (
            {"path": "pointer"},
            r"animations\[0\].channels\[0\].target.path: the path of an animation channel must be one of",
        ),
        (
            {"node": 2},
            r"animations\[0\].channels\[0\].target.node: the value must be the index of .* 2 nodes \(got 2\)",
        ),
        (
            {"values": 77},
            r"animations\[0\].samplers\[0\].output: the value must be the index of one of the file's 1 accessors",
        ),
        ({"times": 77}, r"animations\[0\].samplers\[0\].input: the value must be the index of one of"),
        (
            {"path": "rotation", "values": 0},
            r"animations\[0\].samplers\[0\].output: the accessor must have the type VEC4",
        ),
    ],
)
def test_faults_name_clip_joint_and_key(tmp_path, channel, message):
    with pytest.raises(InputError, match=message):
        load_clip(tmp_path, {"times": [0, 1, 2], "values": MOVES, **channel}, name="walk")


def test_a_joint_is_animated_once(tmp_path):
    channel = {"times": [0, 1, 2], "values": MOVES}
    with pytest.raises(InputError, match="two channels of clip 'clip_0' animate the translation of joint 'leaf'"):
        load_clip(tmp_path, channel, channel)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"channels": [{"sampler": 0}]}, r"animations\[0\].channels\[0\].target: is missing"),
        ({"channels": [{"target": {"path": "scale"}}]}, r"animations\[0\].channels\[0\].sampler: is missing"),
        ({"channels": [{"sampler": 0, "target": {}}]}, r"animations\[0\].channels\[0\].target.path: is missing"),
        (
            {"channels": [{"sampler": 1, "target": {"node": 0, "path": "scale"}}]},
            r"channels\[0\].sampler: the value must be the index of one of",
        ),
        ({"samplers": [{"input": 0}]}, r"animations\[0\].samplers\[0\].output: is missing"),
        ({"samplers": {}}, r"animations\[0\].samplers: the value must be a list \(got a dict\)"),
        ({"channels": None}, r"animations\[0\].channels: is missing"),
    ],
)
def test_faults_of_structure(tmp_path, change, message):
    builder = make({"times": [0, 1, 2], "values": MOVES})
    builder.document["animations"][0].update(change)
    with pytest.raises(InputError, match=message):
        load_rig(builder.write(tmp_path / "model.glb"))

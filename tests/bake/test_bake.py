"""Bakes against exact sampling: rows, rates, formats, seams, and the errors that they state."""

import math
from functools import cache

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from ecs_anim.assets.clip import Clip
from ecs_anim.assets.hierarchy import model_matrices, skin_palette
from ecs_anim.assets.rig import Rig
from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.assets.track import Track
from ecs_anim.bake.build import bake_rig
from ecs_anim.bake.formats import encode
from ecs_anim.bake.options import BODY, DEGREES_BY_MM, FORMATS, SPACES, BakeOptions
from ecs_anim.maths import affine, quaternion
from ecs_anim.maths.transform import Pose
from ecs_anim.scenes.rigs import load_model
from ecs_anim.support.errors import InputError
from tests.helpers import ASSETS, characters, needs_assets, random_clip, random_skeleton

RNG = np.random.default_rng(61)
SKELETON = random_skeleton(RNG, 11)
EVERY = [(space, number_format) for space in SPACES for number_format in FORMATS]


def turning_clip(turns=1.0, name="spin", extras=None):
    """The first joint about +Y, evenly, and nothing else."""
    times = np.linspace(0, 1, 25).astype(np.float32)
    half = np.pi * turns * times
    values = np.stack([0 * half, np.sin(half), 0 * half, np.cos(half)], axis=-1).astype(np.float32)
    return Clip(name, SKELETON, (Track(0, "rotation", "LINEAR", times, values),), 0.0, 1.0, extras or {})


def one_key_clip():
    track = Track(2, "translation", "LINEAR", np.array([0.25], np.float32), np.array([[1, 2, 3]], np.float32))
    return Clip("still", SKELETON, (track,), 0.25, 0.25)


def plain_skeleton():
    """One joint at the origin, as it was bound."""
    return Skeleton(("root",), np.array([-1], np.int32), Pose.identity(1), np.zeros(1, np.int32), affine.IDENTITY[None])


def rig_of(*clips):
    return Rig("made up", SKELETON, (), {clip.name: clip for clip in clips})


RIG = rig_of(
    random_clip(RNG, SKELETON, "a"),
    random_clip(RNG, SKELETON, "b", 40),
    turning_clip(),
    turning_clip(0.3, "once", {"loop": False}),
    one_key_clip(),
)
BAKES = {(space, kind): bake_rig(RIG, BakeOptions(space, kind)) for space, kind in EVERY}


def places(skeleton, palette):
    """Where each entry's bound joint goes [..., entry, 3], from the skin matrices alone."""
    bound = np.concatenate([skeleton.bind_places, np.ones((len(skeleton.bind_places), 1))], axis=1)
    return np.einsum("...eij,ej->...ei", palette.astype(np.float64), bound)


def joint_matrices(bake, pose):
    """What a bake of its space is about: joints [..., joint, 3, 4], or skin matrices."""
    space = model_matrices if bake.options.space == "local" else skin_palette
    return space(bake.skeleton, pose).astype(np.float64)


@cache
def axis_lengths(bake, clip):
    """The longest that each joint's axes are in the mean, over the clip."""
    linear = joint_matrices(bake, clip.sample(np.linspace(clip.start, clip.end, 2001), loop=False))[..., :3]
    return np.sqrt(np.sum(linear**2, axis=(-2, -1)) / 3).max(axis=0)


def worst(bake, clip, times, loop):
    """Distance and turn between what the bake says and exact sampling, by other means than the bake's own."""
    wanted = joint_matrices(bake, clip.sample(times, loop=loop))
    got = bake.sample(clip.name, times, loop=loop)
    if bake.options.space == "local":
        got = joint_matrices(bake, got)
        apart = got[..., 3] - wanted[..., 3]
    else:
        apart = places(bake.skeleton, got) - places(bake.skeleton, wanted)
    axes = np.linalg.norm(got[..., :3] - wanted[..., :3], axis=-2).max(axis=-1)
    return np.linalg.norm(apart, axis=-1).max(), (axes / axis_lengths(bake, clip)).max()


@pytest.mark.parametrize(("space", "kind"), EVERY)
@settings(max_examples=25)
@given(
    clip=st.sampled_from(list(RIG.clips)),
    loop=st.booleans(),
    seconds=st.lists(st.floats(-3, 4), min_size=1, max_size=40),
)
def test_a_bake_is_exact_sampling_within_its_stated_error(space, kind, clip, loop, seconds):
    bake = BAKES[space, kind]
    stated = bake.clips[bake.index[clip]].error
    times = np.array(seconds)
    if loop and not bake.closes(clip):  # the jump at the seam is one of rounding: which side a time is on
        times = times[np.abs(np.mod(times - RIG.clips[clip].start, max(RIG.clips[clip].duration, 1))) > 1e-9]
    if not len(times):
        return
    apart, moved = worst(bake, RIG.clips[clip], times, loop)
    assert apart <= 1.02 * stated.position + 2e-5
    assert moved <= 1.02 * 2 * math.sin(stated.angle / 2) + 2e-5


@pytest.mark.parametrize("space", SPACES)
def test_rates_are_as_low_as_the_error_allows(space):
    loose, tight = (bake_rig(RIG, BakeOptions(space, error_mm=error)) for error in (8.0, 0.5))
    for bake, error in ((loose, 8.0), (tight, 0.5)):
        for clip in bake.clips:
            assert clip.error.millimetres(bake.size) <= error
            assert clip.error.degrees <= error * DEGREES_BY_MM
    assert len(loose.rows) < len(tight.rows)
    half = bake_rig(RIG, BakeOptions(space, rate=tight.clips[1].span.rate / 2)).clips[1]
    assert half.error.millimetres(tight.size) > 0.5 or half.error.degrees > 0.1, "half the rows would not have done"


def test_a_given_rate_is_kept_by_every_clip_that_moves():
    bake = bake_rig(RIG, BakeOptions(rate=10))
    for clip in bake.clips:
        assert clip.span.interval_count == math.ceil(10 * clip.span.duration - 1e-6)
        assert clip.span.rate >= 10 - 1e-4 or clip.span.duration == 0


@pytest.mark.parametrize("rate", [30, 60, 120, 240])
@pytest.mark.parametrize("frames", [36, 179, 192, 1001])
def test_a_rate_of_the_keys_puts_rows_on_them(rate, frames):
    """Ends in float32 are a little early or late: that is no reason for an interval more."""
    times = (np.arange(frames + 1) / 30).astype(np.float32)
    values = RNG.normal(size=(frames + 1, 3)).astype(np.float32)
    clip = Clip("a", SKELETON, (Track(0, "translation", "LINEAR", times, values),), 0.0, float(times[-1]))
    bake = bake_rig(rig_of(clip), BakeOptions(rate=rate))
    assert bake.clips[0].span.interval_count == frames * rate // 30
    assert bake.clips[0].error.position < 0.002, "keys are 1 apart, and their times a 15,000th of a frame"


def test_errors_of_a_spin_are_those_of_chords():
    """A direction between two rows of a spin, mixed as a matrix, is short by 1 - cos of half the step."""
    skeleton = plain_skeleton()
    rig = Rig("x", skeleton, (), {"spin": Clip("spin", skeleton, turning_clip().tracks, 0.0, 1.0)})
    bake = bake_rig(rig, BakeOptions("model", rate=6))
    step = 2 * np.pi / 6
    assert bake.clips[0].error.angle == pytest.approx(2 * math.asin((1 - math.cos(step / 2)) / 2), rel=1e-4)


def test_millimetres_are_those_of_a_body_of_a_person():
    """Twice the size, the same error in millimetres."""
    errors = []
    for scale in (1.0, 2.0):
        rest = SKELETON.rest_pose
        larger = Pose(rest.translation * np.float32(scale), rest.rotation, rest.scale)
        skeleton = Skeleton(SKELETON.joint_names, SKELETON.parents, larger, SKELETON.skin_joints, SKELETON.inverse_bind)
        spin = turning_clip()
        rig = Rig("x", skeleton, (), {"spin": Clip("spin", skeleton, spin.tracks, 0.0, 1.0)})
        bake = bake_rig(rig, BakeOptions(number_format="u8", rate=10))
        errors.append((bake.clips[0].error.position, bake.clips[0].error.millimetres(bake.size)))
    assert errors[1][0] == pytest.approx(2 * errors[0][0], rel=1e-3)
    assert errors[1][1] == pytest.approx(errors[0][1], rel=1e-3)
    assert errors[0][1] == pytest.approx(
        errors[0][0] / np.ptp(model_matrices(SKELETON, SKELETON.rest_pose)[..., 3], axis=0).max() * BODY, rel=1e-5
    )


@pytest.mark.parametrize(("space", "kind"), EVERY)
def test_loop_seams_are_exact(space, kind):
    bake = BAKES[space, kind]
    assert bake.closes("spin")
    assert not bake.closes("once")
    assert not bake.closes("a"), "this one jumps in its file, and so it does here"
    begin, end = (bake.palette("spin", time, loop=False) for time in (0.0, 1.0))
    np.testing.assert_array_equal(begin, end)
    before, after = bake.palette("spin", [1 - 1e-7, 1 + 1e-7], loop=True)
    np.testing.assert_allclose(before, after, atol=1e-4)


@pytest.mark.parametrize(("space", "kind"), EVERY)
def test_time_goes_as_clips_take_it(space, kind):
    bake = BAKES[space, kind]
    same = np.testing.assert_array_equal
    same(bake.palette("once", [-5.0, 9.0]), bake.palette("once", [0.0, 1.0]))
    same(bake.palette("spin", 7.25), bake.palette("spin", 0.25))
    same(bake.palette("spin", -0.75), bake.palette("spin", 0.25))
    same(bake.palette("still", [-1.0, 0.25, 1e9]), bake.palette("still", [0.25] * 3))
    assert bake.clips[bake.index["still"]].rows == slice(len(bake.rows) - 1, len(bake.rows))
    with pytest.raises(ValueError, match="finite"):
        bake.sample("spin", np.nan)
    with pytest.raises(KeyError):
        bake.sample("gone", 0.0)


def test_poses_and_palettes_agree():
    for kind in FORMATS:
        times = np.linspace(0.5, 0.9, 7)
        pose = BAKES["local", kind].sample("a", times)
        assert isinstance(pose, Pose)
        assert pose.rotation.shape == (7, 11, 4)
        np.testing.assert_array_equal(BAKES["local", kind].palette("a", times), skin_palette(SKELETON, pose))
        np.testing.assert_array_equal(BAKES["model", kind].palette("a", times), BAKES["model", kind].sample("a", times))


def test_joints_without_a_lane_rest():
    bake = bake_rig(rig_of(turning_clip(0.5)))
    assert bake.space.row_width == 4 * 8, "one lane, padded to eight"
    pose = bake.sample("spin", 0.5)
    np.testing.assert_array_equal(pose.translation, SKELETON.rest_pose.translation)
    np.testing.assert_array_equal(pose.rotation[1:], SKELETON.rest_pose.rotation[1:])
    np.testing.assert_allclose(Rotation.from_quat(pose.rotation[0]).as_rotvec(), [0, np.pi / 2, 0], atol=2e-3)


@given(
    rows=st.integers(1, 12).flatmap(
        lambda n: st.lists(st.lists(st.floats(-1e4, 1e4, width=32), min_size=3, max_size=3), min_size=n, max_size=n)
    )
)
@example(rows=[[0.0, 0.0, -1e-5], [0.0, 0.0, 1.0], [0.0, 0.0, 1e-5]])
def test_formats_round_to_their_steps(rows):
    """Steps of a channel's range, which is symmetric where a channel ends in the negative of where it began."""
    rows = np.array(rows, np.float32)
    turned = (rows[-1] == -rows[0]) & (rows[0] != 0)
    wide = np.where(turned, 2.0 * np.abs(rows.astype(np.float64)).max(axis=0), np.ptp(rows.astype(np.float64), axis=0))
    for kind, steps in (("f32", np.inf), ("f16", 2 * 2**12), ("u8", 2 * 255)):
        encoded = encode(rows, kind)
        off = np.abs(encoded.decode().astype(np.float64) - rows)
        rounding = np.maximum(np.abs(rows).max(axis=0) * 3e-7, np.finfo(np.float32).smallest_subnormal)
        assert np.all(off <= wide / steps * 1.001 + rounding)
    constant = encode(np.repeat(rows[:1], 3, axis=0), "u8")
    np.testing.assert_array_equal(constant.decode(), np.repeat(rows[:1], 3, axis=0))


@pytest.mark.parametrize("kind", ["f16", "u8"])
def test_a_channel_that_ends_in_its_negative_does_so_but_for_the_last_bit(kind):
    rows = np.array([[0.3, 1, 0], [0.9, 1, 0], [-0.3, 1, 0]], np.float32)
    first, _, last = encode(rows, kind).decode()
    assert last[0] == pytest.approx(-first[0], abs=2e-7)
    np.testing.assert_array_equal(first[1:], last[1:])


def test_steps_are_told_honestly():
    times = np.array([0, 0.37, 1], np.float32)
    values = np.array([[0, 0, 0], [3, 0, 0], [0, 0, 0]], np.float32)
    clip = Clip("step", SKELETON, (Track(0, "translation", "STEP", times, values),), 0.0, 1.0)
    bake = bake_rig(rig_of(clip))
    assert bake.clips[0].error.position > 0.9, "a jump of 3 that a row's interval smears"
    assert worst(bake, clip, np.random.default_rng(0).uniform(0, 1, 500), True)[0] <= bake.clips[0].error.position


def test_what_cannot_be_baked_is_told():
    with pytest.raises(InputError, match="a bake needs a model with clips"):
        bake_rig(Rig("bare", SKELETON, (), {}))
    with pytest.raises(InputError, match="did you mean 'spin'"):
        bake_rig(RIG, clips=["spinn"])
    bare = Skeleton(
        SKELETON.joint_names,
        SKELETON.parents,
        SKELETON.rest_pose,
        np.zeros(0, np.int32),
        np.zeros((0, 3, 4), np.float32),
    )
    clip = Clip("spin", bare, turning_clip().tracks, 0.0, 1.0)
    with pytest.raises(InputError, match="local space"):
        bake_rig(Rig("bare", bare, (), {"spin": clip}), BakeOptions("model"))
    assert bake_rig(Rig("bare", bare, (), {"spin": clip})).palette("spin", 0.1).shape == (0, 3, 4)
    long = turning_clip()
    long = Clip("long", SKELETON, long.tracks, 0.0, 1e9)
    with pytest.raises(InputError, match="lower rate"):
        bake_rig(rig_of(long), BakeOptions(rate=100))
    for wrong in ({"space": "x"}, {"number_format": "u4"}, {"rate": 0}, {"error_mm": math.inf}):
        with pytest.raises((ValueError, InputError), match="of a bake must be|a bake's error|no space|no format"):
            BakeOptions(**wrong)


def test_chosen_clips_keep_the_order_they_are_named_in():
    bake = bake_rig(RIG, clips=["spin", "a", "spin"])
    assert list(bake.index) == ["spin", "a"]
    assert bake.clips[1].first_row == bake.clips[0].span.interval_count + 1
    np.testing.assert_array_equal(bake.decoded("a"), bake.rows[bake.clips[1].rows])


@pytest.mark.exhaustive
@needs_assets
def test_woman_keeps_her_keys():
    """All that is lost at the keys' own rate is between slerp and nlerp; a row beside each key would cost 16 mm."""
    rig = load_model(str(ASSETS / "Woman.gltf"))
    for rate in (30, 120):
        bake = bake_rig(rig, BakeOptions(rate=rate), ["Walking", "PickUp", "SitIdle"])
        assert [clip.span.interval_count for clip in bake.clips] == [n * rate // 30 for n in (36, 179, 192)]
        assert max(clip.error.millimetres(bake.size) for clip in bake.clips) < 0.05


@pytest.mark.parametrize("model", characters("Woman.gltf", "Fox.glb", "cesium_man.gltf", "dq.gltf"))
@pytest.mark.parametrize("space", SPACES)
def test_characters(model, space):
    rig = load_model(model)
    name = next(iter(rig.clips))
    bake = bake_rig(rig, BakeOptions(space, "f16"), [name])
    clip, stated = rig.clips[name], bake.clips[0].error
    times = np.random.default_rng(3).uniform(clip.start, clip.end, 300)
    apart, moved = worst(bake, clip, times, False)
    assert apart <= 1.02 * stated.position + 1e-6 * bake.size
    assert moved <= 1.02 * 2 * math.sin(stated.angle / 2) + 1e-5
    assert stated.millimetres(bake.size) < 0.6
    rotation = quaternion.normalize(clip.sample(times).rotation)
    assert rotation.std() > 0.01, "something moves"

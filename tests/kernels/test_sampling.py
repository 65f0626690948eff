"""Uniform tables and the sampling kernel against exact sampling and plain numpy."""

import numpy as np
import pytest

from ecs_anim.assets.clip import Clip
from ecs_anim.assets.hierarchy import model_matrices
from ecs_anim.assets.track import Track
from ecs_anim.gltf.load import load_rig
from ecs_anim.kernels.sampling import sample_motions
from ecs_anim.maths import quaternion
from ecs_anim.runtime.clip_table import build_tables
from ecs_anim.runtime.motion import Member, Motion, build_motion_set
from ecs_anim.runtime.records import FadeQueue
from ecs_anim.runtime.row_counts import MAX_RATE
from tests.helpers import characters, one_motion, random_clip, random_skeleton
from tests.oracles.blend_weights import weights_1d, weights_2d

RNG = np.random.default_rng(8)
SKELETON = random_skeleton(RNG, 13)
CLIPS = [random_clip(RNG, SKELETON, name, keys) for name, keys in (("a", 13), ("b", 2), ("c", 40))]


def run_kernel(tables, clip_index, time):
    """Every actor plays one clip."""
    motions = build_motion_set([Motion(clip.name, (Member(clip, (0, 0)),)) for clip in tables.clips], tables, ())
    count = len(time)
    out = np.full((count + 3, tables.layout.row_width), np.nan, np.float32)
    duration = np.array(tables.duration, np.float64)[clip_index]
    phase = np.asarray(time, np.float64) / np.where(duration > 0, duration, 1)
    queue = one_motion(clip_index, phase)
    sample_motions(tables.arrays, motions.arrays, np.zeros((count, 0), np.float32), tuple(queue), out)
    assert np.isnan(out[count:]).all(), "the kernel wrote past its chunk"
    return tables.layout.unpack(out[:count])


def test_the_kernel_is_the_plain_form():
    tables = build_tables(SKELETON, CLIPS)
    clip_index = RNG.integers(0, 3, 200)
    time = (RNG.random(200) * tables.duration[clip_index]).astype(np.float32)
    time[:3], clip_index[:3] = tables.duration, range(3)  # the very ends
    time[3:6], clip_index[3:6] = 0, range(3)
    pose = run_kernel(tables, clip_index, time)
    for actor in range(200):
        expected = tables.sample(clip_index[actor], time[actor])
        np.testing.assert_allclose(pose.rotation[actor], expected.rotation, atol=2e-6)
        np.testing.assert_allclose(pose.translation[actor], expected.translation, atol=2e-5)
        np.testing.assert_allclose(pose.scale[actor], expected.scale, atol=2e-5)


def gaits():
    """Clips, a space along one parameter and one along two: what 'a', 'b' and 'c' are, and where."""
    at = ((0.0, 0.0), (1.0, 0.0), (0.3, 1.0))
    members = [Member(clip, (0, 0), place) for clip, place in zip(CLIPS, at, strict=True)]
    line = Motion("line", tuple(sorted(members, key=lambda m: m.at)), True, ("x",))
    return [Motion("one", (members[0],)), line, Motion("plane", tuple(members), True, ("x", "y"))]


def in_flight(motion, x, y):
    """Clips by number, and their weights, of one of `gaits`."""
    if motion == 0:
        return [(0, 1.0)]
    if motion == 1:
        return list(zip((0, 2, 1), weights_1d([0, 0.3, 1], x), strict=True))
    return list(enumerate(weights_2d([(0, 0), (1, 0), (0.3, 1)], (x, y))))


def plain_mix(tables, queue, parameters, actor):
    """A pose row in float64: the newest motion covers those before it."""
    total, remaining, width = np.zeros(tables.layout.row_width), 1.0, 4 * tables.layout.rotation_width
    for slot in range(queue.slot_count[actor] - 1, -1, -1):
        progress = min(queue.fade_time[actor, slot] / queue.fade_duration[actor, slot], 1) if slot else 1
        for clip, weight in in_flight(queue.motion[actor, slot], *parameters[actor].astype(np.float64)):
            place = queue.phase[actor, slot].astype(np.float64) * tables.interval_count[clip]
            row = min(int(place), tables.interval_count[clip] - 1)
            a, b = tables.rows[tables.first_row[clip] + row :][:2].astype(np.float64)
            value = a + (b - a) * (place - row)
            own, sums = value[:width].reshape(4, -1), total[:width].reshape(4, -1)
            own *= np.where((own * sums).sum(axis=0) < 0, -1, 1)
            total += remaining * progress * weight * value
        remaining *= 1 - progress
    units = total[:width].reshape(4, -1)
    units /= np.linalg.norm(units, axis=0)
    return total


def crowd(rng, count, slots, plays):
    """Actors who play some of `gaits`, `slots` at most at a time."""
    return FadeQueue(
        rng.integers(1, slots + 1, count).astype(np.int32),
        rng.choice(plays, (count, 3)).astype(np.int32),
        phase=rng.random((count, 3), np.float32),
        speed=np.ones((count, 3), np.float32),
        fade_time=rng.random((count, 3), np.float32),
        fade_duration=np.ones((count, 3), np.float32),
    )


@pytest.mark.parametrize(("count", "slots", "plays"), [(1, 1, [2]), (8, 1, [2]), (23, 1, [1]), (60, 3, [0, 1, 2])])
def test_actors_are_mixed_as_if_they_were_alone(count, slots, plays):
    """Two go side by side, and those who play one space are weighed together."""
    tables = build_tables(SKELETON, CLIPS)
    motions = build_motion_set(gaits(), tables, ("x", "y"))
    rng = np.random.default_rng(count)
    queue, parameters = crowd(rng, count, slots, plays), rng.uniform(-0.3, 1.3, (count, 2)).astype(np.float32)
    together = np.full((count + 1, tables.layout.row_width), np.nan, np.float32)
    alone = np.empty_like(together)
    sample_motions(tables.arrays, motions.arrays, parameters, tuple(queue), together)
    assert np.isnan(together[count]).all()
    for actor in range(count):
        rows = slice(actor, actor + 1)
        own = tuple(column[rows] for column in queue)
        sample_motions(tables.arrays, motions.arrays, parameters[rows], own, alone[rows])
        np.testing.assert_allclose(together[actor], plain_mix(tables, queue, parameters, actor), atol=2e-4)
    np.testing.assert_array_equal(together[:count], alone[:count])


@pytest.mark.parametrize("joints", [1, 2, 3, 5])
def test_clips_that_only_move_joints_are_mixed(joints):
    """Rows without rotations: fewer than eight numbers, eight and some, all eights."""
    times = np.array([0, 1], np.float32)
    tracks = [
        Track(j, "translation", "LINEAR", times, RNG.normal(size=(2, 3)).astype(np.float32)) for j in range(joints)
    ]
    tables = build_tables(SKELETON, [Clip("slide", SKELETON, tuple(tracks), 0, 1)])
    assert tables.layout.row_width == 3 * joints
    time = np.linspace(0, 1, 11).astype(np.float32)
    pose = run_kernel(tables, np.zeros(11, np.int32), time)
    np.testing.assert_allclose(pose.translation, tables.sample(0, time).translation, atol=1e-5)


def test_rows_are_exact_poses():
    tables = build_tables(SKELETON, CLIPS)
    for number, clip in enumerate(CLIPS):
        count = tables.interval_count[number]
        exact = clip.sample(clip.start + np.arange(count + 1) / count * clip.duration, loop=False)
        rows = tables.layout.unpack(tables.rows[tables.first_row[number] :][: count + 1])
        assert quaternion.angle_between(rows.rotation, exact.rotation).max() < 1e-6
        np.testing.assert_allclose(rows.translation, exact.translation, atol=1e-6)


def test_only_animated_channels_are_stored():
    layout = build_tables(SKELETON, CLIPS).layout
    animated = {track.joint_index for clip in CLIPS for track in clip.tracks if track.path == "rotation"}
    assert set(layout.rotation_joints.tolist()) == animated | {12}  # 12 scales
    assert layout.translation_joints.tolist() == [0]
    assert layout.scale_joints.tolist() == [12]
    assert layout.rotation_width % 8 == 0


def test_a_track_that_says_what_the_rest_pose_says_is_left_out():
    rest = SKELETON.rest_pose
    times = np.array([0, 1], np.float32)
    still = Track(4, "translation", "LINEAR", times, np.tile(rest.translation[4], (2, 1)))
    layout = build_tables(SKELETON, [Clip("still", SKELETON, (still,), 0, 1)]).layout
    assert layout.row_width == 0


@pytest.mark.parametrize("value", [np.zeros(3), np.array([1, 2, 3])])
def test_a_clip_of_one_key_is_a_pose(value):
    key = Track(0, "translation", "LINEAR", np.array([0.7], np.float32), value[None].astype(np.float32))
    tables = build_tables(SKELETON, [Clip("pose", SKELETON, (key,), 0.7, 0.7)])
    pose = run_kernel(tables, [0, 0], [0.0, 5.0])
    np.testing.assert_array_equal(pose.translation[:, 0], np.stack([value] * 2))


def test_a_turn_of_many_half_turns_is_followed():
    """Neighbouring keys of opposite sign, and a table that must add rows of its own."""
    keys = quaternion.from_axis_angle(np.array([0.0, 1, 0]), np.linspace(0, 20, 9)).astype(np.float32)
    keys[::2] *= -1
    track = Track(2, "rotation", "LINEAR", np.arange(9, dtype=np.float32), keys)
    tables = build_tables(SKELETON, [Clip("turn", SKELETON, (track,), 0, 8)])
    assert np.rad2deg(tables.error(0).rotation) < 0.1


def test_steps_stop_at_the_highest_rate():
    values = np.array([[0, 0, 0], [1, 0, 0], [0, 0, 0]], np.float32)
    step = Track(0, "translation", "STEP", np.array([0, 0.5, 1], np.float32), values)
    tables = build_tables(SKELETON, [Clip("step", SKELETON, (step,), 0, 1)])
    assert MAX_RATE / 4 < tables.rate(0) <= MAX_RATE


def test_clips_of_another_skeleton_are_refused():
    with pytest.raises(ValueError, match="clip 'a' must be the joint names of the skeleton"):
        build_tables(random_skeleton(RNG, 5), CLIPS)


def tumbling(name, step, axis):
    """Every joint but the root turns by `step` [rad] between keys, thirty a second, there and back."""
    times = (np.arange(13) / 30).astype(np.float32)
    tracks = []
    for joint in range(1, SKELETON.joint_count):
        turn = quaternion.from_axis_angle(np.roll(axis, joint), step * np.abs(np.arange(13) - 6))
        values = quaternion.multiply(SKELETON.rest_pose.rotation[joint], turn).astype(np.float32)
        tracks.append(Track(joint, "rotation", "LINEAR", times, values))
    return Clip(name, SKELETON, tuple(tracks), 0.0, float(times[-1]))


def mixed_exactly(tables, phase, weights):
    """Rotations [actor, joint, 4] of units between rows, by weights [clip] and one phase an actor, in float64."""
    mixed = np.zeros((len(phase), SKELETON.joint_count, 4))
    units = [tables.sample(clip, phase * tables.clips[clip].duration).rotation for clip in range(len(weights))]
    for unit, weight in zip(units, weights, strict=True):
        unit = unit.astype(np.float64)
        mixed += weight * np.where(np.sum(mixed * unit, axis=-1, keepdims=True) < 0, -unit, unit)
    mixed = quaternion.normalize(mixed)
    apart = np.max([quaternion.angle_between(mixed, unit.astype(np.float64)) for unit in units], axis=0)
    return mixed, apart


@pytest.mark.parametrize("shares", [[0.5, 0.5], [0.2, 0.8], [0.3, 0.3, 0.4]])
def test_mixing_is_off_by_no_more_than_is_stated(shares):
    """Rotations between rows are short: three clips of different speeds, mixed by the kernel and as units."""
    x, y, z = np.eye(3)
    clips = [tumbling("fast", 0.45, x), tumbling("slow", 0.05, y), tumbling("mid", 0.3, z)][: len(shares)]
    tables = build_tables(SKELETON, clips)
    count = len(shares)
    phase = RNG.random(400).astype(np.float32)
    columns = np.zeros((3, 400, count), np.float32)
    columns[0], columns[1], columns[2] = phase[:, None], 0.5, 1.0
    remaining = 1.0
    for slot in range(count - 1, 0, -1):  # a slot covers those below it as far as it has faded in
        columns[1, :, slot], remaining = shares[slot] / remaining, remaining - shares[slot]
    motions = build_motion_set([Motion(clip.name, (Member(clip, (0, 0)),)) for clip in clips], tables, ())
    out = np.empty((400, tables.layout.row_width), np.float32)
    queue = FadeQueue(
        np.full(400, count, np.int32),
        np.tile(np.arange(count, dtype=np.int32), (400, 1)),
        phase=columns[0],
        speed=np.ones_like(columns[0]),
        fade_time=columns[1],
        fade_duration=columns[2],
    )
    sample_motions(tables.arrays, motions.arrays, np.zeros((400, 0), np.float32), tuple(queue), out)
    exact, apart = mixed_exactly(tables, phase.astype(np.float64), shares)
    off = quaternion.angle_between(tables.layout.unpack(out).rotation.astype(np.float64), exact)
    stated = max(tables.error(number).mixing for number in range(count))
    limit = stated * np.tan(apart / 2)
    near = apart < np.deg2rad(120)  # beyond that a mix may turn either way
    assert np.all(off[near] <= 1.05 * limit[near] + 2e-6)
    assert np.max(off[near] / (limit[near] + 1e-9)) > 0.3, "it is that large"
    assert off[near].max() > 1e-4


def test_mixing_is_the_shortest_rotation_between_rows():
    tables = build_tables(SKELETON, [tumbling("fast", 0.2, np.eye(3)[0])])
    place = np.linspace(0, tables.interval_count[0], 8 * tables.interval_count[0] + 1)
    row = np.minimum(place.astype(int), tables.interval_count[0] - 1)
    between = tables.rows[row] + (tables.rows[row + 1] - tables.rows[row]) * (place - row)[:, None]
    lengths = np.linalg.norm(between[:, : 4 * tables.layout.rotation_width].reshape(len(place), 4, -1), axis=1)
    assert tables.error(0).mixing == pytest.approx(-np.log(lengths.min()), rel=1e-3)


@pytest.mark.exhaustive
def test_a_jump_between_rows_is_stated():
    """Steps at times where few times at random would look."""
    values = np.array([[0, 0, 0], [1, 0, 0], [0, 0, 0]], np.float32)
    step = Track(0, "translation", "STEP", np.array([0, 99.999, 100], np.float32), values)
    tables = build_tables(SKELETON, [Clip("step", SKELETON, (step,), 0, 100)])
    assert tables.error(0).position > 0.5


@pytest.mark.exhaustive
@pytest.mark.parametrize("model", characters("Woman.gltf"))
def test_tables_are_within_a_millimetre_and_a_tenth_of_a_degree(model):
    rig = load_rig(model)
    smooth = [clip for clip in rig.clips.values() if all(track.interpolation != "STEP" for track in clip.tracks)]
    tables = build_tables(rig.skeleton, smooth)
    for number, clip in enumerate(tables.clips):
        time = np.sort(np.random.default_rng(number).random(2000)) * clip.duration
        exact = clip.sample(clip.start + time, loop=False)
        table = run_kernel(tables, np.full(2000, number), time.astype(np.float32))
        apart = model_matrices(rig.skeleton, exact)[..., 3] - model_matrices(rig.skeleton, table)[..., 3]
        assert np.linalg.norm(apart, axis=-1).max() < 1e-3, clip.name
        angle = quaternion.angle_between(exact.rotation.astype(np.float64), table.rotation.astype(np.float64))
        assert np.rad2deg(angle.max()) < 0.1, clip.name

"""Pin weights: curves against what the clips say and against physics, the kernel and the stage against plain numpy."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from ecs_anim.assets.hierarchy import model_matrices
from ecs_anim.components.foot_contacts import FootContacts
from ecs_anim.ik.foot_contacts import BALL, CONTACT_POINTS, CURVE_COUNT, HEEL, SUPPORT, contact_curves
from ecs_anim.ik.legs import find_legs, leg_arrays
from ecs_anim.kernels.foot_contacts import mix_contacts, pin_contacts
from ecs_anim.runtime.clip_table import build_tables
from ecs_anim.runtime.motion import Member, Motion, build_motion_set
from ecs_anim.runtime.records import FadeQueue
from ecs_anim.scenes.rigs import load_model
from ecs_anim.systems.stages import Stage
from tests.helpers import FEW, one_motion
from tests.helpers.stages import run_stages
from tests.oracles.blend_weights import weights_1d

GAITS = ["walk", "run", "walk_backward", "strafe_left", "strafe_right"]
STANDING = ["idle", "wave", "sit", "lean_left"]
PHASE = np.linspace(0, 1, CONTACT_POINTS)


@cache
def mannequin():
    return load_model("mannequin")


@cache
def curves_of(name):
    clip = mannequin().clips[name]
    return contact_curves(clip, find_legs(mannequin()), tuple(clip.extras.get("ground_velocity", (0.0, 0.0))))


def pinned(curves):
    """Whether heel or ball is [point, leg]."""
    return curves[..., [HEEL, BALL]].max(axis=-1) > 0.5


def said(clip):
    """Whether the clip's own notes have each foot on the ground [point, leg]."""
    time = PHASE * clip.duration
    spans = [clip.extras["contacts"][foot] for foot in ("LeftFoot", "RightFoot")]
    return np.stack([np.any([(a <= time) & (time <= b) for a, b in span], axis=0) for span in spans], axis=-1)


@pytest.mark.parametrize("name", [*GAITS, *STANDING, "jump"])
def test_curves_are_what_the_clips_say(name):
    """A foot is pinned when the clip's maker says so, but for two of 65 points or a twentieth of a second."""
    clip, curves = mannequin().clips[name], curves_of(name)
    assert curves.shape == (CONTACT_POINTS, 2, 3)
    assert 0 <= curves.min() <= curves.max() <= 1
    differs = pinned(curves) != said(clip)
    allowed = max(2, round(0.05 / clip.duration * CONTACT_POINTS))
    assert (differs.sum(axis=0) <= allowed).all()


@pytest.mark.parametrize("name", STANDING)
def test_who_stands_is_pinned_all_the_time(name):
    np.testing.assert_allclose(curves_of(name), 1, atol=1e-3)


def test_heels_land_first_and_lift_first():
    curves = curves_of("walk")
    for leg in range(2):
        heel, ball = (np.flatnonzero(np.roll(curves[:-1, leg, part] > 0.5, 16 - 32 * leg)) for part in (HEEL, BALL))
        assert heel[0] < ball[0]
        assert heel[-1] < ball[-1]


@pytest.mark.parametrize("name", GAITS)
def test_pinned_contacts_hardly_move_over_the_ground(name):
    """Heels and balls of the exact poses, carried by the clip's ground velocity: still and low while surely pinned."""
    clip, curves = mannequin().clips[name], curves_of(name)
    phase = np.linspace(0, 1, 1025)
    model = model_matrices(clip.skeleton, clip.sample(clip.start + phase * clip.duration, loop=False))
    side, ahead = clip.extras["ground_velocity"]
    carried = np.outer(phase * clip.duration, [side, 0, ahead])
    moves = []
    for number, leg in enumerate(find_legs(mannequin())):
        for part in (HEEL, BALL):
            local = np.append(leg.contacts[part].astype(np.float64), 1)
            point = model[:, leg.ankle].astype(np.float64) @ local + carried
            speed = np.linalg.norm(np.gradient(point, phase * clip.duration, axis=0), axis=-1)
            sure = np.interp(phase, PHASE, curves[:, number, part]) > 0.95
            assert sure.any()
            assert point[sure, 1].max() < 0.04
            moves.append(speed[sure])
            assert speed[np.interp(phase, PHASE, curves[:, number, part]) == 0].min() > 0.05, "free ones move or rise"
    assert np.median(np.concatenate(moves)) < 0.12
    assert np.percentile(np.concatenate(moves), 95) < 0.75


@pytest.mark.parametrize("name", [*GAITS, "jump"])
def test_support_covers_the_pins_and_changes_softly(name):
    curves = curves_of(name)
    pins = curves[..., [HEEL, BALL]].max(axis=-1)
    assert (curves[..., SUPPORT] >= pins - 0.05).all()
    steepest = np.abs(np.diff(curves[..., SUPPORT], axis=0)).max() / (mannequin().clips[name].duration / 64)
    assert steepest < 10, "takes a tenth of a second or more"


def test_without_its_velocity_a_walking_foot_slides():
    """What the velocity is for: on the spot, planted feet move as fast as the ground should."""
    clip, legs = mannequin().clips["walk"], find_legs(mannequin())
    assert pinned(contact_curves(clip, legs)).mean() < 0.25 < 0.55 < pinned(curves_of("walk")).mean()


def turned(rig, angle):
    """The rig and its walk turned about +Y: it walks elsewhere."""
    turn, clip = Rotation.from_rotvec([0, angle, 0]), rig.clips["walk"]
    tracks = []
    for track in clip.tracks:
        values = track.values
        if track.joint_index == 0 and track.path == "rotation":
            values = (turn * Rotation.from_quat(values)).as_quat()
        if track.joint_index == 0 and track.path == "translation":
            values = turn.apply(values)
        tracks.append(replace(track, values=np.asarray(values, np.float32)))
    return replace(clip, tracks=tuple(tracks))


@pytest.mark.parametrize("degrees", [90, -35, 180])
def test_facing_turns_the_velocity(degrees):
    angle = np.radians(degrees)
    clip = turned(mannequin(), angle)
    found = contact_curves(clip, find_legs(mannequin()), (0.0, 1.4), angle)
    np.testing.assert_allclose(found, curves_of("walk"), atol=5e-3)


COUNT = FEW or 300
NAMES = ("idle", "walk", "run", "jump")


@cache
def setting(seed=3):
    """Actors in the middle of fades between clips and a blend space."""
    clips = [mannequin().clips[name] for name in NAMES]
    tables = build_tables(mannequin().skeleton, clips)
    members = tuple(
        Member(clip, (0.0, speed), (speed, 0.0)) for clip, speed in zip(clips, (0.0, 1.4, 3.5), strict=False)
    )
    plain = tuple(Motion(clip.name, (Member(clip, (0.0, 0.0)),)) for clip in clips)
    motions = build_motion_set([*plain, Motion("gait", members, parameters=("speed",))], tables, ("speed",))
    rng = np.random.default_rng(seed)
    playback = {
        "slot_count": rng.integers(1, 4, COUNT).astype(np.int32),
        "motion": rng.integers(0, 5, (COUNT, 3)).astype(np.int32),
        "phase": rng.random((COUNT, 3), np.float32),
        "fade_time": rng.random((COUNT, 3), np.float32),
        "fade_duration": rng.choice([0.5, 1.0], (COUNT, 3)).astype(np.float32),
    }
    speed = rng.uniform(-1, 5, (COUNT, 1)).astype(np.float32)
    return motions, np.random.default_rng(5).random((len(clips), 9, 6), np.float32), playback, speed


def plain_mix(curves, playback, speed):
    """Pin weights in float64, folded from the oldest slot to the newest; pins are steepened, support is not."""
    points = np.linspace(0, 1, curves.shape[1])
    pins = np.zeros((COUNT, curves.shape[2]))
    for actor in range(COUNT):
        for slot in range(playback["slot_count"][actor]):
            motion, phase = playback["motion"][actor, slot], playback["phase"][actor, slot]
            weights = np.eye(len(curves))[motion] if motion < len(curves) else np.zeros(len(curves))
            if motion == len(curves):
                weights[:3] = weights_1d([0.0, 1.4, 3.5], speed[actor, 0])
            at_phase = np.array([[np.interp(phase, points, contact) for contact in clip.T] for clip in curves])
            shown = weights @ at_phase
            part = min(playback["fade_time"][actor, slot] / playback["fade_duration"][actor, slot], 1) if slot else 1
            pins[actor] += part * (shown - pins[actor])
    share = np.clip((pins - 0.5) / 0.3, 0, 1)
    return np.where(np.arange(pins.shape[1]) % CURVE_COUNT == SUPPORT, pins, share**2 * (3 - 2 * share))


def padded(curves):
    """Rows as the kernel takes them; what is behind them it leaves alone."""
    return np.pad(curves, ((0, 0), (0, 0), (0, 2)), constant_values=np.nan)


def test_mixed_pins_are_the_plain_form():
    motions, curves, playback, speed = setting()
    out = np.full((COUNT, curves.shape[2]), np.nan, np.float32)
    queue = FadeQueue(**playback, speed=np.ones_like(playback["phase"]))
    mix_contacts(padded(curves), motions.arrays, speed, tuple(queue), np.zeros(COUNT, np.float32), out)
    np.testing.assert_allclose(out, plain_mix(curves, playback, speed), atol=2e-5)
    assert 0.1 < (out > 0.5).mean() < 0.9


def test_clips_say_nothing_of_those_who_only_step():
    motions, curves, playback, speed = setting()
    stepping = np.random.default_rng(6).choice(np.float32([0, 0.5, 1]), COUNT)
    asked, left = (np.full((COUNT, curves.shape[2]), np.nan, np.float32) for _ in range(2))
    queue = tuple(FadeQueue(**playback, speed=np.ones_like(playback["phase"])))
    mix_contacts(padded(curves), motions.arrays, speed, queue, np.zeros(COUNT, np.float32), asked)
    mix_contacts(padded(curves), motions.arrays, speed, queue, stepping, left)
    np.testing.assert_array_equal(left, np.where(stepping[:, None] == 1, 0, asked))


def test_one_clip_alone_gives_its_pins_steepened_and_its_support_as_it_is():
    motions, _, _, _ = setting()
    curves = np.stack([curves_of(name).reshape(CONTACT_POINTS, -1) for name in NAMES])
    zeros = np.zeros((CONTACT_POINTS, 1), np.float32)
    out = np.empty((CONTACT_POINTS, 6), np.float32)
    mix_contacts(padded(curves), motions.arrays, zeros, tuple(one_motion(1, PHASE)), zeros[:, 0].copy(), out)
    support = np.arange(6) % CURVE_COUNT == SUPPORT
    assert (out[(curves[1] >= 0.8) & ~support] > 0.999).all()
    assert (out[(curves[1] <= 0.5) & ~support] < 1e-3).all()
    np.testing.assert_allclose(out[:, support], curves[1][:, support], atol=1e-6)


def pin_by_pose(model, pin, floor=0.0, size=1.0, *, lifts=True, stepping=0.0, asked=None):
    """What the stage makes of pins [actor, leg, 3]."""
    legs, count = leg_arrays(mannequin().skeleton, find_legs(mannequin())), len(model)
    found, scale = pin.copy(), np.full(count, size, np.float32)
    share = np.broadcast_to(np.float32(stepping), count).copy()
    says = np.full_like(pin, np.nan) if asked is None else asked
    kept = run_stages(model, Stage(pin_contacts, (legs, floor, scale, lifts, share, says, found)))
    np.testing.assert_array_equal(kept, model)
    return found


def lifted(heights, size=1.0, floor=0.0):
    """Pins that were all 1, of mannequins lifted by heights [actor] [m] over where they should be."""
    rig = mannequin()
    legs = leg_arrays(rig.skeleton, find_legs(rig))
    rest = model_matrices(rig.skeleton, rig.skeleton.rest_pose).astype(np.float32)
    model = np.repeat(rest[None], len(heights), axis=0)
    model[..., 1, 3] += (np.asarray(heights) - floor)[:, None] / size
    pin = np.ones((len(heights), 2, 3), np.float32)
    return pin_by_pose(model.reshape(len(heights), -1, 12), pin, floor, size), float(legs.length[0])


def test_contacts_that_the_pose_has_in_the_air_are_not_pinned():
    length = lifted([0])[1]
    pin, _ = lifted(np.array([-0.02, 0.0, 0.015, 0.035, 0.06, 1.0]) * length)
    np.testing.assert_array_equal(pin[:2, :, :2], 1)
    np.testing.assert_allclose(pin[2, :, :2], 1, atol=0.02)
    np.testing.assert_allclose(pin[3, :, :2], 0.5, atol=0.1)
    np.testing.assert_array_equal(pin[4:, :, :2], 0)
    np.testing.assert_array_equal(pin[..., 2], 1)  # support is none of the pose's business


def test_heights_count_from_the_floor_in_legs_lengths():
    heights = np.linspace(0, 0.1, 9)
    pin, _ = lifted(heights)
    for size, floor in ((0.25, 0.0), (3.0, 0.0), (1.0, 0.02), (2.0, -0.3)):
        np.testing.assert_allclose(lifted(heights * size, size, floor)[0], pin, atol=2e-3)


def test_rows_are_curves_with_padding():
    curves = np.random.default_rng(3).random((2, 5, 4, 3), np.float32)
    rows = FootContacts(None, 0.0, curves, (), np.zeros((1, 4, 3), np.float32)).rows
    assert rows.shape == (2, 5, 16)
    np.testing.assert_array_equal(rows[..., :12], curves.reshape(2, 5, 12))
    np.testing.assert_array_equal(rows[..., 12:], 0)


def test_free_contacts_stay_free():
    model, pin = np.zeros((2, mannequin().skeleton.joint_count, 12), np.float32), np.zeros((2, 2, 3), np.float32)
    np.testing.assert_array_equal(pin_by_pose(model, pin), 0)


def test_pins_that_parameters_say_are_not_lifted():
    pin = np.ones((3, 2, 3), np.float32)
    model = np.ones((3, mannequin().skeleton.joint_count, 12), np.float32)
    assert (pin_by_pose(model, pin)[..., :2] == 0).all(), "all contacts are metres above the floor"
    np.testing.assert_array_equal(pin_by_pose(model, pin, lifts=False), pin)


@pytest.mark.parametrize("count", [1, 9, 200])
def test_pins_are_the_steps_and_the_clips_by_the_steps_share(count):
    rng = np.random.default_rng(3)
    asked, clips = rng.random((2, count, 2, 3), np.float32)
    share = rng.choice(np.float32([0, 0.3, 1]), count)
    asked[share == 0] = np.nan  # who does not step has none
    model = np.zeros((count, mannequin().skeleton.joint_count, 12), np.float32)
    found = pin_by_pose(model, clips, stepping=share, asked=asked)  # all contacts lie on the floor
    wanted = share[:, None, None].astype(np.float64)
    mixed = wanted * asked + (1 - wanted) * clips
    np.testing.assert_allclose(found, np.where(wanted > 0, mixed, clips), atol=1e-7)


def test_steps_are_mixed_with_what_the_pose_leaves_of_the_clips():
    asked, clips = np.full((2, 2, 3), 0.6, np.float32), np.ones((2, 2, 3), np.float32)
    model = np.ones((2, mannequin().skeleton.joint_count, 12), np.float32)  # high above the floor
    found = pin_by_pose(model, clips, stepping=[0.25, 1.0], asked=asked)
    np.testing.assert_allclose(found[0], np.tile([0.15, 0.15, 0.9], (2, 1)), atol=1e-6)
    np.testing.assert_allclose(found[1], 0.6, atol=1e-6)

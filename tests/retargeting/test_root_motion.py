"""Root motion that turns: taken out and put in, against sums of small steps and scipy's rotations."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.spatial.transform import Rotation

import ecs_anim as ea
from ecs_anim.assets.frames import Frames, frames_of
from ecs_anim.assets.track import Track
from ecs_anim.commands.command_line import cli
from ecs_anim.gltf.lent_clips import with_clips
from ecs_anim.ik.foot_contacts import contact_curves
from ecs_anim.ik.legs import find_legs
from ecs_anim.retargeting.root_motion import RootMotion
from ecs_anim.scenes.rigs import MANNEQUIN
from tests.retargeting.test_retarget import TIME, body, moving

SOUTH = -math.pi / 2  # [rad], the heading of a body that is not turned


def circling(rig, degrees, radius, lies=0.0):
    """A clip of a second in which a body goes round on an arc to its left, from the +Z axis on, and looks ahead; `lies`
    [rad], how far it leans back."""
    clip = moving(rig, {"left_upper_arm": [0.3, 0.2, -0.9]})
    angle = math.radians(degrees) * TIME
    start = rig.skeleton.rest_pose.translation[0]
    path = start + radius * np.column_stack([1 - np.cos(angle), np.zeros(len(angle)), np.sin(angle)])
    own = Rotation.from_quat(rig.skeleton.rest_pose.rotation[0])
    turned = (Rotation.from_rotvec(angle[:, None] * [0, 1, 0]) * Rotation.from_rotvec([-lies, 0, 0]) * own).as_quat()
    tracks = {(track.joint_index, track.path): track for track in clip.tracks}
    moved = tracks[0, "translation"]
    tracks[0, "translation"] = replace(moved, values=path.astype(np.float32))
    tracks[0, "rotation"] = replace(moved, path="rotation", values=turned.astype(np.float32))
    return replace(clip, tracks=tuple(tracks.values()))


@pytest.mark.parametrize("turn", [0.0, 0.7, -2.0, 2 * math.pi])
def test_a_root_is_where_small_steps_lead(turn):
    root, steps = RootMotion(np.array([0.3, 0.0, 1.2]), turn), 20_000
    middles = (np.arange(steps) + 0.5) / steps
    ways = Rotation.from_rotvec(middles[:, None] * turn * np.array([0, 1, 0])).apply(root.velocity) / steps
    np.testing.assert_allclose(root.places(np.array([1.0]))[0], ways.sum(axis=0), atol=1e-6)
    turned = Rotation.from_quat(root.rotations(np.array([0.4]))[0])
    assert (turned * Rotation.from_rotvec([0, -0.4 * turn, 0])).magnitude() == pytest.approx(0, abs=1e-7)


def test_what_is_put_in_is_taken_out():
    rng, time = np.random.default_rng(3), np.linspace(0, 2, 9)
    frames = Frames(Rotation.random(45, random_state=3).as_quat().reshape(9, 5, 4), rng.normal(size=(9, 5, 3)))
    root = RootMotion(np.array([0.3, 0.0, -0.4]), 1.3)
    gone = root.put_in(frames, time)
    np.testing.assert_allclose(root.seen(gone.positions[:, 2], time), frames.positions[:, 2], atol=1e-12)
    back = root.taken_out(gone.rotations[:, 2], time)
    np.testing.assert_allclose(np.abs(np.sum(back * frames.rotations[:, 2], axis=-1)), 1, atol=1e-12)


@pytest.mark.parametrize("degrees", [60, -135, 360])
def test_who_goes_round_turns_and_stays_in_place(degrees):
    """An arc of 1 m is a speed along it and a turn; what is left looks ahead, above the root."""
    source, target = body(), body(size=2.0, axes=5)
    clip = circling(source, degrees, math.copysign(1.0, degrees))
    moved = ea.retarget(clip, source, target, root_motion="extract")
    assert moved.extras["ground_turn"] == pytest.approx(math.radians(degrees), abs=1e-4)
    expected = [0, 2 * abs(math.radians(degrees))]
    assert moved.extras["ground_velocity"] == pytest.approx(expected, abs=0.02 * expected[1])
    rest = frames_of(target.skeleton, target.skeleton.rest_pose)
    found = frames_of(target.skeleton, moved.sample(TIME, loop=False))
    assert np.abs(found.positions[:, 0, [0, 2]]).max() < 0.02
    since = Rotation.from_quat(found.rotations[:, 0]) * Rotation.from_quat(rest.rotations[0]).inv()
    assert since.magnitude().max() < 1e-3
    straight = ea.retarget(clip, source, target, root_motion="keep")
    assert "ground_turn" not in straight.extras
    before = frames_of(target.skeleton, straight.sample(TIME, loop=False))
    root = RootMotion(np.array([*moved.extras["ground_velocity"], 0.0])[[0, 2, 1]], moved.extras["ground_turn"])
    whole = root.put_in(found, TIME)
    np.testing.assert_allclose(whole.positions, before.positions - before.positions[0, 0] * [1, 0, 1], atol=0.02)


def test_what_was_taken_out_goes_over_to_another_body():
    """Its pose, its speed and its turn come back as they were."""
    source, target = body(), body(size=2.0, axes=5)
    clip = ea.retarget(circling(source, 120, 1.0), source, target, root_motion="extract")
    there = ea.retarget(clip, target, source)
    back = ea.retarget(there, source, target)
    for key in ("ground_turn", "ground_velocity"):
        assert back.extras[key] == pytest.approx(clip.extras[key], rel=1e-3, abs=1e-3)
    assert there.extras["ground_speed"] == pytest.approx(clip.extras["ground_speed"] / 2, rel=1e-3)
    a, b = (frames_of(target.skeleton, own.sample(TIME, loop=False)) for own in (clip, back))
    np.testing.assert_allclose(b.positions, a.positions, atol=0.01)


def on_a_round(clip, degrees):
    """A clip of the mannequin's that goes round on an arc each time it is played: what its `extras` say, put in."""
    hips, time = clip.skeleton.joint_index("Hips"), np.linspace(0, clip.duration, 64)
    (side, ahead), rate = clip.extras["ground_velocity"], math.radians(degrees) / clip.duration
    pose = clip.sample(clip.start + time, loop=False)
    turned = Rotation.from_rotvec(time[:, None] * [0, rate, 0])
    root = complex(ahead, side) * (np.exp(1j * rate * time) - 1) / (1j * rate)  # the integral of the velocity
    places = turned.apply(pose.translation[:, hips]) + np.column_stack([root.imag, 0 * time, root.real])
    rotations = (turned * Rotation.from_quat(pose.rotation[:, hips])).as_quat()
    own = Track(hips, "translation", "LINEAR", time.astype(np.float32), places.astype(np.float32))
    tracks = [track for track in clip.tracks if track.joint_index != hips]
    tracks += [own, replace(own, path="rotation", values=rotations.astype(np.float32))]
    return replace(clip, tracks=tuple(tracks), start=0.0, end=float(own.times[-1]), extras=STAYS)


STAYS = {"ground_velocity": [0.0, 0.0], "ground_speed": 0.0}


def seam(rig, clip):
    """How far joints are from where they began as a clip ends [m]."""
    first, last = frames_of(rig.skeleton, clip.sample(np.array([clip.start, clip.end]), loop=False)).positions
    return np.linalg.norm(last - first, axis=-1).max()


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", ["walk", "strafe_right"])
@pytest.mark.parametrize("degrees", [10, 45, -160, 300])
def test_loops_that_turn_close_on_another_body(name, degrees):
    """Whether hips turn and go round, or the clip says so, and stays in place; which is the same motion."""
    source, target = ea.load_rig("mannequin"), body(size=0.8, axes=5)
    clip = source.clips[name]
    rate = math.radians(degrees) / clip.duration
    assert seam(source, clip) < 1e-6
    found = ea.retarget(on_a_round(clip, degrees), source, target, root_motion="extract")
    said = ea.retarget(replace(clip, extras={**clip.extras, "ground_turn": rate}), source, target)
    assert seam(target, found) < 1e-3
    assert seam(target, said) < 1e-3
    assert found.extras["ground_turn"] == pytest.approx(rate, rel=1e-3)
    assert said.extras["ground_turn"] == pytest.approx(rate, abs=1e-6)
    still = ea.retarget(clip, source, target)
    assert said.extras["ground_velocity"] == pytest.approx(still.extras["ground_velocity"], abs=1e-6)


def test_a_turn_that_a_clip_speaks_of_stays_one():
    """However small: one that says nothing of it would be left with as much."""
    clip = replace(moving(body(), {}), extras={"ground_turn": 0.2})
    assert ea.retarget(clip, body(), body(axes=5)).extras["ground_turn"] == pytest.approx(0.2)


@pytest.mark.parametrize("degrees", [330, 390])
def test_near_whole_turns_a_root_does_not_fly_off(degrees):
    """Who turns about themselves and drifts by 0.2 of a leg is no further from the root than that."""
    source, target = body(), body(axes=5)
    clip = circling(source, degrees, 0.0)
    drifting = [
        replace(track, values=track.values + np.outer(TIME, [0.2, 0, 0]).astype(np.float32))
        if track.path == "translation"
        else track
        for track in clip.tracks
    ]
    moved = ea.retarget(replace(clip, tracks=tuple(drifting)), source, target, root_motion="extract")
    assert moved.extras["ground_turn"] == pytest.approx(math.radians(degrees), abs=1e-4)
    found = frames_of(target.skeleton, moved.sample(TIME, loop=False))
    assert np.abs(found.positions[:, 0, [0, 2]]).max() < 0.3


def test_who_spins_in_place_is_left_to_it():
    """They stand, turn round within a fifth of the clip, and stand again: nothing is to be taken out."""
    source, target = body(), body(axes=5)
    clip = moving(source, {"hips": [0.0, 0.0, 0.0]})
    angle = 2 * math.pi * np.clip((TIME - 0.4) / 0.2, 0, 1)
    own = Rotation.from_quat(source.skeleton.rest_pose.rotation[0])
    turned = (Rotation.from_rotvec(angle[:, None] * [0, 1, 0]) * own).as_quat().astype(np.float32)
    tracks = tuple(replace(track, values=turned) if track.path == "rotation" else track for track in clip.tracks)
    moved = ea.retarget(replace(clip, tracks=tracks), source, target, root_motion="extract")
    assert "ground_turn" not in moved.extras
    before, after = (frames_of(target.skeleton, moved.sample(np.array([at]), loop=False)) for at in (0.0, 0.35))
    np.testing.assert_allclose(after.positions, before.positions, atol=1e-4)


@pytest.mark.parametrize(("lies", "turns"), [(0.5, True), (1.4, False)])
def test_who_lies_down_faces_nowhere(lies, turns):
    clip = circling(body(), 120, 1.0, lies)
    moved = ea.retarget(clip, body(), body(axes=5), root_motion="extract")
    assert ("ground_turn" in moved.extras) == turns


@pytest.fixture(name="on_an_arc")
def on_an_arc_fixture(tmp_path):
    """Where somebody is, and their heading, who walks on an arc of 2 m to the right, as a file says."""
    walk = ea.load_rig("mannequin").clips["walk"]
    arc = replace(walk, name="arc", extras={**walk.extras, "ground_turn": -0.7})
    (tmp_path / "x.glb").write_bytes(with_clips(MANNEQUIN, [arc]))

    def where(seconds, rate, **keys):
        points = {"kind": "points", "points": [[0.0, 0.0]]}
        clips = [{"name": "arc", "phase": 0.0, **keys}]
        crowd = {"name": "people", "rig": "people", "layout": points, "clips": clips, "locomotion": {}}
        scene = {"rigs": {"people": {"model": str(tmp_path / "x.glb")}}, "crowds": [crowd]}
        with ea.load_scene(scene) as world:
            people = ea.crowd(world, "people")
            for _ in range(round(seconds * rate)):
                world.step(1 / rate)
            return people.positions[0], people.headings[0]

    return where


@pytest.mark.exhaustive
@pytest.mark.usefixtures("on_an_arc")
def test_inspect_and_retarget_tell_how_clips_turn(tmp_path):
    def told(*arguments):
        found = CliRunner().invoke(cli, [*map(str, arguments), "--json"], catch_exceptions=False)
        return {clip["name"]: clip["ground_turn"] for clip in json.loads(found.stdout)["clips"]}

    model = tmp_path / "x.glb"
    found = told("inspect", model)
    assert found == dict.fromkeys(found, 0.0) | {"arc": -0.7}
    moved = told("retarget", model, "mannequin", "--clip", "arc", "--out", tmp_path / "y.glb")
    assert moved == {"arc": -0.7}


@pytest.mark.parametrize("rate", [10, 60])
def test_who_plays_a_clip_that_turns_goes_round(on_an_arc, rate):
    """Two seconds of it end where the arc does, whatever the steps."""
    position, heading = on_an_arc(2.0, rate)
    assert heading == pytest.approx(SOUTH - 1.4, abs=1e-4)
    np.testing.assert_allclose(position, [-2 * (1 - math.cos(1.4)), -2 * math.sin(1.4)], atol=0.02)


def test_who_is_at_the_end_of_a_clip_turns_no_more(on_an_arc):
    duration = ea.load_rig("mannequin").clips["walk"].duration
    _, heading = on_an_arc(3.0, 60, loop=False)
    assert heading == pytest.approx(SOUTH - 0.7 * duration, abs=0.7 / 60)


def test_who_is_to_stay_where_they_are_does_not_turn(on_an_arc):
    position, heading = on_an_arc(1.0, 60, ground_speed_m_s=0.0)
    assert (*position, heading) == pytest.approx((0, 0, SOUTH), abs=1e-6)


def told(people):
    people.set_velocity(ea.ALL, [0.8, 0.9])


def shown_a_way(people):
    people.follow(people.ids, [[0.0, 1.0, 3.0]], [[[0, 0], [1, 0.2], [1.5, 2]]])


@pytest.mark.exhaustive
@pytest.mark.parametrize("move", [told, shown_a_way, "steering"])
def test_who_is_moved_does_not_turn_with_their_clip(tmp_path, move):
    """Bodies that walk by a clip which turns are where others are, and face where these do."""
    source = ea.load_rig("mannequin")
    found = []
    for turn in ({}, {"ground_turn": -0.7}):
        clip = replace(source.clips["walk"], name="arc", extras={**source.clips["walk"].extras, **turn})
        (tmp_path / "x.glb").write_bytes(with_clips(MANNEQUIN, [clip]))
        points = {"kind": "points", "points": [[0.0, 0.0]]}
        crowd = {"name": "people", "rig": "people", "layout": points, "clips": [{"name": "arc"}], "locomotion": {}}
        crowd["body"] = {"walk": "arc"}
        if move == "steering":
            crowd["steering"] = {"goal": [3.0, 1.0]}
        with ea.load_scene({"rigs": {"people": {"model": str(tmp_path / "x.glb")}}, "crowds": [crowd]}) as world:
            people = ea.crowd(world, "people")
            if callable(move):
                move(people)
            for _ in range(120):
                world.step(1 / 60)
            found.append((*people.positions[0], people.headings[0]))
    np.testing.assert_array_equal(*found)
    assert np.linalg.norm(found[0][:2]) > 1


def test_feet_of_a_clip_that_turns_stand_as_if_it_went_round():
    """Pins of a turn that is taken out are those of the same clip with the turn in it."""
    rig = ea.load_rig("mannequin")
    clip, legs = rig.clips["walk"], find_legs(rig)
    rate = math.radians(45) / clip.duration
    expected = contact_curves(on_a_round(clip, 45), legs)
    found = contact_curves(clip, legs, clip.extras["ground_velocity"], turn=rate)
    np.testing.assert_allclose(found, expected, atol=0.03)  # a linear key for each 64th
    without = contact_curves(clip, legs, clip.extras["ground_velocity"])
    assert np.abs(without - expected).max() > 0.2


@pytest.mark.parametrize("offset", [[5.0, 0.0, -4.0], [0.1, 0.0, 0.05]])
def test_a_clip_that_begins_far_from_its_root_is_moved_over_it(offset):
    """A motion that was recorded metres from the origin; a small offset is part of the pose."""
    source, target = body(), body(size=1.2)
    clip = moving(source, {}, path=(0.0, 0.0, 1.0))
    (hips,) = [track for track in clip.tracks if track.path == "translation"]
    shifted = replace(hips, values=hips.values + np.array(offset, np.float32))
    clip = replace(clip, tracks=tuple(shifted if track is hips else track for track in clip.tracks))
    places = {
        what: frames_of(target.skeleton, ea.retarget(clip, source, target, root_motion=what).sample(0.0)).positions
        for what in ("keep", "extract")
    }
    far = np.hypot(offset[0], offset[2]) > 1
    went = places["keep"][0] - places["extract"][0]
    np.testing.assert_allclose(went, 1.2 * np.array(offset) * far, atol=1e-3)

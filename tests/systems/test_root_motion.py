"""Clips that move their actors: bodies go exactly where the clip shows them, from the place of the actor."""

import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.assets.track import Track
from ecs_anim.components.character import Character
from ecs_anim.components.foot_contacts import FootContacts
from ecs_anim.components.transforms import Transforms
from ecs_anim.ik.foot_contacts import contact_curves
from ecs_anim.maths import quaternion
from ecs_anim.scenes.parts.grounding import legs_of
from ecs_anim.systems.history import History
from ecs_anim.systems.joints import joint_matrices
from tests.helpers import ASSETS, real

DT = 1 / 60
SECONDS, FAR, TURN = 1.2, 0.9, 2.0  # [s], [rig units], [rad]: length, way and turn of the attack
SCENE = """
rigs.hero = { model = "hero", height = 1.5 }
[[crowds]]
name = "heroes"
rig = "hero"
count = 3
scale_range = [0.8, 1.2]
layout = { kind = "grid", spacing = 4.0 }
heading_degrees = "random"
triggers = ["attack"]
clips = [
    { name = "idle" },
    { name = "walk" },
    { name = "attack", loop = false, phase = 0.0, MOVES },
]
MORE
[crowds.controller]
start = "rest"
states = { rest = "REST", attack = "attack" }
transitions = [
    { from = "any", to = "attack", when = ["attack"], fade_seconds = FADE },
    { from = "attack", to = "rest", when = ["finished"], fade_seconds = 0.2 },
]
"""
TURNING = "moves_actor = true, turns_actor = true"


def scene(moves="moves_actor = true", more="", rest="idle", fade=0.0, ground=""):
    text = SCENE.replace("MOVES", moves).replace("MORE", more).replace("REST", rest).replace("FADE", str(fade))
    return text + ground


def attacker():
    """Return a mannequin with a clip `attack`: the pose of a wave, and hips that go ahead, aside and around."""
    rig = ea.load_rig("mannequin")
    wave = rig.clips["wave"]
    time = np.linspace(0, SECONDS, 73).astype(np.float32)
    pose, share = wave.sample(wave.start + time), (time / SECONDS) ** 2
    hips = int(np.flatnonzero(rig.skeleton.parents < 0)[0])
    places = pose.translation[:, hips].copy()
    places[:, 2] += FAR * share
    places[:, 0] += 0.2 * np.sin(3 * share)
    around = quaternion.from_axis_angle(np.array([0.0, 1.0, 0.0]), TURN * share)
    tracks = [t for t in wave.tracks if t.joint_index != hips]
    tracks.append(Track(hips, "translation", "LINEAR", time, places.astype(np.float32)))
    rotations = quaternion.multiply(around, pose.rotation[:, hips]).astype(np.float32)
    tracks.append(Track(hips, "rotation", "LINEAR", time, rotations))
    attack = replace(wave, name="attack", tracks=tuple(tracks), start=0.0, end=SECONDS)
    return replace(rig, clips={**rig.clips, "attack": attack})


RIG = attacker()
ATTACK = RIG.clips["attack"]


def load(text, **options):
    return ea.load_scene(text, models={"hero": RIG}, **{"threads": 1, **options})


def transforms_of(world):
    ((_, (found,)),) = world.query(Transforms)
    return found


def joints_of(world):
    ((entity, _),) = world.query(Transforms)
    return joint_matrices(world, entity, np.arange(3, dtype=np.int32))[..., 3]


def state_of(world):
    found = transforms_of(world)
    return found.translation.copy(), found.rotation.copy()


def run(world, seconds):
    for _ in range(round(seconds / DT)):
        world.step(DT)


def attack_now(world):
    """Begin the attack, and return the handle."""
    people = ea.crowd(world, "heroes")
    people.trigger(ea.ALL, "attack")
    return people


@pytest.mark.exhaustive
@pytest.mark.parametrize("moves", ["moves_actor = true", TURNING])
@pytest.mark.parametrize("more", ["", "locomotion = {}"])
def test_joints_move_as_in_the_clip(moves, more):
    """Oracle: the clip of the file, which travels, at the place where the actor was when the clip began."""
    with load(scene(moves, more)) as world:
        run(world, 0.1)
        attack_now(world)
        start, turn = (own.astype(np.float64) for own in state_of(world))
        scale = transforms_of(world).scale.astype(np.float64)
        for step in range(1, int(SECONDS / DT)):
            world.step(DT)
            model = ea.model_matrices(RIG.skeleton, ATTACK.sample(step * DT))[..., 3].astype(np.float64)
            expected = quaternion.rotate(turn[:, None], model[None]) * scale[:, None, None] + start[:, None]
            np.testing.assert_allclose(joints_of(world), expected, atol=1e-3)
        run(world, 1.0)
        rest = state_of(world)
        run(world, 0.5)
        np.testing.assert_array_equal(state_of(world)[0], rest[0])  # an ended clip does not move its actor


@pytest.mark.exhaustive
def test_the_heading_turns_as_in_the_clip():
    with load(scene(TURNING)) as world:
        people = attack_now(world)
        before = people.headings
        run(world, SECONDS + 1)
        np.testing.assert_allclose(np.angle(np.exp(1j * (people.headings - before - TURN))), 0, atol=2e-3)
    with load(scene()) as world:
        people = attack_now(world)
        before = people.headings
        run(world, SECONDS + 1)
        np.testing.assert_array_equal(people.headings, before)


@pytest.mark.exhaustive
@pytest.mark.parametrize("dt", [1 / 240, 1 / 60, 1 / 7, 3.5])
def test_looping_clips_move_by_their_whole_way_in_each_cycle(dt):
    text = scene("moves_actor = true, speed = 1.5").replace("loop = false", "loop = true, weight = 1e9")
    text = text[: text.index("[crowds.controller]")]
    with load(text) as world:
        start, _ = state_of(world)
        steps = round(7 * SECONDS / 1.5 / dt)
        for _ in range(steps):
            world.step(dt)
        cycles = steps * dt * 1.5 / SECONDS
        share = (cycles % 1) ** 2
        x = np.floor(cycles) * 0.2 * np.sin(3) + 0.2 * np.sin(3 * share)
        far = np.hypot(np.floor(cycles) * FAR + FAR * share, x) * transforms_of(world).scale
        np.testing.assert_allclose(np.linalg.norm(state_of(world)[0] - start, axis=1), far, rtol=2e-3)


def test_a_curve_moves_actors_ahead():
    """Oracle: linear interpolation of the curve at the time of the clip, ahead in the heading of the actor."""
    seconds, metres = [0.3, 0.6, 1.0], [0.0, 0.8, 0.5]
    with load(scene(f"moves_actor = {{ seconds = {seconds}, values = {metres} }}, speed = 1.0")) as world:
        people = attack_now(world)
        before, headings = people.positions, people.headings
        size = transforms_of(world).scale / np.float32(scale_of_rig(world))
        for step in range(1, 90):
            world.step(DT)
            far = np.interp(step * DT, seconds, metres) * size
            ahead = np.stack([np.cos(headings), np.sin(headings)], axis=1)
            np.testing.assert_allclose(people.positions, before + far[:, None] * ahead, atol=5e-3)


def scale_of_rig(world):
    """Return the size of a rig unit [m] of an actor with the size 1."""
    points = np.concatenate([mesh.positions for mesh in RIG.level(0)])
    return 1.5 / np.ptp(points[:, 1])


def test_fades_weigh_the_movement():
    """Oracle: the sum over steps of the weight of the clip at the end of the step x its movement in the step."""
    with load(scene(fade=0.5)) as world:
        people = attack_now(world)
        before, scale = people.positions, transforms_of(world).scale
        expected = 0.0
        way = FAR * (np.arange(90) * DT / SECONDS) ** 2
        for step in range(1, 60):
            world.step(DT)
            playing = people.playing_clips([0])
            weight = playing.weights[playing.clips == "attack"].sum()
            assert weight == pytest.approx(min(step * DT / 0.5, 1), abs=1e-5)
            expected += weight * (way[step] - way[step - 1])
        moved = people.positions - before
        ahead = np.stack([np.cos(people.headings), np.sin(people.headings)], axis=1)
        np.testing.assert_allclose((moved * ahead).sum(axis=1), expected * scale, atol=2e-3)


@pytest.mark.exhaustive
def test_steering_waits_while_a_clip_moves_the_actor():
    more = "body = {}\nsteering = { goal = [40, 0] }"
    with load(scene(TURNING, more, rest="body")) as world:
        run(world, 2)
        people = attack_now(world)
        start, turn = (own.astype(np.float64) for own in state_of(world))
        scale = transforms_of(world).scale.astype(np.float64)
        hips = int(np.flatnonzero(RIG.skeleton.parents < 0)[0])
        places = ATTACK.sample(np.array([0, SECONDS - DT])).translation[:, hips].astype(np.float64)
        run(world, SECONDS - DT)
        model = np.diff(places, axis=0) * [1, 0, 1]
        way = quaternion.rotate(turn, model) * scale[:, None]
        share = ((SECONDS - DT) / SECONDS) ** 2 * TURN  # the actor also turns about its own hips
        offset = quaternion.rotate(turn, np.tile(places[0] * [1, 0, 1], (3, 1)))
        around = quaternion.rotate(quaternion.from_axis_angle(np.array([0, 1.0, 0]), share), offset)
        expected = start + way + (offset - around) * scale[:, None]
        np.testing.assert_allclose(state_of(world)[0][:, ::2], expected[:, ::2], atol=2e-3)
        away = np.linalg.norm(people.positions - [40, 0], axis=1)
        run(world, 4)
        assert set(people.states()) == {"rest"}
        assert (np.linalg.norm(people.positions - [40, 0], axis=1) < away - 2).all()


@pytest.mark.exhaustive
def test_paths_over_time_win():
    with load(scene(more="body = {}", rest="body")) as world:
        people = ea.crowd(world, "heroes")
        targets = people.positions + np.array([3.0, 0.0])
        lines = [np.array([here, there]) for here, there in zip(people.positions, targets, strict=True)]
        people.follow(people.ids, [np.array([0.0, 3.0])] * 3, lines)
        people.trigger(ea.ALL, "attack")
        run(world, 1.5)
        assert set(people.states()) == {"rest"}
        np.testing.assert_allclose(people.positions, targets - np.array([1.5, 0.0]), atol=0.05)


@pytest.mark.exhaustive
def test_crowds_with_poses_from_the_gpu_move_alike():
    """The state of a crowd does not depend on the processor that computes its poses."""
    found = []
    for path in ("pose", "baked"):
        text = scene(TURNING, f'path = "{path}"', fade=0.1)
        with load(text) as world:
            attack_now(world)
            run(world, 2)
            found.append(state_of(world))
            bodies = joints_of(world)
    for own, other in zip(*found, strict=True):
        np.testing.assert_array_equal(own, other)
    assert np.linalg.norm(bodies[:, 0, ::2] - found[0][0][:, ::2], axis=1).max() < 0.05  # hips stay above the actors


@pytest.mark.exhaustive
def test_feet_are_planted_as_in_the_travelling_clip():
    """Oracle: the contacts of the clip of the file, with feet that are at rest on the ground."""
    with load(scene(TURNING, "grounding = {}")) as world:
        ((_, (contacts, character)),) = world.query(FootContacts, Character)
        number = character.motions.tables.index["attack"]
        legs = legs_of(None, SimpleNamespace(rig=RIG, facing=0.0, label="hero"), None)
        expected = contact_curves(ATTACK, legs, (0.0, 0.0), 0.0, 0.0)
        assert 0.1 < expected.mean() < 0.9
        np.testing.assert_allclose(contacts.curves[number], expected, atol=0.02)


@pytest.mark.exhaustive
def test_heights_follow_the_ground():
    ground = '\n[ground]\nkind = "heights"\nsize = [40.0, 40.0]\nfunction = "0.2 * x"\n'
    with load(scene(ground=ground)) as world:
        people = attack_now(world)
        begin = people.positions_in_space
        run(world, 2)
        now = people.positions_in_space
        assert (np.abs(now[:, 0] - begin[:, 0]) > 0.01).any()
        np.testing.assert_allclose(now[:, 1] - 0.2 * now[:, 0], begin[:, 1] - 0.2 * begin[:, 0], atol=0.02)


@pytest.mark.exhaustive
def test_chunks_threads_snapshots_and_history_give_equal_bits(tmp_path):
    text = scene(TURNING, "body = {}\nsteering = { goal = [9, 0] }", rest="body", fade=0.1)

    def later(world):
        run(world, 0.8)
        return state_of(world)

    with load(text) as world:
        run(world, 0.2)
        attack_now(world)
        run(world, 0.3)
        world.save(tmp_path / "x.npz")
        expected = later(world)
        history = History(world)
        history.play(DT)
        shown = state_of(world)
        history.step(DT)
        assert history.step_back()
        for own, other in zip(state_of(world), shown, strict=True):
            np.testing.assert_array_equal(own, other)
    with ea.load_world(tmp_path / "x.npz", text, models={"hero": RIG}, threads=2, chunk_size=1) as world:
        for own, other in zip(later(world), expected, strict=True):
            np.testing.assert_array_equal(own, other)
    with load(text, threads=2, chunk_size=1) as world:
        run(world, 0.2)
        attack_now(world)
        world.skip(18, DT)
        for own, other in zip(later(world), expected, strict=True):
            np.testing.assert_array_equal(own, other)


@pytest.mark.exhaustive
def test_a_stated_ground_speed_is_part_of_the_movement():
    text = """
    [[crowds]]
    name = "heroes"
    rig = "hero"
    heading_degrees = 30.0
    clips = [{ name = "walk", moves_actor = true }]
    [rigs.hero]
    model = "mannequin"
    """
    with ea.load_scene(text, threads=1) as world:
        people = ea.crowd(world, "heroes")
        before, speed = people.positions, ea.load_rig("mannequin").clips["walk"].extras["ground_speed"]
        run(world, 3)
        far = 3 * speed * transforms_of(world).scale[0]
        ahead = np.array([np.cos(np.pi / 6), np.sin(np.pi / 6)])
        np.testing.assert_allclose(people.positions - before, [far * ahead], atol=0.05)  # within the sway of the hips


@pytest.mark.parametrize(
    ("moves", "told"),
    [
        ("moves_actor = true, ground_speed_m_s = 1.0", "the keys moves_actor and ground_speed_m_s both move the actor"),
        ("moves_actor = true }, { name = 'sit', moves_actor = true", "clips[3].moves_actor: the body stays in place"),
        ("turns_actor = true", "turns_actor = true needs moves_actor = true"),
        ("moves_actor = { seconds = [0.0, 9.0], values = [0.0, 1.0] }", "clips[2].moves_actor.seconds: the time must"),
    ],
)
def test_wrong_keys_name_the_fix(moves, told):
    with pytest.raises(ea.InputError, match=re.escape(told)):
        load(scene(moves))


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", real("Woman.gltf"))
def test_a_punch_of_a_real_character_steps_ahead(name):
    text = f"""
    rigs.woman.model = "{ASSETS / name}"
    [[crowds]]
    name = "woman"
    rig = "woman"
    [[crowds.clips]]
    name = "Idle"
    [[crowds.clips]]
    name = "Punch"
    loop = false
    moves_actor = {{ seconds = [0.2, 0.6], values = [0.0, 0.8] }}
    """
    with ea.load_scene(text, threads=1) as world:
        people = ea.crowd(world, "woman")
        people.fade_to(ea.ALL, "Idle", 0.0)
        run(world, 0.5)
        before = people.positions
        people.fade_to(ea.ALL, "Punch", 0.15)
        run(world, 2)
        assert np.linalg.norm(people.positions - before) == pytest.approx(0.8, abs=1e-3)

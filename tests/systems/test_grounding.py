"""Foot grounding in whole scenes: same bits anywhere, soles on the ground, range, joints by name, mistakes."""

from pathlib import Path

import numpy as np
import pytest

from ecs_anim.assets.skinning import skin_linear
from ecs_anim.components.character import Character
from ecs_anim.components.foot_contacts import FootContacts
from ecs_anim.components.grounding import Grounding
from ecs_anim.components.palette import Palette
from ecs_anim.components.transforms import Transforms
from ecs_anim.maths import affine
from ecs_anim.maths.quaternion import rotate
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.loader import parse_scene
from ecs_anim.support.errors import InputError
from ecs_anim.systems.queries import stage_of
from tests.helpers import FEW

SCENE = """
seed = 5
[rigs.people]
model = "mannequin"
[camera]
target = [0, 1, 0]
distance = 10.0
azimuth_degrees = 180.0
elevation_degrees = 0.0
[ground]
{ground}
[[crowds]]
rig = "people"
count = {count}
heading_degrees = "random"
layout = {{ kind = "grid", spacing = 2.0 }}
clips = [{{ name = "{clip}" }}]
{locomotion}
{keys}
"""
FLAT = 'kind = "flat"'
HILLS = """
kind = "heights"
size = [60, 60]
spacing = 0.25
function = "0.5 * sin(x / 3) * cos(y / 4)"
"""
FRAMES = 6 if FEW else 90


def load(ground=HILLS, keys="grounding = {}", clip="walk", count=6, locomotion="locomotion = {}", **options):
    text = SCENE.format(ground=ground, keys=keys, clip=clip, count=count, locomotion=locomotion)
    return load_scene(parse_scene(text, "x.toml", Path()), **{"threads": 1, **options})


def walked(frames=FRAMES, **options):
    """Palettes [actor, entry, 3, 4] after a while."""
    with load(**options) as world:
        for _ in range(frames):
            world.step(1 / 60)
        ((_, (palette,)),) = world.query(Palette)
        return palette.matrices.copy()


def only(world, kind):
    ((_, (component,)),) = world.query(kind)
    return component


@pytest.mark.exhaustive
def test_chunks_and_threads_do_not_change_a_bit():
    expected = walked(count=9, chunk_size=9)
    for threads, chunk in ((1, 1), (2, 2), (2, 4), (1, 512)):
        np.testing.assert_array_equal(walked(count=9, threads=threads, chunk_size=chunk), expected)


def test_without_weight_actors_walk_as_without_the_key():
    np.testing.assert_array_equal(walked(keys="grounding = { weight = 0.0 }"), walked(keys=""))


def test_a_weight_parameter_fades_it():
    keys = "parameters = {{ feet = {} }}\ngrounding = {{ weight = 'feet' }}"
    np.testing.assert_array_equal(walked(keys=keys.format(0.0)), walked(keys=""))
    np.testing.assert_array_equal(walked(keys=keys.format(1.0)), walked())


def soles(world):
    """How far [m] the lowest vertex of each foot's skin lies above the ground [actor, foot]."""
    character, palette, transforms = (only(world, kind) for kind in (Character, Palette, Transforms))
    skeleton = character.rig.skeleton
    terrain = stage_of(world).terrain
    found = []
    for side in ("Left", "Right"):
        joints = [skeleton.joint_index(side + part) for part in ("Foot", "ToeBase")]
        gaps = []
        for mesh in character.rig.level(0):
            own = (np.isin(skeleton.skin_joints[mesh.palette_indices], joints) * mesh.weights).sum(axis=1) > 0.9
            points = skin_linear(mesh, palette.matrices.astype(np.float64))[0][:, own]
            turned = rotate(transforms.rotation[:, None].astype(np.float64), points)
            points = turned * transforms.scale[:, None, None] + transforms.translation[:, None]
            height, _ = terrain.below(points + np.array([0, 1, 0]))
            gaps.append(points[..., 1] - height)
        found.append(np.concatenate(gaps, axis=1).min(axis=1))
    return np.stack(found, axis=1)


def planted_gaps(**options):
    """Gaps of the soles of feet whose heel and ball are both surely planted."""
    seen = []
    with load(**options) as world:
        for frame in range(FRAMES):
            world.step(1 / 60)
            if frame % 3 == 2:
                seen.append(soles(world)[(only(world, FootContacts).pin[..., :2] > 0.95).all(axis=-1)])
    return np.concatenate(seen)


@pytest.mark.exhaustive
@pytest.mark.parametrize("clip", ["walk", "idle"])
def test_soles_of_planted_feet_touch_the_ground(clip):
    """Measure the gaps at the skin, which grounding itself never reads."""
    grounded, plain = (planted_gaps(clip=clip, keys=f"grounding = {{ weight = {w} }}") for w in (1.0, 0.0))
    assert len(grounded) > 4
    assert np.abs(grounded).max() < 0.015
    assert np.abs(plain).max() > 0.03


def joints_over_time(name, **options):
    """Where a joint is in model space, [frame, actor, 3]."""
    with load(ground=FLAT, **options) as world:
        skeleton, places = only(world, Character).rig.skeleton, []
        entry = skeleton.skin_joints.tolist().index(skeleton.joint_index(name))
        for _ in range(FRAMES):
            world.step(1 / 60)
            matrices = only(world, Palette).matrices[:, entry].astype(np.float64)
            places.append(affine.transform_points(matrices, skeleton.bind_places[entry]))
    return np.stack(places)


def test_who_stands_on_flat_ground_stands_as_animated():
    for name in ("Hips", "LeftLeg", "LeftFoot", "RightToeBase"):
        grounded, plain = (joints_over_time(name, clip="idle", keys=keys) for keys in ("grounding = {}", ""))
        np.testing.assert_allclose(grounded, plain, atol=1.5e-3)


@pytest.mark.parametrize(("name", "median", "most"), [("Hips", 1e-3, 0.01), ("LeftFoot", 0.006, 0.06)])
def test_who_walks_on_flat_ground_walks_as_animated(name, median, most):
    """Most of the time within millimetres; where a foot rolls off over its toes, its ball is held a little longer."""
    grounded, plain = (joints_over_time(name, keys=keys) for keys in ("grounding = {}", ""))
    moved = np.linalg.norm(grounded - plain, axis=-1)
    assert np.median(moved) < median
    assert moved.max() < most


def test_range_fades_with_the_distance_from_the_camera():
    """The camera is 10 m in front of the middle: actors within 0.8 of the range are as without one."""
    places = "layout = { kind = 'points', points = [[0, 0], [0, 8], [0, 20]] }"
    text = SCENE.replace('layout = {{ kind = "grid", spacing = 2.0 }}', places.replace("{", "{{").replace("}", "}}"))

    def palettes(keys):
        scene = text.format(ground=HILLS, keys=keys, clip="idle", count=3, locomotion="")
        with load_scene(parse_scene(scene, "x.toml", Path()), threads=1) as world:
            for _ in range(3):
                world.step(1 / 60)
            return only(world, Palette).matrices.copy()

    far, plain, ranged = (palettes(keys) for keys in ("grounding = {}", "", "grounding = { fade_distance = 20.0 }"))
    np.testing.assert_array_equal(ranged[0], far[0])
    np.testing.assert_allclose(ranged[2], plain[2], atol=1e-6)  # crowds without grounding are posed on a shorter way
    assert (ranged[1] != far[1]).any()
    assert (ranged[1] != plain[1]).any()


def test_legs_by_the_names_of_their_joints():
    parts = ("UpLeg", "Leg", "Foot", "ToeBase")
    named = f"grounding = {{ legs = {[[side + part for part in parts] for side in ('Left', 'Right')]} }}"
    np.testing.assert_array_equal(walked(keys=named), walked())
    with load(keys="grounding = { legs = [['RightUpLeg', 'RightLeg', 'RightFoot']] }") as world:
        world.step(1 / 60)
        assert only(world, FootContacts).pin.shape == (6, 1, 3)
        assert only(world, Grounding).legs.joints.tolist()[0][3] == -1


def test_crowds_of_one_rig_measure_clips_alike_but_for_their_own_legs_and_motions():
    second = """[[crowds]]
rig = "people"
count = 2
layout = { kind = "grid", spacing = 2.0 }
clips = [{ name = "%s" }]
grounding = { legs = [%s] }
"""
    left, right = (str([side + part for part in ("UpLeg", "Leg", "Foot")]) for side in ("Left", "Right"))
    legs = f"grounding = {{ legs = [{left}] }}\n"
    more = [second % of for of in [("walk", left), ("walk", right), ("run", left), ("walk", f"{right}, {left}")]]
    with load(keys=legs + "".join(more)) as world:
        one, same, other, run, both = (contacts.curves for _, (contacts,) in world.query(FootContacts))
    np.testing.assert_array_equal(one, same)
    for found in (other, run):
        assert found.shape == one.shape
        assert np.abs(found - one).max() > 0.5
    np.testing.assert_array_equal(both, np.concatenate([other, one], axis=2))


def test_pins_by_parameters():
    keys = "parameters = { left = 1.0, right = 0.0 }\ngrounding = { pins = ['left', 'right'] }"
    with load(keys=keys) as world:
        world.step(1 / 60)
        np.testing.assert_array_equal(only(world, FootContacts).pin[:, 0], 1)
        np.testing.assert_array_equal(only(world, FootContacts).pin[:, 1], 0)
        assert (only(world, Grounding).state.locked == [1, -1]).all()


def test_a_planted_foot_stays_while_its_actor_walks_on():
    keys = "parameters = { left = 1.0, right = 0.0 }\ngrounding = { pins = ['left', 'right'], lock_share = 0.5 }"
    with load(ground=FLAT, keys=keys) as world:
        places = []
        for _ in range(4):
            world.step(1 / 60)
            places.append(only(world, Grounding).state.lock[:, 0, :2].copy())
    np.testing.assert_array_equal(places, [places[0]] * 4)


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ("grounding = { legs = [['LeftUpLeg', 'LeftLeg', 'LeftFeet']] }", r"legs\[0\].*'LeftFeet'.*LeftFoot"),
        ("grounding = { legs = [['LeftUpLeg', 'RightLeg', 'RightFoot']] }", r"legs\[0\].*must be a descendant of"),
        ("grounding = { legs = [['LeftUpLeg', 'LeftLeg']] }", r"legs\[0\].*3"),
        ("grounding = { legs = [] }", r"grounding\.legs.*at least 1 item"),
        ("grounding = { weight = 'feet' }", r"grounding\.weight.*feet"),
        ("grounding = { weight = 1.5 }", r"grounding\.weight.*1"),
        (
            "grounding = { pins = ['left'] }",
            r"grounding\.pins.*one parameter for each of the 2 legs \(got 1 names\)",
        ),
        ("parameters = { left = 0.0 }\ngrounding = { pins = ['left', 'rihgt'] }", r"grounding\.pins.*rihgt"),
        ("grounding = { pelvis = 0.1 }", r"grounding.*pelvis"),
        ("grounding = { fade_distance = 0.0 }", r"grounding\.fade_distance"),
    ],
)
def test_mistakes_name_the_key_and_the_fix(keys, message):
    with pytest.raises(InputError, match=message) as caught, load(keys=keys):
        pass
    assert str(caught.value).startswith("x.toml")
    assert "\n" not in str(caught.value)


def test_rigs_without_legs_ask_for_them():
    text = SCENE.format(ground=FLAT, keys="grounding = {}", clip="rest", count=1, locomotion="").replace(
        "mannequin", "chain"
    )
    with pytest.raises(
        InputError, match=r"x\.toml.*grounding.*no leg joints with usual names. Write legs = \[\[hip, knee"
    ):
        load_scene(parse_scene(text, "x.toml", Path()))

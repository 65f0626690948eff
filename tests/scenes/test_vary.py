"""Scenes that vary by their seed, held against the same scenes with what was drawn written out."""

from pathlib import Path

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.components.appearance import Appearance
from ecs_anim.components.transforms import Transforms
from ecs_anim.scenes.loader import parse_scene
from ecs_anim.scenes.vary import varied
from ecs_anim.systems.queries import stage_of
from tests.digests import digests
from tests.helpers.command import ecs_anim

SCENE = """
seed = 3
[rigs.people]
model = "mannequin"
[light]
sun_elevation_degrees = 50.0
[[crowds]]
rig = "people"
name = "them"
count = 5
layout = { kind = "grid", spacing = 1.5 }
scale_range = [0.9, 1.1]
tints = ["#c8553d", "#3d6fa5"]
clips = [{ name = "walk" }, { name = "idle" }]
[vary]
"""
ALL = """
"light.sun_azimuth_degrees" = [100.0, 170.0]
"light.fog" = { one_of = [[25.0, 180.0], [10.0, 60.0]] }
"ground.color" = { one_of = ["#a3a89c", "#c9b491", "#8e9287"] }
"camera.distance" = [5.0, 9.0]
"camera.target" = { one_of = [[0.0, 1.0, 0.0], [1.0, 0.5, 2.0]] }
"crowds[0].count" = [4, 40]
"crowds[0].layout.spacing" = [1.0, 2.0]
"crowds[0].tints" = { one_of = [["#ffffff"], ["#000000", "#ff0000"]] }
"crowds[0].clips" = { one_of = [[{ name = "run" }], [{ name = "wave" }, { name = "dance", speed = 1.5 }]] }
"rigs.people.height" = [1.5, 1.9]
"""


def model(text: str, seed: int = 3):
    return varied(parse_scene(text, "x.toml", Path()), seed).model


@pytest.mark.parametrize("seed", [3, 4, 99])
def test_a_varied_scene_is_the_one_that_says_what_was_drawn(seed):
    drawn = model(SCENE + ALL, seed)
    crowd = drawn.crowds[0]
    written = f"""
seed = {seed}
[rigs.people]
model = "mannequin"
height = {drawn.rigs["people"].height!r}
[light]
sun_elevation_degrees = 50.0
sun_azimuth_degrees = {drawn.light.sun_azimuth_degrees!r}
fog = {list(drawn.light.fog)}
[ground]
color = "{drawn.ground.color}"
[camera]
distance = {drawn.camera.distance!r}
target = {list(drawn.camera.target)}
[[crowds]]
rig = "people"
name = "them"
count = {crowd.count}
layout = {{ kind = "grid", spacing = {crowd.layout.spacing!r} }}
scale_range = [0.9, 1.1]
tints = {crowd.tints!r}
clips = [{", ".join(f'{{ name = "{clip.name}", speed = {clip.speed!r} }}' for clip in crowd.clips)}]
"""
    with ea.load_scene(SCENE + ALL, seed=seed) as here, ea.load_scene(written) as there:
        for world in (here, there):
            for _ in range(20):
                world.step(1 / 30)
        assert digests(here) == digests(there)
        ((_, (own, tall)),), ((_, (other, wide)),) = (w.query(Appearance, Transforms) for w in (here, there))
        np.testing.assert_array_equal(own.tint, other.tint)
        np.testing.assert_array_equal(tall.scale, wide.scale)
        mine, theirs = stage_of(here), stage_of(there)
        assert repr(mine.camera) == repr(theirs.camera)
        assert mine.lighting == theirs.lighting
        assert mine.ground == theirs.ground


@pytest.mark.exhaustive
def test_values_are_spread_over_their_ranges_and_whole_where_both_ends_are():
    drawn = [model(SCENE + ALL, seed) for seed in range(200)]
    counts = np.array([own.crowds[0].count for own in drawn])
    assert counts.min() < 7
    assert counts.max() > 37
    azimuths = np.array([own.light.sun_azimuth_degrees for own in drawn])
    share = (np.sort(azimuths) - 100) / 70
    assert np.abs(share - np.linspace(0, 1, 200)).max() < 1.63 / np.sqrt(200)  # Kolmogorov and Smirnov, 1 %
    colors = [own.ground.color for own in drawn]
    assert all(40 < colors.count(color) < 95 for color in ("#a3a89c", "#c9b491", "#8e9287"))
    assert abs(np.corrcoef(azimuths, counts)[0, 1]) < 0.2


@pytest.mark.exhaustive
def test_one_more_key_leaves_the_others_as_they_were_and_the_same_seed_is_the_same_scene():
    fewer = SCENE + '"crowds[0].count" = [4, 40]\n"camera.distance" = [5.0, 9.0]\n'
    for seed in range(20):
        few, many, again = model(fewer, seed), model(SCENE + ALL, seed), model(SCENE + ALL, seed)
        assert (few.crowds[0].count, few.camera.distance) == (many.crowds[0].count, many.camera.distance)
        assert many == again


def test_a_scene_that_does_not_vary_is_left_alone():
    assert model(SCENE).light.sun_azimuth_degrees == 124.0


def test_what_a_list_holds_goes_by_its_name_too():
    assert model(SCENE + '"crowds.them.count" = { one_of = [17] }').crowds[0].count == 17
    nameless = SCENE.replace('name = "them"\n', "")
    assert model(nameless + '"crowds.people.count" = { one_of = [18] }').crowds[0].count == 18


@pytest.mark.parametrize(
    ("vary", "told"),
    [
        ('"light.sun_azimut" = [0.0, 1.0]', 'vary."light.sun_azimut": light.sun_azimut: unknown key; did you mean'),
        ('"light.sun_elevation_degrees" = [10.0, 95.0]', 'vary."light.sun_elevation_degrees": light.sun_elevation'),
        ('"light.sun_azimuth_degrees" = [9.0, 1.0]', "must begin with the smaller number (got 9 to 1)"),
        ('"ground.color" = { one_of = ["#ffffff", "red"] }', "should be a colour such as '#3b82f6' (got 'red')"),
        ('"ground.color" = { one_of = [] }', "vary.ground.color.one_of: List should have at least 1 item"),
        ('"crowds[1].count" = [1, 2]', 'vary."crowds[1].count": the index [1] must be less than 1, the length'),
        ('"crowds.others.count" = [1, 2]', "table of the list must have the name 'others' (got 0 tables). Use one of"),
        ('"crowds[0].tints.far" = [1, 2]', "(got 0 tables). Use one of the names: no table has a name"),
        ('"seed.far" = [1, 2]', "seed cannot vary"),
        ('"camera.distance.far" = [1, 2]', "vary.\"camera.distance.far\": camera.distance"),
        ('"crowds[0].count" = [1.0, 2.5]', 'vary."crowds[0].count": crowds[0].count: should be a valid integer'),
        ('"crowds[0].count" = [1, 2000000000]', 'vary."crowds[0].count": crowds[0].count'),
        ('"seed" = [1, 2]', "seed cannot vary"),
        ('"systems[0].module" = { one_of = ["a.py"] }', "systems cannot vary"),
        ('"crowds [0]" = [1, 2]', "the name must be a scene key. Write"),
        ('".light" = [1, 2]', "the name must be a scene key. Write"),
        ('light = 3', "vary.light"),
    ],
)  # fmt: skip
def test_what_could_be_drawn_and_is_no_scene_is_told_in_one_line(tmp_path, vary, told):
    path = tmp_path / "x.toml"
    path.write_text(SCENE + vary)
    with pytest.raises(ea.InputError) as caught:
        ea.load_scene(path)
    assert told in str(caught.value)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


def test_what_does_not_fit_together_is_told_with_the_seed():
    apart = SCENE + '"light.fog" = { one_of = [[90.0, 180.0]] }\n"light.shadows" = { one_of = ["none"] }\n'
    assert model(apart).light.shadows == "none"
    text = SCENE.replace("[vary]", "") + '[vary]\n"rigs.people.height" = [1.0, 2.0]\n"rigs.people.scale" = [1.0, 2.0]\n'
    with pytest.raises(ea.InputError, match="vary, of seed 3: rigs.people: height and scale must not be given"):
        model(text)


def test_a_saved_world_goes_on_as_its_own_seed_varied_it(tmp_path):
    path = tmp_path / "x.toml"
    path.write_text(SCENE + ALL)
    with ea.load_scene(path, seed=8) as world:
        world.step(0.1)
        world.save(tmp_path / "then.npz")
        for _ in range(5):
            world.step(0.1)
        with ea.load_world(tmp_path / "then.npz", path) as again:
            for _ in range(5):
                again.step(0.1)
            assert digests(again) == digests(world)


@pytest.mark.exhaustive
def test_the_command_tells_what_is_wrong_and_varies_by_the_seed(tmp_path):
    path = tmp_path / "x.toml"
    path.write_text(SCENE + '"crowds[0].count" = [4, 40]\n')
    count = model(SCENE + '"crowds[0].count" = [4, 40]\n').crowds[0].count
    assert f"ok, {count} actors" in ecs_anim("check", path).stdout
    (tmp_path / "y.toml").write_text(SCENE + '"light.nothing" = [1.0, 2.0]\n')
    wrong = ecs_anim("check", str(tmp_path / "y.toml"))
    assert wrong.returncode == 2
    assert "Traceback" not in wrong.stderr
    assert 'vary."light.nothing"' in wrong.stderr

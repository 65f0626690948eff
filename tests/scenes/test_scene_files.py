"""Scene files: accepted input, and the message for each mistake."""

import json
import re
from dataclasses import fields
from pathlib import Path
from typing import get_args

import numpy as np
import pytest

from ecs_anim.components.character import Character
from ecs_anim.components.crowd import Crowd
from ecs_anim.components.palette import Palette
from ecs_anim.components.playback import Playback
from ecs_anim.components.stage import Stage
from ecs_anim.components.transforms import Transforms
from ecs_anim.scenes.actor_counts import actor_counts, share_out
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.loader import parse_scene, read_scene
from ecs_anim.scenes.schema import SceneModel
from ecs_anim.scenes.schema_base import Place2, Table
from ecs_anim.scenes.shipped import shipped_scenes
from ecs_anim.support.errors import InputError
from tests.characters import COMPACT, PATCHWORK, SHAPES
from tests.helpers import ASSETS, DAILY, needs_assets, real, some

SCENE = """
seed = 4
[rigs.people]
model = "mannequin"
[[crowds]]
rig = "people"
count = 5
layout = { kind = "scatter", radius = 5, min_distance = 1.0 }
tints = ["#ff0000"]
clips = [{ name = "walk", speed = [0.9, 1.1] }, { name = "idle", phase = 0.25, weight = 2 }]
"""


def load(text, folder=Path(), **options):
    return load_scene(parse_scene(text, "x.toml", folder), threads=1, **options)


MISTAKES = [
    ("count = 5", "cuont = 5", "crowds[0].cuont: unknown key; did you mean 'count'?"),
    ("count = 5", 'count = "many"', 'crowds[0].count: should be a valid integer (got "many")'),
    ("count = 5", "count = 0", "crowds[0].count: should be greater than or equal to 1 (got 0)"),
    ("count = 5", "count = 5.5", "crowds[0].count: "),
    ("radius", "raduis", "crowds[0].layout.raduis: unknown key; did you mean 'radius'?"),
    ('"scatter"', '"scater"', "crowds[0].layout.kind: unknown kind 'scater'; did you mean 'scatter'?"),
    ("radius = 5", "radius = -5", "crowds[0].layout.radius: should be greater than 0 (got -5)"),
    (
        "radius = 5",
        "radius = 1",
        "crowds[0].layout: 5 actors with a distance of 1 m do not fit into a circle with the radius 1 m. Raise radius",
    ),
    ("radius = 5", "radius = nan", "crowds[0].layout.radius: "),
    ("#ff0000", "red", "crowds[0].tints[0]: should be a colour such as '#3b82f6' (got 'red')"),
    ('name = "walk"', 'name = "walkk"', "has no clip 'walkk'; did you mean 'walk'?"),
    ('rig = "people"', 'rig = "poeple"', "crowds[0].rig: there is no [rigs.poeple]; did you mean 'people'?"),
    (
        'model = "mannequin"',
        'model = "manequin"',
        "rigs.people.model: there is no file manequin; did you mean 'mannequin'?",
    ),
    (
        'model = "mannequin"',
        'model = "a.glb"',
        "rigs.people.model: there is no file a.glb; give the path of a .gltf, .glb or .vrm file",
    ),
    ('model = "mannequin"', "", "rigs.people.model: this key is missing"),
    (
        'model = "mannequin"',
        'model = "mannequin"\nheight = 2\nscale = 3',
        "rigs.people: height and scale must not be given together. Remove one of these keys",
    ),
    (
        'model = "mannequin"',
        'model = "mannequin"\ntexture = "no.png"',
        "rigs.people.texture: no.png: cannot read the picture: there is no such file",
    ),
    ("weight = 2", "weight = -1", "crowds[0].clips[1].weight: should be greater than or equal to 0"),
    ("[0.9, 1.1]", "[0.9]", "crowds[0].clips[0].speed: "),
    (
        "count = 5",
        "count = 5\nlevel = 7",
        "crowds[0].level: the detail level must be below 4, the number of detail levels of rig 'people'",
    ),
    ("count = 5", "count = 5\ndetail = 3", "crowds[0].detail: should be a table (got 3)"),
    ("seed = 4", "seed = 4\nsed = 4", "sed: unknown key; did you mean 'seed'?"),
    ("[rigs.people]", "[rigs.people", "not valid TOML: "),
    ("seed = 4", "seed = 4\nseed = 5", "not valid TOML: "),
    ("seed = 4", "seed = \0", "not valid TOML: "),
    ("seed = 4", f"seed = {5000 * '9'}", "not valid TOML: an integer has too many digits"),
    ("seed = 4", f"seed = {4000 * '9'}", "seed: should be less than or equal to 9223372036854775807"),
    ("seed = 4", f"x = {2000 * '['}{2000 * ']'}", "nested too deeply"),
    ("seed = 4", f"x = {300 * '['}{300 * ']'}", "nested too deeply"),
    ("seed = 4", f"{'.'.join(2000 * 'a')} = 1", "nested too deeply"),
    ("seed = 4", f"x = {2000 * '{a='}1{2000 * '}'}", "nested too deeply"),
    ("radius = 5", "radius = 1e999", "crowds[0].layout.radius: "),
    ('model = "mannequin"', f'model = "{5000 * "a"}"', "File name too long"),
    (
        'model = "mannequin"',
        'model = "a\\u0000b"',
        "cannot read the file: the name has characters that no file name can have",
    ),
    ("seed = 4", "seed = 2020-01-01", "seed: should be a valid integer"),
    (
        SCENE,
        "",
        "rigs: this key is missing: characters of the crowds, by name. Write [rigs.people], and in the next line",
    ),
    (
        '[rigs.people]\nmodel = "mannequin"',
        "",
        "rigs: this key is missing: characters of the crowds, by name. Write [rigs.people]",
    ),
    ('rig = "people"', "", "crowds[0].rig: this key is missing: name of a rig in [rigs]"),
]


@pytest.mark.parametrize(("old", "new", "message"), MISTAKES, ids=[new[:30] for _, new, _ in MISTAKES])
def test_a_mistake_is_one_line_with_its_place_and_fix(old, new, message):
    assert old in SCENE
    with pytest.raises(InputError) as caught:
        load(SCENE.replace(old, new, 1))
    line = str(caught.value)
    assert line.startswith("x.toml: ")
    assert message in line
    assert "\n" not in line


def test_a_model_without_clips_is_told_what_to_do(tmp_path):
    from tests.gltf.test_meshes import skinned

    (tmp_path / "still.glb").write_bytes(skinned([[0, 0, 0, 0]], [[1, 0, 0, 0]]).binary())
    with pytest.raises(InputError, match="'walk'; the rig has no clips. Use clips of another model: clips_from"):
        load(SCENE.replace('"mannequin"', '"still.glb"'), tmp_path)


def test_a_whole_table_is_not_printed():
    with pytest.raises(InputError, match="inertia .*Leave out one of these keys$"):
        load(SCENE.replace("count = 5", 'detail = {}\nblend = "inertial"'))


def test_zero_weights_are_told():
    text = SCENE.replace("weight = 2", "weight = 0").replace("speed = [0.9, 1.1]", "weight = 0")
    with pytest.raises(InputError, match="at least one weight"):
        load(text)


@pytest.mark.parametrize("name", ["plaaza", "nowhere.toml"])
def test_an_unknown_scene_lists_what_ships(name):
    with pytest.raises(InputError, match="the scene file does not exist;.*plaza"):
        read_scene(name)


def test_a_folder_is_no_scene(tmp_path):
    with pytest.raises(InputError, match="this is a folder, not a scene file. Name a file in it"):
        read_scene(tmp_path)


def test_bytes_that_are_no_text_are_told(tmp_path):
    path = tmp_path / "noise.toml"
    path.write_bytes(b"\xff\xfe\x00\x81")
    with pytest.raises(InputError, match="must be UTF-8"):
        read_scene(path)


def test_a_byte_order_mark_is_no_mistake(tmp_path):
    path = tmp_path / "marked.toml"
    path.write_text(SCENE, "utf-8-sig")
    assert read_scene(path).model == parse_scene(SCENE, "x.toml", tmp_path).model


@pytest.mark.parametrize("wrong", [{"actors": 0}, {"actors": -1}, {"threads": 0}, {"chunk_size": 0}])
def test_numbers_from_a_program_are_positive(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        load_scene("single", **wrong)


def test_columns_hold_what_the_file_says():
    with load(SCENE + "heading_degrees = 0\nscale_range = [1.0, 1.0]\n[camera]\ndistance = 3.0\n", actors=400) as world:
        ((_, (crowd, playback, transforms)),) = world.query(Crowd, Playback, Transforms)
        assert (crowd.name, crowd.actor_count) == ("people", 400)
        walking = playback.motion[:, 0] == 0
        assert np.mean(walking) == pytest.approx(1 / 3, abs=0.08)
        assert playback.speed[walking, 0].min() >= 0.9
        assert playback.speed[walking, 0].max() <= 1.1
        assert np.ptp(playback.speed[walking, 0]) > 0.15
        assert set(playback.speed[~walking, 0].tolist()) == {1.0}
        assert len(set(playback.phase[~walking, 0].tolist())) == 1
        np.testing.assert_allclose(transforms.rotation, [[0, np.sqrt(0.5), 0, np.sqrt(0.5)]] * 400, atol=1e-6)
        for component in (playback, transforms):
            for field in fields(component):
                column = getattr(component, field.name)
                if column is None:
                    continue
                assert column.flags.c_contiguous, field.name
                assert column.dtype in (np.float32, np.int32, np.bool_), field.name
        ((_, (stage,)),) = world.query(Stage)
        assert stage.camera.distance == 3.0


def test_height_sets_the_size():
    with load(SCENE.replace('"mannequin"', '"mannequin"\nheight = 3.5')) as world:
        ((_, (transforms,)),) = world.query(Transforms)
        np.testing.assert_allclose(transforms.scale, 2.0, rtol=0.02)


def speeds_ahead(world):
    """Return the speed of each clip's motion [m/s]."""
    ((_, (character, transforms)),) = world.query(Character, Transforms)
    return character.motions.arrays.member["ahead"] * transforms.scale[0]


def test_locomotion_speed_is_the_files_or_the_scenes():
    with load(SCENE) as world:
        np.testing.assert_allclose(speeds_ahead(world), [1.4, 0.0], atol=1e-6)
    with load(SCENE.replace('name = "walk"', 'name = "walk", ground_speed_m_s = 2.5')) as world:
        np.testing.assert_allclose(speeds_ahead(world), [2.5, 0.0], atol=1e-6)


@pytest.mark.exhaustive
@needs_assets
def test_locomotion_speed_is_measured_where_the_file_is_silent():
    text = f"""
[rigs.woman]
model = "{ASSETS / "Woman.gltf"}"
height = 1.7
[[crowds]]
rig = "woman"
clips = [{{ name = "Walking" }}, {{ name = "Running" }}, {{ name = "Idle" }}]
"""
    with load(text) as world:
        walk, run, idle = speeds_ahead(world)
        assert 1.0 < walk < 1.6
        assert 2.5 < run < 5.0
        assert idle == 0


def test_clips_can_be_dealt_out_in_turn():
    with load(SCENE + 'clip_choice = "in_turn"') as world:
        ((_, (playback,)),) = world.query(Playback)
        assert playback.motion[:, 0].tolist() == [0, 1, 0, 1, 0]


@pytest.mark.parametrize(
    ("counts", "total", "shares"),
    [([1, 1], 5, [3, 2]), ([300, 100], 1000, [750, 250]), ([1, 1, 1], 2, [1, 1, 0]), ([5, 6], None, [5, 6])],
)
def test_actors_are_shared_out(counts, total, shares):
    assert share_out(counts, total) == shares


@pytest.mark.parametrize(
    ("total", "counts"), [(None, [30, 10, 2]), (21, [15, 5, 1]), (42, [30, 10, 2]), (82, [60, 20, 2])]
)
def test_crowds_at_fixed_points_keep_their_size(total, counts):
    written = '[rigs.one]\nmodel = "mannequin"\n' + "".join(
        f'[[crowds]]\nrig = "one"\ncount = {count}\nlayout = {layout}\n'
        for count, layout in [
            (30, '{ kind = "grid" }'),
            (10, '{ kind = "scatter", radius = 9.0 }'),
            (2, '{ kind = "points", points = [[0, 9], [1, 9]] }'),
        ]
    )
    assert actor_counts(parse_scene(written, "x.toml", Path()).model.crowds, total) == counts


def test_if_all_points_are_fixed_all_crowds_grow():
    assert sum(actor_counts(read_scene("twist").model.crowds, 60)) == 60


@pytest.mark.exhaustive
@pytest.mark.parametrize("scene", some(shipped_scenes(), *DAILY))
def test_shipped_scenes_load(scene):
    with load_scene(scene, threads=1) as world:
        world.step(1 / 60)


def test_shipped_scenes_are_the_ones_we_know():
    assert set(shipped_scenes()) >= {"plaza", "single", "grid"}


def test_every_key_of_the_schema_is_described():
    schema = SceneModel.model_json_schema()
    assert schema["additionalProperties"] is False
    assert {"RigModel", "CrowdModel", "CameraModel", "ScatterLayout"} <= set(schema["$defs"])
    json.dumps(schema)


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("model", "lender", "names", "count"),
    [
        pytest.param(str(SHAPES), str(COMPACT), ("walk", "nod"), 4, id="dolls"),
        *(
            pytest.param(*path.values, "mannequin", ("walk", "idle"), 24, id="Woman.gltf")
            for path in real("Woman.gltf")
        ),
    ],
)
def test_a_character_plays_another_models_clips(model, lender, names, count):
    """The mannequin has fewer joints than the Woman, under the same names; the dolls' stand in another order."""
    text = SCENE.replace('"mannequin"', f'"{model}"\nclips_from = ["{lender}"]')
    text = text.replace('name = "walk"', f'name = "{names[0]}"').replace('name = "idle"', f'name = "{names[1]}"')
    with load(text) as world:
        ((_, (character, palette)),) = world.query(Character, Palette)
        assert set(character.motions.index) == set(names)
        assert len(character.rig.clips) == count
        assert np.isfinite(palette.matrices).all()


def tables(model=Table):
    """All classes of tables."""
    return {own for part in model.__subclasses__() for own in ({part} | tables(part))}


def names_a_place(annotation):
    return annotation == Place2 or any(map(names_a_place, get_args(annotation)))


def test_every_place_on_a_plane_says_by_which_axes():
    fields = [(own, *field) for own in tables() for field in own.model_fields.items()]
    places = [(own, name, field) for own, name, field in fields if names_a_place(field.annotation)]
    assert len(places) > 10
    for own, name, field in places:
        assert re.search(r"x, y|\[x, y\]|well-known text", field.description or ""), (own, name)


def test_a_joint_that_is_missing_is_named():
    text = SCENE.replace('"mannequin"', f'"mannequin"\nclips_from = ["{PATCHWORK}"]')
    with pytest.raises(InputError, match=r"rigs.people.clips_from\[0\]: .*Nose"):
        load(text)


def test_a_clip_that_is_there_already_is_not_replaced():
    with pytest.raises(InputError, match="already has a clip with the name 'idle'"):
        load(SCENE.replace('"mannequin"', '"mannequin"\nclips_from = ["mannequin"]'))

"""The preset "wild": valid for every shipped scene, equal for equal seeds, and weaker than the scene's own keys."""

import pytest

from ecs_anim.scenes.loader import parse_scene, scene_of
from ecs_anim.scenes.shipped import shipped_scenes
from ecs_anim.scenes.vary import choices, drawn_values, varied, with_preset
from ecs_anim.support.errors import InputError
from tests.helpers import some

SCENE = """
[rigs.people]
model = "people"
[[crowds]]
rig = "people"
clips = [{ name = "idle" }]
"""


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", some(list(shipped_scenes()), "station"))
def test_each_shipped_scene_has_valid_wild_variants_that_differ_by_seed(name):
    wild = with_preset(scene_of(name), "wild")
    drawn = [varied(wild, seed).model for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1]
    assert drawn[0].light != drawn[2].light


def test_only_blocks_with_windows_have_colours_of_houses():
    scene = with_preset(scene_of("plaza"), "wild")
    houses = {number for number, own in enumerate(scene.model.ground.blocks) if own.windows is not None}
    blocks = [varied(scene, seed).model.ground.blocks for seed in range(8)]
    changed = {number for number, own in enumerate(zip(*blocks, strict=True)) if len({one.color for one in own}) > 1}
    assert changed == houses != set()


def test_the_text_wild_and_the_key_preset_have_one_meaning(tmp_path):
    text = parse_scene(f'vary = "wild"\n{SCENE}', "x", tmp_path)
    table = parse_scene(f'{SCENE}[vary]\npreset = "wild"\n', "x", tmp_path)
    assert drawn_values(text, 5) == drawn_values(table, 5) == drawn_values(with_preset(table, "wild"), 5)
    assert drawn_values(text, 5)["rigs.people.patterns"] is True
    assert varied(text, 5).model.light.fog == tuple(drawn_values(text, 5)["light.fog"])


def test_own_keys_have_priority_over_the_preset(tmp_path):
    scene = parse_scene(f'{SCENE}[vary]\npreset = "wild"\n"light.fog" = {{ one_of = [[3.0, 9.0]] }}\n', "x", tmp_path)
    assert {varied(scene, seed).model.light.fog for seed in range(5)} == {(3.0, 9.0)}
    assert "surfaces.wetness" in choices(scene.model)


@pytest.mark.parametrize("line", ['"light.fog" = "wild"', "preset = [1, 2]", 'preset = "tame"'])
def test_other_texts_are_errors(tmp_path, line):
    with pytest.raises(InputError, match=r"^x: vary"):
        parse_scene(f"{SCENE}[vary]\n{line}\n", "x", tmp_path)

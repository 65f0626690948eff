"""A former key of a scene file is an error that names the present key."""

import json

import pytest

from ecs_anim.scenes.crowds import CrowdModel
from ecs_anim.scenes.former_keys import FORMER_KEYS, present_key
from ecs_anim.scenes.loader import parse_scene
from ecs_anim.scenes.parts.sources import SourceModel
from ecs_anim.scenes.parts.steering import SteeringModel
from ecs_anim.scenes.schema import CueModel, SceneModel
from ecs_anim.scenes.schema_bake import BakeModel
from ecs_anim.scenes.schema_trajectories import TrajectoryModel
from ecs_anim.support.errors import InputError

SCENE = """
[rigs.people]
model = "mannequin"
[[crowds]]
rig = "people"
steering = { goal = [4.0, 0.0], start = 2.0 }
"""


@pytest.mark.parametrize(
    ("table", "former", "present"),
    [
        (SteeringModel, "near", "waypoint_radius"),
        (CrowdModel, "near", "near_actors"),
        (SteeringModel, "choose", "exit_choice or route_choice"),
        (SourceModel, "rate", "rate_per_second"),
        (BakeModel, "rate", "rate_hz"),
        (TrajectoryModel, "start", "start_seconds"),
        (CueModel, "at", "at_seconds"),
        (BakeModel, "near", ""),
        (CrowdModel, "rgi", ""),
    ],
)
def test_a_former_key_has_the_present_key_of_its_table(table, former, present):
    assert present_key(former, [table]) == present


def test_present_keys_exist():
    schema = json.dumps(SceneModel.model_json_schema())
    assert [name for names in FORMER_KEYS.values() for name in names if f'"{name}": {{' not in schema] == []


def test_a_former_key_is_an_error_that_names_the_present_key(tmp_path):
    with pytest.raises(InputError) as caught:
        parse_scene(SCENE, "x.toml", tmp_path)
    where = "crowds[0].steering.start"
    assert str(caught.value) == f"x.toml: {where}: this key is now premovement_seconds. Use the new name."


def test_a_former_name_of_a_required_key_is_one_error(tmp_path):
    cue = '[[timeline]]\nat = 20.0\nclose = "west"\n'
    with pytest.raises(InputError) as caught:
        parse_scene(cue + SCENE.replace("start", "premovement_seconds"), "x.toml", tmp_path)
    assert [*caught.value.problems] == ["x.toml: timeline[0].at: this key is now at_seconds. Use the new name."]


def test_a_missing_key_is_still_an_error_next_to_a_former_name_of_another_key(tmp_path):
    cue = '[[timeline]]\nevery = 2.0\nclose = "west"\n'
    with pytest.raises(InputError) as caught:
        parse_scene(cue + SCENE.replace("start", "premovement_seconds"), "x.toml", tmp_path)
    former, missing = caught.value.problems
    assert former == "x.toml: timeline[0].every: this key is now every_seconds. Use the new name."
    assert missing.startswith("x.toml: timeline[0].at_seconds: this key is missing")

"""Crowds that name no clips, models that have none, and the view of scenes without a camera."""

import dataclasses
import json

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.assets.clip import Clip
from ecs_anim.assets.skinning import rest_bounds
from ecs_anim.components.character import Character
from ecs_anim.components.stage import Stage
from ecs_anim.components.transforms import Transforms
from ecs_anim.scenes.crowds import CrowdModel
from ecs_anim.scenes.own_motions import _own_clip
from ecs_anim.support.errors import InputError
from ecs_anim.view.style import View
from tests.gltf.test_meshes import skinned
from tests.helpers import ASSETS, needs_assets

MOVING = {
    "locomotion = {}": True,
    "path = 'baked'\nsteering = { goal = [3.0, 4.0] }": True,
    "": False,
    "count = 9": False,
}


def played(text: str, rig: str = 'model = "mannequin"') -> list[str]:
    """Return the names of the motions that a crowd's actors play."""
    with ea.load_scene(f"[rigs.a]\n{rig}\n[[crowds]]\nrig = 'a'\n{text}") as world:
        world.step(1 / 60)
        return [motion.name for motion in world.query(Character).__next__()[1][0].motions.motions]


@pytest.mark.parametrize(("keys", "moves"), MOVING.items())
def test_a_crowd_that_moves_walks_and_another_idles(keys, moves):
    assert played(keys) == ["walk" if moves else "idle"]


@pytest.mark.parametrize(
    ("clips", "at_rest", "on_the_way"),
    [
        (["Attack", "Idle", "Walking", "Running"], "Idle", "Walking"),
        (["Attack", "Running"], "Attack", "Running"),
        (["Attack", "Dance"], "Attack", "Attack"),
        (["walk_left", "Survey", "Walk"], "Survey", "Walk"),
    ],
)
def test_the_clip_is_the_one_of_the_usual_name_else_the_first(clips, at_rest, on_the_way):
    rig = ea.load_rig("mannequin")
    own = {name: Clip(name, rig.skeleton, (), 0.0, 1.0) for name in clips}
    rig = dataclasses.replace(rig, clips=own)
    for keys, expected in (({}, at_rest), ({"locomotion": {}}, on_the_way)):
        assert _own_clip(CrowdModel.model_validate({"rig": "a", **keys}), rig) == expected


def test_a_controllers_states_name_the_clips():
    states = 'controller = { start = "a", states = { a = "cheer", b = "idle", c = "cheer" } }'
    assert played(states) == ["cheer", "idle"]
    with pytest.raises(InputError, match=r"controller\.states\.b: the crowd has no motion 'flutter'"):
        played(states.replace("idle", "flutter"))


@needs_assets
@pytest.mark.parametrize(
    ("name", "clip"), [("Fox.glb", "Survey"), ("Woman.gltf", "Idle"), ("cesium_man.gltf", "clip_0")]
)
@pytest.mark.filterwarnings("ignore::ecs_anim.support.errors.InputWarning")
def test_two_lines_show_any_character(name, clip):
    with ea.load_scene(f"rigs.a.model = {str(ASSETS / name)!r}\ncrowds = [{{ rig = 'a' }}]") as world:
        world.step(1 / 60)
        ((_, (character,)),) = world.query(Character)
        assert [motion.name for motion in character.motions.motions] == [clip]
        assert_in_view(world)


def still(folder) -> str:
    path = folder / "still.glb"
    path.write_bytes(skinned([[0, 0, 0, 0]], [[1, 0, 0, 0]]).binary())
    return f"model = {json.dumps(str(path))}\nheight = 1.0"


@pytest.mark.parametrize("keys", ["", "locomotion = {}", "path = 'baked'", "count = 5"])
def test_a_model_without_clips_stands_as_it_rests(tmp_path, keys):
    assert played(keys, still(tmp_path)) == ["rest"]


def test_a_body_needs_a_clip_that_walks(tmp_path):
    with pytest.raises(InputError, match=r"crowds\[0\]\.body"):
        played("body = {}", still(tmp_path))


def assert_in_view(world) -> None:
    """All corners of all actors' boxes are in a square picture of the world's camera."""
    ((_, (stage,)),) = world.query(Stage)
    view = View.of(stage.camera, 1.0)
    for _, (character, transforms) in world.query(Character, Transforms):
        low, high = rest_bounds(character.rig)
        heights = np.array([[0, low[1], 0], [0, high[1], 0]])
        points = (transforms.translation[:, None] + transforms.scale[:, None, None] * heights).reshape(-1, 3)
        seen = np.append(points, np.ones((len(points), 1)), axis=1) @ view.view_projection.T
        assert (np.abs(seen[:, :2]) < seen[:, 3:]).all()


@pytest.mark.parametrize("count", [1, 40, 900])
def test_a_scene_without_a_camera_shows_all_its_actors(count):
    with ea.load_scene(f"rigs.a.model = 'mannequin'\ncrowds = [{{ rig = 'a', count = {count} }}]") as world:
        assert_in_view(world)
        ((_, (stage,)),) = world.query(Stage)
        assert (stage.camera.distance == 8.0) == (count == 1)
        ((_, (transforms,)),) = world.query(Transforms)
        assert len(np.unique(transforms.translation, axis=0)) == count


def test_the_camera_that_a_scene_names_stays():
    text = "rigs.a.model = 'mannequin'\ncrowds = [{ rig = 'a', count = 400 }]\ncamera = { distance = 5.0 }"
    with ea.load_scene(text) as world:
        ((_, (stage,)),) = world.query(Stage)
        assert stage.camera.distance == 5.0


@pytest.mark.parametrize(
    ("size", "said", "tall"),
    [
        (100, "", "100"),
        (25, "", "25"),
        (0.05, "", "0.05"),
        (100, "scale = 1.0", None),
        (100, "height = 1.7", None),
        (1, "", None),
    ],
)
def test_a_size_that_no_character_has_is_told(tmp_path, recwarn, size, said, tall):
    """The model has a height of 1 unit, multiplied by `size`."""
    builder = skinned([[0, 0, 0, 0]], [[1, 0, 0, 0]])
    builder.document["nodes"].append({"children": [0, 1, 2, 3, 4, 5, 6, 7], "scale": [size] * 3})
    path = tmp_path / "x.glb"
    path.write_bytes(builder.binary())
    ea.load_scene(f"[rigs.a]\nmodel = {json.dumps(str(path))}\n{said}\n[[crowds]]\nrig = 'a'").close()
    expected = (
        f"rigs.a: {path} is {tall} m tall, if its unit is the metre."
        " Set its height in metres: height = 1.7 fits an adult person. To keep this size, set scale = 1"
    )
    assert [str(warning.message).partition(": ")[2] for warning in recwarn] == ([] if tall is None else [expected])

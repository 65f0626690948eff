"""`ecs-anim view`: any file in one command."""

import tomllib

import numpy as np
import pytest
from PIL import Image

import ecs_anim as ea
from ecs_anim.commands import view, window
from ecs_anim.commands.rig_scene import _plain, scene_text
from ecs_anim.commands.view import ViewOptions, view_file
from ecs_anim.scenes.loader import parse_scene
from ecs_anim.scenes.rigs import BUILT_IN, load_model
from ecs_anim.systems.queries import stage_of
from tests.helpers import ASSETS, MOTIONS, needs_assets, needs_motions, some
from tests.test_cli import NO_DISPLAY, assert_one_line, ecs_anim

PLAN = "POLYGON ((0 0, 12 0, 12 6, 0 6, 0 0), (3 2, 5 2, 5 4, 3 4, 3 2))"
SCENE = '[rigs.a]\nmodel = "ball"\n[[crowds]]\nrig = "a"\n'


@pytest.fixture
def files(tmp_path, monkeypatch):
    """A small file of each family, by family."""
    monkeypatch.chdir(tmp_path)
    rows = ["id,time_s,x_m,y_m", *(f"1,{k / 5:.1f},{0.2 * k:.3f},0.5" for k in range(20))]
    (tmp_path / "people.csv").write_text("\n".join(rows) + "\n", "utf-8")
    (tmp_path / "room.wkt").write_text(PLAN, "utf-8")
    (tmp_path / "scene.toml").write_text(SCENE, "utf-8")
    assert ecs_anim("bake", "forearm", "--out", "f.bake", cwd=tmp_path).returncode == 0
    done = ecs_anim("run", "scene.toml", "--no-draw", "--frames", "2", "--save", "s.snapshot", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    return ["people.csv", "room.wkt", "scene.toml", "f.bake", "s.snapshot", "mannequin", "single"]


@pytest.mark.exhaustive
def test_each_family_of_files_becomes_a_picture(files, tmp_path):
    for name in files:
        done = ecs_anim("view", name, "--out", "x.png", "--size", "96x64", cwd=tmp_path)
        assert done.returncode == 0, (name, done.stderr)
        assert Image.open(tmp_path / "x.png").size == (96, 64)
        (tmp_path / "x.png").unlink()


@pytest.mark.exhaustive
def test_without_a_display_a_picture_with_the_stem_is_written(tmp_path):
    done = ecs_anim("view", "forearm", "--size", "64x48", cwd=tmp_path)
    assert done.stderr.splitlines()[-1] == f"wrote forearm.png: {NO_DISPLAY}"
    assert (tmp_path / "forearm.png").stat().st_size > 500


@pytest.mark.exhaustive
def test_a_film_has_the_clips_in_turn(tmp_path):
    clips = ["--clip", "walk", "--clip", "run"]
    done = ecs_anim("view", "mannequin", *clips, "--size", "64x48", "--fps", "5", "--out", "x.gif", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert Image.open(tmp_path / "x.gif").n_frames >= 15  # two clips of at least 1.5 s


@pytest.mark.exhaustive
def test_options_that_do_not_apply(files, tmp_path):
    for name in ("people.csv", "room.wkt", "scene.toml"):
        done = ecs_anim("view", name, "--clip", "walk", "--out", "x.png", cwd=tmp_path)
        assert_one_line(done, "--clip needs a model, a motion or a bake")
    done = ecs_anim("view", "mannequin", "--bind-pose", "--clip", "walk", "--out", "x.png", cwd=tmp_path)
    assert_one_line(done, "--bind-pose must not be given with --clip")
    done = ecs_anim("view", "mannequin", "--seconds", "3", "--out", "x.png", cwd=tmp_path)
    assert_one_line(done, "--seconds needs a film")
    assert not (tmp_path / "x.png").exists()


@pytest.mark.exhaustive
def test_wrong_files(tmp_path):
    (tmp_path / "x.pdf").write_bytes(b"%PDF-1.7\n")
    assert_one_line(ecs_anim("view", "x.pdf", cwd=tmp_path), "x.pdf")
    assert_one_line(ecs_anim("view", "nothing.glb", cwd=tmp_path), "nothing.glb")
    assert_one_line(ecs_anim("view", "mannequin", "--clip", "wlak", "--out", "x.png", cwd=tmp_path), "walk")
    assert_one_line(ecs_anim("view", "mannequin", "--out", "x.txt", cwd=tmp_path), "x.txt")


def test_a_snapshot_without_its_scene_says_what_to_do(files, tmp_path):
    (tmp_path / "scene.toml").unlink()
    done = ecs_anim("view", "s.snapshot", "--out", "x.png", cwd=tmp_path)
    assert_one_line(done, "ecs-anim run SCENE --from-snapshot s.snapshot")


def test_a_window_names_the_clip(monkeypatch):
    seen = {}
    monkeypatch.setattr(view, "display_available", lambda: True)
    monkeypatch.setattr(window, "show_in_window", lambda world, size, frames, text: seen.update(size=size, text=text()))
    view_file(ViewOptions("forearm", size=(64, 48)))
    assert seen["size"] == (64, 48)
    assert seen["text"] in ea.load_rig("forearm").clips


@pytest.mark.exhaustive
@needs_assets
def test_an_implausible_height_is_told(tmp_path):
    done = ecs_anim(
        "view", str(ASSETS / "Fox.glb"), "--clip", "Walk", "--size", "64x48", "--out", "f.png", cwd=tmp_path
    )
    (note,) = [line for line in done.stderr.splitlines() if "tall" in line]
    assert note == (
        f"{ASSETS / 'Fox.glb'}: the model is 79 m tall, if its unit is the metre."
        " In a scene, set the height of the model in metres: height = 1.7 fits an adult person"
    )
    assert done.returncode == 0


@pytest.mark.exhaustive
@needs_motions
def test_a_motion_shows_its_skeleton(tmp_path):
    done = ecs_anim("view", str(MOTIONS / "walk_meredith.bvh"), "--size", "64x48", "--out", "b.png", cwd=tmp_path)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("model", [name for name in BUILT_IN if name not in ("people",)])
def test_a_scene_for_a_model_runs(model):
    with ea.load_scene(parse_scene(scene_text(load_model(model), model), "x.toml", ASSETS), threads=1) as world:
        world.step(1 / 60)


@pytest.mark.exhaustive
@needs_assets
@pytest.mark.parametrize("name", some(["Woman.gltf", "Fox.glb", "cesium_man.gltf"], "Fox.glb"))
def test_a_scene_for_a_model_has_its_clips_and_its_states(name):
    rig = load_model(str(ASSETS / name))
    text = scene_text(rig, name)
    (crowd,) = tomllib.loads(text)["crowds"]
    assert [clip["name"] for clip in crowd["clips"]] == list(rig.clips)
    if "controller" in crowd:
        assert set(crowd["controller"]["states"].values()) == set(rig.clips)
    with ea.load_scene(parse_scene(text, "x.toml", ASSETS), threads=1) as world:
        for _ in range(300):
            world.step(1 / 60)


@pytest.mark.exhaustive
@needs_assets
@pytest.mark.parametrize("name", some(["Woman.gltf", "Fox.glb", "cesium_man.gltf", "dq.gltf"], "Fox.glb"))
def test_all_actors_of_a_scene_for_a_model_stay_in_the_picture(name):
    text = scene_text(load_model(str(ASSETS / name)), name)
    with ea.load_scene(parse_scene(text, "x.toml", ASSETS), threads=1) as world:
        camera, (actors,) = stage_of(world).camera, ea.crowds(world)
        seen = camera.projection_matrix(16 / 9).astype(float) @ camera.view_matrix().astype(float)
        for _ in range(600):
            world.step(1 / 60)
            points = np.column_stack([actors.positions_in_space, np.ones(actors.actor_count)]) @ seen.T
            places = points[:, :2] / points[:, 3:]
            assert np.abs(places).max() < 1
        assert np.ptp(places, axis=0).min() > 0.5  # the actors fill more than a quarter of the width and height


@pytest.mark.exhaustive
@needs_assets
def test_a_scene_names_the_picture_beside_a_model(tmp_path):
    assert ecs_anim("new", "x.toml", "--rig", str(ASSETS / "Woman.gltf"), cwd=tmp_path).returncode == 0
    text = (tmp_path / "x.toml").read_text("utf-8")
    (tmp_path / "x.toml").write_text(text.replace("# texture", "texture"), "utf-8")
    assert ecs_anim("check", "x.toml", cwd=tmp_path).returncode == 0
    picture = tomllib.loads(text.replace("# texture", "texture"))["rigs"]["actor"]["texture"]
    assert (tmp_path / picture).samefile(ASSETS / "Woman.png")


@pytest.mark.exhaustive
@needs_assets
def test_a_scene_names_the_missing_picture_of_a_model():
    assert '\n# texture = "FILE.png"' in scene_text(load_model(str(ASSETS / "Woman.gltf")), "Woman.gltf")
    assert "texture" not in scene_text(load_model(str(ASSETS / "Fox.glb")), "Fox.glb")


@pytest.mark.exhaustive
@needs_assets
def test_the_command_writes_the_scene(tmp_path):
    done = ecs_anim("new", "fox.toml", "--rig", str(ASSETS / "Fox.glb"), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert ecs_anim("check", "fox.toml", cwd=tmp_path).returncode == 0
    found = tomllib.loads((tmp_path / "fox.toml").read_text("utf-8"))
    assert found["rigs"]["actor"]["height"] == 1.0
    both = ecs_anim("new", "x.toml", "--rig", "mannequin", "--like", "plaza", cwd=tmp_path)
    assert_one_line(both, "--like and --rig cannot be used together")


def test_names_of_states_are_plain_and_different():
    assert _plain(["Jump Full|Long", "jump full long", "2 steps", "finished", "Sprung!"]) == [
        "jump_full_long",
        "jump_full_long_1",
        "clip_2_steps",
        "clip_finished",
        "sprung",
    ]

"""Commands write over nothing that they read, and no two files to one name."""

import shutil

import pytest
from PIL import Image

from tests.helpers.command import ecs_anim
from tests.test_cli import assert_one_line

SCENE = """
[rigs.people]
model = "{model}"
[[crowds]]
rig = "people"
count = 2
clips = [{{ name = "{clip}" }}]
{more}
"""
PLAIN = {"model": "mannequin", "clip": "walk"}
RECORDED = """
[rigs.people]
model = "mannequin"
[[crowds]]
rig = "people"
body = {}
trajectories = { file = "people.csv" }
"""
PEOPLE = "# framerate: 10\nid,frame,x_m,y_m\n" + "".join(f"1,{frame},{0.1 * frame:.2f},0.0\n" for frame in range(20))


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "room.toml").write_text(SCENE.format(**PLAIN, more=""))
    (tmp_path / "people.csv").write_text(PEOPLE)
    Image.new("L", (40, 40), 255).save(tmp_path / "plan.png")
    plan = '[walls]\npicture = { file = "plan.png", metres_per_pixel = 0.1 }'
    (tmp_path / "plan.toml").write_text(SCENE.format(**PLAIN, more=plan))
    (tmp_path / "recorded.toml").write_text(RECORDED)
    (tmp_path / "link.toml").symlink_to("room.toml")
    return tmp_path


FEW = ("--frames", "1", "--size", "32x18")


@pytest.mark.parametrize(
    ("words", "kept"),
    [
        (("run", "room.toml", "--no-draw", "--frames", "1", "--save", "room.toml"), "room.toml"),
        (("run", "link.toml", "--no-draw", "--frames", "1", "--save", "room.toml"), "room.toml"),
        (("run", "plan.toml", "--headless", *FEW, "--out", "plan.png"), "plan.png"),
        (("run", "plan.toml", "--headless", *FEW), "plan.png"),
        (("run", "recorded.toml", "--frames", "1", "--save-trajectories", "people.csv"), "people.csv"),
        (("profile", "room.toml", "--no-draw", "--frames", "1", "--json", "room.toml"), "room.toml"),
        (("walk", "people.csv", "--report", "--json", "people.csv"), "people.csv"),
        (("inspect", "people.csv", "--plot", "people.csv"), "people.csv"),
    ],
)
def test_nothing_is_written_over_what_is_read(folder, words, kept):
    before = (folder / kept).read_bytes()
    assert_one_line(ecs_anim(*words, cwd=folder), f"{kept}: --", "must not name an input file. Name another file")
    assert (folder / kept).read_bytes() == before


def test_a_recording_that_is_called_as_a_scene_is_no_place_for_one(folder):
    shutil.copy(folder / "people.csv", folder / "people.toml")
    told = ecs_anim("walk", "people.toml", "--save-scene", "people.toml", "--out", "a.png", cwd=folder)
    assert_one_line(told, "people.toml: --save-scene must not name an input file. Name another file")
    assert (folder / "people.toml").read_text() == PEOPLE


@pytest.mark.exhaustive
def test_a_model_is_not_written_over_by_the_scene_that_names_it(folder):
    done = ecs_anim("export", "room.toml", "--frames", "1", "--out", "model.glb", cwd=folder)
    assert done.returncode == 0, done.stderr
    (folder / "own.toml").write_text(SCENE.format(model="model.glb", clip="crowd", more=""))
    before = (folder / "model.glb").read_bytes()
    told = ecs_anim("export", "own.toml", "--frames", "1", "--out", "model.glb", cwd=folder)
    assert_one_line(told, "model.glb: --out must not name an input file. Name another file")
    assert (folder / "model.glb").read_bytes() == before


@pytest.mark.parametrize(
    ("words", "both"),
    [
        (("run", "room.toml", "--frames", "1", "--save", "a.csv", "--save-trajectories", "a.csv"), ("a.csv", "--save")),
        (("run", "room.toml", *FEW, "--out", "a.png", "--save", "./a.png"), ("a.png", "--out")),
        (("run", "room.toml", *FEW, "--pass", "ids", "--out", "a.png", "--save", "a.png"), ("a.png", "--pass ids")),
        (("profile", "room.toml", "--no-draw", "--json", "a.json", "--trace", "a.json"), ("a.json", "--trace")),
    ],
)
def test_no_two_files_have_one_name(folder, words, both):
    path, option = both
    told = ecs_anim(*words, cwd=folder)
    assert_one_line(told, "must be different files. Name another file for one of them")
    assert path in told.stderr
    assert option in told.stderr
    assert not (folder / path).exists()


@pytest.mark.exhaustive
def test_a_snapshot_may_follow_its_own(folder):
    words = ("run", "room.toml", "--no-draw", "--frames", "1", "--save", "later.npz")
    assert ecs_anim(*words, cwd=folder).returncode == 0
    assert ecs_anim(*words, "--from-snapshot", "later.npz", cwd=folder).returncode == 0

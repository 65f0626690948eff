"""`ecs-anim bake` as a user meets it."""

import json

import pytest

from ecs_anim.bake.file import load_bake
from ecs_anim.scenes.rigs import load_model
from tests.builders.gltf_builder import GltfBuilder
from tests.helpers.command import ecs_anim
from tests.test_cli import assert_one_line


@pytest.mark.exhaustive
def test_bake_writes_a_file_and_tells_what_it_loses(tmp_path):
    path = tmp_path / "m.bake"
    result = ecs_anim(
        "bake", "mannequin", "--out", path, "--clip", "idle", "--clip", "sit", "--format", "f16", "--json"
    )
    assert result.returncode == 0, result.stderr
    told = json.loads(result.stdout)
    assert result.stderr.splitlines() == [f"wrote {path}"]
    bake = load_bake(path, load_model("mannequin").skeleton)
    assert [clip["name"] for clip in told["clips"]] == list(bake.index) == ["idle", "sit"]
    assert told["bake"]["rows"] == len(bake.rows)
    for clip in told["clips"]:
        assert 0 < clip["error_mm"] <= 0.5
        assert 0 < clip["error_degrees"] <= 0.1
    shown = ecs_anim("inspect", path, "--json")
    assert json.loads(shown.stdout) == told


@pytest.mark.exhaustive
def test_bake_prints_a_table_and_says_what_missed_the_mark(tmp_path):
    options = ("--clip", "walk", "--space", "model", "--format", "u8", "--error", "0.2")
    result = ecs_anim("bake", "mannequin", "--out", tmp_path / "m.bake", *options)
    assert result.returncode == 0, result.stderr
    assert "error mm" in result.stdout
    assert "walk" in result.stdout
    assert "clip 'walk' has an error of" in result.stderr
    assert "f16" in result.stderr
    shown = ecs_anim("inspect", tmp_path / "m.bake")
    assert shown.stdout == result.stdout


def test_a_rate_is_kept(tmp_path):
    result = ecs_anim("bake", "mannequin", "--out", tmp_path / "m.bake", "--clip", "walk", "--bake-rate", 7, "--json")
    (clip,) = json.loads(result.stdout)["clips"]
    assert (clip["hz"], clip["rows"]) == (7.0, 8)


def test_morphs_are_not_baked_and_that_is_said(tmp_path):
    result = ecs_anim("bake", "blob", "--out", tmp_path / "b.bake")
    assert result.returncode == 0, result.stderr
    assert "morph" in result.stderr


def test_wrong_input_is_told_in_one_line(tmp_path):
    path = tmp_path / "m.bake"
    assert_one_line(ecs_anim("bake", "mannequin"), "--out")
    assert_one_line(ecs_anim("bake", "mannequin", "--out", path, "--clip", "wlak"), "wlak", "did you mean 'walk'")
    assert_one_line(
        ecs_anim("bake", "mannequin", "--out", path, "--bake-rate", 30, "--error", 1), "--bake-rate", "--error"
    )
    assert_one_line(ecs_anim("bake", "mannequin", "--out", tmp_path / "no" / "m.bake"), "does not exist")
    assert_one_line(ecs_anim("bake", "gone.glb", "--out", path), "gone.glb")
    assert_one_line(ecs_anim("bake", "mannequin", "--out", path, "--format", "f64"), "f64")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.exhaustive
def test_damaged_bakes_are_told_in_one_line(tmp_path):
    path = tmp_path / "m.bake"
    assert ecs_anim("bake", "mannequin", "--out", path, "--clip", "lean_left").returncode == 0
    assert_one_line(ecs_anim("inspect", path, "--clip", "walk"), "--clip", "need a model")
    path.write_bytes(path.read_bytes()[:-1])
    assert_one_line(ecs_anim("inspect", path), "m.bake", "incomplete", "Bake the model again")
    assert_one_line(ecs_anim("inspect", tmp_path / "gone.bake"), "gone.bake", "there is no file")


def test_a_model_without_clips(tmp_path):
    builder = GltfBuilder()
    builder.add("nodes", mesh=builder.triangle())
    model = builder.write(tmp_path / "still.glb")
    assert_one_line(ecs_anim("bake", model, "--out", tmp_path / "x.bake"), "a bake needs a model with clips")


def test_a_bake_does_not_replace_its_model(tmp_path):
    from importlib.resources import files

    model = tmp_path / "m.glb"
    model.write_bytes(files("ecs_anim.mannequin").joinpath("mannequin.glb").read_bytes())
    before = model.read_bytes()
    assert_one_line(ecs_anim("bake", model, "--out", model), "must not name an input file")
    assert model.read_bytes() == before

"""Data sets in parts: parts of several machines join to the bytes of one run."""

import pytest

import ecs_anim as ea
from tests.dataset.test_dataset import contents
from tests.helpers.command import ecs_anim
from tests.test_cli import assert_one_line

SCENE = """
[rigs.ball]
model = "ball"
[[crowds]]
name = "balls"
rig = "ball"
count = 3
layout = { kind = "scatter", radius = 1.0 }
clips = [{ name = "rest" }]
[[cameras]]
name = "door"
size = [64, 48]
eye = [0.0, 1.0, 3.0]
look_at = [0.0, 0.5, 0.0]
"""
ASKED = ("--seeds", "3:6", "--frames", "0:4:2", "--split", "0.6,0.4")


@pytest.fixture(name="scene", scope="module")
def scene_fixture(tmp_path_factory):
    path = tmp_path_factory.mktemp("scene") / "room.toml"
    path.write_text(SCENE)
    return path


def saved(scene, folder, **options):
    return ea.save_dataset(
        scene, folder, seeds=range(3, 6), frames=(0, 2), split=(0.6, 0.4), formats=["jsonl", "coco", "yolo"], **options
    )


@pytest.mark.exhaustive
def test_joined_parts_have_the_bytes_of_one_run(scene, tmp_path):
    whole = saved(scene, tmp_path / "whole", threads=2)
    parts = [saved(scene, tmp_path / f"part{number}", shard=(number, 2), threads=1) for number in (1, 2)]
    assert not (parts[0] / "manifest.json").exists()
    assert {path.name for path in (parts[1] / "door/rgb").iterdir()} == {"000002.png", "000003.png"}
    (parts[0] / "door/depth/000000.npz").unlink()  # a missing picture is drawn again
    (parts[1] / "door/ids/000002.png").write_bytes(b"damaged")
    joined = saved(scene, tmp_path / "joined", parts=parts)
    assert contents(joined) == contents(whole)
    assert (parts[0] / "door/rgb/000000.png").exists()


def test_wrong_shards_and_parts_are_one_line(scene, tmp_path):
    out = ("--out", tmp_path / "set")
    assert_one_line(ecs_anim("dataset", scene, *ASKED, "--shard", "4/3", *out), "1 to 3")
    assert_one_line(ecs_anim("dataset", scene, *ASKED, "--shard", "1/9", *out), "one shard per seed")
    assert_one_line(ecs_anim("dataset", scene, *ASKED, "--shard", "half", *out), "such as 2/4")
    assert_one_line(ecs_anim("dataset", scene, *ASKED, "--join", tmp_path, *out), "--shard")
    part = saved(scene, tmp_path / "part", shard=(1, 3))
    assert_one_line(ecs_anim("dataset", scene, "--seeds", "3:7", "--join", part, *out), "seeds")

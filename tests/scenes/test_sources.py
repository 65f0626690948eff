"""Where scenes come from: paths, names, text, dicts; and how mistakes in each are told."""

import tomllib
from pathlib import Path

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.mannequin import PATH

TEXT = """
[rigs.people]
model = "mannequin"
[[crowds]]
rig = "people"
count = 3
clips = [{ name = "idle", speed = [0.9, 1.1] }]
"""


def phases(source, **options):
    with ea.load_scene(source, threads=1, **options) as world:
        world.step(0.5)
        (crowd,) = ea.crowds(world)
        return crowd.phases.tolist(), world.origin["scene"], world.origin["hash"]


def test_text_a_dict_and_a_file_are_the_same_scene(tmp_path):
    (tmp_path / "x.toml").write_text(TEXT)
    (of_file, label, digest), of_text, of_dict = map(phases, (tmp_path / "x.toml", TEXT, tomllib.loads(TEXT)))
    assert label == str(tmp_path / "x.toml")
    assert of_text == (of_file, "<text>", digest)
    assert of_dict == (of_file, "<dict>", digest)


def test_a_single_line_with_a_sign_of_equality_is_text_but_files_may_have_one_too(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    line = 'crowds = [{ rig = "a", clips = [{ name = "idle" }] }]'
    with pytest.raises(ea.InputError, match="^<text>: rigs: this key is missing"):
        ea.load_scene(line)
    for name in ("a=1.toml", "seed=3"):
        with pytest.raises(ea.InputError, match=f"^{'<text>' if '.' not in name else name}: "):
            ea.load_scene(name)
        Path(name).write_text(TEXT)
        assert phases(name)[1] == name


def test_dicts_may_hold_what_python_computes_with(tmp_path):
    data = tomllib.loads(TEXT)
    data["rigs"]["people"]["model"] = Path(PATH)
    data["crowds"][0] |= {"count": np.int64(3), "clips": ({"name": "idle", "speed": np.array([0.9, 1.1])},)}
    assert phases(data)[0] == phases(TEXT)[0]


def test_relative_paths_start_from_the_working_directory(tmp_path, monkeypatch):
    (tmp_path / "someone.glb").write_bytes(Path(PATH).read_bytes())
    monkeypatch.chdir(tmp_path)
    assert phases(TEXT.replace('"mannequin"', '"someone.glb"'))[0] == phases(TEXT)[0]


def test_saved_worlds_go_on_from_text_too(tmp_path):
    with ea.load_scene(TEXT, threads=1) as world:
        world.step(0.5)
        world.save(tmp_path / "x.npz")
    with ea.load_world(tmp_path / "x.npz", tomllib.loads(TEXT), threads=1) as world:
        assert world.time == 0.5


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (TEXT.replace("count", "cuont"), r"^<text>: crowds\[0\].cuont: unknown key; did you mean 'count'\?"),
        (TEXT + "count = 4\n", r"^<text>: not valid TOML: .*line 8"),
        (
            {"rigs": {"a": {"model": "ball"}}, "crowds": [{"count": 3, "clips": [{"name": "x"}]}]},
            r"^<dict>: crowds\[0\].rig: this key is missing",
        ),
        (tomllib.loads(TEXT) | {"crowd": {}}, r"^<dict>: crowd: unknown key; did you mean 'crowds'\?"),
        (tomllib.loads(TEXT) | {"seed": {1, 2}}, r"^<dict>: seed: .* \(got \"\{1, 2\}\"\)"),
        ({"title": "\ud800"}, "^<dict>: each text must be valid Unicode"),
    ],
)
def test_mistakes_name_where_they_are(source, message):
    with pytest.raises(ea.InputError, match=message):
        ea.load_scene(source)


def test_keys_of_dicts_are_names():
    with pytest.raises(TypeError, match=r"^load_scene\(\): source must be .* \(got \{\('a', 1\): 2\}\)$"):
        ea.load_scene({("a", 1): 2})


def test_dicts_that_hold_themselves_or_too_many_are_told():
    round_and_round: dict[str, object] = {}
    round_and_round["crowds"] = [round_and_round]
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    for source in (round_and_round, {"title": deep}):
        with pytest.raises(ea.InputError, match="^<dict>: "):
            ea.load_scene(source)

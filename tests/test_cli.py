"""The command line as a user meets it: a process, its output, its exit code."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from ecs_anim.scenes.build import load_scene
from ecs_anim.support.errors import InputError
from tests.characters import COMPACT
from tests.helpers import FEW
from tests.helpers.command import ecs_anim

FULL = "no space is left for the output, or for compiled kernels. Free some space"


def assert_one_line(result, *parts):
    """Exit code 2, and one line that says these things."""
    assert result.returncode == 2, result
    assert result.stdout == ""
    lines = result.stderr.strip().splitlines()
    assert len(lines) == 1, result.stderr
    assert lines[0].startswith("ecs-anim: ")
    for part in parts:
        assert part in lines[0]


def test_help_names_every_command():
    result = ecs_anim("--help")
    assert result.returncode == 0
    for command in ("run", "dataset", "profile", "check", "inspect", "bake", "schema"):
        assert command in result.stdout


@pytest.mark.exhaustive
@pytest.mark.parametrize("width", ["60", "80", "200"])
def test_help_cuts_no_line_short(width):
    """Neither that of the whole command, which lists all others, nor theirs."""
    code = """if 1:
        from click.testing import CliRunner
        from ecs_anim.commands.command_line import cli
        for name in ["", *cli.commands]:
            print(CliRunner().invoke(cli, [*name.split(), "--help"], prog_name="ecs-anim").output)
    """
    whole = subprocess.check_output([sys.executable, "-c", code], text=True, env=os.environ | {"COLUMNS": width})
    assert whole.count("Usage:") == 22
    told = re.sub(r"[A-Z]+\]?\.\.\.|x=px\s+\.\.\.", "", whole)  # several arguments, and so on
    assert re.findall(r".*\.\.\.", told) == []


def test_help_imports_nothing_heavy():
    heavy = {"numpy", "numba", "pyglet", "pydantic"}
    code = f"import sys, ecs_anim.commands.outcome; print(sorted({heavy} & set(sys.modules)))"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "[]"


NO_DISPLAY = "there is no display for a window, so the program wrote a picture"


@pytest.mark.exhaustive
def test_run_without_a_display_draws_headless_and_says_where_and_why(tmp_path):
    result = ecs_anim("run", "single", "--frames", 2, "--size", "161x91", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert f"wrote single.png: {NO_DISPLAY}" in result.stderr
    picture = np.asarray(Image.open(tmp_path / "single.png"))
    assert picture.shape == (91, 161, 3)
    assert np.ptp(picture) > 50


@pytest.mark.exhaustive
def test_whoever_asks_for_a_picture_is_not_told_of_displays(tmp_path):
    result = ecs_anim("run", "single", "--frames", 1, "--size", "16x9", "--headless", cwd=tmp_path)
    assert result.stderr.splitlines()[-1] == "wrote single.png"


@pytest.mark.exhaustive
def test_run_writes_every_frame_to_a_folder(tmp_path):
    result = ecs_anim("run", "single", "--frames", 3, "--size", "64x48", "--out", tmp_path / "frames")
    assert result.returncode == 0, result.stderr
    frames = [np.asarray(Image.open(path)) for path in sorted((tmp_path / "frames").iterdir())]
    assert len(frames) == 3
    assert not np.array_equal(frames[0], frames[2])


@pytest.mark.exhaustive
def test_frames_of_an_earlier_film_in_the_folder_are_told(tmp_path):
    options = ("run", "single", "--size", "32x18", "--out", "frames")
    assert "warning" not in ecs_anim(*options, "--frames", 4, cwd=tmp_path).stderr
    result = ecs_anim(*options, "--frames", 2, cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    told = "ecs-anim: warning: frames/frame_00002.png: this frame and the later frames belong to an earlier film"
    assert told in result.stderr
    assert "warning" not in ecs_anim(*options, "--frames", 4, cwd=tmp_path).stderr


@pytest.mark.exhaustive
def test_run_writes_a_gif_in_slow_motion_with_a_clock(tmp_path):
    path = tmp_path / "x.gif"
    options = ("--frames", 12, "--size", "96x54", "--speed", 0.25, "--clock", "--out", path)
    result = ecs_anim("run", "single", *options, "--save", tmp_path / "x.npz")
    assert result.returncode == 0, result.stderr
    with Image.open(path) as gif:
        shown = [(gif.seek(number), gif.info["duration"])[1] for number in range(gif.n_frames)]
        panel = np.asarray(gif.convert("RGB"))[5:20, 5:20]
    assert (len(shown), sum(shown)) == (24, 800)  # [ms], of 12 steps of a 60th
    assert "frame 24" in result.stderr  # each half as long as the scene's
    assert panel.mean() < 140  # over the sky


@pytest.mark.exhaustive
def test_run_at_a_speed_sees_the_same_world(tmp_path):
    """In fewer pictures, which a folder tells."""
    for speed, folder in ((1, "all"), (3, "thirds")):
        options = ("--frames", 6, "--size", "32x18", "--speed", speed, "--out", tmp_path / folder)
        assert ecs_anim("run", "single", *options).returncode == 0
    every, thirds = (sorted((tmp_path / folder).iterdir()) for folder in ("all", "thirds"))
    assert [path.read_bytes() for path in thirds] == [path.read_bytes() for path in every[2::3]]


@pytest.mark.exhaustive
@pytest.mark.parametrize(("rate", "shown"), [((), 12), (("--fps", 30), 6), (("--fps", 15), 3)])
def test_a_film_has_as_many_pictures_a_second_as_is_said(tmp_path, rate, shown):
    """The last of them is the same: of the same steps."""
    options = ("--frames", 12, "--size", "32x18", "--save", tmp_path / "x.npz", *rate)
    result = ecs_anim("run", "single", *options, "--out", tmp_path / "film")
    assert result.returncode == 0, result.stderr
    assert "frame 12" in result.stderr
    assert len(list((tmp_path / "film").iterdir())) == shown


@pytest.mark.exhaustive
def test_a_gif_is_shown_at_the_rate_that_is_said(tmp_path):
    options = ("--frames", 12, "--size", "32x18", "--fps", 25, "--out", tmp_path / "x.gif")
    assert ecs_anim("run", "single", *options).returncode == 0
    with Image.open(tmp_path / "x.gif") as gif:
        assert (gif.n_frames, gif.info["duration"]) == (5, 40)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--fps", "0", "--out", "x.gif"), "the number must be at least 1 and at most 240 (got 0)"),
        (("--fps", "24.5", "--out", "x.gif"), "whole number"),
        (
            ("--fps", "60", "--out", "x.gif"),
            "the frame rate of a GIF must be at most 50 frames per second (got 60). Lower the rate, or",
        ),
        (
            ("--fps", "24", "--out", "x.png"),
            "--fps: pictures have no frame rate. To make a film, name a .mp4 file, a .gif file or a folder",
        ),
        (
            ("--fps", "24"),
            "--fps: pictures have no frame rate. To make a film, name a .mp4 file, a .gif file or a folder",
        ),
        (("--fps", "24", "--no-draw"), "--no-draw"),
        (("--speed", "0"), "--speed"),
        (("--speed", "nan"), "finite"),
        (("--speed", "1e-300"), "speed"),
        (("--speed", "1e300"), "speed"),
        (("--speed", "2", "--no-draw"), "--no-draw"),
        (("--clock", "--no-draw"), "--no-draw"),
        (("--size", "32x18", "--no-draw"), "--no-draw"),
        (("--clock", "--pass", "ids"), "--pass"),
        (("--out", "no/x.gif"), "the folder no does not exist"),
        (("--out", "x.webm"), ".gif"),
        (
            ("--out", ".mp4"),
            ".mp4: the file name must have at least one character before the ending. Name a file such as walk.mp4",
        ),
    ],
)
def test_films_that_cannot_be_are_told_in_a_line(tmp_path, options, told):
    assert_one_line(ecs_anim("run", "single", "--headless", *options, cwd=tmp_path), told)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.exhaustive
def test_run_writes_ids_and_says_whose_they_are(tmp_path):
    options = ("--headless", "--frames", 2, "--size", "320x180", "--actors", 40)
    result = ecs_anim("run", "throng", *options, "--pass", "ids", "--out", tmp_path / "x.png")
    assert result.returncode == 0, result.stderr
    told = json.loads((tmp_path / "x.json").read_text())
    ids = np.asarray(Image.open(tmp_path / "x.png")).astype(int) @ [1, 256, 65536]
    assert [(crowd["name"], crowd["actor_count"]) for crowd in told["crowds"]] == [("people", 40)]
    assert {actor["id"]: actor["area"] for actor in told["actors"]} == {
        actor: np.count_nonzero(ids == actor) for actor in np.unique(ids)[1:]
    }
    assert all(actor["row"] == actor["id"] - 1 for actor in told["actors"])
    assert {actor["crowd"] for actor in told["actors"]} == {told["crowds"][0]["name"]}
    assert len(told["actors"]) > 5


@pytest.mark.exhaustive
@pytest.mark.parametrize("words", [("run", "single"), ("walk", "nobody.csv")])
def test_an_mp4_has_an_even_size(tmp_path, words):
    told = ("--size: an MP4 film must have an even width and height (got 63x35)", "Use the size 64x36")
    assert_one_line(ecs_anim(*words, "--out", tmp_path / "x.mp4", "--size", "63x35"), *told)


@pytest.mark.exhaustive
def test_passes_need_a_picture_that_keeps_numbers(tmp_path):
    assert_one_line(ecs_anim("run", "single", "--pass", "ids", "--out", tmp_path / "x.mp4"), "x.mp4", ".png")
    assert_one_line(ecs_anim("run", "single", "--pass", "depth", "--no-draw"), "--no-draw")
    assert_one_line(ecs_anim("run", "single", "--pass", "color"), "depth")


@pytest.mark.exhaustive
def test_run_without_drawing_needs_no_opengl(tmp_path):
    result = ecs_anim("run", "throng", "--no-draw", "--frames", 5, "--actors", 100, cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert "100 actors, 5 frames" in result.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.exhaustive
def test_profile_prints_json_and_nothing_else():
    result = ecs_anim("profile", "throng", "--actors", 100, "--actors", 200, "--no-draw", "--frames", 5, "--json", "-")
    assert result.returncode == 0, result.stderr
    reports = json.loads(result.stdout)
    assert [report["actors"] for report in reports] == [100, 200]
    for report in reports:
        assert {"scene", "frames", "threads", "joints", "peak_memory_mb", "machine"} <= set(report)
        assert set(report["frame_ms"]) == {"mean", "median", "p95", "p99", "max"}
        names = [system["name"] for system in report["systems"]]
        assert names.index("sampling") < names.index("skin_palettes")
        for system in report["systems"]:
            assert {"name", "mean_ms", "median_ms", "p95_ms", "cpu_ms", "gpu_ms", "ns_per_actor_joint"} <= set(system)
        assert len(report["poses_hash"]) == 64
        total = sum(system["mean_ms"] for system in report["systems"])
        assert total < report["frame_ms"]["mean"] + 0.001
        usual = sum(system["median_ms"] for system in report["systems"])  # an interrupted frame changes no median
        assert 0.3 * report["frame_ms"]["median"] < usual


@pytest.mark.exhaustive
def test_profile_counts_the_drawing_and_prints_a_table(tmp_path):
    result = ecs_anim(
        "profile", "single", "--frames", 3, "--warmup", 1, "--size", "64x64", "--json", tmp_path / "x.json"
    )
    assert result.returncode == 0, result.stderr
    assert "draw" in result.stdout
    report = json.loads((tmp_path / "x.json").read_text())
    assert report["systems"][-1]["name"] == "draw"
    assert report["machine"]["opengl"]


@pytest.mark.exhaustive
def test_profile_gives_the_same_hash_for_any_number_of_threads():
    def digest(threads):
        result = ecs_anim(
            "profile", "throng", "--no-draw", "--frames", 5, "--actors", FEW or 500, "--threads", threads, "--json", "-"
        )
        return json.loads(result.stdout)["poses_hash"]

    assert digest(1) == digest(2) == digest(3)


@pytest.mark.exhaustive
def test_check_says_ok_and_names_every_fault(tmp_path):
    assert "throng: ok, 500 actors" in ecs_anim("check", "throng", "single", "grid").stdout
    (tmp_path / "bad.toml").write_text("sed = 3\n[rigs]")
    result = ecs_anim("check", "throng", tmp_path / "bad.toml")
    assert result.returncode == 2
    assert "throng: ok" in result.stdout
    assert "sed: unknown key; did you mean 'seed'?" in result.stderr


THREE_KEYS = """
[rigs.p]
model = "mannequin"
[camera]
position = [0, 1, 2]
[[crowds]]
rig = "p"
animation = "walk"
speed = 2
"""
THREE_FILES = """
[rigs.a]
model = "gone.glb"
[ground]
kind = "mesh"
model = "lost.glb"
[[crowds]]
rig = "a"
clips = [{ name = "walk" }]
[[crowds]]
rig = "b"
clips = [{ name = "walk" }]
"""
TWO_CLIPS = """
[rigs.a]
model = "mannequin"
[[crowds]]
name = "first"
rig = "a"
clips = [{ name = "walc" }]
[[crowds]]
name = "second"
rig = "a"
clips = [{ name = "walk" }]
[[crowds]]
name = "third"
rig = "a"
clips = [{ name = "fly" }]
"""


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("scene", "places"),
    [
        (THREE_KEYS, ("crowds[0].animation: ", "crowds[0].speed: ", "camera.position: ")),
        (THREE_FILES, ("crowds[1].rig: ", "rigs.a.model: ", "ground.model: ")),
        (TWO_CLIPS, ("crowds[0].clips[0].name: ", "crowds[2].clips[0].name: ")),
    ],
)
def test_check_names_all_problems_of_a_scene(tmp_path, scene, places):
    path = tmp_path / "bad.toml"
    path.write_text(scene)
    result = ecs_anim("check", path)
    assert result.returncode == 2
    lines = [line for line in result.stderr.splitlines() if "compiling" not in line]
    assert [line.removeprefix(f"ecs-anim: {path}: ").partition(": ")[0] + ": " for line in lines] == [*places]
    with pytest.raises(InputError) as caught:
        load_scene(path)
    assert [f"ecs-anim: {problem}" for problem in caught.value.problems] == lines
    assert str(caught.value) == f"{caught.value.problems[0]} (and {len(places) - 1} more)"


@pytest.mark.exhaustive
def test_inspect_tells_joints_clips_and_errors():
    facts = json.loads(ecs_anim("inspect", "mannequin", "--json").stdout)
    assert {"Hips", "LeftFoot"} <= {joint["name"] for joint in facts["joints"]}
    walk = next(clip for clip in facts["clips"] if clip["name"] == "walk")
    assert walk["ground_speed"] == pytest.approx(1.4, abs=0.03)
    assert walk["table_error_degrees"] < 0.1
    assert 0 < walk["table_mixing_degrees"] < 0.1
    assert 0 < walk["table_error_position"] < 1e-5
    assert facts["model"]["unit"] == "model unit (glTF: metre)"
    table = ecs_anim("inspect", "mannequin").stdout
    assert "LeftFoot" in table
    tracks = json.loads(ecs_anim("inspect", "mannequin", "--clip", "walk", "--json").stdout)["tracks"]
    assert {"joint", "path", "interpolation", "keys"} <= set(tracks[0])


CAMERA = {"type": "perspective", "perspective": {"yfov": 1, "znear": 0.1}}


@pytest.mark.parametrize(
    ("document", "joints"),
    [
        ({}, 0),
        ({"cameras": [CAMERA]}, 0),
        ({"scenes": [{}], "scene": 0}, 0),
        ({"cameras": [CAMERA], "nodes": [{"camera": 0}]}, 1),
    ],
)
def test_inspect_of_a_model_with_nothing_to_draw(document, joints, tmp_path):
    (tmp_path / "x.gltf").write_text(json.dumps({"asset": {"version": "2.0"}} | document))
    result = ecs_anim("inspect", tmp_path / "x.gltf", "--json")
    assert result.returncode == 0, result.stderr
    facts = json.loads(result.stdout)
    assert (facts["model"]["joints"], facts["meshes"], facts["clips"]) == (joints, [], [])


LONG_NAMED = """{"asset": {"version": "2.0"}, "nodes": [%s], "scenes": [{"nodes": [0]}], "scene": 0}"""


@pytest.mark.exhaustive
@pytest.mark.parametrize("columns", [40, 80, 200])
def test_inspect_shows_whole_names(columns, tmp_path, monkeypatch):
    """A table where it fits, else a list; what is longer than a line goes on in the next."""
    monkeypatch.setenv("COLUMNS", str(columns))
    names = [f"The{'Very' * k}LongUpperLeftArmOfNumber{k}" for k in (0, 5, 30)]
    (tmp_path / "x.gltf").write_text(LONG_NAMED % ", ".join(f'{{"name": "{name}"}}' for name in names))
    for model in (COMPACT, tmp_path / "x.gltf"):
        out = ecs_anim("inspect", model).stdout
        assert "…" not in out
        assert max(map(len, out.splitlines())) <= columns
        facts = json.loads(ecs_anim("inspect", model, "--json").stdout)
        whole = "".join(out.split())
        for part in ("joints", "meshes", "clips"):
            assert all(row["name"] in whole for row in facts[part])


@pytest.mark.exhaustive
def test_inspect_tells_morph_targets_and_tracks_of_weights():
    facts = json.loads(ecs_anim("inspect", "blob", "--json").stdout)
    eyes = {target["name"]: target for target in facts["morph_targets"] if target["mesh"] == "eyes"}
    assert list(eyes) == ["squash", "stretch", "smile", "blink"]
    assert eyes["blink"]["farthest_move"] == pytest.approx(0.9 * 0.078, abs=1e-3)
    assert eyes["blink"]["default_weight"] == 0
    assert {clip["name"]: clip["tracks"] for clip in facts["clips"]} == {"rest": 0, "idle": 2, "hop": 3, "grin": 1}
    hop = json.loads(ecs_anim("inspect", "blob", "--clip", "hop", "--json").stdout)
    assert [track["targets"] for track in hop["weight_tracks"]] == ["squash", "stretch"]
    assert "blink" in ecs_anim("inspect", "blob").stdout


@pytest.mark.exhaustive
def test_schema_is_json():
    assert "$defs" in json.loads(ecs_anim("schema").stdout)


def test_a_missing_scene_is_one_line():
    assert_one_line(ecs_anim("run", "plazza"), "plazza", "did you mean 'plaza'?")


def test_a_missing_model_is_one_line():
    assert_one_line(ecs_anim("inspect", "nothing.glb"), "nothing.glb")


def test_an_unknown_clip_is_one_line():
    assert_one_line(ecs_anim("inspect", "mannequin", "--clip", "wlak"), "wlak", "did you mean 'walk'?")


def test_a_truncated_glb_is_one_line(tmp_path):
    whole = COMPACT.read_bytes()
    (tmp_path / "cut.glb").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "scene.toml").write_text(
        '[rigs.a]\nmodel = "cut.glb"\n[[crowds]]\nrig = "a"\nclips = [{ name = "walk" }]'
    )
    assert_one_line(ecs_anim("inspect", tmp_path / "cut.glb"), "cut.glb")
    assert_one_line(ecs_anim("run", tmp_path / "scene.toml"), "scene.toml: rigs.a.model", "cut.glb")


def test_a_wrong_type_is_one_line(tmp_path):
    text = '[rigs.a]\nmodel = "mannequin"\n[[crowds]]\nrig = "a"\ncount = "ten"\nclips = [{ name = "walk" }]'
    (tmp_path / "scene.toml").write_text(text)
    assert_one_line(ecs_anim("run", tmp_path / "scene.toml"), "scene.toml: crowds[0].count", "integer")


@pytest.mark.parametrize(
    "arguments",
    [
        ("--size", "big"),
        ("--actors", "0"),
        ("--frames", "-1"),
        ("--out", "x.bmp"),
        ("--out", "no/where/x.png"),
        ("--sped", "2"),
        ("--no-draw", "--out", "x.png"),
        ("--no-draw", "--from-frame", "9" * 20),
        ("--no-draw", "--threads", "9" * 9),
    ],
)
def test_a_wrong_option_is_one_line(arguments, tmp_path):
    assert_one_line(ecs_anim("run", "single", *arguments, cwd=tmp_path), "")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("option", ["--bake-rate", "--error"])
def test_what_is_not_a_number_is_one_line(option, tmp_path):
    assert_one_line(ecs_anim("bake", "mannequin", "--out", tmp_path / "x.bake", option, "nan"), option, "nan")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.exhaustive
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_is_one_line():
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-c", "from ecs_anim.cli import main; main()", "schema"]
        result = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=300, check=False)
    assert (result.returncode, result.stderr) == (2, f"ecs-anim: {FULL}\n")


@pytest.mark.exhaustive
def test_a_machine_without_opengl_is_one_line(tmp_path):
    """pyglet finds its libraries through ctypes; one that finds none is a machine that has none."""
    (tmp_path / "sitecustomize.py").write_text(
        "import ctypes, ctypes.util\n"
        "find, load = ctypes.util.find_library, ctypes.CDLL.__init__\n"
        "hidden = ('EGL', 'GL', 'libEGL', 'libGL')\n"
        "ctypes.util.find_library = lambda name: None if name in hidden else find(name)\n"
        "def init(self, name, *rest, **options):\n"
        "    if name and any(str(name).startswith(part) for part in ('libEGL', 'libGL')): raise OSError(name)\n"
        "    load(self, name, *rest, **options)\n"
        "ctypes.CDLL.__init__ = init\n"
    )
    result = ecs_anim("run", "single", "--frames", 1, cwd=tmp_path, PYTHONPATH=str(tmp_path))
    assert_one_line(result, "apt install", "--no-draw")
    assert not (tmp_path / "single.png").exists()

"""Hostile command lines, streams and signals: done, or one line and exit code 2; no traceback, no file left behind."""

import os
import random
import signal
import subprocess
import sys
import time

import pytest

from tests.helpers import EXHAUSTIVE
from tests.hostile.command_line import PLAIN, SCENE, USUAL, all_cases, parameters
from tests.hostile.runner import Budget, run_cases

COMMAND = [sys.executable, "-c", "from ecs_anim.cli import main; main()"]
FEW = 20
BUDGET = Budget(seconds=100.0, peak_bytes=2 << 30, leak_bytes=600 << 20)  # memory of thousands of commands is in pieces
NAME = "\x1b[31m[/b] 中文\u202e"


def attack(cases):
    report = run_cases("tests.hostile.command_line:attempt", cases, BUDGET, "tests.hostile.command_line:prepare")
    assert not report.failures, str(report)
    assert report.outcomes.total() == len(cases)
    return report


def ecs_anim(*arguments, cwd, **options):
    environment = os.environ | options.pop("env", {})
    return subprocess.run(
        [*COMMAND, *arguments], cwd=cwd, env=environment, timeout=300, check=False, **{"capture_output": True} | options
    )


def assert_one_line(ended):
    assert (ended.returncode, ended.stdout) == (2, b""), ended
    assert ended.stderr.startswith(b"ecs-anim: ")
    assert ended.stderr.count(b"\n") == 1


def test_some_hostile_values():
    quick = [case for case in all_cases() if case.option not in ("scene", "scenes", "--json", "--trace", "--plot")]
    attack(random.Random(3).sample(quick, FEW))


@pytest.mark.exhaustive
def test_all_hostile_values():
    report = attack(all_cases()[::4])  # every option, with a quarter of the values
    print(report)
    assert set(report.outcomes) >= {f"{command} 2" for command in USUAL if command not in PLAIN}


def test_every_parameter_is_attacked():
    assert {command for command, _, _ in parameters()} == set(USUAL) - PLAIN
    assert len({(case.command, case.option) for case in all_cases()}) == len(list(parameters()))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("scenes")
    (path / "scene.toml").write_text(SCENE)
    (path / "nested.toml").write_text("x = " + 2000 * "[" + 2000 * "]")
    (path / "中.toml").write_text(SCENE + 'name = "\\u001b[31m[/b] 中文\\u202e"\n', "utf-8")
    return path


@pytest.mark.parametrize("encoding", ["ascii", "utf-8"])
@EXHAUSTIVE
def test_names_from_files_never_act_and_never_fail(folder, encoding):
    ended = ecs_anim("feet", "中.toml", "--frames", "1", cwd=folder, env={"PYTHONIOENCODING": encoding})
    assert ended.returncode == 0, ended.stderr
    shown = ended.stdout.decode(encoding)
    assert shown.replace("\n", "").isprintable()
    assert r"\x1b[31m[/b] " in shown
    assert (r"\u4e2d\u6587" in shown) == (encoding != "utf-8")


@pytest.mark.skipif(sys.platform == "win32", reason="shells of Unix close streams so")
@EXHAUSTIVE
def test_closed_streams(folder):
    """A file gets only its own output, even if its number is that of a standard stream."""
    arguments = ["sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh", *COMMAND]
    options = {"cwd": folder, "timeout": 300, "check": False, "capture_output": True}
    ended = subprocess.run(
        [*arguments, "profile", "scene.toml", "--no-draw", "--frames", "1", "--json", "x.json"], **options
    )
    assert (ended.returncode, ended.stderr) == (0, b"")
    assert (folder / "x.json").read_text().startswith("{")
    assert subprocess.run([*arguments, "check", "nested.toml"], **options).returncode == 2


@pytest.mark.skipif(sys.platform == "win32", reason="pipes of Unix")
@pytest.mark.parametrize("arguments", [("schema",), ("inspect", "chain")])
@EXHAUSTIVE
def test_a_reader_that_leaves_is_no_error(folder, arguments):
    read, write = os.pipe()
    os.close(read)
    ended = ecs_anim(*arguments, cwd=folder, stdout=write, stderr=subprocess.PIPE, capture_output=False)
    os.close(write)
    assert (ended.returncode, ended.stderr) == (141, b"")


@EXHAUSTIVE
def test_notes_that_nobody_reads_change_nothing(folder):
    read, write = os.pipe()
    os.close(read)
    options = {"stdout": subprocess.PIPE, "stderr": write, "capture_output": False}
    assert ecs_anim("check", "scene.toml", cwd=folder, **options).stdout == b"scene.toml: ok, 1 actor\n"
    assert ecs_anim("check", "nested.toml", cwd=folder, **options).returncode == 2
    os.close(write)


@EXHAUSTIVE
def test_a_warning_is_one_line_of_ours_told_once(folder):
    (folder / "cut.gltf").write_text(
        '{"asset": {"version": "2.0"}, "images": [{"uri": "gone\\u001b.png"}], "textures": [{"source": 0}],'
        ' "materials": [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}],'
        ' "accessors": [{"componentType": 5126, "count": 3, "type": "VEC3"}], "nodes": [{"mesh": 0}],'
        ' "meshes": [{"primitives": [{"material": 0, "attributes": {"POSITION": 0}}]}]}'
    )
    ended = ecs_anim("inspect", "cut.gltf", cwd=folder, env={"PYTHONWARNINGS": "error"})
    assert ended.returncode == 0, ended.stderr
    lines = [line for line in ended.stderr.decode().splitlines() if "gone" in line]
    assert len(lines) == 1
    assert lines[0].startswith("ecs-anim: warning: cut.gltf: images[0]: ")
    assert r"gone\x1b.png" in lines[0]
    assert "Warning" not in ended.stderr.decode()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("seconds", [0.4, 2.0])
@EXHAUSTIVE
def test_signals_end_quietly_and_leave_no_file(tmp_path, number, seconds):
    (tmp_path / "scene.toml").write_text(SCENE)
    arguments = ["run", "scene.toml", "--no-draw", "--frames", "1000000000", "--save", "x.npz"]
    run = subprocess.Popen([*COMMAND, *arguments], cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    try:
        time.sleep(seconds)
        run.send_signal(number)
        _, told = run.communicate(timeout=100)
    finally:
        run.kill()
    assert run.returncode == 128 + number, told
    assert told.splitlines()[-1] == "stopped"
    assert "Traceback" not in told
    assert os.listdir(tmp_path) == ["scene.toml"]


SWALLOWS = """
import os, time
from ecs_anim import cli
from ecs_anim.commands import outcome

def swallow(_):
    try:
        os.kill(os.getpid(), NUMBER)
        time.sleep(60)
    except KeyboardInterrupt:
        pass
    try:
        time.sleep(60)
    finally:
        time.sleep(1.5)  # a cleanup takes its time
        print("clean")

outcome.exit_code = swallow
cli.main()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of Unix")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@EXHAUSTIVE
def test_a_signal_that_a_library_swallows_comes_again_and_leaves_cleanups_alone(number):
    code = SWALLOWS.replace("NUMBER", str(int(number)))
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=50, check=False)
    assert (run.returncode, run.stdout, run.stderr) == (128 + number, "clean\n", "stopped\n")

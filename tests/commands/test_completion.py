"""What shells offer while a command line is typed."""

import os
import re
import shutil
import subprocess
import sys

import pytest

from ecs_anim.commands.outcome import COMPLETION, exit_code
from tests.project.documents import ROOT


def offered(line: str, monkeypatch, capsys) -> list[str]:
    """Return what bash gets: kinds and words."""
    monkeypatch.setenv(COMPLETION, "bash_complete")
    monkeypatch.setenv("COMP_WORDS", line)
    monkeypatch.setenv("COMP_CWORD", str(len(line.split(" ")) - 1))
    assert exit_code([]) == 0
    return capsys.readouterr().out.splitlines()


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("ecs-anim in", ["plain,inspect"]),
        ("ecs-anim run pla", ["file,pla", "plain,plaza"]),
        ("ecs-anim check plaza mar", ["file,mar", "plain,marathon", "plain,march"]),
        ("ecs-anim new x.toml --like sta", ["plain,stadium", "plain,station"]),
        ("ecs-anim run --save x", ["file,x"]),
        ("ecs-anim run --pass n", ["plain,normals"]),
        ("ecs-anim dataset plaza --format co", ["plain,coco"]),
        ("ecs-anim run --save-", ["plain,--save-trajectories"]),
        ("ecs-anim walk --t", ["plain,--tint", "plain,--threads"]),
    ],
)
def test_shells_complete(line, words, monkeypatch, capsys):
    assert offered(line, monkeypatch, capsys) == words


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_documented_lines_complete_in_a_shell(shell, tmp_path):
    """In a shell that is installed, the line defines the function that completes."""
    text = (ROOT / "docs/commands.md").read_text("utf-8")
    (line,) = re.findall(rf"^\| {shell} \| .* \| `(.*)` \|$", text, re.MULTILINE)
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is not installed")
    command = tmp_path / "ecs-anim"
    command.write_text(f"#!{sys.executable}\nfrom ecs_anim.cli import main\nmain()\n")
    command.chmod(0o755)
    asks = {"bash": "complete -p ecs-anim", "zsh": "whence _ecs_anim_completion", "fish": "complete -c ecs-anim"}
    words = line.replace("\\|", "|") + "; " + asks[shell]
    if shell == "zsh":
        words = "autoload -U compinit; compinit -D; " + words
    environment = os.environ | {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        [program, "-c", words], capture_output=True, text=True, env=environment, timeout=100, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "_ecs_anim_completion" in done.stdout

"""Examples in README and docs run: Python as scripts, TOML as scenes, and commands up to their option parsing."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections import defaultdict
from importlib.util import find_spec
from itertools import pairwise

import click
import pytest

from ecs_anim.commands.command_line import cli
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.loader import parse_scene
from ecs_anim.scenes.user_code import named_code
from tests.helpers import EXHAUSTIVE, some
from tests.project.documents import PAGES, ROOT, Block, blocks_of, commands_of, scene_text

BLOCKS = [block for path in PAGES for block in blocks_of(path)]
RUN = [block for block in BLOCKS if not block.excuse]
SPOKEN = {"python", "toml", "sh", "text", "eval", "glossary", "toctree"}  # allowed languages of a fenced block
PATHS = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")


def of(*languages: str) -> list[Block]:
    return [block for block in RUN if block.language in languages]


def scripts() -> dict[str, list[Block]]:
    """Return the Python blocks of each script.

    A page is one script, or several scripts if a script begins within the page.

    The first script of a page gets the files of the scene before it.
    """
    found: dict[str, list[Block]] = defaultdict(list)
    current, of_scene = Block("", 0, "", "", "", "", None), Block("", 0, "", "", "", "", None)
    for block in of("python", "toml"):
        if block.language == "toml":
            of_scene = block if block.before is not None else of_scene
        elif not block.file:
            if block.before is None and block.page != current.page and block.page == of_scene.page:
                block = block._replace(before=of_scene.before)
            if block.before is not None or block.page != current.page:
                current = block
            found[current.label].append(block)
    return found


SCRIPTS = scripts()
EXTRAS = {
    ".mp4": "av",
    "ea.show": "jupyter_rfb",
    "import jupedsim": "jupedsim",
    "import gymnasium": "gymnasium",
    "import mujoco": "mujoco",
    "import pedpy": "pedpy",
}  # libraries for names that a script can use
TUTORIAL = sorted({block.page for block in of("sh") if block.page.startswith("docs/tutorial/")})


def write_files(page: str, folder) -> None:
    """Write the blocks to which the page gives a file name."""
    for block in RUN:
        if block.page == page and block.file:
            text = scene_text(block.text) if block.language == "toml" else block.text
            (folder / block.file).write_text(text, "utf-8")


def run(words, folder) -> subprocess.CompletedProcess:
    """Run a command of this environment in a folder, without a display."""
    hidden = ("DISPLAY", "WAYLAND_DISPLAY")
    environment = {name: value for name, value in os.environ.items() if name not in hidden}
    environment["PATH"] = os.pathsep.join([sysconfig.get_path("scripts"), os.environ["PATH"]])
    command = shutil.which(words[0], path=environment["PATH"])
    return subprocess.run(
        [command, *words[1:]], cwd=folder, env=environment, capture_output=True, text=True, timeout=300, check=False
    )


def test_blocks_that_cannot_run_are_few():
    """A page states a reason for such a block, and this test counts them."""
    assert [block.label for block in BLOCKS if block.excuse] == []


def test_every_block_says_what_it_is():
    assert {block.language for block in BLOCKS} <= SPOKEN
    assert len(of("python")) > 25
    assert len(of("toml")) > 15


@EXHAUSTIVE
@pytest.mark.parametrize("script", some(SCRIPTS, *(script for script in SCRIPTS if script.startswith("README"))))
def test_python_runs(script, tmp_path, request):
    """Scripts run without changes. Without --exhaustive, they take 6 steps instead of 600."""
    blocks = SCRIPTS[script]
    write_files(blocks[0].page, tmp_path)
    code = "\n".join(f"{block.before or ''}\n{block.text}" for block in blocks)
    for use, library in EXTRAS.items():
        if use in code:
            pytest.importorskip(library, reason=f"{use} needs an extra that is not installed")
    if not request.config.getoption("exhaustive"):
        code = code.replace("range(600)", "range(6)")
    (tmp_path / "page.py").write_text(code, "utf-8")
    done = run([sys.executable, "page.py"], tmp_path)
    # The first run on a machine prints that it compiles. Farms print their tasks, slow recordings their progress.
    said = [
        line for line in done.stderr.splitlines() if not re.search(r"compiling kernels|^tasks: |^recording: ", line)
    ]
    assert (done.returncode, said) == (0, [])


@pytest.mark.parametrize("block", of("toml"), ids=lambda block: block.label)
def test_toml_is_a_scene(block, tmp_path):
    if block.before:  # this code makes the files that the scene names
        assert run([sys.executable, "-c", block.before], tmp_path).returncode == 0
    scene = parse_scene(scene_text(block.text), block.label, tmp_path if block.before else ROOT)
    if named_code(scene):
        return  # the scene needs its module; a command of the page or another test runs both
    with load_scene(scene, actors=20, threads=1) as world:
        for _ in range(5):
            world.step(1 / 60)
        assert world.frame == 5


@pytest.mark.parametrize("block", of("sh"), ids=lambda block: block.label)
def test_commands_are_understood(block, monkeypatch):
    """The test checks options and values of `ecs-anim`, subcommands of `./dev`, and modules and scripts of Python."""
    for words in commands_of(block.text):
        while "=" in words[0]:
            monkeypatch.setenv(*words.pop(0).split("=", 1))
        match words:
            case ["ecs-anim", name, *arguments]:
                cli.commands[name].make_context(name, list(arguments), parent=click.Context(cli))
            case ["./dev", name, *_]:
                assert re.search(rf"^    {name}\)", (ROOT / "dev").read_text("utf-8"), re.MULTILINE), name
            case ["python", "-m", module, *_]:
                assert find_spec(module), module
            case ["python", script, *_]:
                assert (ROOT / script).is_file(), script
            case ["pip", "install", *_]:
                pass
            case _:
                pytest.fail(f"{block.label}: what is {' '.join(words)}?")


@EXHAUSTIVE
@pytest.mark.parametrize("page", TUTORIAL)
def test_the_tutorial_s_commands_run(page, tmp_path):
    write_files(page, tmp_path)
    for block in of("sh"):
        for words in commands_of(block.text) if block.page == page else ():
            if words[0] == "ecs-anim":
                done = run(words, tmp_path)
                assert done.returncode == 0, (words, done.stderr)
                for out in (after for word, after in pairwise(words) if word == "--out"):
                    assert (tmp_path / out).stat().st_size > 500


def test_links_lead_somewhere():
    for path in PAGES:
        for target in PATHS.findall(re.sub(r"```.*?```", "", path.read_text("utf-8"), flags=re.DOTALL)):
            assert "://" in target or (path.parent / target).exists(), (path, target)


@pytest.mark.parametrize("path", sorted((ROOT / "docs/recipes").glob("add-*.md")), ids=lambda path: path.stem)
def test_recipes_name_four_files_at_most(path):
    """Each file must exist unless the recipe calls it new."""
    steps = re.findall(r"^(\d)\. `([\w/.]+)`(, new)?:", path.read_text("utf-8"), re.MULTILINE)
    assert [int(number) for number, _, _ in steps] == list(range(1, len(steps) + 1))
    assert 3 <= len(steps) <= 4
    for _, name, new in steps:
        assert (ROOT / name).is_file() != bool(new), name

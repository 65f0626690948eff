"""The recipe of steering models, followed as it stands: a declaration and a kernel make a model that its test holds."""

import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from ecs_anim import kernels
from ecs_anim.kernels.cache import base_folder
from tests.helpers import EXHAUSTIVE, needs_compiler
from tests.project.layout import ROOT, lay_out
from tests.view.test_label_passes import own_copy

RECIPE = ROOT / "docs/recipes/add-a-steering-model.md"
SCENE = """
[rigs.people]
model = "mannequin"
[[crowds]]
rig = "people"
body = {{}}
steering = {{ goal = [9.0, 0.0], model = "straight", parameters = {{ {key} = 0.2 }} }}
"""
DOCS = """
import sys
sys.path.insert(0, sys.argv[1])
from pages_from_code.steering_models import steering_models
print(steering_models())
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Runs Python with a package in which the recipe was followed."""
    folder = tmp_path_factory.mktemp("recipe")
    lay_out(folder)
    blocks = re.findall(r"(?ms)^   ```\w+\n(.*?)^   ```$", RECIPE.read_text("utf-8"))
    declaration, kernel, test = (textwrap.dedent(block).strip() + "\n" for block in blocks)
    for room in ("steering", "kernels"):
        own_copy(folder / "ecs_anim", folder / "ecs_anim" / room)
    models = folder / "ecs_anim/steering/models.py"
    text = models.read_text("utf-8")
    models.unlink()
    models.write_text(f"{text}\n\n{declaration}", "utf-8")
    (folder / "ecs_anim/kernels/steering_straight.py").write_text(kernel, "utf-8")
    (folder / "test_steering_straight.py").write_text(test, "utf-8")
    cache = compiled_kernels(folder / "kernel_cache")
    environment = os.environ | {"PYTHONPATH": f"{folder}{os.pathsep}{ROOT}", "NUMBA_CACHE_DIR": str(cache)}

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, *arguments]
        return subprocess.run(command, cwd=folder, env=environment, timeout=300, capture_output=True, text=True)

    return run


def compiled_kernels(folder: Path) -> Path:
    """Return a cache that begins with the kernels of this checkout: only kernels that the recipe changes compile."""
    folder.mkdir()
    usual = base_folder(Path(kernels.__file__))
    for kernel in usual.iterdir() if usual else ():
        (folder / kernel.name).symlink_to(kernel)
    return folder


@needs_compiler
@EXHAUSTIVE
def test_the_recipe_s_own_test_passes(run):
    done = run("-m", "pytest", "-q", "-p", "no:cacheprovider", "test_steering_straight.py")
    assert "1 passed" in done.stdout, done.stdout + done.stderr


@EXHAUSTIVE
def test_scenes_name_the_model_and_its_parameters(run, tmp_path):
    for key, code in (("reaction", 0), ("strength", 2)):
        (tmp_path / "x.toml").write_text(SCENE.format(key=key))
        done = run("-c", "from ecs_anim.cli import main; main()", "check", str(tmp_path / "x.toml"))
        assert done.returncode == code, done.stderr
    assert "straight has no parameter 'strength'; its parameters are: time_gap, reaction" in done.stderr


def test_the_documentation_has_the_model(run):
    done = run("-c", DOCS, str(ROOT / "docs"))
    assert "### `straight`" in done.stdout
    assert "| `reaction` | 0.5 | s | time in which agents turn |" in done.stdout

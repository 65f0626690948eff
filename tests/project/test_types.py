"""Types as users see them: mypy in strict mode checks a script that uses all public names."""

import os
import re
import subprocess
import sys
from importlib import import_module

import pytest

from tests.helpers import EXHAUSTIVE
from tests.project import user_script
from tests.project.layout import ROOT, lay_out
from tests.support.test_front_door import PACKAGES

SCRIPT = (ROOT / "tests/project/user_script.py").read_text("utf-8")

# Mistakes that a type checker must find: right text, wrong text, and error code of mypy.
MISTAKES = [
    ("ea.load_rig(", "ea.load_rg(", "attr-defined"),  # an unknown name
    ("people.fade_to(ea.ALL,", "people.fade_to(None,", "arg-type"),  # no selection of actors
    ("= crowd.actor_count", "= crowd.actor_cuont", "attr-defined"),  # an unknown attribute of a result
    ('set_skinning("dual_quaternion")', 'set_skinning("dual_quaternions")', "arg-type"),  # an unknown literal
]


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """Return the errors of mypy in the script, and in a copy with mistakes: (file, line, code)."""
    folder = tmp_path_factory.mktemp("typed")
    lay_out(folder / "site")
    wrong = SCRIPT
    for right, mistake, _ in MISTAKES:
        assert wrong.count(right) == 1
        wrong = wrong.replace(right, mistake)
    (folder / "right.py").write_text(SCRIPT)
    (folder / "wrong.py").write_text(wrong)
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--config-file=",
        "--cache-dir",
        "cache",
        "right.py",
        "wrong.py",
    ]
    environment = os.environ | {"PYTHONPATH": str(folder / "site")}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.stderr == ""
    return re.findall(r"^(\S+?\.pyi?):(\d+): error: .*\[([a-z-]+)\]$", done.stdout, re.MULTILINE), done.stdout


@EXHAUSTIVE
def test_a_script_without_mistakes_is_passed_and_each_mistake_is_found(told):
    found, text = told
    lines = SCRIPT.splitlines()
    wanted = {
        ("wrong.py", str(1 + next(n for n, line in enumerate(lines) if right in line)), code)
        for right, _, code in MISTAKES
    }
    assert set(found) == wanted, text
    assert len(found) == len(MISTAKES)


@pytest.mark.parametrize("package", PACKAGES)
def test_the_script_uses_every_public_name(package):
    for name in import_module(package).__all__:
        assert re.search(rf"\b{name}\b", SCRIPT), name


@EXHAUSTIVE
def test_the_script_runs(tmp_path):
    user_script.main(tmp_path)
    assert (tmp_path / "x.npz").exists()

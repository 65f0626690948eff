"""The wheel and the sdist are built from the tree and used outside of the tree."""

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.helpers import EXHAUSTIVE

ROOT = Path(__file__).resolve().parents[2]


def built(kind, folder, tree=ROOT):
    """Build a distribution of a tree, and return its path."""
    command = [sys.executable, "-m", "build", f"--{kind}", "--no-isolation", "--outdir", folder, tree]
    subprocess.run(command, check=True, capture_output=True, cwd=folder)
    (path,) = folder.iterdir()
    return path


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    return built("wheel", tmp_path_factory.mktemp("wheel"))


@EXHAUSTIVE
@pytest.mark.skipif(
    not (ROOT / ".git").exists() or not shutil.which("git"), reason="only a checkout knows its own files"
)
def test_the_sdist_holds_all_files_of_the_repository_and_no_other(tmp_path):
    # A separate tree, because another test can build in the checkout.
    tree, folder = tmp_path / "tree", tmp_path / "dist"
    folder.mkdir()
    subprocess.run(["git", "checkout-index", "--all", f"--prefix={tree}/"], cwd=ROOT, check=True)
    kept = {path.relative_to(tree).as_posix() for path in tree.rglob("*") if path.is_file()}
    with tarfile.open(built("sdist", folder, tree)) as sdist:
        files = {member.name.partition("/")[2] for member in sdist.getmembers() if member.isfile()}
    made = {name for name in files if name in ("PKG-INFO", "setup.cfg") or name.startswith("ecs_anim.egg-info/")}
    assert files - made == kept


def test_the_wheel_holds_code_shaders_scenes_and_the_mannequin(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    for needed in (
        "ecs_anim/cli.py",
        "ecs_anim/py.typed",
        "ecs_anim/__init__.pyi",
        "ecs_anim/systems/__init__.pyi",
        "ecs_anim/components/playback.py",
        "ecs_anim/systems/schedule.py",
        "ecs_anim/scenes/plaza.toml",
        "ecs_anim/scenes/checks/density.toml",
        "ecs_anim/gl/shaders/skinned.vert",
        "ecs_anim/mannequin/mannequin.glb",
        "ecs_anim/mannequin/people.png",
    ):
        assert needed in names
    assert all(name.startswith(("ecs_anim/", "ecs_anim-")) for name in names), "nothing lands outside the package"
    assert not any("test" in name for name in names)


@EXHAUSTIVE
def test_the_wheel_runs_outside_the_checkout(wheel, tmp_path):
    """Libraries come from this environment. The package comes only from the wheel."""
    site = tmp_path / "site"
    zipfile.ZipFile(wheel).extractall(site)
    environment = os.environ | {"PYTHONPATH": str(site), "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        environment.pop(name, None)
    work = tmp_path / "work"
    work.mkdir()
    where = [sys.executable, "-c", "import ecs_anim.systems.schedule as s; print(s.__file__)"]
    home = subprocess.check_output(where, cwd=work, env=environment, text=True)
    assert home.startswith(str(site))
    run = [
        sys.executable,
        "-c",
        "from ecs_anim.cli import main; main()",
        "run",
        "single",
        "--frames",
        "1",
        "--size",
        "64x64",
    ]
    subprocess.run(run, check=True, cwd=work, env=environment, capture_output=True)
    assert (work / "single.png").stat().st_size > 500

"""Where caches are: the user's folder, else a private folder among the temporary files, else nowhere."""

import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from ecs_anim.support import cache_folder as caches
from ecs_anim.support.cache_folder import cache_folder, user_folder
from ecs_anim.support.errors import InputWarning
from tests.helpers import EXHAUSTIVE, needs_compiler
from tests.project.layout import lay_out


@pytest.fixture(autouse=True)
def _looked_at_anew(monkeypatch, tmp_path):
    for function in (caches._private_folder, caches.can_be_written):
        function.cache_clear()
    monkeypatch.setattr(caches, "gettempdir", lambda: str(tmp_path))
    yield
    for function in (caches._private_folder, caches.can_be_written):
        function.cache_clear()


@pytest.fixture
def homeless(monkeypatch):
    """A user without a home directory."""

    def nobody():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", nobody)


def test_the_users_folder_is_where_the_platform_keeps_caches(monkeypatch, tmp_path):
    monkeypatch.setattr(Path, "home", lambda: Path("/home/anna"))
    assert user_folder({}, "linux") == Path("/home/anna/.cache/ecs-anim")
    assert user_folder({"XDG_CACHE_HOME": str(tmp_path)}, "linux") == tmp_path / "ecs-anim"
    assert user_folder({"XDG_CACHE_HOME": "not/absolute"}, "linux") == Path("/home/anna/.cache/ecs-anim")
    assert user_folder({"XDG_CACHE_HOME": str(tmp_path)}, "darwin") == Path("/home/anna/Library/Caches/ecs-anim")
    assert user_folder({"LOCALAPPDATA": str(tmp_path)}, "win32") == tmp_path / "ecs-anim"


@pytest.mark.usefixtures("homeless")
def test_a_user_without_a_home_has_no_folder():
    assert user_folder({}, "linux") is None


def test_the_users_folder_is_taken_without_a_warning(monkeypatch, tmp_path, recwarn):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "mine"))
    assert cache_folder("bakes") == tmp_path / "mine" / "ecs-anim" / "bakes"
    assert cache_folder("bakes").is_dir()
    assert not recwarn


@pytest.mark.usefixtures("homeless")
def test_a_private_folder_serves_all_caches_with_one_warning(tmp_path, recwarn):
    folders = [cache_folder(name) for name in ("bakes", "kernels", "bakes")]
    private = tmp_path / f"ecs-anim-{os.getuid()}"
    assert folders == [private / name for name in ("bakes", "kernels", "bakes")]
    assert all(folder.is_dir() for folder in folders)
    assert stat.S_IMODE(private.stat().st_mode) == 0o700
    (warned,) = recwarn
    assert warned.category is InputWarning
    assert str(warned.message).startswith("the user's cache folder cannot be written, so caches are in " + str(private))


@pytest.mark.usefixtures("homeless")
@pytest.mark.parametrize("mode", [0o777, 0o770])
def test_a_folder_that_others_can_write_is_not_used(tmp_path, mode):
    private = tmp_path / f"ecs-anim-{os.getuid()}"
    private.mkdir()
    private.chmod(mode)
    with pytest.warns(InputWarning, match="caches are not kept"):
        assert cache_folder("kernels") is None


@pytest.mark.usefixtures("homeless")
def test_a_link_to_another_folder_is_not_used(tmp_path):
    (tmp_path / "other").mkdir(mode=0o700)
    (tmp_path / f"ecs-anim-{os.getuid()}").symlink_to(tmp_path / "other")
    with pytest.warns(InputWarning, match="caches are not kept"):
        assert cache_folder("kernels") is None


@pytest.mark.usefixtures("homeless")
@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a folder to another user")
def test_a_folder_of_another_user_is_not_used(tmp_path):
    private = tmp_path / f"ecs-anim-{os.getuid()}"
    private.mkdir(mode=0o700)
    os.chown(private, 65534, 65534)
    with pytest.warns(InputWarning, match="caches are not kept"):
        assert cache_folder("kernels") is None


@pytest.mark.usefixtures("homeless")
def test_without_temporary_files_there_is_no_folder(monkeypatch):
    def none():
        raise FileNotFoundError(2, "No usable temporary directory found")

    monkeypatch.setattr(caches, "gettempdir", none)
    with pytest.warns(InputWarning, match="caches are not kept"):
        assert cache_folder("kernels") is None


# Root writes into any folder while it has this capability.
UNPRIVILEGED = ["setpriv", "--bounding-set=-dac_override", "--inh-caps=-dac_override"] if os.getuid() == 0 else []
USE = "from ecs_anim.cli import main; main()"


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A package in which nothing can be written."""
    folder = tmp_path_factory.mktemp("installed")
    lay_out(folder / "links")
    shutil.copytree(
        folder / "links" / "ecs_anim", folder / "site" / "ecs_anim", ignore=shutil.ignore_patterns("__pycache__")
    )
    folders = [folder / "site", *(path for path in (folder / "site").rglob("*") if path.is_dir())]
    for path in folders:
        path.chmod(0o555)
    yield folder / "site"
    for path in folders:
        path.chmod(0o755)


def run_read_only(site, tmp_path, *arguments, setup=""):
    """Return the messages of a command when its package and home directory are read-only."""
    home, temporary, work = (tmp_path / name for name in ("home", "temporary", "work"))
    for folder in (home, temporary, work):
        folder.mkdir(exist_ok=True)
    home.chmod(0o555)
    kept = {name: value for name, value in os.environ.items() if name not in ("XDG_CACHE_HOME", "NUMBA_CACHE_DIR")}
    own = kept | {"PYTHONPATH": str(site), "HOME": str(home), "TMPDIR": str(temporary)}
    command = [*UNPRIVILEGED, sys.executable, "-c", setup + USE, *arguments]
    done = subprocess.run(command, cwd=work, env=own, capture_output=True, text=True, check=False, timeout=500)
    assert done.returncode == 0, done.stderr
    assert not list(work.iterdir()), "nothing lands in the current folder"
    return [line for line in done.stderr.splitlines() if line.startswith("ecs-anim:")]


@EXHAUSTIVE
@needs_compiler
@pytest.mark.skipif(UNPRIVILEGED != [] and not shutil.which("setpriv"), reason="setpriv is not installed")
def test_a_read_only_installation_works_with_one_warning(installed, tmp_path):
    private = tmp_path / "temporary" / f"ecs-anim-{os.getuid()}"
    warning, compiling = run_read_only(installed, tmp_path, "run", "single", "--no-draw", "--frames", "2")
    assert f"cannot be written, so caches are in {private}." in warning
    assert compiling.startswith("ecs-anim: compiling")
    assert run_read_only(installed, tmp_path, "run", "single", "--no-draw", "--frames", "2") == [warning]


@EXHAUSTIVE
@needs_compiler
@pytest.mark.skipif(UNPRIVILEGED != [] and not shutil.which("setpriv"), reason="setpriv is not installed")
def test_an_installation_works_where_nothing_can_be_written(installed, tmp_path):
    setup = f"import tempfile; tempfile.tempdir = {str(tmp_path / 'home')!r}; "
    lines = run_read_only(installed, tmp_path, "run", "single", "--no-draw", "--frames", "2", setup=setup)
    warning, compiling = lines
    assert "cannot be written, so caches are not kept." in warning
    assert compiling.startswith("ecs-anim: compiling")

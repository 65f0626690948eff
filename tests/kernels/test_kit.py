"""Kernels that ship compiled: they are used where all that they were made from and for is the same, else compiled."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from ecs_anim.kernels import kit
from ecs_anim.kernels.packing import make_kit
from tests.helpers import EXHAUSTIVE, needs_compiler

pytestmark = [
    EXHAUSTIVE,
    needs_compiler,
    pytest.mark.skipif(not kit._runs_here(), reason=f"this CPU is less than {kit.LEVEL}"),
]
MODULES = ("nearness", "parameters")
USE = """
import sys
import importlib.util
from pathlib import Path
# The kit's place is needed while the package is imported.
usual = Path.with_name
Path.with_name = lambda self, name: Path(sys.argv[1]) if name.endswith(".kit") else usual(self, name)
from ecs_anim import kernels
from ecs_anim.kernels import kit
from ecs_anim.kernels.cache import base_folder
if "over" in sys.argv:
    kit.pass_over(base_folder(kit.PATH))
compiled = []
with kernels.called_before_compiling(lambda: compiled.append(True)):
    from ecs_anim.kernels.compiling import import_module
    for name in ("parameters", "nearness"):
        import_module(name)
from ecs_anim.kernels.parameters import take_share
import numpy as np
take_share(np.zeros((3, 2), np.float32), 1, np.ones(3, np.float32))
print(bool(compiled))
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    path = tmp_path_factory.mktemp("kit") / "some.kit"
    make_kit(path, MODULES)
    return path


def compiles(kit_path, cache, *more):
    """Whether a fresh process with a kit compiles."""
    own = os.environ | {"NUMBA_CACHE_DIR": str(cache)}
    done = subprocess.run(
        [sys.executable, "-c", USE, str(kit_path), *more], env=own, capture_output=True, text=True, check=True
    )
    return done.stdout == "True\n"


def test_what_is_there_is_not_compiled(made, tmp_path):
    names = zipfile.ZipFile(made).namelist()
    assert {name.partition(".")[0] for name in names} == set(MODULES)
    assert not compiles(made, tmp_path / "cache")
    assert not compiles(made, tmp_path / "cache")
    assert compiles(tmp_path / "none.kit", tmp_path / "other")


def test_the_own_cpu_may_come_first(made, tmp_path):
    """Also in later programs."""
    assert compiles(made, tmp_path / "cache", "over")
    shutil.copytree(tmp_path / "cache", tmp_path / "other")
    assert not compiles(made, tmp_path / "cache")
    (tmp_path / "other" / kit.PASSED_OVER).unlink()
    shutil.rmtree(next((tmp_path / "other").glob("parameters.*")))
    assert not compiles(made, tmp_path / "other")


def test_the_users_cpu_comes_first(made, tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CPU_NAME", "haswell")
    assert compiles(made, tmp_path / "cache")


def rewritten(made, path, change_name=lambda name: name, change=lambda content: content):
    with zipfile.ZipFile(made) as old, zipfile.ZipFile(path, "w") as new:
        for name in old.namelist():
            new.writestr(change_name(name), change(old.read(name)))
    return path


def test_a_kit_of_other_sources_or_versions_is_passed_over(made, tmp_path):
    """The name of a folder has the digest of these."""
    path = rewritten(made, tmp_path / "other.kit", lambda name: name.replace("-", "-0", 1))
    assert compiles(path, tmp_path / "cache")


def test_kernels_that_differ_from_their_checksum_are_compiled(made, tmp_path):
    path = rewritten(made, tmp_path / "other.kit", change=lambda content: content[:-1] + bytes([content[-1] ^ 1]))
    assert compiles(path, tmp_path / "cache")
    assert not compiles(path, tmp_path / "cache")


def test_a_kit_is_named_after_all_that_numba_needs_the_same():
    assert {sys.implementation.cache_tag, kit.LEVEL} <= {part.strip() for part in (kit.NAME[:11], kit.NAME[-13:-4])}
    assert kit.VERSIONS in kit.NAME


def test_a_lesser_cpu_passes_it_over(made, tmp_path, monkeypatch):
    monkeypatch.setattr(kit, "FEATURES", (*kit.FEATURES, "no such instructions"))
    monkeypatch.setattr(kit.config, "CPU_NAME", None)
    kit.prefer(tmp_path)
    assert kit.config.CPU_NAME is None


@pytest.mark.parametrize("part", [0, 10, 0.3, 0.9])
def test_a_cut_kit_is_passed_over(made, tmp_path, part):
    data = made.read_bytes()
    path = tmp_path / "cut.kit"
    path.write_bytes(data[: int(part if part >= 1 else part * len(data))])
    assert compiles(path, tmp_path / "cache")


def test_a_damaged_entry_is_passed_over(made, tmp_path):
    data = bytearray(made.read_bytes())
    for at in range(200, len(data) // 2, 50):
        data[at] ^= 1
    path = tmp_path / "damaged.kit"
    path.write_bytes(data)
    assert compiles(path, tmp_path / "cache")
    assert not list(Path(tmp_path / "cache").glob("*.[0-9]*"))

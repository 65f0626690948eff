"""Kernels that come compiled: they are taken where all that they were made of and for is the same, else compiled."""

import json
import os
import pickle
import shutil
import subprocess
import sys
import zipfile

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
from pathlib import Path
from ecs_anim.kernels import kit
kit.PATH = Path(sys.argv[1])
if "over" in sys.argv:
    kit.pass_over()
from numba.core import event
compiled = []
class Listener(event.Listener):
    def on_start(self, event): compiled.append(event.data["dispatcher"].py_func.__name__)
    def on_end(self, event): pass
event.register("numba:compile", Listener())
from ecs_anim.kernels.compiling import import_module
for name in ("parameters", "nearness"):
    import_module(name)
print(len(compiled))
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    path = tmp_path_factory.mktemp("kit") / "some.kit"
    make_kit(path, MODULES)
    return path


def compiled(kit_path, cache, *more, **environment):
    """How many functions a fresh process with an empty cache compiles that has a kit."""
    own = os.environ | {"NUMBA_CACHE_DIR": str(cache)} | environment
    done = subprocess.run(
        [sys.executable, "-c", USE, str(kit_path), *more], env=own, capture_output=True, text=True, check=True
    )
    return int(done.stdout)


def test_what_is_there_is_not_compiled(made, tmp_path):
    names = zipfile.ZipFile(made).namelist()
    assert {name.partition(".")[0] for name in names} == set(MODULES)
    assert compiled(made, tmp_path / "cache") == 0
    assert compiled(tmp_path / "none.kit", tmp_path / "other") > 0


def test_the_own_cpu_may_come_first(made, tmp_path):
    assert compiled(made, tmp_path / "cache", "over") > 0
    assert compiled(made, tmp_path / "cache") == 0


def rewritten(made, path, comment=None, change=lambda content: content):
    with zipfile.ZipFile(made) as old, zipfile.ZipFile(path, "w") as new:
        new.comment = old.comment if comment is None else comment
        for name in old.namelist():
            new.writestr(name, change(old.read(name)))
    return path


@pytest.mark.parametrize("what", ["numba", "llvmlite", "python", "triple"])
def test_a_kit_for_something_else_is_passed_over(made, tmp_path, what):
    other = json.dumps(json.loads(zipfile.ZipFile(made).comment) | {what: "another"}).encode()
    assert compiled(rewritten(made, tmp_path / "other.kit", other), tmp_path / "cache") > 0


def test_a_kit_of_other_sources_is_passed_over(made, tmp_path):
    path = rewritten(made, tmp_path / "other.kit", change=lambda content: bytes([content[0] ^ 1]) + content[1:])
    assert compiled(path, tmp_path / "cache") > 0


def test_a_lesser_cpu_passes_it_over(made, tmp_path, monkeypatch):
    monkeypatch.setattr(kit, "FEATURES", (*kit.FEATURES, "no such instructions"))
    kit._open.cache_clear()
    assert kit._open(made) is None


def test_every_flipped_bit_of_a_kit_is_found(tmp_path, monkeypatch):
    path, stamp, record = tmp_path / "small.kit", b"digest of sources", ("a record", bytes(range(256)))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.comment = json.dumps(kit.made_for()).encode()
        file.writestr("module.kernel", stamp + pickle.dumps(record))
    whole = path.read_bytes()
    monkeypatch.setattr(kit, "PATH", path)
    taken = 0
    for bit in range(len(whole) * 8):
        damaged = bytearray(whole)
        damaged[bit // 8] ^= 1 << bit % 8
        path.write_bytes(damaged)
        kit._open.cache_clear()
        found = kit.shipped("module.kernel", stamp)
        assert found in (None, record), bit
        taken += found is not None
    kit._open.cache_clear()
    assert taken < len(whole) * 4, "some bits, such as those of dates, do no harm"


@pytest.mark.parametrize("part", [0, 10, 0.3, 0.9])
def test_a_cut_kit_is_passed_over(made, tmp_path, part):
    data = made.read_bytes()
    path = tmp_path / "cut.kit"
    path.write_bytes(data[: int(part if part >= 1 else part * len(data))])
    assert compiled(path, tmp_path / "cache") > 0


def test_a_damaged_entry_is_passed_over(made, tmp_path):
    path = tmp_path / "damaged.kit"
    shutil.copy(made, path)
    with zipfile.ZipFile(path) as file:
        entry = max(file.infolist(), key=lambda info: info.compress_size)
    data = bytearray(path.read_bytes())
    at = entry.header_offset + 30 + len(entry.filename) + entry.compress_size // 2
    data[at] ^= 0xFF
    path.write_bytes(data)
    assert compiled(path, tmp_path / "cache") > 0

"""Files of compiled kernels: a file that is damaged in any way counts as missing."""

import os
import random
import subprocess
import sys

import numba
import pytest

from ecs_anim.kernels import kit
from ecs_anim.kernels.kernel_file import KernelFile
from tests.helpers import EXHAUSTIVE, needs_compiler

KEY = ((numba.float64, numba.int32[::1]), ("x86_64-linux", "some CPU", "+avx2"), ("code", "cells"))
RECORD = ("a record", b"machine code" * 50, (1, 2.5, None))
STAMP = b"digest of sources"


@pytest.fixture
def kept(tmp_path):
    file = KernelFile(tmp_path, "module.kernel-12.py311", STAMP)
    file.save(KEY, RECORD)
    return file


def path_in(folder):
    (path,) = folder.glob("*.nbc")
    return path


def test_what_is_saved_is_loaded(kept, tmp_path):
    assert kept.load(KEY) == RECORD
    assert KernelFile(tmp_path, "module.kernel-12.py311", STAMP).load(KEY) == RECORD


def test_every_cut_file_counts_as_missing(kept, tmp_path):
    path = path_in(tmp_path)
    whole = path.read_bytes()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        assert kept.load(KEY) is None, length


def test_every_flipped_bit_counts_as_missing(kept, tmp_path):
    path = path_in(tmp_path)
    whole = path.read_bytes()
    for bit in range(len(whole) * 8):
        damaged = bytearray(whole)
        damaged[bit // 8] ^= 1 << bit % 8
        path.write_bytes(damaged)
        assert kept.load(KEY) is None, bit


@pytest.mark.parametrize("content", [b"", b"\0" * 1000, b"not a kernel"], ids=["empty", "zeros", "text"])
def test_another_content_counts_as_missing_and_is_overwritten(kept, tmp_path, content):
    path_in(tmp_path).write_bytes(content)
    assert kept.load(KEY) is None
    kept.save(KEY, RECORD)
    assert kept.load(KEY) == RECORD


def test_a_missing_file_and_a_folder_of_its_name_count_as_missing(kept, tmp_path):
    path = path_in(tmp_path)
    path.unlink()
    assert kept.load(KEY) is None
    path.mkdir()
    assert kept.load(KEY) is None


def test_other_sources_count_as_missing(kept, tmp_path):
    assert KernelFile(tmp_path, "module.kernel-12.py311", b"other sources").load(KEY) is None


@pytest.mark.parametrize("part", ["numba", "llvmlite", "python", "triple"])
def test_another_version_counts_as_missing(kept, monkeypatch, part):
    other = kit.made_for() | {part: "another"}
    monkeypatch.setattr(kit, "made_for", lambda: other)
    assert kept.load(KEY) is None


@pytest.mark.parametrize(
    "key",
    [((numba.float32, KEY[0][1]), *KEY[1:]), (*KEY[:2], ("other code", "cells"))],
    ids=["arguments", "code"],
)
def test_another_key_counts_as_missing(kept, key):
    assert kept.load(key) is None


def test_each_cpu_has_its_file(kept, tmp_path):
    other = (KEY[0], ("x86_64-linux", "another CPU", "+avx2"), KEY[2])
    assert kept.load(other) is None
    kept.save(other, "for the other CPU")
    assert (kept.load(KEY), kept.load(other)) == (RECORD, "for the other CPU")
    assert len(list(tmp_path.glob("*.nbc"))) == 2
    kept.flush()
    assert not list(tmp_path.iterdir())


USE = "from ecs_anim.kernels.compiling import import_module as use; use('parameters'); use('nearness')"


@EXHAUSTIVE
@needs_compiler
def test_kernels_are_compiled_again_where_their_files_are_damaged(tmp_path):
    """Each kind of damage in turn to every file of two modules of kernels."""
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}

    def compiles():
        done = subprocess.run([sys.executable, "-c", USE], env=environment, capture_output=True, text=True, check=True)
        return "compiling" in done.stderr

    def flip(content):
        at = random.Random(len(content)).randrange(len(content))
        return content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :]

    assert compiles()
    for damage in (lambda _: b"", lambda own: own[:1], lambda own: own[: len(own) // 2], lambda own: own[:-1], flip):
        for path in tmp_path.rglob("*.nbc"):
            path.write_bytes(damage(path.read_bytes()))
        assert compiles()
        assert not compiles()

"""The cache of kernels: a kernel is used only while all that it is made from is unchanged, and its files are whole."""

import ast
import os
import shutil
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from types import ModuleType

import pytest
from numba import config, errors, float64

from ecs_anim.kernels import cache, kernel
from ecs_anim.kernels.cache import source_stamp
from tests.helpers import EXHAUSTIVE, needs_compiler

HELPER = "from ecs_anim.kernels import inlined\n@inlined\ndef helped(x):\n    return x * {times}\n"
KERNEL = """
import sys
from numba import float64
import ecs_anim.kernels
from ecs_anim.kernels.probe_helper import helped
from ecs_anim.kernels import kernel
@kernel(float64(float64))
def total(x):
    return helped(x) + 1.0
"""
USE = """
import sys
import ecs_anim.kernels
ecs_anim.kernels.__path__.append(sys.argv[1])
from ecs_anim.kernels.probe_kernel import total
print(total(2.0))
"""


def imported(name):
    """All modules of ours that a module imports, directly or not, as Python's own parser has it."""
    found, left = {name}, [name]
    while left:
        tree = ast.parse(Path(sys.modules[left.pop()].__file__).read_text("utf-8"))
        for node in tree.body:
            if isinstance(node, ast.ImportFrom):
                names = {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
                new = {name for name in names if name.startswith("ecs_anim")} & sys.modules.keys() - found
                found |= new
                left.extend(new)
    return found


@EXHAUSTIVE
@pytest.mark.parametrize("name", ["steering", "look_at", "palettes"])
def test_a_stamp_is_of_all_sources(name):
    module = f"ecs_anim.kernels.{name}"
    __import__(module)
    names = imported(module)
    assert len(names) > 8
    digests = [sha256(Path(sys.modules[own].__file__).read_bytes()).digest() for own in sorted(names)]
    assert source_stamp(module) == sha256(b"".join(digests)).digest()


def test_a_stamp_changes_with_a_helper_of_a_helper(tmp_path, monkeypatch):
    def stamp():
        cache._read.cache_clear()
        return source_stamp("ecs_anim.probe_a")

    for name, text in (
        ("a", "from ecs_anim.probe_b import (\n    one,\n)"),
        ("b", "from ecs_anim import probe_c"),
        ("c", ""),
    ):
        module = ModuleType(f"ecs_anim.probe_{name}")
        module.__file__ = str(tmp_path / f"{name}.py")
        (tmp_path / f"{name}.py").write_text(text)
        monkeypatch.setitem(sys.modules, module.__name__, module)
    first = stamp()
    assert stamp() == first
    (tmp_path / "b.py").write_text("from ecs_anim import probe_c\ndef late():\n    from ecs_anim import probe_d\n")
    late = stamp()
    monkeypatch.setitem(sys.modules, "ecs_anim.probe_d", sys.modules["ecs_anim.probe_c"])
    assert stamp() == late  # whatever else of ours a program has imported
    (tmp_path / "c.py").write_text("# another")
    assert stamp() not in (first, late)


@EXHAUSTIVE
@needs_compiler
def test_a_kernel_is_compiled_anew_when_a_helper_in_another_file_changes(tmp_path):
    (tmp_path / "probe_kernel.py").write_text(KERNEL)
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "cache"), "PYTHONDONTWRITEBYTECODE": "1"}
    said = []
    for times in (3.0, 50.0, 50.0):
        (tmp_path / "probe_helper.py").write_text(HELPER.format(times=times))
        run = [sys.executable, "-c", USE, str(tmp_path)]
        done = subprocess.run(run, env=environment, capture_output=True, text=True, check=True)
        said.append((float(done.stdout), "compiling" in done.stderr))
    assert said == [(7.0, True), (101.0, True), (101.0, False)]


RAISES = """
from ecs_anim.kernels import helper
@helper
def helped(x):
    if x > 1:
        raise ValueError('above', x)
    return x
"""


@EXHAUSTIVE
@needs_compiler
def test_a_kernel_from_the_cache_raises_what_it_says(tmp_path):
    (tmp_path / "probe_kernel.py").write_text(KERNEL)
    (tmp_path / "probe_helper.py").write_text(RAISES)
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    for compiles in (True, False):
        run = [sys.executable, "-c", USE, str(tmp_path)]
        done = subprocess.run(run, env=environment, capture_output=True, text=True, check=False, timeout=100)
        assert done.stderr.splitlines()[-1] == "ValueError: ('above', 2.0)"
        assert ("compiling" in done.stderr) == compiles


@EXHAUSTIVE
@needs_compiler
def test_a_kernel_that_a_full_disk_cannot_keep_is_compiled_for_the_program(tmp_path):
    (tmp_path / "probe_kernel.py").write_text(KERNEL)
    (tmp_path / "probe_helper.py").write_text(HELPER.format(times=3.0))
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    limited = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n" + USE
    run = [sys.executable, "-B", "-c", limited, str(tmp_path)]
    done = subprocess.run(run, env=environment, capture_output=True, text=True, check=True)
    assert float(done.stdout) == 7.0
    assert all(path.stat().st_size < 1000 for path in (tmp_path / "cache").rglob("*.nb?"))


def compiles(tmp_path):
    """Whether a fresh process compiles the kernel, which it calls."""
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    run = [sys.executable, "-c", USE, str(tmp_path)]
    done = subprocess.run(run, env=environment, capture_output=True, text=True, check=True)
    assert float(done.stdout) == 7.0
    return "compiling" in done.stderr


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """A folder with a kernel in its cache."""
    folder = tmp_path_factory.mktemp("kept")
    (folder / "probe_kernel.py").write_text(KERNEL)
    (folder / "probe_helper.py").write_text(HELPER.format(times=3.0))
    assert compiles(folder)
    assert not compiles(folder)
    return folder


def flipped(content):
    middle = len(content) // 2
    return content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]


DAMAGES = {
    "empty": lambda content: b"",
    "cut": lambda content: content[: len(content) // 2],
    "zeros": lambda content: bytes(len(content)),
    "flipped": flipped,
}


@EXHAUSTIVE
@needs_compiler
@pytest.mark.parametrize("ending", ["nbi", "nbc"])
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_kernel_whose_file_is_damaged_is_compiled_anew(kept, tmp_path, damage, ending):
    folder = tmp_path / "copy"
    shutil.copytree(kept, folder)
    (path,) = (folder / "cache").rglob(f"*.{ending}")
    path.write_bytes(DAMAGES[damage](path.read_bytes()))
    assert compiles(folder)
    assert not compiles(folder)


@EXHAUSTIVE
@needs_compiler
@pytest.mark.parametrize("damage", ["empty", "cut"])
def test_a_damaged_file_with_a_matching_checksum_is_compiled_anew(kept, tmp_path, damage):
    """Numba raises what pickle raises."""
    folder = tmp_path / "copy"
    shutil.copytree(kept, folder)
    (path,) = (folder / "cache").rglob("*.nbi")
    path.write_bytes(DAMAGES[damage](path.read_bytes()))
    total = sha256()
    for own in sorted(path.parent.iterdir()):
        total.update(own.name.encode() + own.read_bytes())
    (path.parent.parent / "checksum").write_text(total.hexdigest())
    compiles(folder)
    assert not compiles(folder)


@EXHAUSTIVE
@needs_compiler
def test_two_programs_at_once_compile_the_same_kernel(tmp_path):
    (tmp_path / "probe_kernel.py").write_text(KERNEL)
    (tmp_path / "probe_helper.py").write_text(HELPER.format(times=3.0))
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    run = [sys.executable, "-c", USE, str(tmp_path)]
    programs = [subprocess.Popen(run, env=environment, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    assert [float(program.communicate(timeout=200)[0]) for program in programs] == [7.0, 7.0]
    assert not compiles(tmp_path)


@EXHAUSTIVE
@needs_compiler
def test_old_folders_of_a_kernel_are_removed(tmp_path):
    (tmp_path / "probe_kernel.py").write_text(KERNEL)
    (tmp_path / "probe_helper.py").write_text(HELPER.format(times=3.0))
    for number in range(6):
        old = tmp_path / "cache" / f"probe_kernel.total-{number}"
        old.mkdir(parents=True)
        os.utime(old, (number, number))
    assert compiles(tmp_path)
    left = sorted(path.name for path in (tmp_path / "cache").iterdir())
    assert len(left) == cache.KEPT
    assert {f"probe_kernel.total-{number}" for number in (3, 4, 5)} < set(left)


@needs_compiler
def test_a_kernel_is_compiled_at_its_first_call_and_for_its_signature_alone(tmp_path, monkeypatch):
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path))

    def halved(x):
        return x / 2

    halved.__module__ = "ecs_anim.kernels.probe"
    monkeypatch.setitem(sys.modules, halved.__module__, sys.modules[__name__])
    own = kernel(float64(float64))(halved)
    assert own.signatures == []
    assert own(3.0) == 1.5
    assert own.signatures == [(float64,)]
    with pytest.raises(TypeError, match="No matching definition"):
        own(1j)
    assert str(tmp_path) == config.CACHE_DIR


@needs_compiler
def test_an_error_of_numbas_is_told_and_not_compiled_again(tmp_path, monkeypatch):
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path))
    with pytest.raises(errors.TypingError):
        kernel(float64(float64))(lambda x: x.no_such_attribute)

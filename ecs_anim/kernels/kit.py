"""Kernels that come compiled with the package, so that nobody waits for the first picture.

They are made for any x86-64 CPU with AVX2 (x86-64-v3), by one version of Python and numba. Where anything differs (the
CPU, a version, a line of a kernel's source) they are passed over, and numba compiles. `ecs-anim warmup` compiles for
the CPU at hand whatever came: poses then take a twelfth less.

`packing` makes them.
"""

import json
import pickle
import platform
import sys
import zipfile
import zlib
from functools import lru_cache
from pathlib import Path
from typing import Any

import llvmlite
import numba
from llvmlite import binding

LEVEL = "x86-64-v3"
FEATURES = ("avx", "avx2", "bmi", "bmi2", "cx16", "f16c", "fma", "lzcnt", "movbe", "popcnt", "sse4.2", "xsave")
PATH = Path(__file__).with_name(f"{sys.implementation.cache_tag}-{platform.system()}-{LEVEL}.kit".lower())

# What zipfile and json raise for a damaged kit. RuntimeError: a flag says that an entry is encrypted.
DAMAGED = EOFError, KeyError, OSError, RuntimeError, ValueError, zipfile.BadZipFile, zlib.error

_passed_over = False


def pass_over() -> None:
    """Compile for the CPU at hand, in this process, whatever came with the package."""
    global _passed_over
    _passed_over = True


def shipped(name: str, stamp: bytes) -> Any:
    """Numba's record of a kernel that came compiled from sources of this digest, or None."""
    kit = None if _passed_over else _open(PATH)
    if kit is None:
        return None
    try:
        content = kit.read(name)  # its checksum is right
    except DAMAGED:
        return None
    return pickle.loads(content[len(stamp) :]) if content.startswith(stamp) else None


@lru_cache(maxsize=1)
def _open(path: Path) -> zipfile.ZipFile | None:
    """The kit, if it was made for this CPU, Python and numba."""
    if not path.exists():
        return None
    try:
        kit = zipfile.ZipFile(path)
        return kit if json.loads(kit.comment) == made_for() and _runs_here() else None
    except DAMAGED:
        return None


def made_for() -> dict[str, str]:
    """What a kit hangs on, besides the CPU and the sources."""
    return {
        "numba": numba.__version__,
        "llvmlite": llvmlite.__version__,
        "python": sys.implementation.cache_tag,
        "triple": binding.get_process_triple(),
    }


def _runs_here() -> bool:
    """If this CPU has all instructions of the level."""
    host = binding.get_host_cpu_features()
    return all(host.get(feature, False) for feature in FEATURES)

"""The kit: compiled kernels that the package ships, as a zip file of cache folders (see `cache`) that `packing` writes.
A kit works on any x86-64 CPU with AVX2 (x86-64-v3), and only with the versions of Python, numba and llvmlite that
compiled it. Numba loads only kernels for its target CPU (NUMBA_CPU_NAME), so with a kit, the target is the CPU of the
kit. The command `ecs-anim warmup` compiles kernels for the CPU of this machine, and writes a marker file. Later
programs then use these kernels.
"""

import os
import platform
import shutil
import sys
import zipfile
import zlib
from contextlib import suppress
from functools import cache
from pathlib import Path

import llvmlite
import numba
from llvmlite import binding
from numba import config

LEVEL = "x86-64-v3"
FEATURES = ("avx", "avx2", "bmi", "bmi2", "cx16", "f16c", "fma", "lzcnt", "movbe", "popcnt", "sse4.2", "xsave")
VERSIONS = f"numba{numba.__version__}-llvmlite{llvmlite.__version__}"
NAME = f"{sys.implementation.cache_tag}-{platform.system()}-{VERSIONS}-{LEVEL}.kit".lower()
PATH = Path(__file__).with_name(NAME)
PASSED_OVER = "for-this-cpu"  # name of the marker file that `ecs-anim warmup` writes to the cache

# Exceptions of zipfile for a damaged kit. RuntimeError occurs if an entry is marked as encrypted.
DAMAGED = EOFError, KeyError, OSError, RuntimeError, ValueError, zipfile.BadZipFile, zlib.error


def prefer(base: Path | None) -> None:
    """Set numba's target CPU to the CPU of the kit, if this machine can run its kernels and the user has set no target.
    `base` is the parent of the cache folders.
    """
    is_passed_over = base is not None and (base / PASSED_OVER).exists()
    if config.CPU_NAME is None and _runs_here() and not is_passed_over:
        config.CPU_NAME, config.CPU_FEATURES = LEVEL, ""


def pass_over(base: Path | None) -> None:
    """Set this machine's CPU as numba's target for this program and later ones, before the first compilation."""
    if PATH.exists() and config.CPU_NAME == LEVEL:
        config.CPU_NAME = config.CPU_FEATURES = None
        if base is not None:
            with suppress(OSError):
                (base / PASSED_OVER).touch()


def unpack(folder: Path) -> bool:
    """Unpack a cache folder from the kit. Return false if the kit is damaged or does not contain the folder."""
    kit = _open(PATH)
    if kit is None or f"{folder.name}/checksum" not in kit.namelist():
        return False
    own = folder.with_name(f"{folder.name}.{os.getpid()}")
    try:
        kit.extractall(own, [name for name in kit.namelist() if name.startswith(f"{folder.name}/")])
        os.replace(own / folder.name, folder)
    except DAMAGED:  # an OSError can also mean that another process has created the folder
        pass
    finally:
        shutil.rmtree(own, ignore_errors=True)
    return folder.exists()


@cache
def _open(path: Path) -> zipfile.ZipFile | None:
    try:
        return zipfile.ZipFile(path)
    except DAMAGED:
        return None


def _runs_here() -> bool:
    """Return whether the CPU of this machine has all instructions that the kernels of the kit use."""
    host = binding.get_host_cpu_features()
    return all(host.get(feature, False) for feature in FEATURES)

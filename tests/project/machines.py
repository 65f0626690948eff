"""Other machines, as far as this one can stand in for them: what their compiler, numpy, BLAS and C library choose.

`python -m tests.project.machines` prints JSON: the instructions and outside functions of all kernels, and the digests
of scenes. `python -m tests.project.machines SCENE FRAMES OUT` saves the poses of a few actors of a scene. Both run with
the environment of another machine.
"""

import json
import os
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from llvmlite import binding
from numba import config

import ecs_anim as ea
from ecs_anim.components.palette import Palette
from ecs_anim.components.playback import Playback
from ecs_anim.components.transforms import Transforms
from ecs_anim.kernels import kernels_of
from ecs_anim.kernels.compiling import import_module, kernel_modules
from ecs_anim.systems.queries import palettes_of
from tests.digests import DT, all_digests

FEW = 6  # actors of a crowd

WIDE = "X86_V4 AVX512_ICL AVX512_SPR"  # what numpy calls loops for AVX-512
NO_AVX = "glibc.cpu.hwcaps=-AVX512F,-AVX2,-AVX,-FMA,-FMA4"
FUNCTION = re.compile(r"\$([a-z][a-z0-9_]*)\b")
DATA = re.compile(r"^\s+\..*$", re.MULTILINE)  # bytes may read like anything
INSTRUCTION = re.compile(r"^\s+([a-z][a-z0-9]+)\s", re.MULTILINE)


@dataclass(frozen=True)
class Machine:
    """A CPU by LLVM's name, and what the libraries would do there."""

    cpu: str  # "host" is this machine
    features: str = ""  # of the CPU, taken away where this one may lack them
    numpy: str = ""  # loops that numpy finds no CPU for
    blas: str = "Haswell"
    libc: str = ""
    needs: str = "avx2"  # of this machine, to stand in for it

    def environment(self, cache: str) -> dict[str, str]:
        """Variables that make this machine look like that one, its kernels compiled into a cache of their own."""
        if self.cpu == "host":
            return os.environ | {"NUMBA_CACHE_DIR": cache}
        own = {
            "NUMBA_CACHE_DIR": cache,
            "NUMBA_CPU_NAME": self.cpu,
            "NUMBA_CPU_FEATURES": self.features,
            "NPY_DISABLE_CPU_FEATURES": self.numpy,
            "OPENBLAS_CORETYPE": self.blas,
            "GLIBC_TUNABLES": self.libc,
        }
        return os.environ | {name: value for name, value in own.items() if value or name == "NUMBA_CPU_FEATURES"}


MACHINES = (
    Machine("host"),
    Machine("haswell", numpy=WIDE),
    Machine("znver3", features="-sse4a", numpy=WIDE, blas="Zen"),
    Machine("skylake-avx512", blas="SkylakeX", needs="avx512f"),
)
# No AVX2, no FMA: fused sums are rounded twice.
OLD = Machine("nehalem", numpy=f"X86_V3 {WIDE}", blas="Nehalem", libc=NO_AVX, needs="sse4.2")


def _assembly() -> Iterator[str]:
    """Of every kernel, as compiled just now: what comes from numba's cache cannot be looked at.

    A kernel's code has that of its helpers.
    """
    for name in kernel_modules():
        for own in kernels_of(import_module(name).__name__):
            compiled = own.compiled()
            yield from compiled.inspect_asm().values() if hasattr(compiled, "inspect_asm") else [_assembled(compiled)]


def _assembled(stage: Any) -> str:
    """The assembly of a compiled stage, of which numba gives LLVM's instructions alone."""
    features = config.CPU_FEATURES
    machine = binding.Target.from_default_triple().create_target_machine(
        cpu=config.CPU_NAME or binding.get_host_cpu_name(),
        features=binding.get_host_cpu_features().flatten() if features is None else features,
        opt=3,
    )
    return machine.emit_assembly(binding.parse_assembly(stage.inspect_llvm()))


def _report() -> dict[str, object]:
    instructions: set[str] = set()
    functions: set[str] = set()
    kernels = 0
    for assembly in _assembly():
        text = DATA.sub("", assembly)
        kernels += 1
        instructions.update(INSTRUCTION.findall(text))
        functions.update(FUNCTION.findall(text))
    return {
        "kernels": kernels,
        "instructions": sorted(instructions),
        "functions": sorted(functions),
        "digests": all_digests(),
    }


def few(scene: str, frames: int) -> dict[str, np.ndarray]:
    """Places, phases and palettes of a few actors of each crowd of a scene after so many frames, by crowd."""
    with ea.load_scene(scene, actors=FEW) as world:
        for _ in range(frames):
            world.step(DT)
        found = {}
        for number, (entity, (transforms, playback, _)) in enumerate(world.query(Transforms, Playback, Palette)):
            found[f"{number} places"] = np.hstack([transforms.translation, transforms.rotation])
            found[f"{number} phases"] = np.array(playback.phase)
            found[f"{number} palettes"] = palettes_of(world, entity).copy()
        return found


if __name__ == "__main__":
    if len(sys.argv) > 1:
        np.savez(sys.argv[3], **few(sys.argv[1], int(sys.argv[2])))
    else:
        json.dump(_report(), sys.stdout)

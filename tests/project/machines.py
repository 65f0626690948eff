"""Simulation of other machines: their compiler target, numpy loops, BLAS and C library.

`python -m tests.project.machines` prints JSON: the instructions and the external functions of all kernels.
`python -m tests.project.machines FRAMES FOLDER SCENE...` saves the poses of a few actors of each scene. Run both
commands with the environment variables of another machine.
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
from tests.digests import DT

FEW = 6  # number of actors in a crowd

WIDE = "X86_V4 AVX512_ICL AVX512_SPR"  # numpy's names of the loops for AVX-512
NO_AVX = "glibc.cpu.hwcaps=-AVX512F,-AVX2,-AVX,-FMA,-FMA4"
FUNCTION = re.compile(r"\$([a-z][a-z0-9_]*)\b")
DATA = re.compile(r"^\s+\..*$", re.MULTILINE)  # data can look like instructions
INSTRUCTION = re.compile(r"^\s+([a-z][a-z0-9]+)\s", re.MULTILINE)


@dataclass(frozen=True)
class Machine:
    """A CPU with its LLVM name, and the settings that libraries would use on this CPU."""

    cpu: str  # LLVM's name of the CPU
    numpy: str = ""  # loops that numpy must not use
    blas: str = "Haswell"
    libc: str = ""
    needs: str = "avx2"  # feature that this machine must have to simulate the other machine

    def environment(self, cache: str) -> dict[str, str]:
        """Return environment variables that simulate the machine. Kernels get a separate cache."""
        # without additional features, the kernels use only the features of the named CPU
        kernels = {"NUMBA_CACHE_DIR": cache, "NUMBA_CPU_NAME": self.cpu, "NUMBA_CPU_FEATURES": ""}
        libraries = {
            "NPY_DISABLE_CPU_FEATURES": self.numpy,
            "OPENBLAS_CORETYPE": self.blas,
            "GLIBC_TUNABLES": self.libc,
        }
        return os.environ | kernels | {name: value for name, value in libraries.items() if value}


MACHINES = (
    Machine("haswell", numpy=WIDE),
    Machine("skylake-avx512", blas="SkylakeX", needs="avx512f"),
)
# A CPU without AVX2 and FMA, which rounds a fused multiply-add twice.
OLD = Machine("nehalem", numpy=f"X86_V3 {WIDE}", blas="Nehalem", libc=NO_AVX, needs="sse4.2")


def _assembly() -> Iterator[str]:
    """Yield the assembly of every kernel.

    Each kernel is compiled anew, because numba's cache does not contain assembly.

    The assembly of a kernel includes its helpers.
    """
    for name in kernel_modules():
        for own in kernels_of(import_module(name).__name__):
            compiled = own.compiled()
            yield from compiled.inspect_asm().values() if hasattr(compiled, "inspect_asm") else [_assembled(compiled)]


def _assembled(stage: Any) -> str:
    """Return the assembly of a compiled stage. Numba gives only its LLVM code."""
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
    }


def few(scene: str, frames: int) -> dict[str, np.ndarray]:
    """Return positions, phases and palettes of a few actors of each crowd after `frames` frames of a scene."""
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
        for scene in sys.argv[3:]:
            np.savez(f"{sys.argv[2]}/{scene}.npz", **few(scene, int(sys.argv[1])))
    else:
        json.dump(_report(), sys.stdout)

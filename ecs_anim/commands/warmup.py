"""`ecs-anim warmup` compiles kernels before the first run."""

import os
from collections.abc import Sequence
from time import perf_counter

from ecs_anim import kernels
from ecs_anim.kernels import kit
from ecs_anim.kernels.cache import base_folder
from ecs_anim.kernels.compiling import compile_modules, kernel_modules
from ecs_anim.support.progress import Tally
from ecs_anim.support.terminal import print_note


def warm_up(scenes: Sequence[str]) -> None:
    """Compile the kernels that some scenes need, or all kernels. Raises InputError if a scene cannot be read."""
    kernels.hush()
    kit.pass_over(base_folder(kit.PATH))
    from ecs_anim.scenes.kernels import needed_kernels  # imports kernels; numba must know the CPU before this import
    from ecs_anim.scenes.loader import read_scene

    needed = {name for scene in scenes for name in needed_kernels(read_scene(scene).model)}
    names = [name for name in kernel_modules() if name in needed or not scenes]
    begin = perf_counter()
    with Tally(len(names), "compiling") as progress:
        for name in compile_modules(names):
            progress.advance(name)
    spent, processes = perf_counter() - begin, min(os.cpu_count() or 1, len(names))
    print_note(f"{len(names)} kernel modules are compiled ({spent:.0f} s, {processes} processes)")

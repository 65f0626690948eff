"""Modules that commands import, and compiled kernels. Processes that are forked from this process begin with both.

OpenGL is not included, because it does not survive a fork. Kernels outside of the cache are compiled when they are
used.
"""

from contextlib import suppress
from importlib import import_module

from numba import config

from ecs_anim.kernels import kernels_of
from ecs_anim.kernels.cache import KernelFolder
from ecs_anim.kernels.compiling import kernel_modules

MODULES = (
    "PIL.PngImagePlugin",
    "h5py",
    "pyarrow.parquet",
    "pygltflib",
    "tests.helpers.command",
    "ecs_anim.cli",
    "ecs_anim.commands.inspect",
    "ecs_anim.commands.outcome",
    "ecs_anim.commands.outputs",
    "ecs_anim.profiling.measure",
    "ecs_anim.scenes.build",
    "ecs_anim.support.console",
    "ecs_anim.systems.schedule",
    "ecs_anim.trajectories.trial",
    "ecs_anim.walls.build",
)


def load_kernels() -> None:
    """Load the kernels that are in the cache."""
    for name in kernel_modules():
        for kernel in kernels_of(import_module(f"ecs_anim.kernels.{name}").__name__):
            folder = KernelFolder.of(kernel.__wrapped__)  # type: ignore[attr-defined]
            if folder and folder.holds_kernel():
                kernel.compiled()


for name in MODULES:
    with suppress(ImportError):  # an extra is not installed
        import_module(name)
if not config.DISABLE_JIT:
    load_kernels()

"""Modules that commands import, and compiled kernels: processes that are forked after this begin with both.

OpenGL is not among them, because it does not survive a fork.
"""

from contextlib import suppress
from importlib import import_module

from ecs_anim.kernels.compiling import import_modules, kernel_modules

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

for name in MODULES:
    with suppress(ImportError):  # an extra is not installed
        import_module(name)
import_modules(kernel_modules())

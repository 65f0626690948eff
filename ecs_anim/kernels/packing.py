"""Packing of the kit of compiled kernels. `./dev wheel` runs `python -m ecs_anim.kernels.packing [PATH]`."""

import os
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from ecs_anim.kernels import kit
from ecs_anim.kernels.compiling import kernel_modules

COMPILE = "import sys; from ecs_anim.kernels.compiling import compile_modules; list(compile_modules(sys.argv[1:]))"


def make_kit(path: Path, modules: Sequence[str] = ()) -> None:
    """Compile modules of kernels (by default all) for all CPUs of `kit.LEVEL`, and write the kit to `path`. Raises
    CalledProcessError if the compilation fails.
    """
    with TemporaryDirectory() as folder:
        level = {"NUMBA_CPU_NAME": kit.LEVEL, "NUMBA_CPU_FEATURES": "", "NUMBA_CACHE_DIR": folder}
        subprocess.run(
            [sys.executable, "-c", COMPILE, *(modules or kernel_modules())], check=True, env=os.environ | level
        )
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
            for own in sorted(path for path in Path(folder).rglob("*") if path.is_file()):
                file.write(own, own.relative_to(folder))


if __name__ == "__main__":
    make_kit(Path(sys.argv[1]) if len(sys.argv) > 1 else kit.PATH)

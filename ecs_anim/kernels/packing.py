"""Packs the kit of compiled kernels: `python -m ecs_anim.kernels.packing [PATH]`, which `./dev wheel` does."""

import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from numba.core.dispatcher import Dispatcher
from numba.core.serialize import dumps

from ecs_anim.kernels import kit
from ecs_anim.kernels.cache import KernelCache
from ecs_anim.kernels.compiling import compile_modules, import_module, kernel_modules

PACK = """if __name__ == "__main__":
    import sys
    from ecs_anim.kernels.packing import pack
    pack(sys.argv[1], sys.argv[2:])
"""


def make_kit(path: Path, modules: Sequence[str] = ()) -> None:
    """Compile some modules of kernels, or all, for any CPU of `kit.LEVEL`, into a kit. Raises CalledProcessError."""
    with TemporaryDirectory() as folder:
        script = Path(folder, "pack.py")  # a file: processes that help import it
        script.write_text(PACK)
        level = {"NUMBA_CPU_NAME": kit.LEVEL, "NUMBA_CPU_FEATURES": "", "NUMBA_CACHE_DIR": folder}
        subprocess.run([sys.executable, script, path, *modules], check=True, env=os.environ | level)


def pack(path: str, modules: Sequence[str]) -> None:
    """Write all that some modules, or all, are compiled to by this process's settings."""
    kit.pass_over()
    names = list(modules) or kernel_modules()
    for _ in compile_modules(names):
        pass
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.comment = json.dumps(kit.made_for()).encode()
        for name in names:
            for entry, content in _compiled(name):
                file.writestr(entry, content)


def _compiled(name: str) -> Iterator[tuple[str, bytes]]:
    """What Python calls in a module of kernels: each one's name, and its stamp with numba's record."""
    module = import_module(name)
    for value in vars(module).values():
        own = isinstance(value, Dispatcher) and value.py_func.__module__ == module.__name__
        if own and isinstance(value._cache, KernelCache):
            entry, stamp, record = value._cache.kept(value.nopython_signatures[0], value.targetctx)
            yield entry, stamp + dumps(record)


if __name__ == "__main__":
    make_kit(Path(sys.argv[1]) if len(sys.argv) > 1 else kit.PATH)

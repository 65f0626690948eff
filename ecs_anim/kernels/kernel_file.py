"""Files of compiled kernels: one kernel for one CPU in each. A checksum decides whether a file is used.

Numba's own cache has two files for a kernel, and fails where one of them is cut or empty.
"""

import pickle
from contextlib import suppress
from glob import escape
from hashlib import sha256
from pathlib import Path
from typing import Any

from numba.core.serialize import dumps

from ecs_anim.kernels import kit

CHECKSUM = 32  # bytes of a SHA-256 digest


class KernelFile:
    """The file of a kernel, with the interface of numba's `IndexDataCacheFile`."""

    def __init__(self, folder: Path, name: str, stamp: bytes) -> None:
        self._folder, self._name, self._stamp = folder, name, stamp

    def load(self, key: Any) -> Any:
        """Return the record of a kernel. None if the file is missing, damaged, or of other sources or versions."""
        try:
            content = self._path(key).read_bytes()
        except OSError:
            return None
        if content[:CHECKSUM] != self._checksum(key, content[CHECKSUM:]):
            return None
        kept_key, record = pickle.loads(content[CHECKSUM:])
        return record if kept_key == key else None  # types of one name can differ

    def save(self, key: Any, record: Any) -> None:
        """Write the record of a kernel. Raises OSError or InputError."""
        from ecs_anim.support.pictures import complete_file

        content = dumps((key, record))
        with complete_file(self._path(key)) as file:
            file.write(self._checksum(key, content) + content)

    def flush(self) -> None:
        """Delete the files of a kernel, for all CPUs."""
        for path in self._folder.glob(f"{escape(self._name)}.*.nbc"):
            with suppress(OSError):
                path.unlink()

    def _path(self, key: Any) -> Path:
        """The file for the CPU of a key: programs on several CPUs can share one folder."""
        _, cpu, _ = key
        return self._folder / f"{self._name}.{sha256(repr(cpu).encode()).hexdigest()[:12]}.nbc"

    def _checksum(self, key: Any, content: bytes) -> bytes:
        """Return the digest of a file's content, and of all that the kernel was compiled from and for."""
        made_from = repr((key, self._stamp, kit.made_for()))
        return sha256(made_from.encode() + content).digest()

"""How much memory there is to be had."""

from pathlib import Path

CGROUP = Path("/sys/fs/cgroup")


def available_bytes() -> int | None:
    """What can be allocated without swapping, as Linux tells it; None elsewhere."""
    found = [size for size in (_of_machine(), _of_group()) if size is not None]
    return min(found) if found else None


def _of_machine() -> int | None:
    try:
        lines = Path("/proc/meminfo").read_text("ascii").splitlines()
        return next(1024 * int(line.split()[1]) for line in lines if line.startswith("MemAvailable:"))
    except (OSError, StopIteration, ValueError, IndexError):
        return None


def _of_group() -> int | None:
    """What a container (control group, version 2) has left."""
    try:
        most, used = ((CGROUP / name).read_text("ascii").strip() for name in ("memory.max", "memory.current"))
        return int(most) - int(used)
    except (OSError, ValueError):  # "max", or no such group
        return None

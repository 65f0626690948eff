"""Measurement of the memory that this process can still allocate, and of the memory that this process has mapped."""

import os
from pathlib import Path

CGROUP = Path("/sys/fs/cgroup")
PROC = Path("/proc")


def available_bytes() -> int | None:
    """Return the memory [byte] that this process can allocate without swapping, or None if the amount is unknown.

    On Linux, the result is the smallest of three amounts: the free memory of the machine, the remaining memory of the
    container, and the remaining address space of the process. On other systems, the result is the total memory of the
    machine.
    """
    found = [size for size in (_of_hardware(), _of_machine(), *_of_groups(), _of_process()) if size is not None]
    return max(min(found), 0) if found else None


def mapped_bytes() -> int | None:
    """Return the size [byte] of the address space that this process has mapped, or None if the size is unknown."""
    return _kilobytes(PROC / "self/status", "VmSize")


def _of_hardware() -> int | None:
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):  # Windows has no sysconf
        return None


def _of_machine() -> int | None:
    return _kilobytes(PROC / "meminfo", "MemAvailable")


def _of_process() -> int | None:
    """Return the address space [byte] that this process can still map. `ulimit -v` sets the limit."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    most, used = resource.getrlimit(resource.RLIMIT_AS)[0], mapped_bytes()
    return None if most == resource.RLIM_INFINITY or used is None else most - used


def _of_groups() -> list[int | None]:
    """Return the remaining memory [byte] of this process's control groups (version 1 or 2) and their parent groups."""
    found = [_of_group(CGROUP, "memory.max", "memory.current", "inactive_file")]
    for line in _lines(PROC / "self/cgroup"):
        _, controllers, path = line.split(":", 2) if line.count(":") >= 2 else ("", "-", "")
        groups = [Path(path.lstrip("/")), *Path(path.lstrip("/")).parents]
        if controllers == "":
            found += [_of_group(CGROUP / g, "memory.max", "memory.current", "inactive_file") for g in groups]
        elif "memory" in controllers.split(","):
            root, names = CGROUP / "memory", ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
            found += [_of_group(root / group, *names) for group in groups]
    return found


def _of_group(group: Path, most: str, used: str, freed: str) -> int | None:
    """Return the memory limit of a control group minus its used memory [byte].

    Inactive file pages do not count as used memory, because the operating system can free them.
    """
    try:
        limit, taken = (int((group / name).read_text("ascii")) for name in (most, used))
    except (OSError, ValueError):  # the limit is "max", or the group does not exist
        return None
    pages = dict(line.split(maxsplit=1) for line in _lines(group / "memory.stat") if " " in line)
    return limit - taken + int(pages.get(freed, 0))


def _kilobytes(path: Path, key: str) -> int | None:
    """Return a value [byte] from a file under /proc. The value is in the line that begins with `key`, such as
    "MemAvailable".
    """
    try:
        return next(1024 * int(line.split()[1]) for line in _lines(path) if line.startswith(f"{key}:"))
    except (StopIteration, ValueError, IndexError):
        return None


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text("utf-8", "replace").splitlines()
    except OSError:
        return []

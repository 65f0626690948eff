"""The folder for caches: the user's cache folder, or a private temporary folder if the cache folder is read-only.

Containers and clusters often run programs without a home directory, or with a read-only home directory.
"""

import os
import stat
import sys
import warnings
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryFile, gettempdir

from ecs_anim.support.errors import InputWarning

VARIABLE = {"win32": "LOCALAPPDATA", "darwin": "HOME"}.get(sys.platform, "XDG_CACHE_HOME")


def cache_folder(name: str) -> Path | None:
    """Return a writable cache folder with the name `name`, or None. Warn if the user's cache folder is read-only."""
    folder = user_folder()
    if folder is not None and can_be_written(folder / name):
        return folder / name
    private = _private_folder()
    return private / name if private is not None and can_be_written(private / name) else None


def user_folder(environment: Mapping[str, str] = os.environ, platform: str = sys.platform) -> Path | None:
    """Return the cache folder of this program for the user, or None for a user without a home directory."""
    try:
        return _base(environment, platform) / "ecs-anim"
    except RuntimeError:  # HOME and the list of users have no home directory
        return None


def _base(environment: Mapping[str, str], platform: str) -> Path:
    if platform == "win32":
        return Path(environment.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if platform == "darwin":
        return Path.home() / "Library" / "Caches"
    named = environment.get("XDG_CACHE_HOME", "")
    return Path(named) if os.path.isabs(named) else Path.home() / ".cache"  # XDG specification: ignore relative paths


@cache
def can_be_written(folder: Path) -> bool:
    """Return whether programs can create files in a folder. The function creates a missing folder."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        TemporaryFile(dir=folder).close()
    except OSError:
        return False
    return True


@cache
def _private_folder() -> Path | None:
    """Return this user's temporary folder, or None. Each process prints at most one warning."""
    folder = _own_folder()
    place = f"caches are in {folder}" if folder else "caches are not kept"
    text = f"the user's cache folder cannot be written, so {place}. Set {VARIABLE} to a writable folder"
    warnings.warn(InputWarning(text), stacklevel=2)
    return folder


def _own_folder() -> Path | None:
    """Return a temporary folder into which no other user can write, or None.

    If a folder with this name already exists and belongs to another user, the function returns None, because files of
    other users are unsafe.
    """
    try:
        # Windows has no user number, but a separate temporary folder for each user
        user = getattr(os, "getuid", lambda: 0)()
        folder = Path(gettempdir(), f"ecs-anim-{user}")
        folder.mkdir(mode=0o700, exist_ok=True)
        status = folder.lstat()
    except OSError:
        return None
    is_own = stat.S_ISDIR(status.st_mode) and status.st_uid == user and not status.st_mode & 0o022
    return folder if (is_own or sys.platform == "win32") and can_be_written(folder) else None

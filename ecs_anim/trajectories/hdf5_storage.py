"""Checks whether reading an HDF5 data set is safe.

An unsafe data set can refer to other files, need a plug-in, or state more rows than the file contains. Recordings need
none of these features, because a recording stores the complete data set in one file.
"""

import math
from pathlib import Path
from typing import Any

from ecs_anim.support.budgets import excess
from ecs_anim.support.errors import InputError
from ecs_anim.trajectories.source import require_density

WRITE_COPY = "Write a copy with h5py"
ATTRIBUTE = 1 << 20  # most bytes of an attribute
FILTERS = {1, 2, 3, 4, 5, 6, 32000}  # included in h5py: deflate, shuffle, fletcher32, szip, nbit, scaleoffset, lzf


def require_safe(data: Any, name: str, path: Path) -> None:
    """Raise InputError if a data set refers to other files, needs plug-ins, lacks some of its rows, or needs too much
    memory.
    """
    if data.is_virtual or data.external:
        raise InputError(
            f"{path}: the data set {name} must not refer to other files. {WRITE_COPY} that contains the rows."
        )
    if unknown := sorted(_filters(data) - FILTERS):
        raise InputError(
            f"{path}: the data set {name} needs the HDF5 plug-in of filter {unknown[0]}, which is not loaded."
            f" {WRITE_COPY} that uses gzip."
        )
    require_density(data.size, path)
    unit = math.prod(data.chunks or (1,)) * data.dtype.itemsize
    if limit_message := excess("chunk_bytes", unit, "write a copy with h5py that has smaller chunks"):
        raise InputError(f"{path}: the chunks of the data set {name} are too large: {limit_message}")
    if not _is_whole(data):
        raise InputError(
            f"{path}: the data set {name} has {data.size:,} rows, but some of these rows were never written."
            f" {WRITE_COPY} of the written rows."
        )


def attribute(owner: Any, name: str, path: Path) -> Any:
    """Return the attribute `name` of a file or data set, or None. For an array with one element, return the element."""
    if name not in owner.attrs:
        return None
    size = owner.attrs.get_id(name).get_storage_size()
    if size > ATTRIBUTE:
        raise InputError(
            f"{path}: attribute {name} has {size:,} bytes, and the limit is {ATTRIBUTE:,} bytes. Shorten the attribute."
        )
    value = owner.attrs[name]
    return value.item() if getattr(value, "size", 0) == 1 else value


def _filters(data: Any) -> set[int]:
    settings = data.id.get_create_plist()
    return {settings.get_filter(number)[0] for number in range(settings.get_nfilters())}


def _is_whole(data: Any) -> bool:
    """Return whether the file contains all chunks of a data set, or all bytes of a data set without chunks."""
    if data.chunks is None:
        return bool(data.id.get_storage_size() == data.size * data.dtype.itemsize)
    chunks = math.prod(-(-length // size) for length, size in zip(data.shape, data.chunks, strict=True))
    return bool(data.id.get_num_chunks() == chunks)

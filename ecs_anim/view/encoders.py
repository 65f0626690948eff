"""Conversion between images of label passes and the pixel values of picture files."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.support.errors import InputError

MAX_ID = 2**24 - 1  # largest number in three bytes
MAX_MILLIMETRES = 2**16 - 1


def unchanged(image: NDArray[Any]) -> NDArray[Any]:
    """Return `image` itself, for label passes whose picture files store the image without a conversion."""
    return image


def encode_ids(ids: NDArray[np.uint32]) -> NDArray[np.uint8]:
    """Return colours [..., 3] u8 that encode ids. The formula is id = R + 256 G + 65536 B, as in COCO's panoptic
    pictures.

    Raises InputError for an id that does not fit into three bytes.
    """
    check_id(int(ids.max(initial=0)))
    return (ids[..., None] >> np.array([0, 8, 16], np.uint32)).astype(np.uint8)


def check_id(highest: int) -> None:
    """Raise InputError if an id picture cannot store the id `highest`."""
    if highest > MAX_ID:
        raise InputError(
            f"the actor ids in a picture of the pass ids must be at most {MAX_ID:,} (got {highest:,}). Lower --actors,"
            " or let fewer actors arrive and leave."
        )


def decode_ids(colors: NDArray[np.uint8]) -> NDArray[np.uint32]:
    """Return the ids [...] of colours [..., 3]. `colors` must be a result of `encode_ids`."""
    return colors[..., :3].astype(np.uint32) @ np.array([1, 256, 65536], np.uint32)


def encode_depth(depth: NDArray[np.float32]) -> NDArray[np.uint16]:
    """Return depths [...] u16 in whole millimetres. Pixels without a surface, and pixels with a depth above 65.535 m,
    get the value 0.
    """
    millimetres = np.rint(1000.0 * depth.astype(np.float64))
    return np.where(millimetres <= MAX_MILLIMETRES, millimetres, 0).astype(np.uint16)


def encode_normals(normals: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Return normals as colours [..., 3] u8. A component n becomes 127.5 (1 + n), rounded.

    Pixels without a surface are black.
    """
    colors: NDArray[np.uint8] = np.rint(127.5 * (1.0 + normals)).astype(np.uint8)
    colors[~normals.any(axis=-1)] = 0
    return colors


def decode_normals(colors: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Return the unit normals [..., 3] f32 of an image from `encode_normals`. Pixels without a surface are 0.

    The direction error of a normal is at most half a degree.
    """
    normals = colors[..., :3] / np.float32(127.5) - 1
    normals /= np.linalg.norm(normals, axis=-1, keepdims=True)
    normals[~colors.any(axis=-1)] = 0
    return normals.astype(np.float32)

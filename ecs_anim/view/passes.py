"""Pictures of numbers: whose and of what each pixel is, how far away, which way it faces; and their codes in files."""

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, Literal, assert_never

import numpy as np
from numpy.typing import NDArray

NumberPass = Literal["id", "class", "depth", "normal"]
PassName = Literal["rgb", "flow"] | NumberPass
# By their numbers, which shaders/passes.frag writes: whatever a surface of the stage may be, and actors.
CLASSES = ("nothing", "ground", "wall", "actor", "door", "block", "seat")
MAX_ID = 2**24 - 1  # in three bytes
MAX_MILLIMETRES = 2**16 - 1


@dataclass(frozen=True)
class Passes:
    """What a camera sees at the middle of each pixel. Row 0 is the top; the sky is 0 in all of them."""

    ids: NDArray[np.uint32]  # [height, width] u32, of the actor; 0 = nobody, the ground included
    classes: NDArray[np.uint8]  # [height, width] u8, into `CLASSES`
    depth: NDArray[np.float32]  # [height, width] f32, [m] along the camera's axis
    normals: NDArray[np.float32]  # [height, width, 3] f32, unit, in the world, towards the camera
    # [height, width, 4] f32, where in the world what is seen was before, x, y, z [m], and 1, or 0 where nobody knows
    past: NDArray[np.float32] | None = None

    def looked_up(self, nearest: Callable[[NDArray[Any]], NDArray[Any]]) -> "Passes":
        """The same for other pixels, each of which takes what one of these has."""
        images = {own.name: getattr(self, own.name) for own in fields(self)}
        return Passes(**{name: nearest(image) for name, image in images.items() if image is not None})

    def encode(self, name: NumberPass) -> NDArray[np.uint8] | NDArray[np.uint16]:
        """A pass as a PNG holds it. Raises ValueError for ids that three bytes do not hold."""
        match name:
            case "id":
                return encode_ids(self.ids)
            case "class":
                return self.classes
            case "depth":
                return encode_depth(self.depth)
            case "normal":
                return encode_normals(self.normals)
            case _:
                assert_never(name)


def encode_ids(ids: NDArray[np.uint32]) -> NDArray[np.uint8]:
    """Ids as colours [..., 3] u8: id = R + 256 G + 65536 B, as COCO's panoptic pictures have it."""
    if ids.max(initial=0) > MAX_ID:
        raise ValueError(f"an id picture counts to {MAX_ID} (got {ids.max()})")
    return (ids[..., None] >> np.array([0, 8, 16], np.uint32)).astype(np.uint8)


def decode_ids(colors: NDArray[np.uint8]) -> NDArray[np.uint32]:
    """What `encode_ids` was given."""
    return colors[..., :3].astype(np.uint32) @ np.array([1, 256, 65536], np.uint32)


def encode_depth(depth: NDArray[np.float32]) -> NDArray[np.uint16]:
    """Whole millimetres [...] u16; 0 where there is nothing, or nothing within 65.535 m."""
    millimetres = np.rint(1000.0 * depth.astype(np.float64))
    return np.where(millimetres <= MAX_MILLIMETRES, millimetres, 0).astype(np.uint16)


def encode_normals(normals: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Colours [..., 3] u8: 127.5 (1 + n), rounded; black, which is no unit vector, where there is nothing."""
    colors: NDArray[np.uint8] = np.rint(127.5 * (1.0 + normals)).astype(np.uint8)
    colors[~normals.any(axis=-1)] = 0
    return colors


def decode_normals(colors: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Unit normals [..., 3] f32 of what `encode_normals` made, within half a degree; 0 where there is nothing."""
    normals = colors[..., :3] / np.float32(127.5) - 1
    normals /= np.linalg.norm(normals, axis=-1, keepdims=True)
    normals[~colors.any(axis=-1)] = 0
    return normals.astype(np.float32)

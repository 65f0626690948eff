"""File formats of the passes of a data set."""

from collections.abc import Callable
from typing import Any

from numpy.typing import NDArray

from ecs_anim.support.pictures import png_bytes
from ecs_anim.view.encoders import encode_depth
from ecs_anim.view.exr_file import exr_bytes
from ecs_anim.view.flow_file import flo_bytes, kitti_bytes
from ecs_anim.view.label_passes import BY_NAME, PassName
from ecs_anim.view.lidar import lidar_bytes
from ecs_anim.view.npz_file import npz_bytes

Image = NDArray[Any]
# Ending and encoder of each format, for the passes that are not only PNG files.
ENCODERS: dict[tuple[PassName, str], tuple[str, Callable[[Image], bytes]]] = {
    ("depth", "npz"): ("npz", lambda image: npz_bytes(depth=image)),
    ("depth", "exr"): ("exr", exr_bytes),
    ("depth", "png"): ("png", lambda image: png_bytes(encode_depth(image))),
    ("flow", "npz"): ("npz", lambda image: npz_bytes(flow=image)),
    ("flow", "flo"): ("flo", flo_bytes),
    ("flow", "kitti"): ("png", kitti_bytes),
    ("lidar", "npz"): ("npz", lidar_bytes),
}


def ending_of(name: PassName, form: str | None) -> str:
    """Return the file ending of a pass. `form` is the format of passes that are not PNG files only."""
    return "png" if form is None else ENCODERS[name, form][0]


def pass_bytes(image: Image, name: PassName, form: str | None) -> bytes:
    """Return the content of the file for a pass. Raises InputError for ids that are too high for the file format."""
    return png_bytes(BY_NAME[name].encode(image)) if form is None else ENCODERS[name, form][1](image)

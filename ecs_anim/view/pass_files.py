"""Passes to files: a PNG, or a folder of PNGs, and beside each a JSON that says how to read it."""

import json
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self, assert_never

import numpy as np
from numpy.typing import NDArray

from ecs_anim.support.errors import InputError
from ecs_anim.support.pictures import (
    Frame,
    FrameSink,
    StillFile,
    StillFolder,
    complete_file,
    png_bytes,
    require_output,
    require_pictures,
    require_writable,
)
from ecs_anim.view.capture import SeenActors
from ecs_anim.view.flow_file import flo_bytes
from ecs_anim.view.lens import COEFFICIENTS
from ecs_anim.view.passes import CLASSES, MAX_ID, Passes, PassName
from ecs_anim.view.pinhole import ViewCamera, pinhole_of

CODES: Mapping[PassName, str] = {
    "rgb": "sRGB, 8 bits",
    "id": "id = R + 256 G + 65536 B, as in COCO panoptic pictures; 0 = ground or sky",
    "class": ", ".join(f"{number} = {name}" for number, name in enumerate(CLASSES)),
    "depth": "16 bits, millimetres along the camera's axis, 0 = nothing within 65.535 m; .npy: float32 metres, 0 = sky",
    "flow": "Middlebury .flo, float32 pixels to the right and down since the frame before, in which what is at p was at"
    " p - flow; > 1e9 = unknown",
    "normal": "unit normal in the world, towards the camera: x, y, z = R, G, B / 127.5 - 1; black = sky",
}


class PassFiles:
    """Where one pass of some frames goes. Raises InputError for a path that cannot hold exact numbers."""

    def __init__(self, path: Path, name: PassName, frames: int = 1) -> None:
        self._name = name
        require_pass_output(path, name)
        require_pictures(path, frames)
        encode = flo_bytes if name == "flow" else png_bytes
        self._sink: FrameSink = StillFile(path, encode) if path.suffix else StillFolder(path, encode, ending_of(name))

    @property
    def every_frame(self) -> bool:
        """Whether it wants all frames, or the last one only."""
        return self._sink.every_frame

    def write(self, passes: Passes, facts: Mapping[str, Any], picture: Frame | None = None) -> None:
        """Write a frame: the PNG, for depths also the exact .npy, and a JSON with `facts` and the code.

        `picture` is what no passes have: colours [height, width, 3] u8, or flow [height, width, 2] f32.
        """
        if self._name == "id":
            check_id(int(passes.ids.max(initial=0)))
        path = self._sink.write(self._picture(passes, picture))
        if self._name == "depth":
            with complete_file(path.with_suffix(".npy")) as file:
                np.save(file, passes.depth)
        height, width = passes.ids.shape
        told = {"pass": self._name, "code": CODES[self._name], "width": width, "height": height, **facts}
        with complete_file(path.with_suffix(".json")) as file:
            file.write((json.dumps(told) + "\n").encode())

    def _picture(self, passes: Passes, picture: Frame | None) -> Frame:
        match self._name:
            case "rgb" | "flow":
                if picture is None:
                    raise ValueError(f"a file of {self._name} needs the picture itself")
                return picture
            case "id" | "class" | "depth" | "normal":
                return passes.encode(self._name)
            case _:
                assert_never(self._name)

    def __enter__(self) -> Self:
        self._sink.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._sink.__exit__(kind, error, trace)


def ending_of(name: PassName) -> str:
    """Of files that hold a pass."""
    return ".flo" if name == "flow" else ".png"


def require_pass_output(path: Path, name: PassName) -> None:
    """Raise InputError where a pass cannot go: a file that keeps its numbers, or a folder."""
    ending = ending_of(name)
    if path.suffix.lower() not in (ending, ""):
        kept = "flow is kept in .flo files" if name == "flow" else "passes are exact numbers, which only PNGs keep"
        raise InputError(f"{path}: {kept}; name a {ending} or a folder")
    if path.suffix:
        require_writable(path)
    else:
        require_output(path)


def camera_facts(camera: ViewCamera, width: int, height: int) -> dict[str, Any]:
    """A camera as files tell it: where it stands, and its intrinsics in pixels.

    The view looks along -Z with +Y up; pixels count from the corner of the upper left one. `focal_length` is fy, and
    fx too where pixels are square.
    """
    lens = pinhole_of(camera, (width, height)).lens
    return {
        "world_to_view": camera.view_matrix().tolist(),
        "focal_length": lens.fy,
        "center": [lens.cx, lens.cy],
        "near": lens.near,
        "far": lens.far,
        "fx": lens.fx,
        "fy": lens.fy,
        "cx": lens.cx,
        "cy": lens.cy,
        "distortion": dict(zip(COEFFICIENTS, lens.distortion, strict=True)),
    }


def visible_actors(ids: NDArray[np.uint32]) -> list[dict[str, Any]]:
    """Each id of an id picture but 0: its number of pixels, and its box as left, top, width, height."""
    seen = SeenActors.of(ids)
    columns = zip(seen.ids.tolist(), seen.areas.tolist(), seen.boxes.tolist(), strict=True)
    return [{"id": one, "area": area, "box": box} for one, area, box in columns]


def check_id(highest: int) -> None:
    """Raise InputError for an id that an id picture cannot hold."""
    if highest > MAX_ID:
        raise InputError(
            f"actor {highest:,}: an id picture counts to {MAX_ID:,}, and ids are not given out twice;"
            " lower --actors, or let fewer actors come and go"
        )

"""Passes to files: a PNG, or a folder of PNGs, and beside each a JSON that says how to read it."""

import json
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ecs_anim.support.errors import InputError
from ecs_anim.support.pictures import (
    Frame,
    FrameSink,
    PngFile,
    PngFolder,
    complete_file,
    require_output,
    require_pictures,
)
from ecs_anim.view.capture import SeenActors
from ecs_anim.view.lens import COEFFICIENTS
from ecs_anim.view.passes import CLASSES, MAX_ID, Passes, PassName
from ecs_anim.view.pinhole import ViewCamera, pinhole_of

CODES: Mapping[PassName, str] = {
    "rgb": "sRGB, 8 bits",
    "id": "id = R + 256 G + 65536 B, as in COCO panoptic pictures; 0 = ground or sky",
    "class": ", ".join(f"{number} = {name}" for number, name in enumerate(CLASSES)),
    "depth": "16 bits, millimetres along the camera's axis, 0 = nothing within 65.535 m; .npy: float32 metres, 0 = sky",
    "normal": "unit normal in the world, towards the camera: x, y, z = R, G, B / 127.5 - 1; black = sky",
}


class PassFiles:
    """Where one pass of some frames goes. Raises InputError for a path that cannot hold exact numbers."""

    def __init__(self, path: Path, name: PassName, frames: int = 1) -> None:
        if path.suffix.lower() not in (".png", ""):
            raise InputError(f"{path}: passes are exact numbers, which only PNGs keep; name a .png or a folder")
        self._name = name
        require_output(path)
        require_pictures(path, frames)
        self._sink: FrameSink = PngFile(path) if path.suffix else PngFolder(path)

    @property
    def every_frame(self) -> bool:
        """Whether it wants all frames, or the last one only."""
        return self._sink.every_frame

    def write(self, passes: Passes, facts: Mapping[str, Any], rgb: NDArray[np.uint8] | None = None) -> None:
        """Write a frame: the PNG, for depths also the exact .npy, and a JSON with `facts` and the code.

        Colours are `rgb` [height, width, 3].
        """
        if self._name == "id":
            check_id(int(passes.ids.max(initial=0)))
        path = self._sink.write(self._picture(passes, rgb))
        if self._name == "depth":
            with complete_file(path.with_suffix(".npy")) as file:
                np.save(file, passes.depth)
        height, width = passes.ids.shape
        told = {"pass": self._name, "code": CODES[self._name], "width": width, "height": height, **facts}
        with complete_file(path.with_suffix(".json")) as file:
            file.write((json.dumps(told) + "\n").encode())

    def _picture(self, passes: Passes, rgb: NDArray[np.uint8] | None) -> Frame:
        if self._name != "rgb":
            return passes.encode(self._name)
        if rgb is None:
            raise ValueError("a file of colours needs the colours")
        return rgb

    def __enter__(self) -> Self:
        self._sink.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._sink.__exit__(kind, error, trace)


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

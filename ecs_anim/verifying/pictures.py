"""Pictures of a data set: a line of labels.jsonl and the passes that the line names."""

from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.support.files import Kind, read_bytes
from ecs_anim.support.images import decode_grey, decode_image
from ecs_anim.verifying.number_files import read_exr, read_kitti_flow

MADE = Kind("file of a data set", "trajectory_bytes")
KNOWN = 1e9  # larger numbers in .flo files mean unknown flow
ID = np.array([1, 256, 65536])


@dataclass(frozen=True, eq=False)
class Picture:
    """A label and the passes of its picture, read from files."""

    label: dict[str, Any]
    place: str  # for messages
    passes: dict[str, NDArray[Any]]  # by name; the pass `ids` contains ids [height, width]

    @property
    def shown(self) -> list[dict[str, Any]]:
        """Return the actors with at least one visible pixel."""
        return [actor for actor in self.label["actors"] if actor["area"]]

    def of(self, actor: dict[str, Any]) -> str:
        """Return the place of an actor for messages."""
        return f"{self.place}, actor {actor['id']}"


class Check:
    """A comparison of pictures with other files. The pictures have the order of labels.jsonl."""

    def add(self, picture: Picture) -> None:
        """Compare a picture."""
        raise NotImplementedError

    def finish(self) -> None:
        """Compare facts about all pictures. By default, there are none."""


def read_passes(folder: Path, label: dict[str, Any]) -> dict[str, NDArray[Any]]:
    """Return the passes of a picture by name. Raises InputError or ValueError for unreadable files."""
    return {name: _read_pass(folder / path, name, label) for name, path in label["files"].items()}


def _read_pass(path: Path, name: str, label: dict[str, Any]) -> NDArray[Any]:
    data = read_bytes(path, MADE)
    if name == "lidar":
        return _scan(data)
    image = _numbers(data, path.suffix, name) if name in ("depth", "flow") else decode_image(data)[..., :3]
    if image.shape[:2] != (label["height"], label["width"]):
        raise ValueError(f"the picture has {image.shape[1]} x {image.shape[0]} pixels")
    return image @ ID if name == "ids" else image[..., 0] if name == "classes" else image


def _scan(data: bytes) -> NDArray[Any]:
    """Return a scan of a lidar [ring, step] with the fields of its file."""
    fields = dict(np.load(BytesIO(data)))
    kinds = [(name, own.dtype, own.shape[2:]) for name, own in fields.items()]
    scan = np.zeros(fields["range"].shape, kinds)
    for name, own in fields.items():
        scan[name] = own
    return scan


def _numbers(data: bytes, ending: str, name: str) -> NDArray[Any]:
    """Return depths [m] or flow [pixel]. NaN = unknown."""
    match (name, ending):
        case (_, ".npz"):
            return np.asarray(np.load(BytesIO(data))[name])
        case ("depth", ".exr"):
            return read_exr(data)
        case ("depth", ".png"):
            metres = np.rint(decode_grey(data) * 65535) / 1000
            return np.where(metres == 0, np.nan, metres)  # 0 also means too far away
        case ("flow", ".flo"):
            width, height = np.frombuffer(data, "<i4", 2, 4)
            flow = np.frombuffer(data, "<f4", offset=12).reshape(height, width, 2)
            return np.where(flow > KNOWN, np.nan, flow)
        case _:
            steps = read_kitti_flow(data).astype(np.float64)
            return np.where(steps[..., 2:] == 1, (steps[..., :2] - 32768) / 64, np.nan)

"""Pictures of a data set: a line of labels.jsonl and the passes that the line names."""

from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.support.files import Kind, read_bytes
from ecs_anim.support.images import decode_image

MADE = Kind("file of a data set", "trajectory_bytes")
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
    image = np.load(BytesIO(data))[name] if path.suffix == ".npz" else decode_image(data)[..., :3]
    if image.shape[:2] != (label["height"], label["width"]):
        raise ValueError(f"the picture has {image.shape[1]} x {image.shape[0]} pixels")
    return image @ ID if name == "ids" else image[..., 0] if name == "classes" else image

"""The format `panoptic`: COCO panoptic segmentation (Kirillov and others 2019).

Each picture has a PNG file. The colour of a pixel is its segment: id = R + 256 G + 65536 B. A segment is an actor (its
id is the id of the actor) or a class of surfaces, such as the ground. Pixels of the sky have the id 0, which means
unlabelled.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.dataset.formats.output import Output, paths_of_splits, stem_of
from ecs_anim.dataset.output import ANNOTATIONS, MADE, DigestedFile
from ecs_anim.dataset.plan import Plan
from ecs_anim.labels.coco import PERSON, Label, image_entry
from ecs_anim.support.files import read_bytes
from ecs_anim.support.images import decode_image
from ecs_anim.support.pictures import png_bytes
from ecs_anim.view.capture import SeenActors
from ecs_anim.view.encoders import decode_ids, encode_ids
from ecs_anim.view.label_passes import CLASSES

Table = dict[str, Any]
FOLDER = "panoptic"
FIRST_SURFACE = 0xFFFF00  # segment id of the surfaces with class number 0; larger than the ids of actors
NOTHING, ACTOR = CLASSES.index("nothing"), CLASSES.index("actor")


class Panoptic:
    """Writer of the PNG files and of panoptic.json, one for each split."""

    def __init__(self, plan: Plan, output: Output) -> None:
        self._output = output
        self._things: dict[str, int] = {PERSON: 1}  # category ids; categories of surfaces are 100 + class number
        self._files = {
            split: _JsonFile(output.begin(path)) for split, path in paths_of_splits(plan, f"{ANNOTATIONS}/panoptic")
        }

    def add(self, label: Label) -> None:
        """Write the PNG file of a picture and the description of its segments."""
        files, name, folder = label["files"], f"{stem_of(label)}.png", self._output.folder
        ids, classes = decode_ids(_pixels(folder / files["ids"])), _pixels(folder / files["classes"])[..., 0]
        segments = np.where(ids > 0, ids, FIRST_SURFACE + classes.astype(np.uint32))
        segments[(ids == 0) & ((classes == NOTHING) | (classes == ACTOR))] = 0
        self._output.write(f"{FOLDER}/{name}", png_bytes(encode_ids(segments.astype(np.uint32))))
        categories = {actor["id"]: self._thing(actor["category"]) for actor in label["actors"]}
        self._files[label["split"]].add(label, name, _segments(segments, categories))

    def finish(self) -> None:
        """Complete the JSON files."""
        things = [_category(name, number, is_thing=True) for name, number in self._things.items()]
        surfaces = [number for number in range(len(CLASSES)) if number not in (NOTHING, ACTOR)]
        stuff = [_category(CLASSES[number], 100 + number, is_thing=False) for number in surfaces]
        for file in self._files.values():
            file.finish([*things, *stuff])

    def _thing(self, category: str) -> int:
        return self._things.setdefault(category, len(self._things) + 1)


class _JsonFile:
    """A panoptic.json that is being written. The memory contains no annotations."""

    def __init__(self, file: DigestedFile) -> None:
        self._file, self._images = file, list[Table]()
        file.write(b'{"annotations": [')

    def add(self, label: Label, name: str, segments: list[Table]) -> None:
        """Add a picture. `name` is the name of its PNG file."""
        number = len(self._images) + 1
        self._images.append(image_entry(label, number))
        told = {"image_id": number, "file_name": name, "segments_info": segments}
        self._file.write(f"{',' if number > 1 else ''}\n{json.dumps(told)}".encode())

    def finish(self, categories: list[Table]) -> None:
        """Write the lists of pictures and categories."""
        rest = json.dumps({"images": self._images, "categories": categories})
        self._file.write(f"\n],\n{rest[1:]}\n".encode())


def _pixels(path: Path) -> NDArray[np.uint8]:
    return decode_image(read_bytes(path, MADE))[..., :3]


def _segments(segments: NDArray[np.uint32], categories: dict[int, int]) -> list[Table]:
    """Return the description of each segment in a picture: id, category, area and box."""
    found = SeenActors.of(segments)
    columns = zip(found.ids.tolist(), found.areas.tolist(), found.boxes.tolist(), strict=True)
    return [
        {
            "id": number,
            "category_id": categories.get(number, 100 + number - FIRST_SURFACE),
            "area": area,
            "bbox": box,
            "iscrowd": 0,
        }
        for number, area, box in columns
    ]


def _category(name: str, number: int, *, is_thing: bool) -> Table:
    digest = (number * 2654435761) & 0xFFFFFF  # a fixed colour for each category
    color = [digest >> 16, digest >> 8 & 255, digest & 255]
    return {"id": number, "name": name, "supercategory": name, "isthing": int(is_thing), "color": color}

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

from ecs_anim.dataset.formats.output import Output, stem_of
from ecs_anim.dataset.output import ANNOTATIONS, MADE
from ecs_anim.dataset.plan import Plan
from ecs_anim.labels.coco import PERSON, Label
from ecs_anim.support.files import read_bytes
from ecs_anim.support.images import decode_image
from ecs_anim.support.pictures import png_bytes
from ecs_anim.view.encoders import decode_ids, encode_ids
from ecs_anim.view.label_passes import CLASSES

FOLDER = "panoptic"
FIRST_SURFACE = 0xFFFF00  # segment id of the surfaces with class number 0; larger than the ids of actors
NOTHING, ACTOR = CLASSES.index("nothing"), CLASSES.index("actor")


class Panoptic:
    """Writer of the PNG files and of panoptic.json, one for each split."""

    def __init__(self, plan: Plan, output: Output) -> None:
        self._output = output
        self._images: dict[str | None, list[dict[str, Any]]] = {split: [] for split in ((*plan.splits,) or (None,))}
        self._annotations: dict[str | None, list[dict[str, Any]]] = {split: [] for split in self._images}
        self._things: dict[str, int] = {PERSON: 1}  # category ids; categories of surfaces are 100 + class number

    def add(self, label: Label) -> None:
        """Write the PNG file of a picture."""
        files, split, name = label["files"], label["split"], f"{stem_of(label)}.png"
        folder = self._output.folder
        ids, classes = decode_ids(_pixels(folder / files["ids"])), _pixels(folder / files["classes"])[..., 0]
        segments = np.where(ids > 0, ids, FIRST_SURFACE + classes.astype(np.uint32))
        segments[(ids == 0) & ((classes == NOTHING) | (classes == ACTOR))] = 0
        self._output.write(f"{FOLDER}/{name}", png_bytes(encode_ids(segments.astype(np.uint32))))
        number = len(self._images[split]) + 1
        image = {"id": number, "file_name": files.get("rgb", files["ids"])}
        image |= {key: label[key] for key in ("width", "height", "camera", "seed", "frame", "time")}
        self._images[split].append(image)
        categories = {actor["id"]: self._thing(actor["category"]) for actor in label["actors"]}
        found = {"image_id": number, "file_name": name, "segments_info": _segments(segments, categories)}
        self._annotations[split].append(found)

    def finish(self) -> None:
        """Write the JSON files."""
        things = [_category(name, number, is_thing=True) for name, number in self._things.items()]
        stuff = [
            _category(name, 100 + k, is_thing=False) for k, name in enumerate(CLASSES) if k not in (NOTHING, ACTOR)
        ]
        for split, images in self._images.items():
            told = {"images": images, "annotations": self._annotations[split], "categories": [*things, *stuff]}
            name = f"{ANNOTATIONS}/panoptic{'' if split is None else f'_{split}'}.json"
            self._output.write(name, (json.dumps(told) + "\n").encode())

    def _thing(self, category: str) -> int:
        return self._things.setdefault(category, len(self._things) + 1)


def _pixels(path: Path) -> NDArray[np.uint8]:
    return decode_image(read_bytes(path, MADE))[..., :3]


def _segments(segments: NDArray[np.uint32], categories: dict[int, int]) -> list[dict[str, Any]]:
    """Return the description of each segment in a picture: id, category, area and box."""
    found = []
    for number in np.unique(segments[segments > 0]).tolist():
        rows, columns = np.nonzero(segments == number)
        left, top = int(columns.min()), int(rows.min())
        box = [left, top, int(columns.max()) - left + 1, int(rows.max()) - top + 1]
        category = categories.get(number, 100 + number - FIRST_SURFACE)
        found.append({"id": number, "category_id": category, "area": len(rows), "bbox": box, "iscrowd": 0})
    return found


def _category(name: str, number: int, *, is_thing: bool) -> dict[str, Any]:
    digest = (number * 2654435761) & 0xFFFFFF  # a fixed colour for each category
    color = [digest >> 16, digest >> 8 & 255, digest & 255]
    return {"id": number, "name": name, "supercategory": name, "isthing": int(is_thing), "color": color}

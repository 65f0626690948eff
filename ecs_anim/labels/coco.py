"""COCO label files (JSON) with instances of actors and keypoints of people.

Sources: Lin et al. 2014 and https://cocodataset.org/#format-data. Points and boxes are in pixels from the upper left
corner of the picture. The centre of the first pixel is 0.5, 0.5.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any

from ecs_anim.labels.keypoints import COCO, COCO_LINES
from ecs_anim.labels.rle import mask_of

PERSON = "person"
Label = Mapping[str, Any]  # a line of labels.jsonl


class CocoFile:
    """Writer of the annotations for a sequence of pictures.

    If `keypoints` is true, the file contains only actors with keypoints of people. If `polygons` is true, masks are
    polygons instead of run lengths. The writer passes the bytes of the file to the function `write`.
    """

    def __init__(
        self, write: Callable[[bytes], object], info: Mapping[str, Any], *, keypoints: bool, polygons: bool = False
    ) -> None:
        self.annotations = 0
        self._write, self._keypoints, self._polygons = write, keypoints, polygons
        self._images: list[dict[str, Any]] = []
        self._categories: dict[str, int] = {PERSON: 1}  # in the order of first use
        write(f'{{"info": {json.dumps(info)},\n"licenses": [],\n"annotations": ['.encode())

    def add(self, label: Label) -> None:
        """Add the picture that `label` describes, and its visible actors. `label` is a line of labels.jsonl."""
        self._images.append(image_entry(label, len(self._images) + 1))
        for actor in label["actors"]:
            if actor["area"] > 0 and (actor["category"] == PERSON or not self._keypoints):
                self._annotate(actor, len(self._images))

    def finish(self) -> None:
        """Write the lists of pictures and categories. The lists are complete only after the last picture."""
        categories = [_category(name, number) for name, number in self._categories.items()]
        for name, listed in (("images", self._images), ("categories", categories)):
            self._write(f'\n],\n"{name}": ['.encode())
            self._write((",".join("\n" + json.dumps(one) for one in listed)).encode())
        self._write(b"\n]}\n")

    def _annotate(self, actor: Mapping[str, Any], image: int) -> None:
        self.annotations += 1
        comma = "," if self.annotations > 1 else ""
        self._write(f"{comma}\n{json.dumps(self._annotation(actor, image))}".encode())

    def _annotation(self, actor: Mapping[str, Any], image: int) -> dict[str, Any]:
        points = actor["keypoints"] if actor["category"] == PERSON else None
        return {
            "id": self.annotations,  # ids start at 1, because COCO's evaluation program reserves 0
            "image_id": image,
            "category_id": self._categories.setdefault(actor["category"], len(self._categories) + 1),
            "iscrowd": 0,
            "area": actor["area"],
            "bbox": actor["bbox"],
            "segmentation": self._segmentation(actor["segmentation"]),
            # additional keys, which the COCO format does not define
            **{key: actor[key] for key in ("amodal_bbox", "occlusion")},
            "track_id": actor["track_id"],
            "actor_id": actor["id"],
            **({} if points is None else {"keypoints": points, "num_keypoints": sum(v > 0 for v in points[2::3])}),
        }

    def _segmentation(self, runs: dict[str, Any]) -> dict[str, Any] | list[list[float]]:
        if not self._polygons:
            return runs
        from ecs_anim.labels.polygons import polygons_of  # imports shapely

        return polygons_of(mask_of(runs))


def image_entry(label: Label, number: int) -> dict[str, Any]:
    """Return the COCO entry of a picture.

    The entry names the file of the colour picture. Without a colour picture, the entry names the file of the first
    pass.
    """
    files = label["files"]
    told = {name: label[name] for name in ("width", "height", "camera", "seed", "frame", "time")}
    return {"id": number, "file_name": files.get("rgb", next(iter(files.values()))), **told}


def _category(name: str, number: int) -> dict[str, Any]:
    if name != PERSON:
        return {"id": number, "name": name, "supercategory": "object"}
    skeleton = [[a + 1, b + 1] for a, b in COCO_LINES]  # COCO's indices start at 1
    return {"id": number, "name": name, "supercategory": name, "keypoints": list(COCO), "skeleton": skeleton}

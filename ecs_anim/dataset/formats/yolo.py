"""The format `yolo`: pictures, and one text file for each picture, in the folder layout of Ultralytics.

`yolo` contains boxes, `yolo_segment` polygons, and `yolo_pose` boxes with COCO's keypoints. All numbers are shares of
the width and the height of the picture. Source: the pages "detect", "segment" and "pose" of the Ultralytics data set
documentation.
"""

from collections.abc import Mapping
from typing import Any

from ecs_anim.dataset.formats.output import Output, stem_of
from ecs_anim.dataset.plan import Plan
from ecs_anim.labels.coco import PERSON, Label
from ecs_anim.labels.keypoints import COCO
from ecs_anim.labels.polygons import joined_polygon_of
from ecs_anim.labels.rle import mask_of

Actor = Mapping[str, Any]
DIGITS = 6  # decimal places


class Yolo:
    """Writer of boxes. The class of a person is 0. Other categories follow in the order of their first use."""

    folder = "yolo"
    facts = ""

    def __init__(self, plan: Plan, output: Output) -> None:
        self._plan, self._output = plan, output
        self._classes: dict[str, int] = {PERSON: 0}

    def add(self, label: Label) -> None:
        """Write the text file of a picture, and link its picture."""
        split, stem = label["split"] or "train", stem_of(label)
        lines = [self._line(actor, label) for actor in label["actors"] if actor["area"]]
        self._output.link(label["files"]["rgb"], f"{self.folder}/images/{split}/{stem}.png")
        self._output.write(f"{self.folder}/labels/{split}/{stem}.txt", "".join(lines).encode())

    def finish(self) -> None:
        """Write data.yaml, which names the splits and the classes.

        Without the key `path`, Ultralytics looks for the pictures in the folder of data.yaml.
        """
        splits = [*self._plan.splits] or ["train"]
        folders = {"train": "train", "val": "val" if "val" in splits else "train"}
        folders |= {"test": "test"} if "test" in splits else {}
        lines = [f"{name}: images/{folder}" for name, folder in folders.items()]
        names = [f'  {number}: "{name}"' for name, number in self._classes.items()]
        text = "\n".join([*lines, *self.facts.splitlines(), "names:", *names]) + "\n"
        self._output.write(f"{self.folder}/data.yaml", text.encode())

    def _line(self, actor: Actor, label: Label) -> str:
        """Return the line of an actor, or an empty text for an actor that the format omits."""
        numbers = self._numbers(actor, label)
        if not numbers:
            return ""
        number = self._classes.setdefault(actor["category"], len(self._classes))
        return " ".join([str(number), *(f"{value:.{DIGITS}f}" for value in numbers)]) + "\n"

    def _numbers(self, actor: Actor, label: Label) -> list[float]:
        """Return the numbers of an actor, as shares of the picture. The list of an omitted actor is empty."""
        return _box(actor, label)


class YoloSegment(Yolo):
    """Writer of polygons around the visible pixels. Bridges without width connect the parts of an actor."""

    folder = "yolo_segment"

    def _numbers(self, actor: Actor, label: Label) -> list[float]:
        sides = (label["width"], label["height"])
        return [own / sides[k % 2] for k, own in enumerate(joined_polygon_of(mask_of(actor["segmentation"])))]


class YoloPose(Yolo):
    """Writer of boxes and keypoints of people. The files omit actors without keypoints."""

    folder = "yolo_pose"
    facts = f"kpt_shape: [{len(COCO)}, 3]\nflip_idx: [0, 2, 1, 4, 3, 6, 5, 8, 7, 10, 9, 12, 11, 14, 13, 16, 15]"

    def _numbers(self, actor: Actor, label: Label) -> list[float]:
        points = actor["keypoints"]
        if points is None:
            return []
        sides = (label["width"], label["height"], 1)
        shares = [value / side for value, side in zip(points, sides * len(COCO), strict=True)]
        return [*_box(actor, label), *shares]


def _box(actor: Actor, label: Label) -> list[float]:
    """Return the centre, the width and the height of the box around the visible pixels, as shares of the picture."""
    left, top, width, height = actor["bbox"]
    across, down = label["width"], label["height"]
    return [(left + width / 2) / across, (top + height / 2) / down, width / across, height / down]

"""Comparison of the COCO files and of the panoptic files with labels.jsonl and the passes."""

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np

from ecs_anim.support.files import read_bytes
from ecs_anim.support.images import decode_image
from ecs_anim.verifying.findings import Findings, Rule
from ecs_anim.verifying.pictures import ID, MADE, Check, Picture
from ecs_anim.verifying.shapes import apart, box_of, count_of_polygons, mask_of_runs

Table = dict[str, Any]
IMAGES = Rule("pictures in COCO files against labels.jsonl")
ACTORS = Rule("actors in COCO files against labels.jsonl")
FIELDS = Rule("fields of COCO annotations against labels.jsonl")
MASKS = Rule("masks in COCO files against labels.jsonl", 0, "px")
SEGMENTS = Rule("panoptic PNG files against the passes ids and classes", 0, "px")
TOLD = Rule("panoptic segments against the PNG files", 0, "px")
SAME = ("area", "bbox", "amodal_bbox", "occlusion", "track_id")  # fields that COCO files copy
SURFACES = 0xFFFF00  # segment id of the surfaces with class number 0


def _paths(folder: Path, manifest: Table, name: str) -> dict[str | None, Path]:
    """Return the path of the file for each split."""
    splits = [*manifest["splits"]]
    if not splits:
        return {None: folder / f"annotations/{name}.json"}
    return {split: folder / f"annotations/{name}_{split}.json" for split in splits}


class _Annotations:
    """The content of a COCO file: images by camera and number, categories, and annotations by image."""

    def __init__(self, path: Path) -> None:
        data = json.loads(read_bytes(path, MADE))
        self.images = {(own["camera"], own["seed"], own["frame"]): own for own in data["images"]}
        self.categories = {own["id"]: own["name"] for own in data["categories"]}
        self.by_image: dict[int, list[Table]] = defaultdict(list)
        for own in data["annotations"]:
            self.by_image[own["image_id"]].append(own)

    def image_of(self, label: Table) -> Table:
        """Return the image of a label, and remove the image from the table."""
        return self.images.pop((label["camera"], label["seed"], label["frame"]))


class CocoCheck(Check):
    """Comparison of annotations/instances.json and keypoints.json."""

    def __init__(self, folder: Path, manifest: Table, findings: Findings) -> None:
        self._findings = findings
        self._instances = {own: _Annotations(path) for own, path in _paths(folder, manifest, "instances").items()}
        self._keypoints = {own: _Annotations(path) for own, path in _paths(folder, manifest, "keypoints").items()}

    def add(self, picture: Picture) -> None:
        """Compare the annotations of a picture in both files."""
        people = [actor for actor in picture.shown if actor["category"] == "person"]
        for files, actors in ((self._instances, picture.shown), (self._keypoints, people)):
            self._check(files[picture.label["split"]], picture, actors)

    def finish(self) -> None:
        """Count pictures that labels.jsonl does not contain."""
        left = [len(own.images) for own in (*self._instances.values(), *self._keypoints.values())]
        self._findings.measure(IMAGES, sum(left), "annotations")

    def _check(self, file: _Annotations, picture: Picture, actors: list[Table]) -> None:
        label, image = picture.label, file.image_of(picture.label)
        same = all(image[name] == label[name] for name in ("width", "height", "time"))
        named = image["file_name"] in label["files"].values()
        self._findings.require(IMAGES, same and named, picture.place)
        found = {own["actor_id"]: own for own in file.by_image[image["id"]]}
        self._findings.measure(ACTORS, len(found.keys() ^ {actor["id"] for actor in actors}), picture.place)
        for actor in actors:
            if actor["id"] in found:
                self._compare(found[actor["id"]], actor, file, picture)

    def _compare(self, own: Table, actor: Table, file: _Annotations, picture: Picture) -> None:
        differ = [name for name in SAME if own[name] != actor[name]]
        differ += ["category"] if file.categories[own["category_id"]] != actor["category"] else []
        points = actor["keypoints"] if actor["category"] == "person" else None
        differ += ["keypoints"] if own.get("keypoints") != points else []
        shown = sum(v > 0 for v in points[2::3]) if points else None
        differ += ["num_keypoints"] if own.get("num_keypoints") != shown else []
        self._findings.measure(FIELDS, len(differ), f"{picture.of(actor)}, {', '.join(differ)}")
        wanted = mask_of_runs(actor["segmentation"])
        polygons = own["segmentation"]
        mask = mask_of_runs(polygons) if isinstance(polygons, dict) else count_of_polygons(polygons, *wanted.shape)
        self._findings.measure(MASKS, int((mask != wanted).sum()), picture.of(actor))


class PanopticCheck(Check):
    """Comparison of annotations/panoptic.json and of the PNG files in the folder panoptic."""

    def __init__(self, folder: Path, manifest: Table, findings: Findings) -> None:
        self._folder, self._findings = folder, findings
        self._files: dict[str | None, Table] = {}
        self._names: dict[str | None, dict[int, str]] = {}
        for split, path in _paths(folder, manifest, "panoptic").items():
            data = json.loads(read_bytes(path, MADE))
            self._files[split] = {own["file_name"]: own["segments_info"] for own in data["annotations"]}
            self._names[split] = {own["id"]: own["name"] for own in data["categories"]}
        self._classes = manifest["classes"]

    def add(self, picture: Picture) -> None:
        """Compare the segments of a picture with its PNG file and with the passes."""
        label, passes = picture.label, picture.passes
        name = f"{label['camera']}_{label['number']:06d}.png"
        segments = decode_image(read_bytes(self._folder / "panoptic" / name, MADE))[..., :3] @ ID
        surfaces = np.where(np.isin(passes["classes"], (0, 3)), 0, SURFACES + passes["classes"].astype(int))
        wrong = int((segments != np.where(passes["ids"] > 0, passes["ids"], surfaces)).sum())
        self._findings.measure(SEGMENTS, wrong, picture.place)
        told = {own["id"]: own for own in self._files[label["split"]].pop(name)}
        categories = {actor["id"]: actor["category"] for actor in label["actors"]}
        for number in {*np.unique(segments).tolist(), *told} - {0}:
            mask, own = segments == number, told.get(number, {"area": 0, "bbox": [0] * 4, "category_id": None})
            kind = categories.get(number) or dict(enumerate(self._classes)).get(number - SURFACES)
            is_same = self._names[label["split"]].get(own["category_id"]) == kind
            away = max(abs(own["area"] - int(mask.sum())), apart(own["bbox"], box_of(mask)))
            self._findings.measure(TOLD, away if is_same else np.inf, f"{picture.place}, segment {number}")

    def finish(self) -> None:
        """Count pictures that labels.jsonl does not contain."""
        self._findings.measure(IMAGES, sum(map(len, self._files.values())), "annotations/panoptic")

"""Comparison of the text files of YOLO and KITTI with labels.jsonl."""

import re
from pathlib import Path
from typing import Any

import numpy as np

from ecs_anim.support.files import read_text
from ecs_anim.verifying.camera import Reals, project, rotation_matrix
from ecs_anim.verifying.findings import Findings, Rule
from ecs_anim.verifying.pictures import MADE, Check, Picture
from ecs_anim.verifying.shapes import apart, count_of_polygons, mask_of_runs

LINES = Rule("lines of YOLO files against labels.jsonl", 1e-6)
POLYGONS = Rule("masks in YOLO files against labels.jsonl", 0, "px")
BOXES = Rule("lines of KITTI files against labels.jsonl", 1e-3)
CORNERS = Rule("boxes of KITTI files through P2 against boxes through the camera", 1.0, "px")
NAME = re.compile(r'^  (\d+): "(.*)"$', re.MULTILINE)  # a class in data.yaml
CORNER = np.array([[k >> axis & 1 for axis in range(3)] for k in range(8)]) - 0.5
UPRIGHT = 0.9999  # cosine, from which KITTI can describe a box
FAR_ENOUGH = 0.5  # [m], least depth of corners whose pixels are compared


class YoloCheck(Check):
    """Comparison of one of the folders yolo, yolo_segment and yolo_pose."""

    def __init__(self, folder: Path, kind: str, findings: Findings) -> None:
        self._folder, self._kind, self._findings = folder / kind, kind, findings
        text = read_text(self._folder / "data.yaml", MADE)
        self._names = {int(number): name for number, name in NAME.findall(text)}

    def add(self, picture: Picture) -> None:
        """Compare the text file of a picture."""
        label = picture.label
        path = f"labels/{label['split'] or 'train'}/{label['camera']}_{label['number']:06d}.txt"
        lines = [[*map(float, line.split())] for line in read_text(self._folder / path, MADE).splitlines()]
        actors = [own for own in picture.shown if self._kind != "yolo_pose" or own["keypoints"] is not None]
        self._findings.measure(LINES, abs(len(lines) - len(actors)), picture.place)
        has_masks = self._kind == "yolo_segment"
        rule, compared = (POLYGONS, _pixels_apart) if has_masks else (LINES, self._numbers_apart)
        for line, actor in zip(lines, actors, strict=False):
            is_same = self._names[int(line[0])] == actor["category"]
            away = compared(line[1:], actor, label) if is_same else float("inf")
            self._findings.measure(rule, away, picture.of(actor))

    def _numbers_apart(self, told: list[float], actor: dict[str, Any], label: dict[str, Any]) -> float:
        return apart(told, self._numbers(actor, label))

    def _numbers(self, actor: dict[str, Any], label: dict[str, Any]) -> list[float]:
        left, top, width, height = actor["bbox"]
        sides = np.array([label["width"], label["height"]])
        numbers = [*(np.array([left + width / 2, top + height / 2]) / sides), *(np.array([width, height]) / sides)]
        if self._kind == "yolo_pose":
            numbers += (np.reshape(actor["keypoints"], (-1, 3)) / [*sides, 1]).ravel().tolist()
        return [float(own) for own in numbers]


def _pixels_apart(told: list[float], actor: dict[str, Any], label: dict[str, Any]) -> float:
    """Return the number of pixels that are either in the polygon `told` or in the mask of an actor, but not in both."""
    height, width = label["height"], label["width"]
    points = np.reshape(told, (-1, 2)) * [width, height]
    inside = count_of_polygons([points.ravel().tolist()], height, width)
    return float((inside != mask_of_runs(actor["segmentation"])).sum())


class KittiCheck(Check):
    """Comparison of the labels and calibrations of KITTI."""

    def __init__(self, folder: Path, findings: Findings) -> None:
        self._folder, self._findings, self._count = folder / "kitti/training", findings, 0

    def add(self, picture: Picture) -> None:
        """Compare the files of a picture."""
        stem, self._count = f"{self._count:06d}.txt", self._count + 1
        calibration = read_text(self._folder / "calib" / stem, MADE).splitlines()
        (text,) = [line.removeprefix("P2: ") for line in calibration if line.startswith("P2: ")]
        matrix = np.array(text.split(), float).reshape(3, 4)
        rows = [line.split() for line in read_text(self._folder / "label_2" / stem, MADE).splitlines()]
        actors = [actor for actor in picture.shown if actor["box_3d"] is not None]
        self._findings.measure(BOXES, abs(len(rows) - len(actors)), picture.place)
        for row, actor in zip(rows, actors, strict=False):
            self._compare(row, actor, matrix, picture)

    def _compare(self, row: list[str], actor: dict[str, Any], matrix: Reals, picture: Picture) -> None:
        numbers = np.array(row[1:], float)
        left, top, width, height = actor["amodal_bbox"]
        long, wide, tall = actor["box_3d"]["size"]
        hidden = (actor["occlusion"] >= 0.05) + (actor["occlusion"] >= 0.5)
        wanted = [hidden, left, top, left + width, top + height, tall, wide, long]
        away = apart([numbers[1], *numbers[3:10]], wanted)
        x, _, z, turn = numbers[10:14]
        bearing = (numbers[2] - turn + np.arctan2(x, z) + np.pi) % (2 * np.pi) - np.pi
        is_kind = (row[0] == "Pedestrian") == (actor["category"] == "person")
        self._findings.measure(BOXES, max(away, abs(bearing)) if is_kind else np.inf, picture.of(actor))
        axes = rotation_matrix(np.array(actor["box_3d"]["rotation"]))
        if axes[1, 2] > UPRIGHT:
            corners = actor["box_3d"]["center"] + CORNER * [long, wide, tall] @ axes.T
            own, depths = project(picture.label, corners)
            if depths.min() > FAR_ENOUGH:
                told = _pixels(matrix, numbers[10:13], (long, wide, tall), turn)
                away = np.linalg.norm(own[:, None] - told, axis=-1).min(axis=1).max()
                self._findings.measure(CORNERS, float(away), picture.of(actor))


def _pixels(matrix: Reals, place: Reals, size: tuple[float, float, float], turn: float) -> Reals:
    """Return the pixels [8, 2] of the corners of a KITTI box: x right, y down, z ahead, turned about y."""
    long, wide, tall = size
    x, y, z = (CORNER * [long, tall, wide] - [0, tall / 2, 0]).T
    turned = np.stack([np.cos(turn) * x + np.sin(turn) * z, y, np.cos(turn) * z - np.sin(turn) * x], axis=-1)
    points = np.concatenate([turned + place, np.ones((8, 1))], axis=1) @ matrix.T
    return np.asarray(points[:, :2] / points[:, 2:])

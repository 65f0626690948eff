"""Share of people whose pose a detector finds, and errors of keypoints, on the pictures of a data set."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from ecs_anim.profiling.validation.detector_figures import LEAST_HEIGHT
from ecs_anim.profiling.validation.pose_detector import PoseDetector

Reals = NDArray[np.float64]
MOST_HIDDEN = 0.1  # hidden share; people that are more hidden do not count
MARGIN = 0.2  # breadth of the surroundings in the picture of a person, as a share of the height of the person
SHOWN = 320  # [pixel], height of the picture that the detector sees
FAR = 0.1  # a pose whose median error is a larger share of the height of the person is not found


@dataclass
class PoseOutcome:
    """The people of all pictures."""

    # median error of the keypoints of each person, as a share of the height of the person; inf = no pose
    errors: list[float] = field(default_factory=list)

    def add(self, actors: Iterable[dict[str, Any]], picture: NDArray[np.uint8], detect: PoseDetector) -> None:
        """Add one picture. `actors` are the actors of its line in labels.jsonl."""
        for actor in actors:
            if _counts(actor):
                self.errors.append(pose_error(actor, picture, detect))

    def found(self) -> float:
        """Return the share of the people whose pose is found."""
        return float(np.mean(np.array(self.errors) <= FAR)) if self.errors else np.nan

    def error(self) -> float:
        """Return the mean over the found people of their errors, as a share of their heights."""
        errors = np.array(self.errors)
        return float(errors[errors <= FAR].mean()) if (errors <= FAR).any() else np.nan


def pooled_poses(parts: Sequence[PoseOutcome]) -> PoseOutcome:
    """Return the people of several outcomes as one outcome."""
    return PoseOutcome([error for own in parts for error in own.errors])


def pose_error(actor: dict[str, Any], picture: NDArray[np.uint8], detect: PoseDetector) -> float:
    """Return the median error of the keypoints of a person, as a share of the height of the person.

    The detector sees a square picture with the surroundings of the person. If the detector finds no pose, the error is
    infinite.
    """
    left, top, width, height = actor["amodal_bbox"]
    margin = MARGIN * height
    part, corner = _part(picture, left - margin, top - margin, width + 2 * margin, height + 2 * margin)
    scale = SHOWN / part.shape[0]
    size = (round(part.shape[1] * scale), SHOWN)
    found = detect(_square(np.asarray(Image.fromarray(part).resize(size, Image.Resampling.BICUBIC))))
    if found is None:
        return np.inf
    keypoints = np.array(actor["keypoints"], np.float64).reshape(-1, 3)
    inside = keypoints[:, 2] > 0
    distances = np.linalg.norm(found / scale + corner - keypoints[:, :2], axis=1)[inside]
    return float(np.median(distances) / height)


def _counts(actor: dict[str, Any]) -> bool:
    is_person = actor["category"] == "person" and bool(actor["amodal_bbox"]) and bool(actor["keypoints"])
    return is_person and actor["amodal_bbox"][3] >= LEAST_HEIGHT and actor["occlusion"] < MOST_HIDDEN


def _part(
    picture: NDArray[np.uint8], left: float, top: float, width: float, height: float
) -> tuple[NDArray[np.uint8], Reals]:
    """Return the part of a picture inside a rectangle, and the left upper corner of the part [pixel]."""
    low = np.maximum(np.floor([left, top]), 0).astype(int)
    high = np.ceil([left + width, top + height]).astype(int)
    return picture[low[1] : high[1], low[0] : high[0]], low.astype(np.float64)


def _square(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return a picture with additional columns on the right or rows below, whose colours are those of the edge."""
    height, width = picture.shape[:2]
    return np.pad(picture, ((0, max(width - height, 0)), (0, max(height - width, 0)), (0, 0)), mode="edge")

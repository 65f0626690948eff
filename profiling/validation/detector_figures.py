"""Recall and false detections of person detectors on the pictures of a data set."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Reals = NDArray[np.float64]
OVERLAP = 0.4  # least intersection over union of a detection and a person
DOUBLE = 0.65  # largest intersection of two detections, as a share of the smaller box
LEAST_HEIGHT, MOST_HIDDEN = 64.0, 0.8  # [pixel] and share; smaller or more hidden people count neither way
HEIGHTS = (64.0, 110.0, 180.0, np.inf)  # [pixel], edges of the classes of heights
HIDDEN = (0.0, 0.1, 0.5, MOST_HIDDEN)  # edges of the classes of hidden shares


class Detections(NamedTuple):
    """Detections in one picture."""

    boxes: Reals  # [n, 4], left, top, width, height [pixel]
    scores: Reals  # [n]


@dataclass
class Outcome:
    """The people and the detections of all pictures."""

    pictures: int = 0
    heights: list[float] = field(default_factory=list)  # of each person [pixel]
    hidden: list[float] = field(default_factory=list)  # hidden share of each person
    found: list[float] = field(default_factory=list)  # score with which each person is found; -inf = not found
    false: list[float] = field(default_factory=list)  # score of each false detection

    def add(self, actors: Iterable[dict[str, Any]], detections: Detections) -> None:
        """Add one picture. `actors` are the actors of its line in labels.jsonl."""
        people = [actor for actor in actors if actor["category"] == "person" and actor["amodal_bbox"]]
        boxes = np.array([actor["amodal_bbox"] for actor in people], np.float64).reshape(-1, 4)
        hidden = np.array([actor["occlusion"] for actor in people], np.float64)
        counts = (boxes[:, 3] >= LEAST_HEIGHT) & (hidden < MOST_HIDDEN)
        scores, false = _matched(overlaps(detections.boxes, boxes), detections.scores, counts)
        self.pictures += 1
        self.heights += boxes[counts, 3].tolist()
        self.hidden += hidden[counts].tolist()
        self.found += scores[counts].tolist()
        self.false += false

    def threshold(self, false_per_picture: float) -> float:
        """Return the lowest score at which pictures have at most this many false detections on average."""
        allowed = int(false_per_picture * self.pictures)
        false = sorted(self.false, reverse=True)
        return false[allowed] if allowed < len(false) else -np.inf

    def recall(self, false_per_picture: float) -> float:
        """Return the share of the people that are found with this many false detections per picture."""
        return float(np.mean(np.array(self.found) > self.threshold(false_per_picture))) if self.found else np.nan

    def table(self, false_per_picture: float) -> list[tuple[float, float, int, float]]:
        """Return rows: least height [pixel], least hidden share, number of people, recall."""
        found = np.array(self.found) > self.threshold(false_per_picture)
        height, hidden = (
            np.digitize(own, ends[:-1]) - 1 for own, ends in ((self.heights, HEIGHTS), (self.hidden, HIDDEN))
        )
        rows = []
        for row, column in np.ndindex(len(HEIGHTS) - 1, len(HIDDEN) - 1):
            own = (height == row) & (hidden == column)
            rows.append(
                (HEIGHTS[row], HIDDEN[column], int(own.sum()), float(found[own].mean()) if own.any() else np.nan)
            )
        return rows


def overlaps(first: Reals, second: Reals) -> Reals:
    """Return the intersections over unions [n, m] of boxes [n, 4] and [m, 4] (left, top, width, height)."""
    shared = _shared(first, second)
    areas = first[:, 2:].prod(axis=-1)[:, None] + second[:, 2:].prod(axis=-1)[None]
    together: Reals = shared / np.maximum(areas - shared, 1e-9)
    return together


def _shared(first: Reals, second: Reals) -> Reals:
    """Return the areas [n, m] of the intersections of boxes."""
    low = np.maximum(first[:, None, :2], second[None, :, :2])
    high = np.minimum((first[:, :2] + first[:, 2:])[:, None], (second[:, :2] + second[:, 2:])[None])
    areas: Reals = np.clip(high - low, 0, None).prod(axis=-1)
    return areas


def _matched(shared: Reals, scores: Reals, counts: NDArray[np.bool_]) -> tuple[Reals, list[float]]:
    """Return the score [m] with which each person is found, and the scores of false detections.

    Detections choose people in the order of their scores. Of the free people, a detection takes a counted person with
    the largest overlap first. A detection of a person that does not count is not false.
    """
    found, false = np.full(len(counts), -np.inf), list[float]()
    for detection in np.argsort(-scores, kind="stable"):
        near = shared[detection] >= OVERLAP
        free = np.flatnonzero(near & counts & np.isneginf(found))
        if len(free):
            found[free[shared[detection, free].argmax()]] = scores[detection]
        elif not (near & ~counts).any():
            false.append(float(scores[detection]))
    return found, false


def without_doubles(found: Detections) -> Detections:
    """Return the detections without doubles.

    Two detections are doubles if their intersection is larger than `DOUBLE` times the smaller box. Then the detection
    with the higher score remains. So a person has no further detections of the upper or the lower half of its body. The
    pedestrian detectors of P. Dollár's toolbox use the same rule and the same number.
    """
    kept: list[int] = []
    areas = found.boxes[:, 2:].prod(axis=1)
    shares = _shared(found.boxes, found.boxes) / np.maximum(np.minimum(areas[:, None], areas), 1e-9)
    for number in np.argsort(-found.scores, kind="stable").tolist():
        if not (shares[number, kept] > DOUBLE).any():
            kept.append(number)
    return Detections(found.boxes[kept], found.scores[kept])


def joined(parts: Sequence[Detections]) -> Detections:
    return Detections(np.concatenate([own.boxes for own in parts]), np.concatenate([own.scores for own in parts]))


def pooled(parts: Sequence[Outcome]) -> Outcome:
    """Return the people and the detections of several outcomes as one outcome."""
    result = Outcome(sum(own.pictures for own in parts))
    for own in parts:
        result.heights += own.heights
        result.hidden += own.hidden
        result.found += own.found
        result.false += own.false
    return result

"""MOT: tracks as MOTChallenge has them, of Milan and others 2016: a line for each actor and frame of a sequence."""

from collections.abc import Iterator, Mapping
from typing import Any

from ecs_anim.labels.coco import PERSON

PEDESTRIAN, DISTRACTOR = 1, 8  # classes of MOT16


def mot_lines(label: Mapping[str, Any], frame: int) -> Iterator[str]:
    """Frame, id, left, top, width, height, 1 = counts, class, visibility, of one picture's line of labels.jsonl.

    `frame` counts from 1, as boxes do here: MOT's upper left pixel is 1, 1.
    """
    for actor in label["actors"]:
        left, top, width, height = actor["bbox"]
        is_person = actor["category"] == PERSON
        kind = PEDESTRIAN if is_person else DISTRACTOR
        yield f"{frame},{actor['id']},{left + 1},{top + 1},{width},{height},{int(is_person)},{kind},-1\n"

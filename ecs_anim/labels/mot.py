"""MOT: tracks as MOTChallenge has them, of Milan and others 2016: a line for each actor and frame of a sequence."""

from collections.abc import Iterator

from ecs_anim.labels.coco import PERSON, Label

PEDESTRIAN, DISTRACTOR = 1, 8  # classes of MOT16


def mot_lines(label: Label, frame: int) -> Iterator[str]:
    """Yield lines from a picture's label: frame, id, left, top, width, height, 1 = counts, class, visibility.

    `label` is a line of labels.jsonl. Boxes are amodal, of visible actors only.
    `frame` counts from 1, and so does MOT's upper left pixel.
    """
    for actor in label["actors"]:
        if actor["area"] > 0:
            left, top, width, height = actor["amodal_bbox"]
            is_person = actor["category"] == PERSON
            told = int(is_person), PEDESTRIAN if is_person else DISTRACTOR, f"{1 - actor['occlusion']:.4f}"
            yield ",".join(map(str, (frame, actor["id"], left + 1, top + 1, width, height, *told))) + "\n"

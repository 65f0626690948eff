"""MOT labels in the format of MOTChallenge (Milan and others 2016). A line describes one actor in one frame."""

from collections.abc import Iterator

from ecs_anim.labels.coco import PERSON, Label

PEDESTRIAN, DISTRACTOR = 1, 8  # MOT16 classes


def mot_lines(label: Label, frame: int) -> Iterator[str]:
    """Yield one line for each visible actor. Its values are frame, id, left, top, width, height, 1 (evaluated), class
    and visibility.

    `label` is a line of labels.jsonl. Boxes are amodal: a box includes the hidden parts of an actor. In MOT, the
    numbers of frames and the pixel coordinates start at 1.
    """
    for actor in label["actors"]:
        if actor["area"] > 0:
            left, top, width, height = actor["amodal_bbox"]
            is_person = actor["category"] == PERSON
            told = int(is_person), PEDESTRIAN if is_person else DISTRACTOR, f"{1 - actor['occlusion']:.4f}"
            yield ",".join(map(str, (frame, actor["id"], left + 1, top + 1, width, height, *told))) + "\n"

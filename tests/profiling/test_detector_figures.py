"""Figures of detectors against pictures whose recall follows from a count by hand."""

import numpy as np

from ecs_anim.profiling.validation.detector_figures import Detections, Outcome, overlaps, pooled, without_doubles


def person(left: float, height: float = 100.0, hidden: float = 0.0) -> dict:
    return {"category": "person", "amodal_bbox": [left, 10.0, 40.0, height], "occlusion": hidden}


def detections(*rows: tuple[float, float]) -> Detections:
    boxes = np.array([[left, 10.0, 40.0, 100.0] for left, _ in rows]).reshape(-1, 4)
    return Detections(boxes, np.array([score for _, score in rows]))


def test_overlaps_are_intersections_over_unions():
    first, second = np.array([[0.0, 0.0, 10.0, 10.0]]), np.array([[5.0, 0.0, 10.0, 10.0], [20.0, 0.0, 5.0, 5.0]])
    np.testing.assert_allclose(overlaps(first, second), [[50 / 150, 0.0]])


def test_recall_at_equal_numbers_of_false_detections():
    outcome = Outcome()
    outcome.add(
        [person(0), person(100), person(200, hidden=0.3)], detections((2, 0.9), (100, 0.4), (400, 0.6), (500, 0.1))
    )
    assert outcome.false == [0.6, 0.1]
    assert outcome.recall(0) == 1 / 3
    assert outcome.recall(1) == 2 / 3
    assert outcome.recall(2) == 2 / 3
    assert [row for row in outcome.table(1) if row[2]] == [(64.0, 0.0, 2, 1.0), (64.0, 0.1, 1, 0.0)]


def test_small_and_hidden_people_count_neither_way():
    outcome = Outcome()
    outcome.add([person(0, height=50), person(100, hidden=0.95), person(200)], detections((100, 0.9), (201, 0.8)))
    assert (outcome.found, outcome.false) == ([0.8], [])


def test_a_second_detection_of_one_person_is_false_unless_it_is_removed():
    twice = detections((0, 0.9), (3, 0.7))
    outcome = Outcome()
    outcome.add([person(0)], twice)
    assert outcome.false == [0.7]
    assert without_doubles(twice).scores.tolist() == [0.9]


def test_the_smaller_box_decides_which_detections_are_doubles():
    whole, half, beside, behind = [0, 0, 40, 100], [5, 50, 20, 50], [20, 0, 40, 100], [30, 0, 20, 50]
    found = Detections(np.array([whole, half, beside, behind], float), np.array([0.9, 0.8, 0.7, 0.6]))
    assert without_doubles(found).scores.tolist() == [
        0.9,
        0.7,
    ]  # half of the last box is in the first, all in the third


def test_pooled_pictures_have_the_figures_of_one_outcome_with_all_pictures():
    both, parts = Outcome(), [Outcome(), Outcome()]
    pictures = ([person(0), person(100)], detections((2, 0.9), (400, 0.6))), ([person(200)], detections((201, 0.5)))
    for part, picture in zip(parts, pictures, strict=True):
        both.add(*picture)
        part.add(*picture)
    assert pooled(parts) == both
    assert pooled(parts).recall(0.5) == 2 / 3
    assert pooled(parts).recall(0) == 1 / 3

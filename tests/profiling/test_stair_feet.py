"""The check `stair_feet`: its measures find wrong footholds, shoes in risers, and standing feet that move."""

import numpy as np
import pytest

from ecs_anim.profiling.validation.crowd_measures import Feet, Watched
from ecs_anim.profiling.validation.stair_feet import measure_stair_feet

HALF = 0.075  # half of the distance from heel to ball [m]
STANCE, SWING = 10, 5  # frames


def climbing(*, off=0.0, ahead=0.0, slide=0.0, roll=0.0):
    """Return the findings for twelve people whose two feet stand on one tread after another of the stairs.

    `off` [m] raises the feet, `ahead` [m] moves the feet towards the next riser, and `slide` [m] is the movement of
    each standing foot. In the first half of a stance, the ball is `roll` [m] behind its place and 1 cm above the tread.
    In a swing, a foot is high above the stairs.
    """
    contacts, stands = [], []
    for tread in range(18):
        for frame in range(STANCE + SWING):
            is_up = frame >= STANCE
            middle = -3.0 + (tread + 0.4) * 0.29 + ahead + slide * min(frame, STANCE - 1) / (STANCE - 1)
            height = (tread + 1) * 0.17 + off + is_up
            raised = 0.01 if roll and frame < STANCE // 2 else 0.0
            ball = middle + HALF - roll * (raised > 0)
            contacts.append([[0.0, height, -(middle - HALF)], [0.0, height + raised, -ball]])
            stands.append(not is_up)
    contacts, stands = np.array(contacts)[:, None, None], np.array(stands)[:, None, None]
    feet = Feet(np.tile(contacts, (1, 12, 2, 1, 1)), np.tile(stands, (1, 12, 2)))
    found = measure_stair_feet(Watched(np.zeros(0), {}, feet={"up": feet}))
    return {own.name.removeprefix("stair_feet, ").removesuffix(", up"): own for own in found}


def failed(found):
    return [name for name, own in found.items() if not own.holds]


def test_feet_on_treads_pass():
    found = climbing()
    assert found["stances up"].value == 17 * 24  # the first stance is not whole
    assert found["share of stances within 1 cm of a tread"].value == 1.0
    assert failed(found) == []


@pytest.mark.parametrize(
    ("wrong", "name"),
    [
        ({"off": 0.02}, "share of stances within 1 cm of a tread"),
        ({"ahead": 0.08}, "share of shoes deeper than 2 cm in a riser"),
    ],
)
def test_wrong_feet_fail(wrong, name):
    assert failed(climbing(**wrong)) == [name]


def test_feet_that_slide_fail_but_not_feet_that_roll():
    slides = ["movement of 95 % of standing feet, m", "largest movement of a standing foot, m"]
    assert failed(climbing(slide=0.008)) == slides
    assert failed(climbing(roll=0.008)) == []


def test_a_run_without_stances_fails():
    contacts = np.zeros((9, 1, 2, 2, 3))
    contacts[..., 1, 2] = -0.15
    feet = Feet(contacts, np.zeros((9, 1, 2), bool))
    found = {own.name: own for own in measure_stair_feet(Watched(np.zeros(0), {}, feet={"up": feet}))}
    assert not found["stair_feet, stances up"].holds


def test_largest_movements_are_reported():
    assert climbing(slide=0.008)["largest movement of a standing foot, m"].value == pytest.approx(0.008, abs=1e-9)

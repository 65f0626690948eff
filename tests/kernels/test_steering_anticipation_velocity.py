"""Anticipation velocity model, against the formulas of Xu, Chraibi and Seyfried 2021 in plain numpy."""

import numpy as np
import pytest

from tests.kernels.test_steering import check_free, check_walls, compared, queue
from tests.oracles.steering import feet_of, left, unit

NAME = "anticipation_velocity"


def direction(person, others, walls, dt, tie):
    """Return the next heading of a person."""
    p, d, e = person.parameters, person.wants, person.facing
    total = d.copy()
    for j in others:
        x = j.position - person.position
        away = np.linalg.norm(x)
        e_ij = x / away
        if d @ e_ij < 0 and e @ e_ij < 0:
            continue
        closing = (person.velocity - j.velocity) @ e_ij
        foreseen = max(0.0, away - person.radius - j.radius - p["anticipation"] * closing)
        strength = p["strength"] * (1 + (1 - d @ j.facing) / 2) * np.exp(-foreseen / p["range"])
        side = np.sign(left(d) @ (x + p["anticipation"] * j.velocity))
        total += strength * left(d) * (-side if side else tie)
    wanted = unit(total, e)
    turns_over = (d @ wanted) * (d @ e) < 0
    facing = wanted if turns_over else unit(e + (wanted - e) * dt / p["reaction"], wanted)
    keeps, turned = person.radius + p["buffer"], facing.copy()
    for foot in feet_of(person, walls):
        off = person.position - foot
        distance = np.linalg.norm(off)
        away = off / distance
        share = np.clip((2 * keeps - distance) / keeps, 0, 1)
        turned += share * (0.3 + max(0.0, -(turned @ away))) * away
    return unit(turned, facing)


@pytest.mark.exhaustive
@pytest.mark.parametrize("side", [40.0, 14.0])
def test_agents_choose_what_the_formulas_say(side):
    check_free(NAME, direction, side)


@pytest.mark.exhaustive
def test_walls_turn_agents_and_hide_neighbours():
    check_walls(NAME, direction)


def test_a_queue_that_is_stuck_makes_detours():
    assert compared(queue(4.1), NAME, direction) > 0

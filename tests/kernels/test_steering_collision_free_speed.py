"""Collision-free speed model, against the formulas of Tordeux, Chraibi and Seyfried 2016 in plain numpy."""

import numpy as np
import pytest

from tests.kernels.test_steering import check_free, check_walls
from tests.oracles.steering import feet_of, unit

NAME = "collision_free_speed"


def direction(person, others, walls, dt, tie):
    """Return the next heading of a person."""
    p, total = person.parameters, person.wants.copy()
    for j in others:
        x = j.position - person.position
        away = np.linalg.norm(x)
        total -= p["strength"] * np.exp((person.radius + j.radius - away) / p["range"]) * x / away
    for foot in feet_of(person, walls):
        x = foot - person.position
        away = np.linalg.norm(x)
        total -= p["wall_strength"] * np.exp((person.radius - away) / p["wall_range"]) * x / away
    return unit(total, person.facing)


@pytest.mark.exhaustive
@pytest.mark.parametrize("side", [40.0, 14.0])
def test_agents_choose_what_the_formulas_say(side):
    check_free(NAME, direction, side)


def test_walls_turn_agents_and_hide_neighbours():
    check_walls(NAME, direction)

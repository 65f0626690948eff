"""Spaces, ghosts and speeds on flights against the geometry of a building with two levels."""

import numpy as np
import shapely

from ecs_anim.kernels.storeys import add_ghosts, count_ghosts, unfold
from ecs_anim.steering.agents import MODEL, NOBODY, X, new_agents
from ecs_anim.storeys.building import Building
from ecs_anim.storeys.parts import Level
from ecs_anim.storeys.runs import Rise, run_between
from ecs_anim.storeys.unfolded import Unfolded

HALL = shapely.box(-10, -6, 10, 6)
LOW, HIGH, STAIRS = range(3)


def stairs_north() -> Unfolded:
    run = run_between(Rise("stairs", "stairs", (0.0, -3.0), 90.0, 1.5), 0, 1, 0.0, 3.4, 2)
    return Unfolded(Building((Level("low", 0.0, HALL), Level("high", 3.4, HALL)), (run,), 2), 0.2)


def unfolded_at(plan: Unfolded, places: list[tuple[float, float]], spaces: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """Return the spaces and the unfolded plan points of actors at plan points."""
    at = np.array([(x, 0.0, -y) for x, y in places], np.float32)
    space, out = np.array(spaces, np.int32), np.zeros_like(at)
    unfold(plan.arrays, at, space, out)
    return space, np.stack([out[:, 0], -out[:, 2]], axis=1)


def test_actors_change_the_space_when_they_cross_a_seam():
    plan = stairs_north()
    top = -3.0 + plan.building.flights[0].length
    places = [(0.0, -3.1), (0.0, -2.9), (0.0, -2.9), (0.0, -3.1), (0.5, top + 0.1), (0.5, top - 0.1), (3.0, -2.9)]
    space, at = unfolded_at(plan, places, [LOW, LOW, STAIRS, STAIRS, STAIRS, HIGH, LOW])
    assert space.tolist() == [LOW, STAIRS, STAIRS, LOW, HIGH, STAIRS, LOW]
    np.testing.assert_allclose(at - plan.offsets[space], places, atol=1e-4)


def test_agents_near_a_seam_have_one_ghost_in_the_other_space():
    plan = stairs_north()
    places = [(0.0, -4.0), (0.0, -7.0 + 0.5), (0.2, -2.0), (5.0, 5.0)]
    space, at = unfolded_at(plan, places, [LOW, LOW, STAIRS, HIGH])
    agents = new_agents(10)
    agents.seen[:4, X : X + 2] = at
    full = np.stack([at[:, 0], np.zeros(4), -at[:, 1]], axis=1).astype(np.float32)
    # the point on the stairs is 1 m above the foot, and 4.5 m below the upper end
    assert count_ghosts(plan.arrays, full, space) == 2
    assert add_ghosts(plan.arrays, space, 0, 4, tuple(agents)) == 6
    assert agents.identity[4:6, MODEL].tolist() == [NOBODY, NOBODY]
    np.testing.assert_allclose(agents.seen[4, :2] - plan.offsets[STAIRS], places[0], atol=1e-4)
    np.testing.assert_allclose(agents.seen[5, :2] - plan.offsets[LOW], places[2], atol=1e-4)

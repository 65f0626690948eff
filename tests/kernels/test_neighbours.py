"""Neighbours: what the cells find, against a search through everybody."""

import numpy as np
import pytest

from ecs_anim.kernels.neighbours import FEWEST, MOST, NEAR, REACH, ROWS, describe, find_near, sort_into_cells
from ecs_anim.steering.agents import RADIUS, ROOM, SEEN, new_agents, new_cells
from tests.helpers import FEW, called

COUNT = FEW or 600
find, tell = called(find_near), called(describe)


def crowd(positions):
    """Agents at positions [n, 2] whose other numbers are their own."""
    agents = new_agents(len(positions))
    agents.seen[:] = np.arange(len(positions) * SEEN).reshape(-1, SEEN)
    agents.seen[:, :2], agents.seen[:, RADIUS] = positions, 0.2
    for column in (agents.own, agents.parameters, agents.identity):
        column[:] = np.arange(len(positions))[:, None]
    agents.identity[:, ROOM] = 0
    return agents


def found_by_cells(agents, cells=None):
    """Rows of each agent's neighbours, as sets; in passing, that what is said of them is so."""
    count = len(agents.seen)
    cells, laid = cells or new_cells(count), new_agents(count)
    sort_into_cells(tuple(agents), count, tuple(cells), tuple(laid))
    assert sorted(cells.order.tolist()) == list(range(count))
    for name in ("seen", "own", "parameters", "identity"):
        np.testing.assert_array_equal(getattr(laid, name), getattr(agents, name)[cells.order])
    near, found = np.zeros(NEAR, np.float32), {}
    for at, agent in enumerate(cells.order.tolist()):
        rows = near[ROWS:].view(np.int32)
        number = find(laid, cells, at, rows)
        tell(laid.seen, at, rows, number, near)
        columns = near.reshape(-1, MOST)[:7, :number]
        others = [np.flatnonzero(agents.seen[:, 2] == vx)[0] for vx in columns[2]]
        np.testing.assert_array_equal(columns[:2].T, agents.seen[others, :2] - agents.seen[agent, :2])
        np.testing.assert_array_equal(columns[2:6].T, agents.seen[others, 2:6])
        np.testing.assert_array_equal(columns[6], np.float32(0.2) + np.float32(0.2))
        assert len(set(others)) == number
        found[agent] = set(map(int, others))
    return found


def found_by_looking(positions):
    apart = positions[None] - positions[:, None]
    near = (apart * apart).sum(axis=-1) < REACH * REACH
    np.fill_diagonal(near, False)
    return {agent: set(np.flatnonzero(row).tolist()) for agent, row in enumerate(near)}


@pytest.mark.exhaustive
@pytest.mark.parametrize("size", [(3.0, 3.0), (30.0, 30.0), (400.0, 2.0), (1.0, 900.0), (1e5, 1e5)])
@pytest.mark.parametrize("middle", [0.0, -77.3])
def test_they_are_those_whom_a_search_finds(size, middle):
    rng = np.random.default_rng(3)
    positions = (rng.uniform(-0.5, 0.5, (COUNT, 2)) * size + middle).astype(np.float32)
    found = found_by_cells(crowd(positions))
    assert found == found_by_looking(positions)
    if FEW is None and size[1] < 1e5:
        assert max(map(len, found.values())) > 3


def test_one_who_is_far_away_costs_no_memory_and_hides_nobody():
    positions = np.random.default_rng(4).uniform(0, 20, (40, 2)).astype(np.float32)
    positions[7] = 1e9, -1e9
    assert found_by_cells(crowd(positions)) == found_by_looking(positions)


def test_a_single_agent_has_none():
    assert found_by_cells(crowd(np.zeros((1, 2), np.float32))) == {0: set()}


def test_those_of_a_cell_stay_in_their_order():
    cells = new_cells(50)
    agents = crowd(np.zeros((50, 2), np.float32))
    sort_into_cells(tuple(agents), 50, tuple(cells), tuple(new_agents(50)))
    assert cells.order.tolist() == list(range(50))
    assert cells.size.tolist() == [FEWEST, FEWEST, 1]


def test_memory_for_more_agents_than_there_are_serves():
    positions = np.random.default_rng(5).uniform(0, 9, (30, 2)).astype(np.float32)
    agents, cells, laid = crowd(np.pad(positions, ((0, 70), (0, 0)))), new_cells(100), new_agents(100)
    sort_into_cells(tuple(agents), 30, tuple(cells), tuple(laid))
    assert sorted(cells.order[:30].tolist()) == list(range(30))
    assert cells.first.max() == 30


def test_more_than_there_is_memory_for_are_not_noted():
    positions = np.zeros((MOST + 40, 2), np.float32)
    cells, laid, near = new_cells(len(positions)), new_agents(len(positions)), np.zeros(NEAR, np.float32)
    agents = crowd(positions)
    sort_into_cells(tuple(agents), len(positions), tuple(cells), tuple(laid))
    rows = near[ROWS:].view(np.int32)
    assert find(laid, cells, 5, rows) == MOST - 1
    tell(laid.seen, 5, rows, MOST - 1, near)
    first = np.delete(agents.seen, 5, axis=0)[: MOST - 1]
    np.testing.assert_array_equal(near.reshape(-1, MOST)[2:6, : MOST - 1].T, first[:, 2:6])

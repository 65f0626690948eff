"""Drawn parts of escalators and lifts against arithmetic of their dimensions."""

import numpy as np
import pytest
import shapely

from ecs_anim.ground.surface import Surface
from ecs_anim.storeys.building import Building
from ecs_anim.storeys.escalators import escalator_body
from ecs_anim.storeys.lift_surfaces import lift_frames
from ecs_anim.storeys.lifts import Lift
from ecs_anim.storeys.parts import Level
from ecs_anim.storeys.railings import wall_solids
from ecs_anim.storeys.runs import Rise, run_between

HALL = shapely.box(-10, -6, 10, 6)
HEIGHT, RISER, GOING = 3.4, 0.2, 0.4  # [m]
HANDRAIL = 0.95  # [m], height of a handrail above the front edges of the steps
SHAFT = 0.1  # [m], thickness of the walls of a shaft
WIDTH, DEPTH, DOOR = 1.6, 1.7, 1.0  # [m], of the lift


def volume(surface: Surface) -> float:
    """Return the volume [m3] inside a closed surface. The volume is negative if the faces point inwards."""
    one, two, three = np.moveaxis(surface.corners().astype(np.float64), 1, 0)
    return float((one * np.cross(two, three)).sum() / 6)


def test_faces_of_an_escalator_point_outwards_and_its_handrails_are_where_hands_hold_them():
    rise = Rise("escalator", "escalator", (0.0, 0.0), 0.0, 1.0, riser=RISER, going=GOING, belt_speed=0.5)
    (flight,) = run_between(rise, 0, 1, 0.0, HEIGHT, 2).flights
    length = (HEIGHT / RISER - 1) * GOING  # on the plan
    panels, rails, truss = escalator_body(flight, (0.5, 0.5, 0.5), 0)
    assert volume(panels) > 0
    assert volume(rails) == pytest.approx(2 * length * 0.09 * 0.07, rel=1e-4)
    assert volume(truss) > 0
    at_foot = rails.positions[np.abs(rails.positions[:, 0]) < 1e-4, 1]
    at_head = rails.positions[np.abs(rails.positions[:, 0] - length) < 1e-4, 1]
    assert at_foot.mean() == pytest.approx(RISER + HANDRAIL, abs=1e-4)
    assert at_head.mean() == pytest.approx(HEIGHT + HANDRAIL, abs=1e-4)


def test_a_parapet_closes_each_side_of_a_shaft_without_a_door():
    levels = Level("low", 0.0, HALL), Level("high", HEIGHT, HALL)
    lift = Lift("lift", (0, 1), (0.0, HEIGHT), (0.0, 0.0), (1.0, 0.0), WIDTH, DEPTH, DOOR, 8, 1.0, 5.0)
    _, *stops = lift_frames(Building(levels, (), 2, (lift,)))
    frames, parapets = stops[0::2], stops[1::2]
    assert all(volume(own) > 0 for own in (*frames, *parapets))
    for own, height in zip(parapets, (0.0, HEIGHT), strict=True):
        assert own.positions[:, 1].min() == pytest.approx(height)
        assert own.positions[:, 1].max() == pytest.approx(height + 1.1)
        assert own.positions[:, 0].min() == pytest.approx(-DEPTH / 2 - SHAFT, abs=0.01)  # the door faces +X
        assert np.abs(own.positions[:, 2]).max() == pytest.approx(WIDTH / 2 + SHAFT, abs=0.01)


@pytest.mark.parametrize("area", [HALL, HALL.difference(shapely.box(-2, -2, 2, 2))], ids=["hall", "hall with a hole"])
def test_outer_walls_have_gaps_at_doors(area):
    """A wall is 0.15 m thick. Only the door in the border makes a gap."""
    thick, inside, outer = 0.15, shapely.box(5, -1, 5.2, 1), shapely.box(-1.5, -6.1, 1.5, -5.9)
    building = Building((Level("low", 0.0, area),), (), 1)
    whole = wall_solids(building, 0, thick, inside)
    assert whole.equals(area.buffer(thick, join_style="mitre").difference(area))
    gap = whole.difference(wall_solids(building, 0, thick, shapely.union_all([inside, outer])))
    assert gap.area == pytest.approx(3 * thick)
    assert gap.bounds == pytest.approx((-1.5, -6.15, 1.5, -6))

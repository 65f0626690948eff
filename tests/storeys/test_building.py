"""Levels, stairs and the ground of a building against arithmetic of their dimensions."""

import numpy as np
import pytest
import shapely

from ecs_anim.routing.grid import grid_over
from ecs_anim.scenes.levels import space_cells
from ecs_anim.storeys.building import Building, require_sound
from ecs_anim.storeys.parts import Level
from ecs_anim.storeys.runs import Rise, run_between
from ecs_anim.storeys.unfolded import Unfolded

HALL = shapely.box(-10, -6, 10, 6)


def two_levels(height: float = 3.4, **shape: object) -> Building:
    rise = Rise("stairs", "stairs", (0.0, -3.0), 90.0, 1.5, **shape)  # type: ignore[arg-type]
    levels = Level("low", 0.0, HALL), Level("high", height, HALL)
    run = run_between(rise, 0, 1, 0.0, height, 2)
    return Building((*levels, *run.landings), (run,), 2)


def test_risers_share_the_height_equally():
    (flight,) = two_levels().flights
    assert flight.risers == 20
    assert flight.riser == pytest.approx(0.17)
    assert flight.length == pytest.approx(19 * 0.29)
    along = np.array([-0.1, 0.01, 0.28, 0.30, 5.50, 5.52])
    heights = flight.heights(flight.at(along, np.zeros(6)))
    np.testing.assert_allclose(heights, np.array([0, 1, 1, 2, 19, 20]) * 0.17, atol=1e-9)


def test_a_half_turn_leads_back_beside_the_first_flight():
    building = two_levels(landings=1, turn="left", gap=0.2)
    first, second = building.flights
    assert (first.risers, second.risers) == (10, 10)
    np.testing.assert_allclose(first.end, (0.0, -3.0 + 9 * 0.29))
    np.testing.assert_allclose(second.foot, (-1.7, -3.0 + 9 * 0.29))
    np.testing.assert_allclose(second.end, (-1.7, -3.0))
    (landing,) = building.runs[0].landings
    assert landing.height == pytest.approx(1.7)
    assert landing.area.bounds == pytest.approx((-2.45, -0.39, 0.75, 1.11))


def test_the_upper_floor_has_a_hole_and_the_lower_floor_has_none():
    building = two_levels()
    assert building.slab(0).area == pytest.approx(HALL.area)
    assert building.slab(1).area == pytest.approx(HALL.area - 1.5 * 19 * 0.29)
    for number in (0, 1):
        assert not building.walkable(number).contains(shapely.Point(0, 0))


def test_spaces_of_the_unfolded_plan_do_not_meet():
    unfolded = Unfolded(two_levels(landings=1, turn="right"), 0.2)
    areas = [shapely.transform(own, lambda at, by=by: at + by) for own, by in unfolded._moved]
    gaps = [one.distance(other) for number, one in enumerate(areas) for other in areas[:number]]
    assert min(gaps) > 3.0
    np.testing.assert_allclose(unfolded.offsets / 0.2, np.round(unfolded.offsets / 0.2), atol=1e-6)


def test_each_route_cell_has_the_number_of_its_space():
    unfolded = Unfolded(two_levels(landings=1, turn="right"), 0.2)
    areas = [shapely.transform(own, lambda at, by=by: at + by) for own, by in unfolded._moved]
    grid = grid_over(np.concatenate([np.reshape(own.bounds, (2, 2)) for own in areas]), 0.2)
    found, middles = space_cells(unfolded, grid), grid.middles
    for number, area in enumerate(areas):
        assert set(found[shapely.contains_xy(area, *middles.T)].tolist()) == {number}
    away = np.min([shapely.distance(area.envelope, shapely.points(middles)) for area in areas], axis=0)
    assert set(found[away > 0.3].tolist()) == {-1}


def test_each_seam_leads_into_the_apron_of_the_other_space():
    unfolded = Unfolded(two_levels(landings=1, turn="left"), 0.2)
    assert len(unfolded.seams) == 2 * 4
    for seam in unfolded.seams:
        line = shapely.LineString(
            [(seam.middle[0] + s * seam.ahead[0], seam.middle[1] + s * seam.ahead[1]) for s in (-0.3, 1.0)]
        )
        assert unfolded.regions[seam.space].buffer(1e-6).contains(line)


def test_a_point_and_its_height_determine_the_space():
    unfolded = Unfolded(two_levels(), 0.2)
    points = np.array([[5.0, 0.0], [5.0, 0.0], [0.0, 0.0], [5.0, 0.0]])
    found = unfolded.spaces.find(points, np.array([0.0, 3.4, 1.8, 1.7]))
    assert found.tolist() == [0, 1, 2, -1]


def blamed(building: Building) -> str:
    found = []

    def blame(kind: str, number: int, text: str) -> LookupError:
        found.append(f"{kind}[{number}]: {text}")
        return LookupError(text)

    with pytest.raises(LookupError, match="level|floor"):
        require_sound(building, blame)
    return found[0]


def test_stairs_that_end_in_the_air_are_an_error():
    levels = Level("low", 0.0, HALL), Level("high", 3.4, shapely.box(-10, -6, 10, 1))
    run = run_between(Rise("main", "stairs", (0.0, -3.0), 90.0, 1.5), 0, 1, 0.0, 3.4, 2)
    text = blamed(Building(levels, (run,), 2))
    assert "upper end of 'main' at [0, 2.51] ends in the air" in text
    assert "'high'" in text


def test_unreachable_levels_and_overlapping_floors_are_errors():
    whole = two_levels()
    attic = Level("attic", 7.0, HALL)
    assert "leads to level 'attic'" in blamed(Building((*whole.levels, attic), whole.runs, 3))
    low = Level("mezzanine", 4.0, shapely.box(0, 0, 3, 3))
    assert "'high' and 'mezzanine' overlap" in blamed(Building((*whole.levels, low), whole.runs, 3))

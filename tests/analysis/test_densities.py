"""Measures of the analysis against PedPy, shapely and hand-made people."""

import numpy as np
import pandas as pd
import pedpy
import pytest
import shapely

from ecs_anim.analysis.densities import CUT_OFF, EVERY, QUARTER, cells_of, maps_of
from ecs_anim.analysis.flows import crossings_of
from ecs_anim.analysis.samples import RATE, WINDOW, samples_of
from ecs_anim.analysis.service import levels_of, shares
from ecs_anim.trajectories import recording
from ecs_anim.walls.build import walls_from_text

HALL = "POLYGON ((0 0, 12 0, 12 4, 7 4, 7 8, 0 8, 0 0), (3 2, 4 2, 4 3, 3 3, 3 2))"
SECONDS = 6


@pytest.fixture(scope="module")
def people(tmp_path_factory):
    """Thirty people walk zigzag through a hall with a corner and a pillar. Samples have the rate of the analysis."""
    random = np.random.default_rng(7)
    hall = shapely.from_wkt(HALL).buffer(-0.2)
    rows = []
    for person in range(30):
        point, velocity = random.uniform((0.3, 0.3), (6.8, 7.8)), random.normal(0, 1.0, 2)
        first = int(random.integers(0, 20))
        for frame in range(first, SECONDS * RATE + 1):
            new = point + velocity / RATE
            if shapely.contains_xy(hall, *new):
                point = new
            else:
                velocity = random.normal(0, 1.0, 2)
            if shapely.contains_xy(hall, *point):
                rows.append((person, frame / RATE, *point))
    path = tmp_path_factory.mktemp("people") / "people.csv"
    lines = [
        f"{person},{time!r},{x!r},{y!r}" for person, time, x, y in ((a, b, float(c), float(d)) for a, b, c, d in rows)
    ]
    path.write_text("\n".join(["id,time_s,x_m,y_m", *lines]))
    return samples_of(recording(path), walls=walls_from_text(HALL))


@pytest.fixture(scope="module")
def known(people):
    """Return PedPy's data of these people."""
    data = pd.DataFrame({"id": people.people, "frame": people.frames, "x": people.xy[:, 0], "y": people.xy[:, 1]})
    return pedpy.TrajectoryData(data, RATE)


@pytest.fixture(scope="module")
def hall():
    return pedpy.WalkableArea(HALL)


@pytest.fixture(scope="module")
def voronoi(known, hall):
    seen = known.data[known.data.frame % EVERY == 0]
    return pedpy.compute_individual_voronoi_polygons(
        traj_data=pedpy.TrajectoryData(seen, RATE),
        walkable_area=hall,
        cut_off=pedpy.Cutoff(radius=CUT_OFF, quad_segments=QUARTER),
    )


def test_the_density_of_each_person_is_that_of_pedpy(people, voronoi):
    cells = cells_of(people)
    assert len(cells.densities) == len(voronoi) > 300
    found = pd.DataFrame(
        {"id": people.people[cells.samples], "frame": people.frames[cells.samples], "own": cells.densities}
    )
    both = found.merge(voronoi, on=["id", "frame"])
    assert len(both) == len(voronoi)
    np.testing.assert_allclose(both.own, both.density, rtol=1e-9)


@pytest.mark.exhaustive
def test_the_map_of_mean_densities_is_that_of_pedpy(people, voronoi, hall):
    found = maps_of(people, cells_of(people)).density
    profiles = pedpy.compute_density_profile(
        data=voronoi, walkable_area=hall, grid_size=found.side, density_method=pedpy.DensityMethod.VORONOI
    )
    wanted = np.mean(profiles, axis=0)[::-1]  # PedPy's rows run from north to south
    full = np.isclose(_walkable(found, hall), found.side**2)  # PedPy divides by the whole square, also at walls
    assert full.sum() > 500
    np.testing.assert_allclose(found.values[full], wanted[full], rtol=1e-6, atol=1e-9)


def _walkable(found, hall):
    rows, columns = found.values.shape
    y, x = np.mgrid[:rows, :columns] * found.side
    squares = shapely.box(found.west + x, found.south + y, found.west + x + found.side, found.south + y + found.side)
    return shapely.area(shapely.intersection(squares, hall.polygon))


def test_speeds_within_a_path_are_those_of_pedpy(people, known):
    wanted = pedpy.compute_individual_speed(
        traj_data=known,
        frame_step=round(WINDOW * RATE / 2),
        speed_calculation=pedpy.SpeedCalculation.BORDER_EXCLUDE,
    )
    found = pd.DataFrame({"id": people.people, "frame": people.frames, "own": people.speeds})
    both = found.merge(wanted, on=["id", "frame"])
    assert len(both) > 800
    np.testing.assert_allclose(both.own, both.speed, rtol=1e-9, atol=1e-12)


def test_crossings_of_a_line_are_counted_as_by_pedpy(people, known):
    found = crossings_of(people, "middle", ((3.0, 0.0), (3.0, 8.0)))
    _, frames = pedpy.compute_n_t(traj_data=known, measurement_line=pedpy.MeasurementLine([(3.0, 0.0), (3.0, 8.0)]))
    paths = [people.xy[people.people == person, 0] - 3.0 for person in range(len(people.ids))]
    assert len(found.times) == sum(int((path[1:] * path[:-1] < 0).sum()) for path in paths)
    # PedPy counts only the first crossing of each person.
    assert len(frames) == sum(bool((path[1:] * path[:-1] < 0).any()) for path in paths) > 5


def test_levels_of_service_follow_fruins_space_per_person():
    square_feet = np.array([36, 34, 26, 24, 16, 14, 11, 9, 6, 4])
    densities = 1 / (square_feet * 0.3048**2)
    assert levels_of(densities).tolist() == [0, 1, 1, 2, 2, 3, 3, 4, 4, 5]
    assert shares(densities) == {"A": 0.1, "B": 0.2, "C": 0.2, "D": 0.2, "E": 0.2, "F": 0.1}

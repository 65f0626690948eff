"""Reports of buildings: densities, speeds and flows of each storey, people over stairs, and egress times."""

import json

import numpy as np
import pandas as pd
import pedpy
import pytest
import shapely

from ecs_anim.analysis.densities import CUT_OFF, EVERY, QUARTER
from ecs_anim.analysis.samples import RATE
from ecs_anim.commands import report
from ecs_anim.commands.report import ReportOptions, write_report
from ecs_anim.farm.job import LevelLine, flow_lines
from ecs_anim.scenes.loader import read_scene
from tests.builders.buildings import collection, osm_features

PEOPLE = 18
HOUSE = f"""
seed = 3
frame_rate = 20
[rigs.people]
model = "mannequin"
[[levels]]
name = "low"
height = 0.0
area = [[-6, -6], [8, -6], [8, 6], [-6, 6]]
[[levels]]
name = "high"
height = 3.4
area = [[-6, -6], [8, -6], [8, 6], [-6, 6]]
[[stairs]]
name = "west stairs"
foot = {{ at = [-3.0, -3.0], level = "low" }}
to = "high"
heading_degrees = 90
[[stairs]]
name = "east stairs"
foot = {{ at = [3.0, -3.0], level = "low" }}
to = "high"
heading_degrees = 90
[[crowds]]
name = "people"
rig = "people"
count = {PEOPLE}
path = "baked"
layout = {{ kind = "grid", spacing = 0.8, center = [0, 4.2], columns = 6, level = "high" }}
[crowds.steering]
goal = {{ at = [0, -5], level = "low" }}
leave = true
"""

FROM_FILE = """
[rigs.people]
model = "mannequin"
[building]
file = "house.geojson"
coordinates = "metres"
[[crowds]]
rig = "people"
count = 4
path = "baked"
layout = { kind = "grid", spacing = 0.8, center = [15.2, 5.0], level = "1" }
steering = { goal = { at = [16.0, 5.0], level = "1" } }
"""


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    folder, found = tmp_path_factory.mktemp("report"), []
    (folder / "house.toml").write_text(HOUSE)
    options = ReportOptions(str(folder / "house.toml"), folder / "house.html", until="empty", player=False)
    with pytest.MonkeyPatch.context() as patch:
        page = report.report_page
        patch.setattr(report, "report_page", lambda study: found.append(study) or page(study))
        write_report(options)
    return found[0], (folder / "house.html").read_text()


def test_the_page_has_maps_of_each_storey(study):
    _, page = study
    for section in ("Paths", "Density", "Level of service", "Speed and flow", "Fundamental diagram"):
        assert all(f"<h2>{section}, floor {floor}</h2>" in page for floor in ("low", "high"))
    assert "<h2>Stairs and lifts</h2>" in page


def test_each_person_arrives_once_over_stairs_and_leaves_once(study):
    (run,) = study[0].runs
    assert {own.name for own in run.stairs} == {"west stairs", "east stairs"}
    assert sum(len(own.times) for own in run.stairs) == PEOPLE
    assert not any(own.to_right.any() for own in run.stairs)  # all people walk down
    for own, x in zip(run.stairs, (-3.0, 3.0), strict=True):
        np.testing.assert_allclose(np.mean(own.line, axis=0), [x, 2.51], atol=1e-9)  # 19 treads of 0.29 m
        assert own.length == pytest.approx(1.5)
    assert run.summary["departed"] == run.summary["people"] == PEOPLE
    assert all(own.summary["departed"] is None for own in run.floors)
    assert [own.floor for own in run.floors] == ["low", "high"]


def test_positions_lie_within_the_area_of_their_storey(study):
    for own in study[0].runs[0].floors:
        assert own.cells.outside == 0
        assert len(own.people.frames) > 100


@pytest.mark.exhaustive
@pytest.mark.parametrize("number", [0, 1])
def test_maps_of_a_storey_are_those_of_pedpy(study, number):
    people, found = (own := study[0].runs[0].floors[number]).people, own.maps
    area = pedpy.WalkableArea(max(shapely.get_parts(people.area), key=shapely.area))
    rows = np.isin(people.frames % EVERY, 0)
    table = {"id": people.people[rows], "frame": people.frames[rows]}
    table |= {"x": people.xy[rows, 0], "y": people.xy[rows, 1], "own": people.speeds[rows]}
    cells = pedpy.compute_individual_voronoi_polygons(
        traj_data=pedpy.TrajectoryData(pd.DataFrame(table).drop(columns="own"), RATE),
        walkable_area=area,
        cut_off=pedpy.Cutoff(radius=CUT_OFF, quad_segments=QUARTER),
    ).merge(pd.DataFrame(table)[["id", "frame", "own"]], on=["id", "frame"])

    def mean(values):
        """Return PedPy's mean over time of values, weighted by the covered part of each square."""
        profiles = pedpy.compute_speed_profile(
            data=cells.assign(speed=values),
            walkable_area=area,
            grid_size=found.density.side,
            speed_method=pedpy.SpeedMethod.VORONOI,
        )
        return np.nansum(profiles, axis=0)[::-1] / len(profiles)

    full = _is_full(found.density, people.area)
    assert full.sum() > 500
    np.testing.assert_allclose(found.density.values[full], mean(cells.density)[full], rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(found.flow.values[full], mean(cells.density * cells.own)[full], rtol=1e-6, atol=1e-9)
    seen = full & np.isfinite(found.speed.values)
    assert seen.sum() > 200
    speed = mean(cells.own)[seen] / mean(np.ones(len(cells)))[seen]
    np.testing.assert_allclose(found.speed.values[seen], speed, rtol=1e-6)


def _is_full(found, area):
    """Return which squares lie in the walkable area. PedPy divides by the whole square, also at walls."""
    rows, columns = found.values.shape
    y, x = np.mgrid[:rows, :columns] * found.side
    squares = shapely.box(found.west + x, found.south + y, found.west + x + found.side, found.south + y + found.side)
    return np.isclose(shapely.area(shapely.intersection(squares, area)), found.side**2)


def test_json_has_the_figures_of_each_storey(study, tmp_path):
    (run,) = study[0].runs
    figures = [report._figures(own) for own in (run, *run.floors)]
    assert [own.get("floor") for own in json.loads(json.dumps(figures))] == [None, "low", "high"]


@pytest.mark.exhaustive
@pytest.mark.filterwarnings("ignore::ecs_anim.support.errors.InputWarning")  # the file has parts without a kind
def test_levels_of_a_buildings_file_are_storeys(tmp_path):
    (tmp_path / "house.geojson").write_text(collection(osm_features()))
    (tmp_path / "house.toml").write_text(FROM_FILE)
    options = ReportOptions(
        str(tmp_path / "house.toml"), tmp_path / "x.html", seconds=2, player=False, json_path=tmp_path / "x.json"
    )
    write_report(options)
    whole, storey = json.loads((tmp_path / "x.json").read_text())
    assert whole["people"] == storey["people"] == 4
    assert storey["floor"] == "1"
    line = ((0.0, 0.0), (4.0, 0.0))
    lines = flow_lines({"door": LevelLine(line=line, level="1")}, read_scene(str(tmp_path / "house.toml")))
    assert lines["door"].storey == 1

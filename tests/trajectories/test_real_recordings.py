"""Recordings of people in ../shared/trajectories: files, roots, reports and walls against the figures of its README."""

import sqlite3

import numpy as np
import pytest

from ecs_anim.maths import homography
from ecs_anim.trajectories import ReadOptions, RootOptions, load, read_walls, recording, report, root_report, roots
from ecs_anim.trajectories.step_phase import SWAY
from ecs_anim.walls.build import walls_from_text
from tests.helpers import TRAJECTORIES
from tests.helpers.walls import compiled_clear, compiled_free
from tests.scenes.test_wall_scenes import picture_of, walls_of
from tests.trajectories.test_trajectory_files import message
from tests.walls.test_plans import area_of

if not TRAJECTORIES.is_dir():
    pytest.skip(f"{TRAJECTORIES}, what people recorded, is not here", allow_module_level=True)

FREE = {"uo-050-180-180.txt": ReadOptions("cm", 16), "corner_traj.txt": ReadOptions("m")}
HOTEL = 'file = "{}", homography = "{}", pixel_order = "row_column"'


@pytest.mark.parametrize(
    ("name", "options", "people", "rate", "interval", "walls"),
    [
        ("jupedsim_v2.sqlite", {}, 30, 25, 0.04, 1),
        ("bottleneck_040_c_56_h-.txt", {}, 75, 25, 0.04, 0),
        ("uo-050-180-180.txt", {"unit": "cm", "rate": 16}, 61, 16, 0.0625, 0),
        ("corner_traj.txt", {"unit": "m"}, 137, 16, 0.0625, 0),
        ("single_file_00_01a.h5", {}, 46, 25, 0.04, 1),
        ("pathfinder.csv", {}, 150, 1, 1.0, 0),
        ("seq_hotel_obsmat.txt", {}, 390, 25, 0.4, 0),
        ("trajnetpp_biwi_hotel.txt", {}, 145, 25, 0.4, 0),
    ],
)
def test_recorded_files_are_what_they_are_known_to_be(name, options, people, rate, interval, walls):
    opened = recording(TRAJECTORIES / name, ReadOptions(**options))
    own = opened.whole()
    assert (len(own.ids), opened.scale.rate, len(own.walls)) == (people, rate, walls)
    steps = np.diff(own.times)[np.diff(own.people) == 0]
    assert np.median(steps) == pytest.approx(interval)
    speeds = np.sqrt(np.sum(np.diff(own.xy, axis=0)[np.diff(own.people) == 0] ** 2, axis=-1)) / steps
    assert speeds.max() < 7
    if name.startswith("bottleneck"):
        assert np.mean(speeds < 0.3) == pytest.approx(0.82, abs=0.005)


def test_what_recorded_files_do_not_say_is_asked_for():
    assert message(TRAJECTORIES / "uo-050-180-180.txt").endswith(
        "Set unit = 'cm' and rate = 15 (on the command line: --unit cm --sample-rate 15)."
    )
    assert message(TRAJECTORIES / "corner_traj.txt").endswith("metres. Set unit = 'm' (on the command line: --unit m).")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("corner_geo.xml", "a plan of JuPedSim as XML, not a file of trajectories"),
        ("seq_hotel_map.png", "a PNG picture, not a file of trajectories"),
        ("seq_hotel_H.txt", "a table of 3 columns without names is not a known format"),
        ("README.md", "text of an unknown type, not a file of trajectories"),
    ],
)
def test_what_holds_no_trajectories_is_told(name, text):
    assert text in message(TRAJECTORIES / name)


def test_walls_beside_a_recording():
    walls = read_walls(TRAJECTORIES / "corner_geo.xml")
    assert walls.wkt == "MULTILINESTRING ((-3 5, 0 5, 0 0, 5 0, 5 -3, -3 -3, -3 5))"


def test_recorded_people_before_a_door_are_slow():
    """82 % of samples are slower than 0.3 m/s (../shared/trajectories/README.md)."""
    found = report(recording(TRAJECTORIES / "bottleneck_040_c_56_h-.txt"))
    assert found.slow_share == pytest.approx(0.82, abs=0.005)
    assert (found.people, found.gap_count, found.jump_count) == (75, 0, 0)


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("name", "stride_rate", "sway"), [("uo-050-180-180.txt", 0.96, 36), ("corner_traj.txt", 0.88, 34)]
)
def test_recorded_people_sway_as_was_measured(name, stride_rate, sway):
    """Figures of MOVEMENT.md, at 1.36 and at 1.0 m/s; people that turn a corner walk at 1.1."""
    report = root_report(roots(load(TRAJECTORIES / name, FREE[name])))
    assert report.shown_by_sway > 0.85
    assert report.stride_rate == pytest.approx(stride_rate, abs=0.03)
    assert 1000 * report.sway == pytest.approx(sway, abs=5)
    assert report.head_distance < 0.035
    assert report.speed_difference < 0.03


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("name", "options"), [*FREE.items(), ("jupedsim_v2.sqlite", ReadOptions()), ("pathfinder.csv", ReadOptions())]
)
def test_recorded_bodies_turn_as_people_do(name, options):
    """95 % of the time slower than 60 degrees a second."""
    own = roots(load(TRAJECTORIES / name, options), RootOptions(cutoff=0.6 if name in FREE else None))
    times, turned = np.diff(own.times), np.abs(np.diff(own.heading))
    inside = times > 0
    rates = np.repeat(turned[inside] / times[inside], np.rint(times[inside] * 25).astype(int))
    assert np.degrees(np.percentile(rates, 95)) < 60


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", FREE)
def test_recorded_speeds_agree_with_the_steps_that_sway_shows(name):
    """Two signs that share nothing: heads are furthest ahead of their path at one part of each step."""
    heads = load(TRAJECTORIES / name, FREE[name])
    own = roots(heads)
    ahead = np.stack([np.cos(own.heading), np.sin(own.heading)], axis=-1)
    along = np.sum((own.cut.xy - own.xy) * ahead, axis=-1)
    shown = own.evidence == SWAY
    parts = np.bincount((8 * (2 * own.phase[shown] % 1)).astype(int), along[shown])
    best, worst = int(np.argmax(parts)), int(np.argmin(parts))
    assert best in (6, 7)  # the last quarter of a step before mid-stance
    assert abs(best - worst) in (3, 4, 5)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", FREE)
def test_bodies_of_recorded_people_turn_as_bodies_do(name):
    """Raw differences of heads turn by up to 1,240 degrees a second, 95 %; smoothed 10 to 30, at a corner 40."""
    own = roots(load(TRAJECTORIES / name, FREE[name]))
    same = np.diff(own.times) > 0
    turning = np.degrees(np.abs(np.diff(own.heading)))[same] / np.diff(own.times)[same]
    assert np.percentile(turning, 95) < 40


def test_the_corner_that_people_were_recorded_in():
    walls = walls_from_text((TRAJECTORIES / "corner_geo.xml").read_text())
    assert area_of(walls.walkable) == pytest.approx(8 * 8 - 5 * 5)
    assert len(walls.arrays.segments) == 6


def test_people_of_a_jupedsim_simulation_are_in_its_walkable_area():
    path = TRAJECTORIES / "jupedsim_v2.sqlite"
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as data:
        ((wkt,),) = data.execute("select wkt from geometry")
        rows = np.array(
            data.execute("select id, frame, pos_x, pos_y from trajectory_data order by id, frame").fetchall()
        )
    walls = walls_from_text(wkt)
    people = rows[:, 2:].astype(np.float32)
    assert len(people) > 1000
    assert compiled_free(walls, people).all()
    same = rows[1:, 0] == rows[:-1, 0]
    steps = compiled_clear(walls, people[:-1][same].copy(), people[1:][same].copy())
    assert steps.all(), "nobody walks through a wall"


def test_people_at_the_hotel_walk_where_its_map_is_free(tmp_path):
    keys = HOTEL.format((TRAJECTORIES / "seq_hotel_map.png"), (TRAJECTORIES / "seq_hotel_H.txt"))
    rows = np.loadtxt(TRAJECTORIES / "seq_hotel_obsmat.txt")
    people = np.ascontiguousarray(rows[:, [2, 4]], np.float32)
    walls = walls_of(f'picture = {{ {keys}, walls = "light" }}', tmp_path)
    assert len(walls.solids) == 4
    assert compiled_free(walls, people).mean() > 0.998
    assert compiled_free(walls, people * np.float32([-1, 1])).mean() < 0.95, "mirrored they walk through them"
    picture = picture_of(keys, tmp_path)
    world = np.stack([people[:, 0], -people[:, 1]], axis=-1)
    uv = homography.applied(picture.from_world, world)
    assert ((uv >= 0) & (uv <= 1)).all(axis=1).mean() > 0.99
    height, width = picture.texture.pixels.shape[:2]
    column, row = (np.clip(uv, 0, 0.999) * [width, height]).astype(int).T
    assert (picture.texture.pixels[row, column, 0] > 128).mean() < 0.005

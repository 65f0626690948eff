"""Rates, units and origins of recordings: what speeds suggest, and what is shifted."""

import numpy as np
import pytest

from ecs_anim.support.errors import InputError
from ecs_anim.trajectories import ReadOptions, load, recording
from ecs_anim.trajectories.reader import nearby_origin
from tests.trajectories.test_trajectory_files import message


def write(path, names, row, samples=60, people=4):
    rows = [row(person, k) for person in range(people) for k in range(samples)]
    path.write_text("\n".join([names, *(",".join(map(str, own)) for own in rows)]), "utf-8")


@pytest.mark.parametrize("rate", [5, 12.5, 29.97])
@pytest.mark.parametrize("names", ["vx,vy", "xVelocity,yVelocity", "speed"])
def test_speeds_of_the_file_suggest_its_rate(tmp_path, rate, names):
    """People go 0.7 m/s, half as fast as a stroll."""

    def row(person, k):
        east, north = 0.7 * np.cos(person), 0.7 * np.sin(person)
        speeds = (0.7,) if names == "speed" else (east, north)
        return person, k, east * k / rate, north * k / rate + 9 * person, *speeds

    write(tmp_path / "x", f"id,frame,x_m,y_m,{names}", row)
    text = message(tmp_path / "x")
    assert (
        f"about {rate:g} frames per second, which fits the speeds in the file. "
        f"Set rate = {rate:g} (on the command line: --sample-rate {rate:g})" in text
    )
    assert load(tmp_path / "x", ReadOptions(rate=rate)).xy[1, 0] == 0.7 / rate  # velocities are no positions


def test_speeds_that_contradict_positions_suggest_nothing(tmp_path):
    rng = np.random.default_rng(0)
    write(tmp_path / "x", "id,frame,x_m,y_m,speed", lambda p, k: (p, k, 0.13 * k, p, rng.uniform(0, 3)))
    assert "about 10 frames per second. Set" in message(tmp_path / "x")


@pytest.mark.parametrize(("name", "unit"), [("seconds", 1.0), ("milliseconds", 1e3), ("nanoseconds", 1e9)])
def test_timestamps_have_the_unit_in_which_people_walk(tmp_path, name, unit):
    write(tmp_path / "x", "id,timestamp,x_m,y_m", lambda p, k: (p, round(k * unit / 10), 0.12 * k, p))
    if name == "seconds":
        write(tmp_path / "x", "id,timestamp,x_m,y_m", lambda p, k: (p, k / 10, 0.12 * k, p))
    opened = recording(tmp_path / "x")
    assert opened.scale.rate == unit
    assert opened.notes[-1] == f"times are in {name}, because people then walk at 1.2 m/s"
    np.testing.assert_allclose(opened.whole().times[:3], [0, 0.1, 0.2])


def test_timestamps_of_people_who_stand_are_asked_about(tmp_path):
    write(tmp_path / "x", "id,timestamp,x_m,y_m", lambda p, k: (p, k, 0.0, p))
    assert "the file does not state its unit of time" in message(tmp_path / "x")


def test_a_unit_may_be_a_multiple(tmp_path):
    write(tmp_path / "x", "id,frame,x,y", lambda p, k: (p, k, 4.0 * k, 10 * p))
    own = load(tmp_path / "x", ReadOptions("0.025 m", 10))
    np.testing.assert_allclose(own.xy[:3, 0], [0, 0.1, 0.2])
    np.testing.assert_allclose(load(tmp_path / "x", ReadOptions("2.5cm", 10)).xy, own.xy)
    for unit in ("0 m", "-1 m", "1e9m", "2 miles", "m 2"):
        with pytest.raises(InputError, match="or a multiple such as '0.02 m'"):
            ReadOptions(unit)


# Coordinates of a country


@pytest.fixture
def utm(tmp_path):
    write(tmp_path / "x.csv", "id,time_s,x_m,y_m", lambda p, k: (p, k / 10, 356712.5 + 0.125 * k, 5620034.0 + p))
    return tmp_path / "x.csv"


def test_an_origin_shifts_positions(utm):
    own = load(utm, ReadOptions(origin=(356700, 5620000)))
    np.testing.assert_array_equal(own.xy[:2], [[12.5, 34], [12.625, 34]])
    low, high = recording(utm, ReadOptions(origin=(356700, 5620000))).bounds
    np.testing.assert_allclose([*low, *high], [12.5, 34, 12.5 + 0.125 * 59, 37])
    axes = load(utm, ReadOptions(axes="y -x", origin=(5620000, -356700)))
    np.testing.assert_array_equal(axes.xy[0], [34, -12.5])


def test_an_origin_is_suggested(utm):
    (note,) = recording(utm).notes
    assert (
        note
        == "the positions are too far from 0, 0 for drawing. Set origin = [356700, 5620000] (--origin 356700,5620000)"
    )
    assert recording(utm, ReadOptions(origin=nearby_origin(recording(utm).bounds[0]))).notes == ()


@pytest.mark.parametrize("origin", [(float("nan"), 0.0), (1e12, 0.0), (1.0,)])
def test_an_origin_that_cannot_be_is_told(origin):
    with pytest.raises(InputError, match=r"the origin must be two coordinates of at most 1e\+09 m, east and north"):
        ReadOptions(origin=origin)


@pytest.mark.parametrize(
    ("names", "point", "zone"),
    [
        ("lat,lon", (50.9, 6.36), 32632),
        ("Latitude,Longitude", (-33.9, 151.2), 32756),
        ("lat_deg,lng_deg", (40.7, -74.0), 32618),
    ],
)
def test_degrees_are_told_with_the_way_to_metres(tmp_path, names, point, zone):
    """EPSG codes of UTM zones: 326 or 327 for north or south, then the zone."""
    write(tmp_path / "x", f"id,time_s,{names}", lambda p, k: (p, k / 10, point[0] + k / 1e6, point[1]))
    text = message(tmp_path / "x")
    assert "positions must be in metres (got latitudes and longitudes in degrees). Project the positions" in text
    assert f"from_crs(4326, {zone}, always_xy=True)" in text

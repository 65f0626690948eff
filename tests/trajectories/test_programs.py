"""Recordings as programs and data sets write them: SUMO, Viswalk, MOTChallenge, inD, and headings as one angle."""

import numpy as np
import pytest

from ecs_anim.support.errors import InputError
from ecs_anim.trajectories import ReadOptions, load, recording
from ecs_anim.trajectories.angles import direction
from tests.trajectories.test_trajectory_files import message

STEP = '<timestep time="{}">{}</timestep>\n'
PERSON = '<person id="{}" x="{}" y="{}" angle="{}"/>'


def sumo(path, steps, head="", root="fcd-export"):
    path.write_text(f'<?xml version="1.0" encoding="UTF-8"?>\n{head}<{root}>\n{"".join(steps)}</{root}>\n')


# SUMO


@pytest.mark.parametrize(("angle", "east", "north"), [(0, 0, 1), (90, 1, 0), (180, 0, -1), (270, -1, 0)])
def test_angles_of_sumo_count_clockwise_from_north(tmp_path, angle, east, north):
    sumo(tmp_path / "x", [STEP.format(k, PERSON.format("a", k, 0, angle)) for k in range(3)])
    np.testing.assert_allclose(load(tmp_path / "x").heading_vectors, 3 * [[east, north]], atol=1e-12)


def test_more_persons_of_sumo_than_are_read_at_once_and_any_time_of_them(tmp_path, monkeypatch):
    monkeypatch.setattr("ecs_anim.trajectories.sumo.AT_ONCE", 10)
    monkeypatch.setattr("ecs_anim.trajectories.sumo.SLAB", 100)
    steps = [STEP.format(f"0:00:{k:02}", "".join(PERSON.format(i, k, i, 0) for i in range(k % 7))) for k in range(60)]
    sumo(tmp_path / "x", steps)
    opened = recording(tmp_path / "x")
    wanted = {(k, i) for k in range(60) for i in range(k % 7)}
    assert set(zip(opened.whole().times, opened.whole().xy[:, 1], strict=True)) == wanted
    for start in range(0, 60, 7):
        own = opened.between(start, start + 3)
        assert set(zip(own.times, own.xy[:, 1], strict=True)) == {row for row in wanted if start <= row[0] < start + 3}


@pytest.mark.parametrize(
    ("steps", "head", "text"),
    [
        ([STEP.format(0, PERSON.format("a", "far", 0, 0))], "", "line 3: x must be a number (got 'far')"),
        ([STEP.format("soon", PERSON.format("a", 0, 0, 0))], "", "line 3: time must be a number (got 'soon')"),
        ([STEP.format(0, PERSON.format("", 0, 0, 0))], "", "line 3: a person must have an id"),
        (
            [STEP.format(0, PERSON.format("a", "inf", 0, 0))],
            "",
            "line 3: person a, time 0: x must be a finite number",
        ),
        ([STEP.format(0, '<vehicle id="v" x="0" y="0"/>')], "", "the file must contain persons (got only vehicles)"),
        ([], "", "a file of trajectories must contain rows"),
        (["<timestep time='0'><person"], "", "must be XML"),
        ([STEP.format(0, 9 * "<a>" + 9 * "</a>")], "", "elements must be nested at most 8 levels deep"),
        ([STEP.format(0, f'<person id="{"a" * 2_000_000}"/>')], "", "a tag must not be longer than"),
        (
            [STEP.format(0, "&lol;")],
            '<!DOCTYPE a [<!ENTITY lol "ha">]>\n',
            "an XML file of trajectories must not declare document types or entities",
        ),
        ([STEP.format(0, PERSON.format("a", 6.3, 50.9, 0))], '<!-- <fcd-output.geo value="true"/> -->\n', "in degrees"),
    ],
)
def test_faults_of_sumo_are_told(tmp_path, steps, head, text):
    sumo(tmp_path / "x", steps, head)
    assert text in message(tmp_path / "x")


# Others


def test_a_viswalk_file_with_decimal_commas(tmp_path):
    rows = [f"{k / 10:.1f};1;{k / 8:.3f};-2,5".replace(".", ",") for k in range(9)]
    (tmp_path / "x").write_text("\n".join(["$VISION", "* a", "$PEDESTRIAN:SIMSEC;NO;COORDCENTX;COORDCENTY", *rows]))
    own = load(tmp_path / "x")
    np.testing.assert_array_equal(own.xy, [[k / 8, -2.5] for k in range(9)])
    np.testing.assert_allclose(own.times, np.arange(9) / 10)


def mot(path, world):
    rows = [f"{k + 1},{i},{4.8 * k + 100 * i},300,30,80,1,{world(k, i)}" for k in range(30) for i in (1, 2)]
    path.write_text("\n".join(rows))


def test_boxes_in_pictures_are_asked_about_with_the_size_of_a_pixel(tmp_path):
    """People of 1.7 m are 80 pixels tall, and stroll."""
    mot(tmp_path / "x", lambda k, i: "-1,-1,-1")
    text = message(tmp_path / "x")
    assert "positions are pixels of a picture, and the file does not state its unit" in text
    assert (
        "Project the positions onto the ground, or set unit = '0.0212 m' and rate = 12.5 (on the command line: "
        "--unit '0.0212 m' --sample-rate 12.5)" in text
    )
    own = load(tmp_path / "x", ReadOptions("0.02 m", 10))
    np.testing.assert_allclose(own.xy[:2], [[0.02 * (100 + 15), -0.02 * 380], [0.02 * (104.8 + 15), -0.02 * 380]])


def test_boxes_with_positions_on_the_ground(tmp_path):
    mot(tmp_path / "x", lambda k, i: f"{k / 8},{i},0")
    np.testing.assert_array_equal(load(tmp_path / "x", ReadOptions(rate=10)).xy[:3], [[0, 1], [0.125, 1], [0.25, 1]])


@pytest.mark.parametrize(("velocity", "rate"), [(1.25, 25.0), (0.5, 10.0)])
def test_ind_has_the_rate_of_its_velocities_or_its_definition(tmp_path, velocity, rate):
    names = "recordingId,trackId,frame,trackLifetime,xCenter,yCenter,heading,xVelocity,yVelocity"
    rows = [f"0,{i},{k},{k},{k * 0.05},{i},0,{velocity},0" for k in range(40) for i in range(3)]
    (tmp_path / "x").write_text("\n".join([names, *rows]))
    assert recording(tmp_path / "x").scale.rate == rate
    rows = [row.removesuffix(f",{velocity},0") for row in rows]
    (tmp_path / "y").write_text("\n".join([names.removesuffix(",xVelocity,yVelocity"), *rows]))
    assert recording(tmp_path / "y").scale.rate == 25.0


@pytest.mark.parametrize("name", ["heading", "yaw [deg]", "Angle"])
@pytest.mark.parametrize(
    ("angle", "words"),
    [
        (lambda way: np.degrees(way), "degrees counter-clockwise from east"),
        (lambda way: 90 - np.degrees(way), "degrees clockwise from north"),
        (lambda way: way, "radians counter-clockwise from east"),
        (lambda way: np.pi / 2 - way, "radians clockwise from north"),
    ],
)
def test_angles_are_counted_as_people_go(tmp_path, name, angle, words):
    ways = np.radians([10, 80, 200, 300])
    rows = [
        f"{i},{k / 10},{0.12 * k * np.cos(way)},{0.12 * k * np.sin(way)},{angle(way)}"
        for i, way in enumerate(ways)
        for k in range(20)
    ]
    (tmp_path / "x").write_text("\n".join([f"id,time_s,x_m,y_m,{name}", *rows]))
    opened = recording(tmp_path / "x")
    assert f"headings are in {words}" in opened.notes
    wanted = np.stack([np.cos(ways), np.sin(ways)], axis=-1)
    np.testing.assert_allclose(opened.whole().heading_vectors, np.repeat(wanted, 20, axis=0), atol=1e-9)


def test_angles_that_say_nothing_are_left_out(tmp_path):
    rng = np.random.default_rng(1)
    rows = [f"{i},{k / 10},{0.1 * k},{i},{rng.uniform(0, 360)}" for i in range(3) for k in range(20)]
    (tmp_path / "x").write_text("\n".join(["id,time_s,x_m,y_m,heading", *rows]))
    opened = recording(tmp_path / "x")
    assert opened.whole().heading_vectors is None
    assert any(note.startswith("the headings in the file are ignored") for note in opened.notes)


def test_an_angle_that_is_missing_is_no_direction():
    assert direction(np.array([np.nan, np.inf, -1e300]), "north").tolist() == 3 * [[0, 0]]


def test_wide_tables_of_pneuma_are_told(tmp_path):
    names = "track_id; type; traveled_d; avg_speed; lat; lon; speed; lon_acc; lat_acc; time"
    (tmp_path / "x").write_text(
        f"{names}\n1; Car; 48.8; 9.7; 37.9; 23.7; 4.9; 0; 0; 0.0; 37.9; 23.7; 4.9; 0; 0; 0.04\n"
    )
    with pytest.raises(InputError, match="a pNEUMA table"):
        recording(tmp_path / "x")

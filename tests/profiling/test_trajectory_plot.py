"""Plots of trajectories and of reports: what the lines say, by numbers that were put in, and the files."""

from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image

from ecs_anim.profiling.validation.trajectory_plot import draw_trajectories, moments
from ecs_anim.profiling.validation.walking_plot import draw_walking
from ecs_anim.trajectories import recording
from tests.helpers import EXHAUSTIVE
from tests.test_cli import assert_one_line, ecs_anim

SPEEDS, COMES = (1.2, 0.5, 0.9), (0.0, 2.0, 30.0)  # [m/s], [s]; each is there for 10 s, on lines 0.8 m apart


@pytest.fixture
def file(tmp_path):
    rows = ["id,time_s,x_m,y_m"]
    for person, (speed, comes) in enumerate(zip(SPEEDS, COMES, strict=True)):
        rows += [f"{person},{comes + k / 5:.1f},{speed * k / 5:.3f},{0.8 * person:.3f}" for k in range(51)]
    path = tmp_path / "people.csv"
    path.write_text("\n".join(rows) + "\n", "utf-8")
    return path


def test_moments_are_who_is_there_how_fast_and_how_near(file):
    seen = moments(recording(file).whole())
    for person, (speed, comes) in enumerate(zip(SPEEDS, COMES, strict=True)):
        own = np.isclose(seen.speed, speed)
        assert own.sum() == 21, person  # each half second
        assert seen.times[seen.at[own]].min() == comes
        assert seen.times[seen.at[own]].max() == comes + 10
    assert np.isinf(seen.nearest[seen.times[seen.at] >= 30]).all()
    both = (seen.times[seen.at] >= 2) & (seen.times[seen.at] <= 10)
    late = seen.times[seen.at[both]]
    np.testing.assert_allclose(seen.nearest[both], np.hypot(1.2 * late - 0.5 * (late - 2), 0.8), rtol=1e-6)


def test_lines_of_a_file_are_its_paths_its_people_and_their_speeds(file):
    people, present, speeds, _ = draw_trajectories(recording(file)).axes
    (ways, *_), (count,), (speed,) = people.collections, present.lines, speeds.lines
    assert [len(way) for way in ways.get_segments()] == [51, 51, 51]
    np.testing.assert_array_equal(count.get_ydata(), [1, 2, 1, 0, 1, 0])
    np.testing.assert_array_equal(count.get_xdata(), [0, 2, 10, 12, 30, 40])
    at = dict(zip(speed.get_xdata(), speed.get_ydata(), strict=True))
    assert at[1.0] == pytest.approx(1.2)
    assert at[5.0] == pytest.approx((1.2 + 0.5) / 2)
    assert np.isnan(at[20.0])  # no person is there
    assert at[35.0] == pytest.approx(0.9)


WAY = {
    "classes": [
        {"from": 0.0, "to": 0.8, "slide_mm_p95": 400.0, "steps": 9},
        {"from": 0.8, "to": None, "slide_mm_p95": None, "steps": 0},
    ],
    "root_error_m_p95": 0.02,
    "cadence_hz": [[0.5, 1.1], [1.2, 1.8]],
    "step_length_m": [[0.5, 0.45], [1.2, 0.66]],
}


def test_the_report_is_drawn_beside_the_walk_ratio():
    """v = 0.39 f^2 (Sekiya and others 1996): 2 steps of 0.78 m a second at 1.56 m/s."""
    figure = draw_walking({"raw": WAY, "grounded": WAY}, "people")
    slides, roots, cadence, lengths = figure.axes
    assert [bar.get_height() for bar in slides.patches] == [400.0, 400.0]
    assert [bar.get_height() for bar in roots.patches] == [0.02, 0.02]
    for axes, expected, key in ((cadence, 2.0, "cadence_hz"), (lengths, 0.78, "step_length_m")):
        ratio, *ways = axes.lines
        squared = np.interp(0.78, ratio.get_xdata(), ratio.get_ydata()) ** 2  # half the speed
        assert squared == pytest.approx(expected**2 / 2, rel=0.01)
        for way in ways:
            np.testing.assert_array_equal(way.get_xydata(), WAY[key])


@EXHAUSTIVE
def test_files_are_written_and_mistakes_are_one_line(file, tmp_path):
    done = ecs_anim("inspect", "people.csv", "--plot", "p.svg", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert ElementTree.parse(tmp_path / "p.svg").getroot().tag.endswith("svg")
    command = "walk people.csv --report --seconds 3 --json figures.json --plot r.png"
    done = ecs_anim(*command.split(), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert Image.open(tmp_path / "r.png").size[0] > 1000
    for command in ("inspect people.csv --plot x.bmp", "walk people.csv --report --plot x.bmp"):
        assert_one_line(ecs_anim(*command.split(), cwd=tmp_path), "a plot cannot be a '.bmp' file")
    assert_one_line(ecs_anim("walk", "people.csv", "--plot", "x.png", cwd=tmp_path), "--plot needs figures")
    assert not (tmp_path / "x.bmp").exists()

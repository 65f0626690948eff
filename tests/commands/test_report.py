"""`ecs-anim report`: the page, its figures, and its errors."""

import base64
import html
import json
import re
import time
from html.parser import HTMLParser

import numpy as np
import pytest

from ecs_anim import open_share
from ecs_anim.analysis.samples import samples_of
from ecs_anim.trajectories import recording
from tests.helpers.browser import CHROMIUM, Browser
from tests.helpers.hall import hall
from tests.test_cli import assert_one_line, ecs_anim

SCENE = """
title = "<script>alert(1)</script>"
[rigs.people]
model = "mannequin"
[[crowds]]
rig = "people"
count = 6
layout = { kind = "grid", columns = 3, spacing = 2.0 }
"""
TAKES_NOTHING = {"link", "script", "img", "iframe", "object", "embed"}


@pytest.fixture
def people(tmp_path):
    """Two people walk east for 10 s, at 1.2 m/s and at 0.5 m/s. A third person walks for 4 s only."""
    rows = ["id,time_s,x_m,y_m"]
    for person, speed, count in ((4, 1.2, 51), (9, 0.5, 51), (11, 1.0, 21)):
        rows += [f"{person},{k / 5:.1f},{speed * k / 5:.3f},{person / 3:.3f}" for k in range(count)]
    path = tmp_path / "people.csv"
    path.write_text("\n".join(rows) + "\n", "utf-8")
    return path


class Page(HTMLParser):
    """The tags and the addresses of a page."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.addresses = set(), []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.addresses += [value for name, value in attrs if name in ("src", "href", "xlink:href")]


def tables(page):
    """Return the CSV files of a page by name."""
    found = re.findall(r'download="([^"]+)" href="data:text/csv;base64,([^"]+)"', page)
    return {name: base64.b64decode(data).decode().splitlines() for name, data in found}


@pytest.mark.exhaustive
def test_a_report_on_a_recording_has_its_figures_and_loads_nothing(people, tmp_path):
    out = tmp_path / "people.html"
    options = ("--line", "gate=3,0:3,9", "--json", "-", "--no-player")
    done = ecs_anim("report", people, "--out", out, *options)
    assert done.returncode == 0, done.stderr
    (run,) = json.loads(done.stdout)
    assert (run["people"], run["departed"], run["last_egress_seconds"]) == (3, 1, None)
    assert run["mean_egress_seconds"] == pytest.approx(4.0)
    samples = {1.2: 101, 0.5: 101, 1.0: 41}  # ten per second, with both ends
    mean = sum(speed * count for speed, count in samples.items()) / sum(samples.values())
    assert run["mean_speed_m_s"] == pytest.approx(mean, abs=1e-3)
    page = out.read_text("utf-8")
    found = Page(page)
    assert not found.tags & TAKES_NOTHING
    assert all(address.startswith(("#", "data:")) for address in found.addresses)
    csv = tables(page)
    # the crossings are at 2.5 s, 6 s and 3 s, so two of three intervals take 3.5 s
    assert csv["flow.csv"][1] == f"recording,gate,3,0,{2 / 3.5:.4f},{2 / 3.5 / 9:.4f}"
    assert csv["egress.csv"] == ["run,person,egress time [s]", "recording,11,4.0"]
    assert page.count("<svg") == 10


@pytest.mark.exhaustive
def test_a_report_contains_a_player_with_the_people(people, tmp_path):
    out, page = tmp_path / "people.html", tmp_path / "player.html"
    assert ecs_anim("report", people, "--out", out).returncode == 0
    text = out.read_text("utf-8")
    (frame,) = re.findall(r'<iframe[^>]* srcdoc="([^"]*)"></iframe>', text)
    sandbox = re.findall(r'<iframe[^>]* sandbox="([^"]*)"', text)
    assert sandbox == ["allow-scripts allow-downloads"]
    page.write_text(html.unescape(frame), "utf-8")
    (crowd,) = open_share(page).crowds
    moment = crowd.at(3.0)
    # the people walk 1.2, 0.5 and 1 m/s; the fixture gives y in thirds of the id
    expected = [(3.6, 4 / 3), (1.5, 9 / 3), (3.0, 11 / 3)]
    np.testing.assert_allclose(moment.positions[:, [0, 2]] * (1, -1), expected, atol=0.02)
    assert "The player shows the first 10 s of the first run" in text
    small = ecs_anim("report", people, "--player-megabytes", "0.01", "--out", out)
    assert "larger than the limit of 0.01 MB" in small.stderr
    assert "<iframe" not in out.read_text("utf-8")


@pytest.mark.exhaustive
@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
def test_the_player_of_a_report_draws_and_the_page_sends_no_message(people, tmp_path):
    out = tmp_path / "people.html"
    assert ecs_anim("report", people, "--out", out).returncode == 0
    with Browser((400, 900), is_touch=True) as browser:
        browser.visit(out.as_uri())
        browser.evaluate("document.querySelector('iframe').scrollIntoView()")
        assert browser.evaluate("document.documentElement.scrollWidth") == 400
        end = time.monotonic() + 60
        while (colors := len(np.unique(browser.picture()[:400].reshape(-1, 3), axis=0))) < 300:
            assert time.monotonic() < end, colors
            time.sleep(0.5)
        assert browser.messages == []


@pytest.mark.exhaustive
def test_a_report_compares_the_speeds_with_recorded_people(tmp_path):
    """People walk 0.5 m/s. Recorded people are faster at 2 people per square metre, but not at 2.5."""
    path, out = tmp_path / "people.csv", tmp_path / "people.html"
    starts = np.random.default_rng(1).uniform(0, 8, (60, 2))
    rows = [f"{k},{t / 5:.1f},{x + 0.1 * t:.3f},{y:.3f}" for k, (x, y) in enumerate(starts) for t in range(31)]
    path.write_text("\n".join(["id,time_s,x_m,y_m", *rows]) + "\n", "utf-8")
    assert ecs_anim("report", path, "--no-player", "--out", out).returncode == 0
    lines = [line.split(",") for line in tables(out.read_text("utf-8"))["validation.csv"][1:]]
    found = {name: values for _, name, *values in lines}
    for density, limits in (("2", ["0.62", "1.22", "no"]), ("2.5", ["0.02", "1.26", "yes"])):
        value, *rest, count = found[f"median speed at {density} people per square metre [m/s]"]
        assert (float(value), rest) == (pytest.approx(0.5, abs=1e-3), limits)
        assert int(count) >= 50


@pytest.mark.exhaustive
def test_a_report_has_a_run_for_each_floor(tmp_path):
    """Two people on each of two floors, above each other: no person is near a person on the other floor."""
    rows = ["id,time_s,x_m,y_m,z_m"]
    rows += [f"{p},{k / 10},{k / 10},{8 * (p % 2)},{3.5 * (p // 2)}" for k in range(50) for p in range(4)]
    (tmp_path / "people.csv").write_text("\n".join(rows), "utf-8")
    done = ecs_anim("report", "people.csv", "--out", "page.html", "--json", "figures.json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    figures = json.loads((tmp_path / "figures.json").read_text("utf-8"))
    assert [(own["floor"], own["people"]) for own in figures] == [("0.0", 2), ("3.5", 2)]
    assert figures[0]["median_density_per_m2"] == figures[1]["median_density_per_m2"] < 0.6
    page = (tmp_path / "page.html").read_text("utf-8")
    assert all(f"<h2>Density, floor {floor}</h2>" in page for floor in ("0.0", "3.5"))


@pytest.mark.exhaustive
def test_two_reports_on_equal_data_are_equal(people, tmp_path):
    pages = []
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        ecs_anim("report", people, "--no-player", "--out", tmp_path / name / "x.html")
        pages.append((tmp_path / name / "x.html").read_text("utf-8").replace(str(tmp_path / name), ""))
    assert pages[0] == pages[1]


@pytest.mark.exhaustive
def test_a_report_on_a_scene_has_one_run_for_each_seed_and_shows_titles_as_text(tmp_path):
    scene, out = tmp_path / "scene.toml", tmp_path / "scene.html"
    scene.write_text(SCENE, "utf-8")
    done = ecs_anim("report", scene, "--seconds", "2", "--seeds", "3:5", "--out", out, "--json", "-", "--no-player")
    assert done.returncode == 0, done.stderr
    assert [(run["seed"], run["people"]) for run in json.loads(done.stdout)] == [(3, 6), (4, 6)]
    page = out.read_text("utf-8")
    assert "<h1>&lt;script&gt;alert(1)&lt;/script&gt;</h1>" in page
    assert "script" not in Page(page).tags


def test_a_recording_ends_with_its_last_person(people):
    whole = samples_of(recording(people))
    assert whole.departed.tolist() == [False, False, True]  # two people are present in the last row
    people.write_text(
        "".join(line for line in people.read_text().splitlines(True) if not line.startswith("9,")), "utf-8"
    )
    assert samples_of(recording(people)).departed.tolist() == [True, True]
    assert samples_of(recording(people), end=10.0).departed.tolist() == [False, True]


def test_positions_within_long_gaps_are_not_known(tmp_path):
    path = tmp_path / "gap.csv"
    path.write_text("id,time_s,x_m,y_m\n" + "".join(f"1,{t},{t},0\n" for t in (0, 0.5, 1, 4, 4.5)), "utf-8")
    found = samples_of(recording(path))
    assert found.frames.tolist() == [*range(11), *range(40, 46)]
    assert found.xy[:, 0] == pytest.approx(found.frames / 10)


@pytest.mark.parametrize(
    ("options", "line"),
    [
        (("--out", "x.pdf"), "a report is an .html file"),
        (("--out", "x.html", "--line", "door=1,1:1,1"), "two different plan points"),
        (
            ("--out", "x.html", "--line", "a=0,0:1,1", "--line", "a=0,0:2,1"),
            "each line must have a different name (got 'a' twice)",
        ),
        (("--out", "x.html", "--seeds", "1:3"), "--seeds applies to scenes only"),
        (("--out", "x.html", "--walls", "missing.wkt"), "missing.wkt"),
    ],
)
def test_a_wrong_option_is_one_line_and_writes_nothing(people, tmp_path, options, line):
    done = ecs_anim("report", people, *options, cwd=tmp_path)
    assert_one_line(done, line)
    assert not (tmp_path / "x.html").exists()


@pytest.mark.exhaustive
def test_options_of_recordings_are_errors_for_scenes(tmp_path):
    done = ecs_anim("report", "single", "--unit", "m", "--out", tmp_path / "x.html")
    assert_one_line(done, "--unit applies to recordings only")


HALL = hall(
    "premovement_seconds = [1.0, 3.0]",
    'exit_choice = "assigned"',
    'goals = [{ name = "west", at = [-6.0, 0.0] }, { name = "east", at = [6.0, 0.0] }]',
)


@pytest.mark.exhaustive
def test_egress_times_over_seeds(tmp_path):
    (tmp_path / "hall.toml").write_text(HALL)
    options = ("--until", "empty", "--seeds", "2:4", "--out", tmp_path / "x.html", "--egress", tmp_path / "x.csv")
    done = ecs_anim("report", tmp_path / "hall.toml", *options, "--json", "-", "--threads", "1")
    assert done.returncode == 0, done.stderr
    wrote = [line.split(": ")[-1] for line in done.stderr.splitlines() if "x.csv" in line]
    assert wrote == ["4 egress times of 1 run", "8 egress times of 2 runs"]  # the table is complete after each run
    run = ("run", tmp_path / "hall.toml", "--until", "empty", "--seed", "3", "--egress", tmp_path / "3.csv")
    assert ecs_anim(*run).returncode == 0
    rows = (tmp_path / "x.csv").read_text().splitlines()
    assert rows[0] == "seed,id,crowd,entered_s,premovement_s,egress_s,exit"
    assert rows[5:] == [f"3,{row}" for row in (tmp_path / "3.csv").read_text().splitlines()[1:]]
    second = json.loads(done.stdout)[1]
    last = max(float(row.split(",")[5]) for row in rows[5:])
    assert (second["departed"], second["last_egress_seconds"]) == (4, pytest.approx(last, abs=1e-4))
    files = tables((tmp_path / "x.html").read_text())
    assert [row.split(",")[0] for row in files["egress-by-exit.csv"]] == ["exit", "all exits", "east", "west"]
    assert len(files["egress.csv"]) == 1 + 8
    assert len(files["egress-by-person.csv"]) == 1 + 4


@pytest.mark.exhaustive
def test_options_of_egress_that_do_not_fit(people, tmp_path):
    done = ecs_anim("report", people, "--until", "empty", "--out", tmp_path / "x.html")
    assert_one_line(done, "--until applies to scenes only")
    (tmp_path / "hall.toml").write_text(HALL.replace("leave = true\n", ""))
    options = ("--out", tmp_path / "x.html", "--egress", tmp_path / "x.csv", "--seconds", "1")
    done = ecs_anim("report", tmp_path / "hall.toml", *options)
    assert_one_line(done, "hall.toml: --egress: no crowd leaves the scene")

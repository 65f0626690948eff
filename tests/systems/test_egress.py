"""Egress times: `run --until empty` reports when and by which exit each actor leaves."""

import csv
import io
from itertools import pairwise

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.components.journeys import Journeys
from ecs_anim.support.errors import InputError
from ecs_anim.systems.egress import egress_csv, egress_figures, egress_summary, run_until_empty

HEAD = """
seed = 5
frame_rate = 20
[rigs.people]
model = "mannequin"
[[crowds]]
name = "people"
rig = "people"
"""
EXITS = {"people": ["west", "east"]}
TWO = """
count = 12
layout = { kind = "grid", columns = 6, spacing = 2.0 }
path = "baked"
[crowds.steering]
exit_choice = "nearest"
leave = true
premovement_seconds = { uniform = [1.0, 9.0] }
goals = [{ name = "west", at = [-15.0, 0.0] }, { name = "east", at = [15.0, 0.0] }]
"""


def people_in(world):
    (people,) = ea.crowds(world)
    return dict(zip(people.ids.tolist(), people.positions.tolist(), strict=True))


def test_one_actor_needs_its_premovement_time_and_the_walk():
    crowd = 'count = 1\npath = "baked"\nlayout = { kind = "points", points = [[0.0, 0.0]] }\nheading_degrees = 0.0\n'
    steering = "steering = { goal = [20.0, 0.0], leave = true, premovement_seconds = 3.0, desired_speed_m_s = 1.25 }\n"
    with ea.load_scene(HEAD + crowd + steering, threads=1) as world:
        (own,) = run_until_empty(world, {}, "x.toml")
    assert own.premovement_s == pytest.approx(3.0, abs=1e-6)
    assert own.egress_s == pytest.approx(3.0 + (20.0 - 1.0) / 1.25, abs=0.3)  # within a metre, the goal is reached
    assert (own.crowd, own.entered_s, own.exit) == ("people", 0.0, "")


@pytest.mark.exhaustive
@pytest.mark.parametrize("path", ['path = "baked"', "body = {}"])
def test_times_and_exits_agree_with_a_second_run(path):
    scene = HEAD + TWO.replace('path = "baked"', path)
    with ea.load_scene(scene, threads=1) as world:
        found = {own.id: own for own in run_until_empty(world, EXITS, "x.toml")}
    with ea.load_scene(scene, threads=1) as world:
        ((_, (journeys,)),) = world.query(Journeys)
        rest = dict(zip(people_in(world), journeys.rest.tolist(), strict=True))
        seen = []
        while people_in(world):
            seen.append((world.time, people_in(world)))
            world.step(1 / 20, posed=False)
    assert sorted(found) == sorted(rest)
    fade = 0.4 if path == "body = {}" else 0.0
    for own in found.values():
        last, at = next(
            (time, now[own.id]) for (time, now), (_, after) in pairwise([*seen, (0, {})]) if own.id not in after
        )
        assert own.egress_s == pytest.approx(last - fade, abs=0.11)
        assert own.exit == ("west" if at[0] < 0 else "east")
        assert own.premovement_s == pytest.approx(rest[own.id], abs=1e-5)
    assert {own.exit for own in found.values()} == {"west", "east"}


def test_actors_of_sources_have_their_entry_times():
    sources = "sources = [{ area = [[0.0, 0.0]], timetable = [[2.0, 1], [8.0, 1]] }], starts_empty = true"
    steering = f"steering = {{ goal = [6.0, 0.0], leave = true, premovement_seconds = 1.5, {sources} }}\n"
    with ea.load_scene(HEAD + 'path = "baked"\n' + steering, threads=1) as world:
        first, second = run_until_empty(world, {}, "x.toml")
    assert (first.entered_s, second.entered_s) == (pytest.approx(2.0, abs=0.06), pytest.approx(8.0, abs=0.06))
    assert first.premovement_s == pytest.approx(1.5, abs=1e-5)
    assert second.egress_s - first.egress_s == pytest.approx(6.0, abs=0.11)
    assert first.egress_s == pytest.approx(2.0 + 1.5 + 5.0 / 1.34, abs=0.4)


def test_a_run_that_does_not_end_is_an_error():
    with ea.load_scene(HEAD + TWO, threads=1) as world, pytest.raises(InputError) as caught:
        run_until_empty(world, EXITS, "x.toml: --until", 0.5)
    assert str(caught.value).startswith("x.toml: --until: actors are still in the scene after 0.5 s (people: 12).")
    endless = "sources = [{ area = [[0.0, 0.0]], rate_per_second = 1.0 }]"
    steering = f"steering = {{ goal = [6.0, 0.0], leave = true, {endless} }}\n"
    with ea.load_scene(HEAD + 'path = "baked"\n' + steering, threads=1) as world, pytest.raises(InputError) as caught:
        run_until_empty(world, {}, "x.toml", 2.0)
    assert "each source ends" in str(caught.value)


def test_a_scene_without_departures_is_an_error():
    crowd = 'path = "baked"\nsteering = { goal = [6.0, 0.0] }\n'
    with ea.load_scene(HEAD + crowd, threads=1) as world, pytest.raises(InputError) as caught:
        run_until_empty(world, {}, "x.toml")
    assert str(caught.value) == "x.toml: no crowd leaves the scene. Add leave = true to the steering of a crowd."


def test_figures_agree_with_numpy():
    with ea.load_scene(HEAD + TWO, threads=1) as world:
        found = run_until_empty(world, EXITS, "x.toml")
    rows = list(csv.DictReader(io.StringIO(egress_csv(found).decode())))
    times = np.array([float(row["egress_s"]) for row in rows])
    figures = egress_figures(found)
    assert figures["people"] == 12
    assert figures["mean_s"] == pytest.approx(times.mean(), abs=1e-3)
    assert figures["p95_s"] == pytest.approx(np.percentile(times, 95), abs=1e-3)
    assert figures["last_s"] == pytest.approx(times.max(), abs=1e-3)
    west = times[[row["exit"] == "west" for row in rows]]
    assert (figures["west.people"], figures["west.last_s"]) == (len(west), pytest.approx(west.max(), abs=1e-3))
    assert [name for name, _ in egress_summary(found)] == ["all exits", "east", "west"]

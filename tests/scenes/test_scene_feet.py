"""Scenes about feet, in numbers: they stand still, on the ground, on legs that bend forwards."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from ecs_anim.commands.command_line import cli
from ecs_anim.components.grounding import Grounding
from ecs_anim.profiling.validation.feet import measure_feet, watch_feet
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.loader import parse_scene
from tests.helpers import ASSETS, EXHAUSTIVE, FEW, needs_assets, some

WOMAN_ON_THE_COURSE = f"""
[rigs.woman]
model = "{ASSETS / "Woman.gltf"}"
height = 1.7
[ground]
kind = "mesh"
model = "{ASSETS / "IKCourse.gltf"}"
scale = 0.3264
[[crowds]]
rig = "woman"
count = 3
layout = {{ kind = "points", points = [[0.0, 1.0], [0.3, -0.4], [0.0, -1.5]] }}
clips = [{{ name = "Walking", speed = 0.8 }}]
locomotion = {{ area_radius = 2.6 }}
grounding = {{}}
"""


def feet(scene, frames, actors=None, weight=1.0):
    """Figures of the one grounded crowd."""
    with load_scene(scene, actors=actors, threads=1) as world:
        for _, (grounding,) in world.query(Grounding):
            grounding.weight[:] = weight
        assert watch_feet(world)
        (figures,) = measure_feet(world, frames)
    return figures


@pytest.mark.parametrize("frames", some((300, 1500), "300"))
@EXHAUSTIVE
def test_a_crowd_on_hills_stands_well_for_minutes(frames):
    frames = 60 if FEW else frames
    grounded, plain = (feet("hills", frames, FEW or 24, weight) for weight in (1.0, 0.0))
    assert grounded["planted_samples"] > 10 * frames
    assert grounded["skate_median"] < 0.01 < plain["skate_median"]
    assert grounded["skate_p95"] < 0.1 < plain["skate_p95"]
    assert grounded["planted_near_share"] > 0.95 > 0.6 > plain["planted_near_share"]
    assert grounded["penetration_p95"] < 0.01 < plain["penetration_p95"]
    assert grounded["knees_backward"] == 0
    assert grounded["ankle_acceleration_max"] < 1.5 * plain["ankle_acceleration_max"], "no pop"


@pytest.mark.skipif(FEW is not None, reason="uncompiled kernels would take minutes; compiled it runs everywhere")
@EXHAUSTIVE
def test_walkers_on_blocks_stand_well():
    grounded, plain = (feet("foot_course", 500, weight=weight) for weight in (1.0, 0.0))
    assert grounded["skate_median"] < 0.01
    assert grounded["planted_near_share"] > 0.9 > 0.5 > plain["planted_near_share"]
    assert grounded["hover_p95"] < 0.02 < plain["hover_p95"]
    assert grounded["knees_backward"] == 0
    assert grounded["ankle_acceleration_max"] < 250 < plain["ankle_acceleration_max"], "steps are taken bit by bit"


@needs_assets
@EXHAUSTIVE
def test_a_woman_on_an_uneven_course_stands_well():
    scene = parse_scene(WOMAN_ON_THE_COURSE, "course.toml", Path())
    grounded, plain = (feet(scene, 60 if FEW else 600, weight=weight) for weight in (1.0, 0.0))
    assert grounded["planted_near_share"] > 0.9 > plain["planted_near_share"]
    assert grounded["skate_median"] < 0.01
    assert grounded["knees_backward"] == 0


@EXHAUSTIVE
def test_the_command_compares_grounded_and_not():
    result = CliRunner().invoke(cli, ["feet", "foot_course", "--frames", "20", "--json"])
    assert result.exit_code == 0, result.output
    (crowd,) = json.loads(result.stdout)["crowds"]
    assert crowd["crowd"] == "grounded"
    assert crowd["grounded"]["planted_near_share"] > crowd["ungrounded"]["planted_near_share"]


def test_the_command_prints_a_table():
    result = CliRunner().invoke(cli, ["feet", "foot_course", "--frames", "3"])
    assert result.exit_code == 0, result.output
    assert "skate, median in m/s" in result.stdout
    assert "ungrounded" in result.stdout


def test_a_scene_without_grounding_has_no_feet_to_measure():
    from ecs_anim.support.errors import InputError

    with pytest.raises(
        InputError, match=r"at least one crowd of the scene must have `grounding`. Add grounding = \{\}"
    ):
        CliRunner().invoke(cli, ["feet", "single"], catch_exceptions=False, standalone_mode=False)


def test_profile_reports_the_feet():
    result = CliRunner().invoke(
        cli, ["profile", "hills", "--actors", "6", "--frames", "3", "--warmup", "0", "--no-draw", "--json", "-"]
    )
    assert result.exit_code == 0, result.output
    (figures,) = json.loads(result.stdout)["feet"]
    assert figures["crowd"] == "people"
    assert figures["planted_samples"] > 0


@EXHAUSTIVE
@needs_assets
def test_a_heel_thrown_up_behind_is_no_knee_bent_backwards():
    """A runner's foot points backwards as it swings, and the knee forwards all the time."""
    running = WOMAN_ON_THE_COURSE.replace('"Walking", speed = 0.8', '"Running"').replace(
        "grounding = {}", "grounding = { weight = 0.0 }"
    )
    figures = feet(parse_scene(running, "running.toml", Path()), FEW or 60)
    assert figures["knees_backward"] == 0
    assert figures["knee_least_degrees"] > 5

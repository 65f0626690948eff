"""The actors of a crowd belong to the parts of its population, with published walking speeds."""

import numpy as np
import pytest
from scipy import stats

import ecs_anim as ea
from ecs_anim.components.sources import Sources
from ecs_anim.components.steering import Steering
from ecs_anim.scenes.loader import parse_scene
from ecs_anim.support.errors import InputError

COUNT = 3000


def text(population, count=COUNT, more=""):
    return f"""
seed = 3
[rigs.people]
model = "mannequin"
[[crowds]]
rig = "people"
count = {count}
layout = {{ kind = "grid", spacing = 1.5 }}
path = "baked"
steering = {{ goal = [500.0, 0.0], population = [{population}] {more} }}
"""


def steering_of(scene):
    with ea.load_scene(scene, threads=1) as world:
        ((_, (steering,)),) = world.query(Steering)
        return steering.speed.copy(), steering.radius.copy(), steering.clearance


def test_shares_speeds_and_radii_are_those_of_the_scene():
    parts = '{ share = 3, desired_speed_m_s = 2.0 }, { kind = "manual_wheelchair" }, { share = 6, radius = 0.25 }'
    speed, radius, clearance = steering_of(text(parts, more=", desired_speed_m_s = 1.1, radius = 0.2"))
    widths, counts = np.unique(radius, return_counts=True)
    np.testing.assert_allclose(widths, [0.2, 0.25, 0.35])
    assert stats.chisquare(counts, COUNT * np.array([0.3, 0.6, 0.1])).pvalue > 0.01
    assert set(speed[radius == widths[0]]) == {np.float32(2.0)}
    assert set(speed[radius == widths[1]]) == {np.float32(1.1)}
    assert clearance == 0.35


@pytest.mark.parametrize(
    ("kind", "mean", "deviation"),  # Weidmann 1993; Boyce, Shields and Silcock 1999
    [("adult", 1.34, 0.26), ("crutches", 0.94, 0.30), ("rollator", 0.57, 0.29), ("electric_wheelchair", 0.89, 0.0)],
)
def test_kinds_have_published_speeds(kind, mean, deviation):
    speed, _, _ = steering_of(text(f'{{ kind = "{kind}" }}'))
    assert speed.mean() == pytest.approx(mean, abs=0.02)
    assert speed.std() == pytest.approx(deviation, abs=0.02)


@pytest.mark.parametrize(
    ("kind", "least", "most"),  # RiMEA 4.1
    [
        ("under_30", 0.58, 1.61),
        ("from_30_to_50", 1.41, 1.54),
        ("over_50", 0.68, 1.41),
        ("reduced_mobility", 0.46, 0.76),
    ],
)
def test_ages_have_the_speeds_of_rimea(kind, least, most):
    speed, _, _ = steering_of(text(f'{{ kind = "{kind}" }}'))
    assert stats.kstest(speed, stats.uniform(least, most - least).cdf).pvalue > 0.01


def test_sources_need_room_for_the_widest_actor():
    more = ", sources = [{ area = [[0.0, 0.0]], rate_per_second = 1.0 }]"
    with ea.load_scene(text('{ kind = "adult" }, { radius = 0.5 }', 2, more), threads=1) as world:
        ((_, (sources,)),) = world.query(Sources)
        assert sources.radius == 0.5


@pytest.mark.parametrize(
    ("population", "problem"),
    [
        ("{ share = 2.0 }", "a part of a population needs a kind, a speed or a radius"),
        ('{ kind = "runner" }', "kind"),
        ("{ desired_speed_m_s = [2.0, 1.0] }", "the smaller number must come first (got 2, 1)"),
        ("{ radius = 3.0 }", "radius"),
        ('{ kind = "adult", share = 0.0 }', "share"),
    ],
)
def test_a_wrong_population_is_an_error(tmp_path, population, problem):
    with pytest.raises(InputError) as caught:
        parse_scene(text(population, 2), "x.toml", tmp_path)
    assert problem in str(caught.value)
    assert str(caught.value).startswith("x.toml: crowds[0].steering.population[0]")

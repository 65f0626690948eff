"""Pre-movement times of actors have the distribution of the scene."""

import numpy as np
import pytest
from scipy import stats

import ecs_anim as ea
from ecs_anim.components.journeys import Journeys
from ecs_anim.scenes.loader import parse_scene
from ecs_anim.support.errors import InputError

COUNT = 4000


def text(premovement, count=COUNT, seed=3):
    return f"""
seed = {seed}
[rigs.people]
model = "mannequin"
[[crowds]]
rig = "people"
count = {count}
layout = {{ kind = "grid", spacing = 1.0 }}
path = "baked"
steering = {{ goal = [500.0, 0.0], premovement_seconds = {premovement} }}
"""


def times_of(scene):
    with ea.load_scene(scene, threads=1) as world:
        ((_, (journeys,)),) = world.query(Journeys)
        return journeys.rest.astype(np.float64)


@pytest.mark.parametrize(
    ("premovement", "theirs"),
    [
        ("{ lognormal = [3.2, 0.7] }", stats.lognorm(0.7, scale=np.exp(3.2))),
        ("{ weibull = [1.7, 45.0] }", stats.weibull_min(1.7, scale=45.0)),
        ("{ uniform = [5.0, 65.0] }", stats.uniform(5.0, 60.0)),
        ("{ triangular = [10.0, 25.0, 90.0] }", stats.triang(15 / 80, 10.0, 80.0)),
    ],
)
def test_times_have_the_distribution_of_the_scene(premovement, theirs):
    times = times_of(text(premovement))
    assert stats.kstest(times, theirs.cdf).pvalue > 0.01
    other = times_of(text(premovement, seed=4))
    assert stats.kstest(other, theirs.cdf).pvalue > 0.01
    assert abs(np.corrcoef(times, other)[0, 1]) < 0.06


def test_actors_keep_their_random_shares_if_the_parameters_change():
    narrow, wide = times_of(text("{ uniform = [0.0, 10.0] }", 50)), times_of(text("{ uniform = [0.0, 40.0] }", 50))
    np.testing.assert_allclose(4 * narrow, wide, rtol=1e-6)


def test_times_come_from_a_file(tmp_path):
    (tmp_path / "times.txt").write_text("seconds\n# measured\n12.5\n\n30\n30\n47.25\n")
    (tmp_path / "x.toml").write_text(text('{ file = "times.txt" }'))
    times, counts = np.unique(times_of(tmp_path / "x.toml"), return_counts=True)
    assert times.tolist() == [12.5, 30.0, 47.25]
    assert stats.chisquare(counts, COUNT * np.array([0.25, 0.5, 0.25])).pvalue > 0.01
    np.testing.assert_array_equal(
        times_of(tmp_path / "x.toml"), times_of(text("{ sample = [12.5, 30.0, 30.0, 47.25] }"))
    )


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (None, "times.txt: cannot read the file of pre-movement times: there is no such file"),
        ("", "times.txt: the file must have at least one time"),
        ("1\nsoon\n", "times.txt: line 2: a time must be a number from 0 to 1e+06 s (got 'soon'). Correct the line."),
        ("1\n-2\n", "times.txt: line 2: a time must be a number"),
        ("1\nnan\n", "times.txt: line 2: a time must be a number"),
    ],
)
def test_a_wrong_file_is_an_error(tmp_path, content, problem):
    if content is not None:
        (tmp_path / "times.txt").write_text(content)
    (tmp_path / "x.toml").write_text(text('{ file = "times.txt" }', 2))
    with pytest.raises(InputError) as caught:
        ea.load_scene(tmp_path / "x.toml")
    assert problem in str(caught.value)


@pytest.mark.parametrize(
    ("premovement", "problem"),
    [
        ("{ uniform = [5.0, 1.0] }", "uniform: the smaller number must come first (got 5, 1)"),
        ("{ triangular = [1.0, 9.0, 5.0] }", "low, mode and high must be in increasing order (got 1, 9, 5)"),
        ("{ lognormal = [30.0, 2.0] }", "times must be at most 1e+06 s"),
        ("{ lognormal = [1.0, 2.0], uniform = [1.0, 2.0] }", "give exactly one distribution"),
        ("{}", "give exactly one distribution"),
        ("{ weibull = [0.0, 2.0] }", "weibull"),
        ("{ normal = [1.0, 2.0] }", "normal"),
    ],
)
def test_a_wrong_distribution_is_an_error(tmp_path, premovement, problem):
    with pytest.raises(InputError) as caught:
        parse_scene(text(premovement, 2), "x.toml", tmp_path)
    assert problem in str(caught.value)
    assert str(caught.value).startswith("x.toml: crowds[0].steering.premovement_seconds")

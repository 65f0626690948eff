"""Distributions of egress times over seeds agree with numpy and scipy."""

import numpy as np
from scipy import stats

from ecs_anim.analysis.egress import SHARES, EgressRun, band, exit_rows, exits_of, person_rows, pooled
from ecs_anim.systems.egress import Egress


def runs():
    """Return five runs of 40 actors. Actors with odd ids take the exit "east"; actor 8 has its own goal."""
    rng = np.random.default_rng(7)
    found = []
    for seed in range(5):
        times = rng.gamma(4.0, 6.0, 40)
        names = ["" if number == 8 else ("west", "east")[number % 2] for number in range(40)]
        people = [
            Egress(number, "people", 0.0, 1.0, float(time), name)
            for number, (time, name) in enumerate(zip(times, names, strict=True))
        ]
        found.append(EgressRun(seed, people))
    return found


def test_times_and_exits():
    assert exits_of(runs()) == ["east", "own goals", "west"]
    first = runs()[0]
    np.testing.assert_array_equal(first.times(), np.sort([own.egress_s for own in first.found]))
    east = [own.egress_s for own in first.found if own.id % 2]
    np.testing.assert_array_equal(first.times("east"), np.sort(east))
    assert len(pooled(runs(), "own goals")) == 5


def test_the_band_agrees_with_scipys_empirical_distribution():
    low, high = band(runs(), "west")
    each = [stats.ecdf(run.times("west")).cdf for run in runs()]
    reached = [[cdf.quantiles[cdf.probabilities >= share - 1e-9][0] for share in SHARES] for cdf in each]
    np.testing.assert_allclose(low, np.percentile(reached, 5, axis=0))
    np.testing.assert_allclose(high, np.percentile(reached, 95, axis=0))


def test_figures_of_exits_and_persons():
    name, count, people, mean, *_, last, low, high = exit_rows(runs())[1]
    times = [run.times("east") for run in runs()]
    assert (name, count, people) == ("east", 5, 20.0)
    assert mean == round(np.mean([own.mean() for own in times]), 3)
    lasts = [own.max() for own in times]
    np.testing.assert_allclose([last, low, high], [np.mean(lasts), *np.percentile(lasts, [5, 95])], atol=1e-3)
    rows = person_rows(runs())
    assert len(rows) == 40
    of_three = [run.found[3].egress_s for run in runs()]
    assert rows[3][:3] == (3, "people", 5)
    np.testing.assert_allclose(rows[3][3:6], [np.mean(of_three), min(of_three), max(of_three)], atol=1e-3)
    assert (rows[3][6], rows[8][6]) == ("east", "own goals")

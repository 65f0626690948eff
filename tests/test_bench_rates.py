"""What bench_rates tells, of motions whose errors are known, and of a small crowd."""

import json

import numpy as np
from click.testing import CliRunner

from ecs_anim.profiling.bench_rates import held, interpolated, main


def frames(places):
    """One vertex of one actor, on the x axis."""
    vertices = np.zeros((len(places), 1, 1, 3), np.float32)
    vertices[:, 0, 0, 0] = places
    return vertices


def test_even_motion_is_behind_by_its_speed_and_interpolated_without_error():
    even = frames(3.0 * np.arange(20))
    assert sorted(set(held(even, 4).tolist())) == [3, 6, 9]
    assert set(held(even, 2).tolist()) == {3}
    assert not interpolated(even, 4).any()


def test_a_parabola_is_interpolated_with_the_error_of_its_chord():
    bent = frames(np.arange(20.0) ** 2)
    assert set(interpolated(bent, 2).tolist()) == {1}
    assert set(interpolated(bent, 4).tolist()) == {3, 4}


def test_it_tells_times_and_errors():
    result = CliRunner().invoke(main, ["--actors", "12", "--frames", "2"])
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert set(told["ns_per_actor"]) == {"rate 1", "rate 2", "rate 4", "interpolating", "plaza", "plaza, rates"}
    twice, four = told["behind"]["rate 2"], told["behind"]["rate 4"]
    assert (twice["below_pixels"], four["below_pixels"]) == (22.5, 7.5)
    for found in (twice, four):
        assert 0 < found["interpolated"]["pixels"][0] < found["held"]["pixels"][0] < 2
    assert four["held"]["thousandths"][0] > twice["held"]["thousandths"][0]

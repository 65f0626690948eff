"""The benchmark of steering, as it is run."""

import json

import pytest
from click.testing import CliRunner

from ecs_anim.profiling.bench_steering import main


@pytest.mark.parametrize("model", ["anticipation_velocity", "collision_free_speed"])
def test_it_prints_figures_and_threads_do_not_change_what_comes_out(model):
    arguments = ["--agents", "60", "--steps", "4", "--model", model, "--json", "-"]
    one, two = (CliRunner().invoke(main, [*arguments, "--threads", threads]) for threads in ("1", "2"))
    assert one.exit_code == two.exit_code == 0, one.output + two.output
    found, other = json.loads(one.output), json.loads(two.output)
    assert list(found) == ["us_per_agent_step", "neighbours_us", "steering_us", "checksum"]
    assert found["us_per_agent_step"] == pytest.approx(found["neighbours_us"] + found["steering_us"])
    assert found["steering_us"] > 0
    assert found["checksum"] == other["checksum"]


def test_it_times_jupedsim_beside_where_it_is_installed():
    pytest.importorskip("jupedsim")
    arguments = ["--agents", "60", "--steps", "4", "--against", "jupedsim", "--json", "-"]
    one, two = (CliRunner().invoke(main, [*own]) for own in (arguments, arguments[:4] + arguments[6:]))
    assert one.exit_code == 0, one.output
    found, alone = json.loads(one.output), json.loads(two.output)
    assert found["jupedsim_us_per_agent_step"] > 0
    assert found["checksum"] == alone["checksum"]  # it does not touch our people

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

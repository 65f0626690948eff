"""Built-in models of steering: what is derived from their declarations."""

from typing import ClassVar

import numpy as np
import pytest

from ecs_anim.steering.models import MODELS
from ecs_anim.steering.own import ARRIVAL, PARAMETER_COUNT, Model, arrival_seconds


@pytest.mark.parametrize("name", MODELS)
def test_records_give_each_parameter_memory_of_its_own(name):
    model = MODELS[name]
    memory = np.arange(2 * PARAMETER_COUNT, dtype=np.float32).reshape(2, -1)
    found = [[record[name] for name in model.parameters] for record in model.records(memory)]
    np.testing.assert_array_equal(found, memory[:, : len(model.parameters)])


def test_records_are_views():
    class Three(Model):
        parameters: ClassVar = {"a": 1.0, "range": 2.0, "mass": 3.0}

    memory = np.zeros((4, PARAMETER_COUNT), np.float32)
    Three.records(memory)[1] = tuple(Three.parameters.values())
    np.testing.assert_array_equal(memory[1], [1, 2, 3, 0, 0, 0, 0, 0])
    assert Three.records(memory)[1].mass == 3


@pytest.mark.parametrize("name", MODELS)
def test_parameters_say_their_unit_and_meaning(name):
    for parameter in MODELS[name].parameters.values():
        assert parameter > 0
        assert parameter.unit in ("", "m", "s", "kg", "N", "kg/s²", "kg/(m s)")
        assert parameter.meaning


def test_only_a_time_gap_is_a_time_gap():
    assert arrival_seconds(MODELS["anticipation_velocity"].parameters) == 0.5
    assert arrival_seconds({"mass": 1.0, "width": 2.0, "height": 80.0}) == ARRIVAL
    assert arrival_seconds({"mass": 1.0, "time_gap": 2.0}) == 2.0


def test_stiff_forces_need_short_steps():
    model = MODELS["social_force"]
    own = {**model.parameters, "body_force": 4.8e5, "strength": 1e-6}
    longest = model.longest_step(own)
    assert longest == pytest.approx((80 / 6 / 4.8e5) ** 0.5)
    assert model.step_count(own, 2.5 * longest) == 3
    assert model.step_count(own, 1.0) == 100
    model.require_stable(own, 99 * longest)
    with pytest.raises(ValueError, match="each decision would need more than 100 sub-steps"):
        model.require_stable(own, 101 * longest)

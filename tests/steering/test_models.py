"""Built-in models of steering: names of parameters, and the columns that kernels read them from."""

import pytest

from ecs_anim.steering import models
from ecs_anim.steering.models import ARRIVAL, DEFAULTS, MODELS, PARAMETER_COUNT, arrival_seconds


@pytest.mark.parametrize("model", MODELS)
def test_each_parameter_has_a_column_of_its_name(model):
    columns = [getattr(models, name.upper()) for name in DEFAULTS[model]]
    assert columns == list(range(len(columns)))
    assert len(columns) <= PARAMETER_COUNT


def test_only_a_time_gap_is_a_time_gap():
    assert arrival_seconds(DEFAULTS["anticipation_velocity"]) == 0.5
    assert arrival_seconds({"mass": 1.0, "width": 2.0, "height": 80.0}) == ARRIVAL
    assert arrival_seconds({"mass": 1.0, "time_gap": 2.0}) == 2.0

"""Parts of any size: sixteen at a time, everybody stands at ease or is brought to their steps, and nobody twice."""

import numpy as np
import pytest

from tests.helpers import EXHAUSTIVE
from tests.helpers.walkers import one_by_one, posed


@pytest.mark.parametrize(
    "count", [1, 9, 17, *(pytest.param(count, marks=EXHAUSTIVE) for count in (8, 16, 64, 65, 200))]
)
def test_a_part_of_any_size_is_what_the_systems_do_one_by_one(monkeypatch, count):
    for a, b in zip(posed(count=count)[0], one_by_one(monkeypatch, count=count)[0], strict=True):
        np.testing.assert_array_equal(a, b)

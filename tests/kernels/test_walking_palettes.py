"""Palettes of walkers in one go against the systems one by one, each of which has its own oracle: the same bits."""

import numpy as np
import pytest

from tests.helpers import EXHAUSTIVE
from tests.helpers.walkers import APART, one_by_one, posed


@pytest.mark.parametrize(("body", "frames"), [("", 12), ("", 4), ("poise = 0, acceleration = 0.8", 12)])
def test_it_is_what_the_systems_do_one_by_one(monkeypatch, body, frames):
    together, ran = posed(body, frames=frames)
    apart, ran_apart = one_by_one(monkeypatch, body, frames=frames)
    assert ran_apart - ran == APART
    for a, b in zip(together, apart, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("chunk_size", [8, pytest.param(1, marks=EXHAUSTIVE), pytest.param(3, marks=EXHAUSTIVE)])
def test_who_else_is_in_a_chunk_does_not_matter(chunk_size):
    for a, b in zip(posed()[0], posed(chunk_size=chunk_size)[0], strict=True):
        np.testing.assert_array_equal(a, b)


def test_palettes_past_the_caches_are_the_same(monkeypatch):
    found = []
    for cache in (1 << 40, 0):
        monkeypatch.setattr("ecs_anim.components.palette.CACHE", cache)
        found.append(posed(count=29, chunk_size=16)[0][0])
    np.testing.assert_array_equal(*found)


@pytest.mark.parametrize(
    "more",
    ['skinning = "dual_quaternion"', "look_at = { target = 'it' }\ntargets.it = { kind = 'point', at = [0, 1, 0] }"],
)
def test_what_it_does_not_do_is_left_to_the_systems(more):
    _, ran = posed(more=more)
    assert ran >= APART

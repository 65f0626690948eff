"""Compressed integers come back, in Python and in the page, and take few bytes."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from ecs_anim.kernels.number_codes import key_codes, number_codes, sine_codes
from ecs_anim.sharing.build_page import page_file
from tests.helpers.browser import CHROMIUM, Browser

EXPORT = "\nObject.assign(globalThis, { readKeys, readNumbers, readSines });"


@given(arrays.arrays(np.int64, st.integers(0, 40), elements=st.integers(-(2**31) + 1, 2**31 - 1)), st.integers(0, 9))
def test_compressed_integers_come_back(numbers, empty):
    counts = np.append(np.full(empty, 0), len(numbers)) if len(numbers) else np.zeros(empty, np.int64)
    for coder, known, own in (
        (sine_codes, counts, numbers),
        (number_codes, np.arange(len(numbers)) % 5, abs(numbers)),
    ):
        data = np.zeros(64 * len(own) + 16, np.uint8)
        size = coder(data, known, own.copy(), True)
        found = np.zeros(len(own), np.int64)
        coder(data[:size].copy(), known, found, False)
        np.testing.assert_array_equal(found, own)


def test_compressed_integers_take_little_more_than_their_entropy():
    numbers = np.random.default_rng(1).geometric(0.4, 200_000) - 1
    chances = np.bincount(numbers) / len(numbers)
    entropy = -(chances * np.log2(np.maximum(chances, 1e-9))).sum() / 8
    size = number_codes(np.zeros(len(numbers), np.uint8), np.zeros_like(numbers), numbers, True)
    assert entropy * len(numbers) < size < 1.03 * entropy * len(numbers)


@pytest.mark.exhaustive
@pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")
def test_the_page_reads_equal_integers():
    random = np.random.default_rng(2)
    counts = random.integers(0, 5, 300)
    spacings = random.integers(0, 20, 300)
    orders = random.integers(0, 127, counts.sum())
    kinds = random.integers(0, 12, counts.sum())
    changes = (random.normal(size=counts.sum() + len(counts)) ** 9 * 10).astype(np.int64)
    sines = (random.normal(size=orders.sum()) ** 5 * 10).astype(np.int64)
    with Browser() as browser:
        browser.evaluate(f"(0, eval)({json.dumps(page_file('number_codes.js') + EXPORT)}), 0")
        for name, coder, known, numbers in (
            ("readKeys", key_codes, (counts, spacings), changes),
            ("readNumbers", number_codes, (kinds,), orders),
            ("readSines", sine_codes, (orders,), sines),
        ):
            data = np.zeros(16 * len(numbers), np.uint8)
            data = data[: coder(data, *known, numbers.copy(), True)]
            values = ", ".join(f"new Uint32Array({own.tolist()})" for own in known)
            assert browser.evaluate(f"[...{name}(new Uint8Array({data.tolist()}), {values})]") == numbers.tolist()

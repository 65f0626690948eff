"""Arithmetic, choices and masks of lanes against numpy, bit for bit where IEEE 754 says how to round."""

import ast
from functools import cache
from pathlib import Path

import numba
import numpy as np
import pytest
from scipy.special import exp2

from ecs_anim import simd
from ecs_anim.simd import (
    any_true,
    broadcast,
    broadcast_like,
    clamp,
    fma,
    load,
    load1,
    maximum,
    minimum,
    narrow,
    not_nan,
    plain,
    power_of_two,
    reduce_minimum,
    select,
    store,
    to_integers,
    widen,
)

RNG = np.random.default_rng(8)
TWO = np.float32(2)
SPECIAL = np.float32([[0, -0.0, 1, -1, np.nan, np.inf, -np.inf, 2], [0, 0, 2, -2, 1, np.nan, 0, 2]])
TABLES = [SPECIAL, *RNG.normal(size=(3, 2, 8)).astype(np.float32), (1e30 * RNG.normal(size=(2, 8))).astype(np.float32)]


def python_min(a, b):
    return np.float32([min(pair) for pair in zip(a, b, strict=True)])


def python_max(a, b):
    return np.float32([max(pair) for pair in zip(a, b, strict=True)])


# What a kernel writes, and what numpy or Python makes of the same lanes.
FORMULAS = {
    "add": (lambda a, b: a + b, np.add),
    "subtract": (lambda a, b: a - b, np.subtract),
    "multiply": (lambda a, b: a * b, np.multiply),
    "divide": (lambda a, b: a / b, np.divide),
    "a number": (lambda a, b: TWO / (a * TWO - TWO) + b, lambda a, b: 2 / (a * 2 - 2) + b),
    "negate": (lambda a, b: -a, lambda a, b: np.negative(a)),
    "abs": (lambda a, b: abs(a), lambda a, b: np.abs(a)),
    "sqrt": (lambda a, b: np.sqrt(abs(a)), lambda a, b: np.sqrt(np.abs(a))),
    "floor": (lambda a, b: np.floor(a), lambda a, b: np.floor(a)),
    "minimum": (lambda a, b: minimum(a, b), python_min),
    "maximum": (lambda a, b: maximum(a, b), python_max),
    "clamp": (lambda a, b: clamp(a, TWO), lambda a, b: python_min(python_max(a, np.full(8, -2)), np.full(8, 2))),
    "less": (lambda a, b: select(a < b, a, b), lambda a, b: np.where(a < b, a, b)),
    "less or equal": (lambda a, b: select(a <= b, TWO, b), lambda a, b: np.where(a <= b, 2, b)),
    "greater": (lambda a, b: select(a > b, a, TWO), lambda a, b: np.where(a > b, a, 2)),
    "greater or equal": (lambda a, b: select(a >= b, a, b), lambda a, b: np.where(a >= b, a, b)),
    "equal": (lambda a, b: select(a == b, a, -b), lambda a, b: np.where(a == b, a, -b)),
    "and": (lambda a, b: select((a < b) & (a < TWO), a, b), lambda a, b: np.where((a < b) & (a < 2), a, b)),
    "or": (lambda a, b: select((a < b) | (b < TWO), a, b), lambda a, b: np.where((a < b) | (b < 2), a, b)),
    "xor": (lambda a, b: select((a < b) ^ (b < TWO), a, b), lambda a, b: np.where((a < b) ^ (b < 2), a, b)),
    "not": (lambda a, b: select(~(a < b), a, b), lambda a, b: np.where(~(a < b), a, b)),
    "not_nan": (lambda a, b: select(not_nan(a), a, b), lambda a, b: np.where(np.isnan(a), b, a)),
    "broadcast": (lambda a, b: a * broadcast(TWO), lambda a, b: a * 2),
    "broadcast_like": (lambda a, b: broadcast_like(TWO, b), lambda a, b: np.full(8, 2)),
    "widen and narrow": (
        lambda a, b: narrow(widen(a) / 3.0 + widen(b)),
        lambda a, b: (a.astype(np.float64) / 3 + b).astype(np.float32),
    ),
}


@cache
def lanes_kernel(formula):
    own = numba.njit(formula)

    @numba.njit
    def run(table, out):
        store(out, 0, own(load(table, 0), load(table, 8)))

    return run


def in_lanes(formula, table):
    out = np.full(9, 7, np.float32)
    lanes_kernel(formula)(table, out)
    assert out[8] == 7
    return out[:8]


def assert_same_bits(actual, expected):
    expected = np.float32(expected)
    np.testing.assert_array_equal(actual, expected)
    numbers = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(actual)[numbers], np.signbit(expected)[numbers])


@pytest.mark.parametrize("name", FORMULAS)
def test_lanes_have_numpys_bits(name):
    formula, oracle = FORMULAS[name]
    for table in TABLES:
        with np.errstate(all="ignore"):
            assert_same_bits(in_lanes(formula, table), oracle(*table))


@pytest.mark.parametrize("name", [name for name in FORMULAS if name not in ("broadcast", "widen and narrow", "not")])
def test_single_numbers_have_the_bits_of_lanes(name):
    formula = FORMULAS[name][0]
    own, table = numba.njit(formula), TABLES[1]

    @numba.njit
    def run(table, out):
        for lane in range(8):
            out[lane] = own(load1(table, lane), load1(table, 8 + lane))

    out = np.zeros(8, np.float32)
    run(table, out)
    assert_same_bits(out, in_lanes(formula, table))


def test_products_and_sums_are_rounded_once_or_twice():
    table = RNG.normal(size=(3, 8)).astype(np.float32)

    @numba.njit
    def run(table, out):
        store(out, 0, fma(load(table, 0), load(table, 8), load(table, 16)))
        store(out, 8, fma(-load(table, 0), load1(table, 8), load(table, 16)))

    out = np.zeros((2, 8), np.float32)
    run(table, out)
    a, b, c = table
    for actual, product in ((out[0], a.astype(np.float64) * b), (out[1], -a.astype(np.float64) * b[0])):
        once, twice = (product + c).astype(np.float32), product.astype(np.float32) + c
        assert ((actual == once) | (actual == twice)).all()


def test_powers_of_two_are_exact():
    exponents = np.float32([-126, -37, -1, 0, 1, 24, 100, 127])

    @numba.njit
    def run(table, out):
        store(out, 0, power_of_two(load(table, 0)))
        out[8] = power_of_two(table[4])

    out = np.zeros(9, np.float32)
    run(exponents, out)
    np.testing.assert_array_equal(out, [*exp2(exponents.astype(np.float64)), 2])


@numba.njit
def _truths(table, out):
    mask = load(table, 0) > load(table, 8)
    for lane in range(8):
        out[lane] = mask[lane]
    return any_true(mask)


def test_masks_tell_each_lane_and_whether_any_is_true():
    out = np.zeros(8, np.bool_)
    for bits in range(256):
        table = np.zeros((2, 8), np.float32)
        table[0] = (bits >> np.arange(8)) & 1
        assert _truths(table, out) == (bits > 0)
        np.testing.assert_array_equal(out, table[0])


@numba.njit
def _least(table):
    return reduce_minimum(load(table, 0))


def test_the_least_of_lanes_is_the_least():
    for values in RNG.normal(size=(50, 8)).astype(np.float32):
        assert _least(values) == values.min()


@numba.njit
def _whole(table, out):
    rows = to_integers(load(table, 0))
    for lane in range(8):
        out[lane] = rows[lane]
    out[8] = to_integers(table[7])


def test_whole_numbers_are_cut_towards_zero():
    values, out = np.float32([0, -0.5, 1.75, -1.75, 1e6, -1e6, 2**24, 2.999]), np.zeros(9, np.int64)
    _whole(values, out)
    np.testing.assert_array_equal(out, [*values.astype(np.int64), 2])


def test_every_operation_has_a_plain_one():
    tree = ast.parse(Path(simd.__file__).read_text("utf-8"))
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
    names = {own.name for node in imports if node.module.startswith("ecs_anim.simd.") for own in node.names}
    assert len(names) > 30
    assert {name for name in names if not hasattr(plain, name)} == set()

"""Symbols: what arithmetic makes of names is what it makes of the numbers that they stand for."""

from __future__ import annotations

import operator
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from irops.values.dim import ANY, Dim, maximum, minimum, unify
from irops.values.symbol import Symbol

A, B = ANY.named("a"), Dim(1, 10).named("b")


def value_of(symbol, numbers):
    """The number that a symbol is when its names are these numbers; names that division has made are worked
    out by Python.
    """
    return eval(str(symbol), {"__builtins__": {}}, numbers)


@st.composite
def sums_of_products(draw):
    """A Dim made of a and b by arithmetic, and how to compute it from numbers."""
    dim, compute = draw(st.sampled_from([(A, lambda n: n["a"]), (B, lambda n: n["b"])]))
    for _ in range(draw(st.integers(0, 4))):
        operate = draw(
            st.sampled_from([operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod])
        )
        other, known = draw(
            st.sampled_from(
                [(A, lambda n: n["a"]), (B, lambda n: n["b"]), (2, lambda n: 2), (3, lambda n: 3)]
            )
        )
        dim, compute = operate(dim, other), lambda n, f=compute, o=operate, g=known: o(f(n), g(n))
    return dim, compute


@given(sums_of_products(), st.integers(1, 9), st.integers(1, 10))
def test_arithmetic_on_symbols_holds_for_their_numbers(made, a, b):
    dim, compute = made
    number = compute({"a": a, "b": b})
    assert dim.can_be(number)
    if dim.symbol is not None:
        assert value_of(dim.symbol, {"a": a, "b": b}) == number


@pytest.mark.parametrize(
    ("dim", "result"),
    [
        (A + B - A, B),
        (A * B // A, B),
        (A - A, 0),
        ((A + 3) - A, 3),
        (2 * A // 2, A),
        ((2 * A + 1) // 2, A),
        ((4 * A) % 2, 0),
        (A * 6 // 4 * 0, 0),
        (A // 3 - A // 3, 0),
        (0 - (0 - A), A),
        ((A + B) * 2 - A - A, B * 2),
    ],
)
def test_what_cancels_out_is_known(dim, result):
    assert dim == result
    assert dim.symbol == Dim.of(result).symbol


def test_symbols_decide_comparisons_that_bounds_leave_open():
    assert not A.can_be(A + 1)
    assert not A > A + 2
    assert minimum(A, A + 1).symbol == A.symbol
    assert maximum(A * 2, A).symbol == (A * 2).symbol
    assert unify(A, B, "C1") == Dim(1, 10)


def test_bounds_of_a_symbol_are_those_of_its_names():
    assert (B * 2 + 1 - 1).symbol.bounds == (2, 20)
    assert (A + B).bounds == (1, inf)


def test_too_large_a_polynomial_is_dropped():
    dim = A
    for k in range(20):
        dim = dim + ANY.named(f"x{k}")
    assert dim.symbol is None
    assert dim == ANY


def test_a_symbol_is_spelled_as_a_formula():
    assert str((A * B * 2 - A + 3).symbol) == "2*a*b - a + 3"
    assert str(Symbol.constant(0)) == "0"

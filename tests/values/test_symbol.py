"""Symbols: what arithmetic makes of names is what it makes of the numbers that they stand for."""

import operator
from functools import reduce
from math import inf

import pytest
from hypothesis import given, strategies as st

from irops.values.dim import ANY, Dim, Symbol, maximum, minimum, unify

A, B = ANY.named("a"), Dim(1, 10).named("b")


def value_of(symbol, numbers):
    """The value of a symbol for these values of its names; Python computes the names that division made."""
    return eval(str(symbol), {"__builtins__": {}}, numbers)


NAMED = [(A, lambda n: n["a"]), (B, lambda n: n["b"])]
OPERATIONS = st.sampled_from([operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod])
OPERANDS = st.sampled_from([*NAMED, (2, lambda n: 2), (3, lambda n: 3)])


@st.composite
def sums_of_products(draw):
    """A Dim made of a and b by arithmetic, and how to compute it from numbers."""
    dim, compute = draw(st.sampled_from(NAMED))
    for _ in range(draw(st.integers(0, 4))):
        operate, (other, known) = draw(OPERATIONS), draw(OPERANDS)
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


def test_too_large_a_polynomial_is_dropped():
    dim = A
    for k in range(20):
        dim = dim + ANY.named(f"x{k}")
    assert dim.symbol is None
    assert dim == ANY


def names(*texts):
    return [Symbol.named(text) for text in texts]


def total(symbols):
    return reduce(lambda found, symbol: found and found.plus(symbol), symbols)


def power(symbol, exponent):
    return reduce(lambda found, _: found and found.times(symbol), range(exponent), Symbol.constant(1))


def test_twelve_terms_are_kept_and_thirteen_given_up():
    assert str(total(names(*"abcdefghijkl"))) == "l + k + j + i + h + g + f + e + d + c + b + a"
    assert total(names(*"abcdefghijklm")) is None


def test_a_product_of_eight_names_is_kept_and_one_of_nine_given_up():
    (a,) = names("a")
    assert str(power(a, 8)) == "a*a*a*a*a*a*a*a"
    assert power(a, 9) is None


def test_a_quotient_whose_name_is_too_long_is_given_up():
    (long,) = names("x" * 231)
    quotient = long.over(Symbol.constant(2), (0, inf))
    assert str(quotient) == f"(({'x' * 231})//(2))"
    assert len(str(quotient)) == 240
    (longer,) = names("x" * 232)
    assert longer.over(Symbol.constant(2), (0, inf)) is None


@pytest.mark.parametrize(
    ("symbol", "number"),
    [
        (Symbol.constant(0), 0),
        (Symbol.constant(-3), -3),
        (A.symbol, None),
        ((A + 1).symbol, None),
        (A.symbol.minus(A.symbol), 0),
    ],
)
def test_a_symbol_without_names_is_a_number(symbol, number):
    assert symbol.number == number


@pytest.mark.parametrize(
    ("symbol", "text"),
    [
        (A.symbol, "a"),
        ((0 - A).symbol, "-a"),
        ((A * 2).symbol, "2*a"),
        ((A * -2).symbol, "-2*a"),
        ((A - 1).symbol, "a - 1"),
        ((1 - A).symbol, "-a + 1"),
        ((A * A).symbol, "a*a"),
        (Symbol.constant(7), "7"),
    ],
)
def test_terms_are_spelled_with_their_signs(symbol, text):
    assert str(symbol) == text


@pytest.mark.parametrize(
    ("above", "below", "quotient"),
    [
        ((A * 6).symbol, Symbol.constant(3), "2*a"),
        ((A * 6 + 2).symbol, Symbol.constant(3), "2*a"),
        ((A * 6 + 4).symbol, Symbol.constant(3), "2*a + 1"),
        ((A * 6 - 1).symbol, Symbol.constant(3), "2*a - 1"),
        ((A * 6 + B).symbol, Symbol.constant(3), "2*a + ((b)//(3))"),
        ((A * 5).symbol, Symbol.constant(3), "((5*a)//(3))"),
        ((A * B + A).symbol, A.symbol, "b + 1"),
        ((A * B + 1).symbol, A.symbol, "((a*b + 1)//(a))"),
        ((A * A * B).symbol, A.symbol, "a*b"),
        ((A * B).symbol, (A * 2).symbol, "((a*b)//(2*a))"),
        ((A * B * 4).symbol, (A * 2).symbol, "2*b"),
        (A.symbol, (A + B).symbol, "((a)//(b + a))"),
        ((A + B).symbol, (A + B).symbol, "1"),
        (A.symbol, (A * A).symbol, "((a)//(a*a))"),
        (Symbol.constant(0), Symbol.constant(3), "0"),
    ],
)
def test_division_takes_out_what_the_divisor_divides(above, below, quotient):
    assert str(above.over(below, (0, inf))) == quotient


def test_the_name_of_a_quotient_has_the_bounds_of_what_is_left():
    assert (B * 1).symbol.over(Symbol.constant(3), (0, 3)).bounds == (0, 3)
    assert (A * 6 + B).symbol.over(Symbol.constant(3), (0, inf)).minus((A * 2).symbol).bounds == (0, 3)


@pytest.mark.parametrize(
    ("number", "divisor", "remainder"),
    [
        ((A * 6).symbol, Symbol.constant(3), "0"),
        ((A * 6 + 1).symbol, Symbol.constant(3), "1"),
        ((A * 6 - 1).symbol, Symbol.constant(3), "2"),
        (A.symbol, Symbol.constant(3), "a - 3*((a)//(3))"),
    ],
)
def test_the_remainder_is_what_the_quotient_leaves(number, divisor, remainder):
    assert str(number.modulo(divisor, (0, inf))) == remainder


def test_a_remainder_whose_quotient_is_given_up_is_given_up():
    (long,) = names("x" * 232)
    assert long.modulo(Symbol.constant(2), (0, inf)) is None
    divisor = power(names("b")[0], 8)
    assert Symbol.named("a").over(divisor, (0, inf)) is not None
    assert Symbol.named("a").modulo(divisor, (0, inf)) is None


@pytest.mark.parametrize(
    ("symbol", "bounds"),
    [
        (B.symbol, (1, 10)),
        ((B * 2).symbol, (2, 20)),
        ((B * -2).symbol, (-20, -2)),
        ((B * B).symbol, (1, 100)),
        ((B - A).symbol, (-inf, 10)),
        ((B + 3).symbol, (4, 13)),
        (Symbol.constant(0), (0, 0)),
        (Symbol.named("n"), (0, inf)),
    ],
)
def test_bounds_are_the_sums_of_the_bounds_of_terms(symbol, bounds):
    assert symbol.bounds == bounds


@pytest.mark.parametrize(
    ("symbol", "content", "factors"),
    [
        (Symbol.constant(0), 0, []),
        (Symbol.constant(6), 6, []),
        (A.symbol, 1, ["a"]),
        ((A * 6).symbol, 6, ["a"]),
        ((A * A * 2).symbol, 2, ["a", "a"]),
        ((A * B * 4 + A * 6).symbol, 2, ["a", "2*b + 3"]),
        ((A * 3 + 5).symbol, 1, ["3*a + 5"]),
        ((A + B).symbol, 1, ["b + a"]),
        ((A * A * B + A * A).symbol, 1, ["a", "a", "b + 1"]),
    ],
)
def test_a_symbol_is_the_product_of_its_factors(symbol, content, factors):
    found, parts = symbol.factors()
    assert (found, [str(part) for part in parts]) == (content, factors)
    again = Symbol.constant(content)
    for part in parts:
        again = again.times(part)
    assert again == symbol


def test_one_name_is_one_number_whatever_its_bounds():
    assert Symbol.named("a", (0, 5)) == Symbol.named("a", (1, inf))
    assert Symbol.named("a").minus(Symbol.named("a", (1, 2))).number == 0


def test_equal_symbols_are_equal_however_they_were_made():
    assert (A * B).symbol == (B * A).symbol
    assert (A + B + 1).symbol == (1 + B + A).symbol
    assert hash((A * B).symbol) == hash((B * A).symbol)
    assert (A + 1).symbol != (A + 2).symbol

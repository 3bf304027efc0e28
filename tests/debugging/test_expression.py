"""Expressions of sizes: what they print, the numbers that they are, and that those that irops.why gives are,
for random sizes of their sources, what inference gives.

IROPS_CORPUS names a folder of corpora; the networks in its folder arch, if there is one, are tried too.
"""

import os
from pathlib import Path

import pytest
from size_expressions import check_model

from irops.debugging.origins.symbolic import Expression
from irops.values.dim import ANY, Dim, broadcast, minimum

N, M = Dim(1, 100).named("N"), Dim(1, 100).named("M")
SIZES = {"N": 7, "M": 5}


@pytest.mark.parametrize(
    ("size", "text", "number"),
    [
        (N * 2 + 1, "2*N + 1", 15),
        (N * M - 3, "M*N - 3", 32),
        ((N - 1) // 2 + 1, "(N + 1)//2", 4),
        (4 * (N // 2), "4*(N//2)", 12),
        (0 - (N // 2), "-(N//2)", -3),
        (6 - 4 * ((N + 1) // 2), "-4*((N + 1)//2) + 6", -10),
        ((4 * (N // 2)) // 3, "4*(N//2)//3", 4),
        (100 // (N + M), "100//(N + M)", 8),
        (N % 4, "N - 4*(N//4)", 3),
        (minimum(N, M) * 2, "2*min(M, N)", 10),
        (broadcast(N, M.named("K"), "C1"), "broadcast(K, N)", 7),
        (Dim.of(12), "12", 12),
    ],
)
def test_an_expression_is_the_size_in_the_syntax_of_python(size, text, number):
    expression = Expression.of(size)
    assert str(expression) == text
    assert expression.evaluate({**SIZES, "K": 1}) == number
    if "broadcast" not in text:
        assert eval(text, {}, SIZES) == number


def test_a_size_without_a_symbol_has_no_expression():
    assert Expression.of(ANY) is None


def test_names_are_listed_in_the_order_in_which_they_occur_without_functions():
    assert Expression.parsed("min(M, N) + N*K").names == ("M", "N", "K")


def test_a_name_that_inference_generates_becomes_an_identifier():
    assert str(Expression.of(ANY.named("#7") * 2)) == "2*n7"


def test_names_are_replaced_by_expressions_in_parentheses_where_needed():
    replaced = Expression.parsed("2*x//3").with_names({"x": Expression.parsed("N + 1")})
    assert str(replaced) == "2*(N + 1)//3"
    assert str(Expression.parsed("x").with_names({"y": Expression.parsed("N")})) == "x"


def test_sizes_that_do_not_broadcast_are_an_error():
    with pytest.raises(ValueError, match="7, 5 do not broadcast"):
        Expression.parsed("broadcast(N, M)").evaluate(SIZES)


def test_a_name_without_a_size_is_an_error():
    with pytest.raises(KeyError):
        Expression.parsed("N + Q").evaluate(SIZES)


def test_a_text_that_is_no_expression_of_sizes_is_an_error():
    with pytest.raises(ValueError, match="no operation on sizes"):
        Expression("N % 2").evaluate(SIZES)
    with pytest.raises(ValueError, match="no part of an expression"):
        Expression("[N]").evaluate(SIZES)


ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*/model.xml"))
NETWORKS = sorted(Path(os.environ.get("IROPS_CORPUS", "/nonexistent")).glob("arch/*/model.xml"))[::4]


@pytest.mark.parametrize(
    "path", [path for path in EXAMPLES if path.parent.name not in ("broken", "my_reverse")]
)
def test_expressions_of_the_examples_are_what_inference_gives(path):
    counts, wrong = check_model(path, seed=1)
    assert not wrong
    assert counts["comparisons"] >= counts["sizes"] > 0


@pytest.mark.slow("corpora")
@pytest.mark.parametrize("path", NETWORKS, ids=lambda path: path.parent.name)
def test_expressions_of_networks_are_what_inference_gives(path):
    counts, wrong = check_model(path, seed=1)
    assert not wrong
    assert counts["comparisons"] > 0

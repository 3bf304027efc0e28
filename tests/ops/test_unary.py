"""Functions of one number: every type that a definition allows, and every shape."""

from __future__ import annotations

import numpy as np
import pytest

import irops
from irops.dialects.registry import default_registry
from irops.values.element import element_type, element_type_of, tagged

PLAIN = (
    "Abs-1", "BitwiseNot-13", "Cos-1", "Exp-1", "Floor-1", "Log-1", "LogicalNot-1", "ReLU-1", "Sigmoid-1",
    "Sin-1", "Sqrt-1", "Swish-4", "Tanh-1", "CumSum-3",
)  # fmt: skip
OPS = {
    **{op: {} for op in PLAIN},
    "Clamp-1": {"min": -1.5, "max": 1.5},
    "Gelu-7": {"approximation_mode": "erf"},
    "SoftMax-8": {"axis": 0},
}
PAIRS = [(op, kind) for op in OPS for kind in sorted(default_registry().op(op).definition.inputs[0].allowed)]
WITH_AXIS = ("SoftMax-8", "CumSum-3")


@pytest.mark.parametrize(("op", "kind"), PAIRS, ids=lambda word: word)
def test_type_and_shape_stay_the_same(op, kind):
    element = element_type(kind)
    for shape in ((2, 3), (0, 2), (1,), ()):
        if shape or op not in WITH_AXIS:
            numbers = np.resize(np.arange(2), shape).astype(np.float32)
            data = (
                tagged(numbers.astype(np.uint8), element)
                if element.dtype == np.uint8
                else numbers.astype(element.dtype)
            )
            found = irops.call(op, data, **OPS[op])
            assert found.shape == shape
            assert element_type_of(found) is element


def test_sums_of_narrow_integers_wrap_around_in_their_own_bits():
    sums = irops.call("CumSum-3", np.full(4, 7).astype(element_type("i4").dtype), np.int32(0))
    assert sums.astype(int).tolist() == [7, -2, 5, -4]


def test_a_negative_beta_is_computed_as_the_formula_says():
    assert irops.call("Swish-4", np.float32([1]), np.float32(-1)).tolist() == pytest.approx([0.26894143])


def test_gelu_by_erf_keeps_the_digits_of_f64():
    from math import erf, sqrt

    x = np.linspace(-5, 5, 101)
    truth = [v / 2 * (1 + erf(v / sqrt(2))) for v in x.tolist()]
    assert np.abs(irops.call("Gelu-7", x) - truth).max() <= 4e-16


@pytest.mark.parametrize("axis", [-3, 2])
def test_an_axis_that_only_the_run_knows_lies_within_the_rank(axis):
    with pytest.raises(irops.EvaluationError, match=r"axis lies in \[-rank, rank-1\]"):
        irops.call("CumSum-3", np.ones((2, 2), np.float32), np.int64(axis))

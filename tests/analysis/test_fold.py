"""Values that inference computes: how large they may be, what they may cost, and what a failure reports."""

from dataclasses import replace

import numpy as np
import pytest

from irops.analysis.fold import INPUTS, MAX_DEPTH, MAX_FOLD_COST, ValueBudget, attach_values
from irops.analysis.invocation import Invocation
from irops.dialects.registry import default_registry
from irops.values.dim import Dim
from irops.values.element import F32, I64, STRING
from irops.values.fact import Fact, dims_array
from irops.values.shape import Shape
from irops.values.violation import LimitExceeded, Violation, collect_warnings


def of(*numbers):
    return Fact.of(np.array(numbers, np.int64))


def folded(id, inputs, limit=100, budget=None, report=None, functions=None, **attributes):
    op = default_registry().op(id)
    if functions:
        op = replace(op, functions=replace(op.functions, **functions))
    invocation = Invocation.of_values(op, attributes)
    return attach_values(invocation, inputs, list(invocation.infer(inputs)), limit, budget, report)


def test_a_transposition_in_an_order_known_in_part_has_no_value():
    arg = Fact.of(np.array([[1, 2], [3, 4]], np.int64))
    order = Fact(I64, Shape.of(2), dims_array([Dim(0, 1), Dim(0, 1)]))
    (found,) = folded("Transpose-1", [arg, order])
    assert (found.shape, found.known) == (Shape.of(2, 2), None)


def test_a_value_that_is_asked_for_late_warns_nobody_else():
    with collect_warnings() as warnings:
        (reshaped,) = folded("Reshape-1", [of(1, 2, 3), of(2, 2)], special_zero=False)
        assert [warning.constraint for warning in warnings] == ["C4"]
        assert reshaped.known is None
    assert [warning.constraint for warning in warnings] == ["C4"]


def test_a_budget_is_spent_to_the_last_byte():
    budget = ValueBudget(16)
    assert budget.affords([np.zeros(1), None, np.zeros(1)])
    assert budget.affords(())
    assert not budget.overdrawn
    assert not budget.affords([np.zeros(1, np.int8)])
    assert budget.overdrawn
    assert not budget.affords(())


def test_a_partly_known_element_counts_as_16_pointers():
    dims = dims_array([Dim(0, 1), Dim(0, 2)])
    assert ValueBudget(2 * 8 * 16).affords([dims])
    assert not ValueBudget(2 * 8 * 16 - 1).affords([dims])


def test_without_a_total_a_budget_is_unlimited():
    assert ValueBudget().affords([np.zeros(1000)])


def test_partly_known_inputs_give_a_partly_known_output():
    partly = Fact(I64, Shape([2]), dims_array([Dim(1, 5), 2]))
    (sum_,) = folded("Add-1", [partly, of(3, 4)])
    assert [str(dim) for dim in sum_.dims] == ["4..8", "6"]
    assert sum_.value is None


@pytest.mark.parametrize(("limit", "known"), [(2, True), (1, False)])
def test_an_output_has_as_many_elements_as_the_limit_says_at_most(limit, known):
    (sum_,) = folded("Add-1", [of(1, 2), of(3, 4)], limit)
    assert (None if sum_.value is None else sum_.value.tolist()) == ([4, 6] if known else None)


@pytest.mark.parametrize(("size", "known"), [(INPUTS, True), (INPUTS + 1, False)])
def test_an_input_is_16_times_as_large_at_most(size, known):
    (sum_,) = folded("ReduceSum-1", [of(*range(size)), of(0)], 1)
    assert (sum_.value is not None) is known


def test_an_output_of_a_size_that_is_not_known_has_no_value():
    x = Fact(I64, Shape([Dim(1, 2)]))
    assert not folded("Add-1", [x, x])[0].may_have_value


def test_floats_of_which_nothing_is_known_make_everything_unknown():
    unknown, known = Fact(F32, Shape([2])), Fact.of(np.ones(2, np.float32))
    assert not folded("Add-1", [unknown, known])[0].may_have_value
    integers = Fact(I64, Shape([2]))
    assert folded("Add-1", [integers, of(1, 2)])[0].may_have_value
    assert not folded("Add-1", [integers, integers])[0].may_have_value


def test_without_a_partial_value_function_all_inputs_must_be_known():
    known = {"functions": {"values": None}}
    assert folded("Add-1", [of(1), of(2)], **known)[0].value.tolist() == [3]
    assert not folded("Add-1", [Fact(I64, Shape([1])), of(2)], **known)[0].may_have_value


def test_a_costly_op_is_computed_up_to_the_limit_of_its_cost():
    rows = MAX_FOLD_COST // (2 * 1000 * 10)
    a = Fact.of(np.ones((rows, 1000), np.float32))
    b = Fact.of(np.ones((1000, 1), np.float32))
    attributes = {"transpose_a": False, "transpose_b": False}
    size = a.value.size + b.value.size
    assert size * rows > MAX_FOLD_COST
    assert not folded("MatMul-1", [a, b], 1 << 30, **attributes)[0].may_have_value
    few = Fact.of(np.ones((2, 1000), np.float32))
    assert folded("MatMul-1", [few, b], 1 << 30, **attributes)[0].value.tolist() == [[1000]] * 2


def test_a_value_is_computed_when_it_is_first_asked_for_and_once_for_all_outputs():
    calls, kernel = [], default_registry().op("Split-1").functions.kernel

    def counted(*inputs, **keywords):
        calls.append(1)
        return kernel(*inputs, **keywords)

    one, two = folded(
        "Split-1", [of(1, 2), Fact.of(np.array(0))], functions={"kernel": counted}, num_splits=2
    )
    assert calls == []
    assert (one.value.tolist(), two.value.tolist(), calls) == ([1], [2], [1])


def test_a_chain_is_computed_at_once_where_it_is_deeper_than_the_limit():
    x = of(0)
    depths = []
    for _ in range(MAX_DEPTH + 2):
        (x,) = folded("Add-1", [x, of(1)])
        depths.append(x.depth)
    assert depths == [*range(1, MAX_DEPTH + 1), 0, 1]
    assert x.value.tolist() == [MAX_DEPTH + 2]


def test_without_a_budget_left_nothing_is_computed():
    calls, budget = [], ValueBudget(7)
    assert folded("Add-1", [of(1), of(2)], budget=budget)[0].value is None
    assert budget.overdrawn
    functions = {"kernel": lambda *inputs, **keywords: calls.append(1)}
    assert folded("Add-1", [of(1), of(2)], budget=budget, functions=functions)[0].value is None
    assert calls == []


@pytest.mark.parametrize("part", ["kernel", "values"])
@pytest.mark.parametrize(
    "error",
    [ZeroDivisionError("no"), Violation("C1"), LimitExceeded("memory-limit", "no"), MemoryError("no")],
)
def test_a_function_that_fails_is_reported_once_with_its_name(part, error):
    def fail(*inputs, **keywords):
        raise error

    inputs = [of(1, 2) if part == "kernel" else Fact(I64, Shape([2])), of(3, 4)]
    faults = []
    (sum_,) = folded("Add-1", inputs, report=faults.append, functions={part: fail})
    assert (sum_.value, sum_.value, str(sum_)) == (None, None, "i64[2]")
    rule = {"kernel": "failed-kernel", "values": "failed-shape-function"}[part]
    name = {"kernel": "kernel", "values": "partial-value function"}[part]
    wanted = (rule, f"the {name} of Add-1 failed: ZeroDivisionError: no")
    assert [(f.rule, f.message) for f in faults] == [wanted] * isinstance(error, ZeroDivisionError)


def test_a_function_that_fails_raises_where_nobody_takes_the_report():
    def fail(*inputs, **keywords):
        raise ZeroDivisionError

    (sum_,) = folded("Add-1", [of(1), of(2)], functions={"kernel": fail})
    with pytest.raises(ZeroDivisionError):
        assert sum_.known is None


def test_a_missing_kernel_leaves_the_value_unknown():
    assert folded("Add-1", [of(1), of(2)], functions={"kernel": None})[0].value is None


def test_strings_pass_as_they_are():
    words = Fact.of(np.array(["a", "b"], object))
    (turned,) = folded("Reverse-1", [words, of(0)], mode="index")
    assert (turned.element_type, turned.value.tolist()) == (STRING, ["b", "a"])


def test_elements_of_which_nothing_is_known_stand_beside_known_ones():
    (joined,) = folded("Concat-1", [Fact(I64, Shape([1])), of(5), Fact(I64, Shape([1]))], axis=0)
    assert [dim.known for dim in joined.dims] == [False, True, False]
    assert str(joined.dims[1]) == "5"

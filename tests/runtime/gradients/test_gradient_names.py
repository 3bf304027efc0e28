"""How inputs, constants and results are named that gradients are asked for, and given."""

import numpy as np
import pytest

import irops
from irops.analysis.model_analysis import analyse
from irops.runtime.gradients import GradientNames

W = np.ones(3)


@pytest.fixture
def names(net):
    const = {"element_type": "f64", "shape": "3", "offset": 0, "size": 24}
    model = net(
        "x: f64[3]; n: i64[3]; any: dynamic[3]",
        ("w", "Const", const, []),
        ("x.0", "Const", const, []),
        "sum: Add x w; y: Result sum; z: Result n",
        weights=W.tobytes(),
    )
    return GradientNames(analyse(model))


def test_a_constant_is_found_by_its_name_unless_an_input_has_it(names):
    assert names.constant("w").id == 3
    assert names.constant("x.0") is None
    assert names.constant("x") is None
    assert names.constant(3) is None


def test_by_default_all_inputs_are_wanted_that_may_have_a_gradient(names):
    assert names.wanted(None) == {0, 2}


@pytest.mark.parametrize(
    ("wrt", "ids"),
    [("x", {0}), (0, {0}), ("x.0", {0}), (["w", "x"], {0, 3}), ("w", {3}), ((), set()), ({2, "x"}, {0, 2})],
)
def test_what_is_wanted_is_named_alone_or_in_a_list(names, wrt, ids):
    assert names.wanted(wrt) == ids


def test_a_tensor_of_integers_has_no_gradient(names):
    with pytest.raises(irops.EvaluationError) as caught:
        names.wanted(["x", "n"])
    (found,) = caught.value.diagnostics
    assert (found.code, found.location.layer_name) == ("IR623", "n")
    assert found.message == "a gradient is asked for of 'n', which is i64[3]; tensors of i64 have none"


def test_an_unknown_name_is_reported_with_what_gradients_are_asked_for_of(names):
    with pytest.raises(irops.EvaluationError) as caught:
        names.wanted("sum")
    (found,) = caught.value.diagnostics
    assert found.code == "IR602"
    assert found.notes == ("gradients are asked for of inputs, and of constants by the name of their layer",)


def test_cotangents_are_given_by_name_or_in_order_and_none_is_left_out(names):
    y, z = names.result_ids
    assert names.of_results({"y": 1, "z": None}) == {y: 1}
    assert names.of_results([None, 2]) == {z: 2}
    assert names.of_results({1: 3, "sum.0": 4}) == {z: 3, y: 4}
    assert names.of_results([]) == {}


@pytest.mark.parametrize("alone", [W, 1.0, 1, np.float32(1)])
def test_one_cotangent_for_two_results_is_refused(names, alone):
    with pytest.raises(irops.EvaluationError, match="one cotangent is given for 2 results; say by name"):
        names.of_results(alone)


def test_a_cotangent_of_no_result_is_reported(names):
    with pytest.raises(irops.EvaluationError, match="IR622 the model has no result 'x'"):
        names.of_results({"x": 1})

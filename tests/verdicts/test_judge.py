"""Verdicts: what counts as rounding for an op, its types and sizes, and what does not."""

import ml_dtypes
import numpy as np
import pytest
from questions import LINEAR, question, truth_of

from irops.values.element import element_type
from irops.verdicts.judge import judge, judge_layer
from irops.verdicts.metrics import metrics_of
from irops.verdicts.question import Arithmetic, Judgement, Verdict, worst

RANDOM = np.random.default_rng(5)


def floats(*shape, dtype=np.float32):
    return RANDOM.standard_normal(shape).astype(dtype)


def test_the_bound_of_a_product_grows_with_its_length_and_not_with_the_result():
    """Terms that cancel leave a result with a large relative error, which is rounding all the same."""
    a = floats(4, 512)
    asked = question("MatMul-1", np.concatenate([a, -a], axis=1), np.tile(floats(512, 3), (2, 1)))
    (truth,) = truth_of(asked)
    noise = truth + np.float32(2e-5) * np.sign(floats(4, 3))
    verdict = judge(asked, truth, noise)
    assert verdict.verdict is Verdict.ROUNDING
    assert "a sum of 1,024 terms" in verdict.reason
    assert judge(asked, truth, truth + np.float32(2e-2)).verdict is Verdict.WRONG


@pytest.mark.parametrize("op", ["Transpose-1", "ReLU-1", "Maximum-1", "Floor-1"])
def test_ops_that_choose_or_move_elements_are_exact(op):
    inputs = {"Transpose-1": [np.array([1, 0])], "Maximum-1": [floats(3, 4)]}.get(op, [])
    asked = question(op, floats(3, 4), *inputs)
    (truth,) = truth_of(asked)
    wrong = truth.copy()
    wrong[1, 1] = np.nextafter(np.float32(wrong[1, 1] or 1), np.float32(9))
    assert judge(asked, truth, wrong).verdict is Verdict.WRONG
    assert judge(asked, truth, truth.copy()).verdict is Verdict.EQUAL


@pytest.mark.parametrize("op", ["Exp-1", "Tanh-1", "Sigmoid-1", "Gelu-7", "SoftPlus-4", "Mish-4", "Erf-1"])
def test_functions_may_be_some_units_in_the_last_place_off(op):
    asked = question(op, 4 * floats(1000))
    (truth,) = truth_of(asked)
    exact = np.asarray(asked.again([asked.inputs[0].astype(np.float64)])[0])
    assert judge(asked, truth, exact.astype(np.float32)).verdict in (Verdict.ROUNDING, Verdict.EQUAL)
    assert judge(asked, truth, (exact * 1.001).astype(np.float32)).verdict is Verdict.WRONG


def test_a_narrower_precision_widens_the_bound():
    a, b = floats(6, 64), floats(64, 5)
    narrow = a.astype(ml_dtypes.bfloat16).astype(np.float32) @ b.astype(ml_dtypes.bfloat16).astype(np.float32)
    asked = question("MatMul-1", a, b)
    (truth,) = truth_of(asked)
    assert judge(asked, truth, narrow).verdict is Verdict.WRONG
    asked = question("MatMul-1", a, b, arithmetic=Arithmetic("bf16"))
    assert judge(asked, truth, narrow).verdict is Verdict.ROUNDING
    assert judge(asked, truth, -truth).verdict is Verdict.WRONG


def test_random_values_are_compared_with_their_range():
    options = {"output_type": "f32", "global_seed": "1", "op_seed": "2"}
    asked = question("RandomUniform-8", np.array([4]), np.float32(1), np.float32(2), **options)
    truth = np.float32([1.1, 1.2, 1.3, 1.4])
    assert judge(asked, truth, np.float32([1.9, 1.0, 1.5, 1.6])).verdict is Verdict.RANDOM
    wrong = judge(asked, truth, np.float32([1.9, 2.5, 1.5, 1.6]))
    assert (wrong.verdict, wrong.reason) == (Verdict.WRONG, "1 elements are outside of 1 to 2")


def test_nan_and_overflow_that_begin_in_a_layer():
    asked = question("Exp-1", np.float32([1, 2, 88]))
    (truth,) = truth_of(asked)
    found = judge(asked, truth, np.float32([truth[0], np.nan, truth[2]]))
    assert (found.verdict, found.reason) == (Verdict.NOT_FINITE, "NaN begins here in 1 element")
    asked = question("Multiply-1", np.float32([300, 2]), np.float32([400, 2]), arithmetic=Arithmetic("f16"))
    (truth,) = truth_of(asked)
    found = judge(asked, truth, np.float32([np.inf, 4]))
    assert found.verdict is Verdict.OVERFLOW
    assert "exceed the greatest one of f16" in found.reason


def test_integers_that_saturate():
    asked = question("Convert-1", np.float32([300, 2]), destination_type="i8")
    (truth,) = truth_of(asked)
    found = judge(asked, truth, np.int8([127, 2]))
    assert found.verdict is Verdict.SATURATION
    assert judge(asked, truth, np.int8([truth[0], 3])).verdict is Verdict.WRONG


def test_types_without_kernels_are_computed_in_others():
    plugin = Arithmetic(converted=(("f64", "f32"), ("i64", "i32")))
    asked = question("Sin-1", floats(50, dtype=np.float64), arithmetic=plugin)
    (truth,) = truth_of(asked)
    narrow = np.sin(asked.inputs[0].astype(np.float32)).astype(np.float64)
    assert judge(asked, truth, narrow).verdict is Verdict.ROUNDING
    assert judge(question("Sin-1", asked.inputs[0]), truth, narrow).verdict is Verdict.WRONG
    asked = question("Add-1", np.array([1, 2**40]), np.array([1, 1]), arithmetic=plugin)
    (truth,) = truth_of(asked)
    found = judge(asked, truth, np.array([2, 1]))
    reason = "1 of 2 elements differ; i64 is computed in i32, and numbers exceed it"
    assert (found.verdict, found.reason) == (Verdict.OVERFLOW, reason)
    compared = question("Greater-1", np.array([1, 2**40]), np.array([1, 1]), arithmetic=plugin)
    found = judge(compared, np.array([False, True]), np.array([False, False]))
    assert (found.verdict, found.reason) == (Verdict.OVERFLOW, reason)


def test_types_and_shapes_come_first():
    asked = question("ReLU-1", floats(2, 3))
    (truth,) = truth_of(asked)
    assert judge(asked, truth, truth.T).reason == "has shape [3,2], must be [2,3]"
    assert judge(asked, truth, truth.astype(np.float64)).reason == "has element type f64, must be f32"
    assert judge_layer(asked, [truth], [truth, truth])[0].reason == "gives 2 outputs, must give 1"


@pytest.mark.parametrize("name", ["f16", "bf16", "f32", "f64"])
def test_metrics_of_one_step(name):
    a = np.ones((2, 3), element_type(name).dtype)
    b = a.copy()
    bits = b.view(f"u{a.dtype.itemsize}")
    bits[1, 2] += 1
    found = metrics_of(a, b)
    assert (found.differing, found.elements, found.max_ulp, found.worst) == (1, 6, 1, (1, 2))
    assert found.share == pytest.approx(1 / 6)
    assert found.max_abs == pytest.approx(found.max_rel)
    assert (found.first, found.second) == (1.0, float(b[1, 2]))
    assert found.snr > 40


def test_metrics_across_zero_and_of_equal_tensors():
    tiny = np.float32([2**-149])
    assert metrics_of(-tiny, tiny).max_ulp == 2
    same = metrics_of(tiny, tiny)
    assert (same.differing, same.max_abs, same.worst) == (0, 0.0, None)


def test_the_worst_judgement_decides():
    wrong, equal = Judgement(Verdict.WRONG), Judgement(Verdict.EQUAL)
    assert worst((equal, wrong, equal)) is wrong
    assert worst(()).verdict is Verdict.EQUAL
    assert [v for v in Verdict if v.is_fault] == [
        Verdict.SATURATION, Verdict.OVERFLOW, Verdict.NOT_FINITE, Verdict.WRONG, Verdict.FAILED,
    ]  # fmt: skip


def test_one_percent_is_wrong_where_sizes_follow_from_an_input_too():
    """Changed scales would give another size, which is no reason to call everything undecided."""
    sides = np.float32([1.5, 1.5]), np.array([2, 3])
    asked = question("Interpolate-11", floats(1, 2, 6, 6), *sides, **LINEAR)
    (truth,) = truth_of(asked)
    assert judge(asked, truth, truth * np.float32(1.01)).verdict is Verdict.WRONG


@pytest.mark.parametrize("op", ["Exp-1", "SoftMax-8", "Mod-1"])
def test_a_first_source_that_is_wrong_makes_no_bound_for_itself(op):
    """The bound follows from what the definition gives, not from how far the first source is from it."""
    asked = question(op, floats(4, 9), *([np.float32(0.3)] if op == "Mod-1" else []))
    (right,) = truth_of(asked)
    assert judge(asked, right + np.float32(0.1), right).verdict is Verdict.WRONG

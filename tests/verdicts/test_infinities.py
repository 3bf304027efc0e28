"""Infinities and NaN agree with themselves alone, in every comparison; what overflows allows nothing."""

from contextlib import suppress
from dataclasses import replace
from itertools import product

import ml_dtypes
import numpy as np
import pytest
from invoking import loaded
from questions import LINEAR, question, truth_of

import irops
from irops.analysis.invocation import Invocation
from irops.conformance.cases import inputs_of
from irops.debugging.compare.noise import agreement
from irops.dialects.registry import default_registry
from irops.spec.load import examples
from irops.values.violation import LimitExceeded, Violation
from irops.verdicts.bounds import full_bound
from irops.verdicts.judge import judge
from irops.verdicts.metrics import as_numbers
from irops.verdicts.question import DECLARED, Arithmetic, Question, Verdict, is_float

INF, NAN = np.inf, np.nan
GREATEST = np.finfo(np.float32).max
F32, F64 = np.float32, np.float64


def judged(asked, *elements):
    (truth,) = truth_of(asked)
    return judge(asked, truth, np.array(elements, truth.dtype))


@pytest.mark.parametrize(
    ("element", "verdict"),
    [
        *((element, Verdict.WRONG) for element in (5, -7, 3.0e38, -INF, -GREATEST)),
        (GREATEST, Verdict.SATURATION),
        (NAN, Verdict.NOT_FINITE),
    ],
)
def test_nothing_but_infinity_is_right_where_the_truth_is_infinite(element, verdict):
    with np.errstate(over="ignore"):
        exp = question("Exp-1", F32([1, 100]))
        e = np.exp(F32(1))
        assert judged(exp, e, element).verdict is verdict
        assert judged(exp, e, INF).verdict is Verdict.EQUAL
        moved = question("ReLU-1", F32([1, INF]))
        assert judged(moved, 1, element).verdict is verdict
    runs = [F32([1, INF]), F32([1.0000001, INF])]
    for given in ([], runs, [runs[1], F32([1, GREATEST])], [F32([1, GREATEST]), runs[1]]):
        assert agreement(F32([1, INF]), F32([1, element]), given, DECLARED).verdict is verdict


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, F32, F64, ml_dtypes.float8_e5m2])
def test_infinities_are_so_in_every_type(dtype):
    truth = np.array([INF, -INF, 2], dtype)
    greatest = ml_dtypes.finfo(dtype).max
    for ours, verdict in (
        ([-INF, INF, 2], Verdict.WRONG),
        ([1, 2, 2], Verdict.WRONG),
        ([greatest, -greatest, 2], Verdict.SATURATION),
        ([INF, -INF, NAN], Verdict.NOT_FINITE),
        ([INF, -INF, INF], Verdict.NOT_FINITE),
    ):
        other = np.array(ours, dtype)
        asked = question("ReLU-1", truth)
        assert judge(asked, truth, other).verdict is verdict
        assert agreement(truth, other, [], DECLARED).verdict is verdict


def test_a_number_in_place_of_nan_is_wrong():
    asked = question("Sqrt-1", F32([4, -1]))
    found = judged(asked, 2, 1)
    assert (found.verdict, found.reason) == (Verdict.WRONG, "a number in place of NaN in 1 element")
    assert judged(asked, 2, INF).verdict is Verdict.NOT_FINITE
    assert agreement(F32([2, NAN]), F32([2, 1]), [], DECLARED).reason == found.reason


def test_a_row_with_an_infinity_lends_the_others_no_bound():
    """The errors of interpolation are relative to the greatest element, which is finite."""
    rows = F32([[[[1, 2], [3, 4]], [[INF, INF], [INF, INF]]]])
    asked = question("Interpolate-11", rows, F32([2.0, 2.0]), np.array([2, 3]), **LINEAR)
    (truth,) = truth_of(asked)
    wrong = truth.copy()
    wrong[0, 0] *= F32(1.01)
    assert judge(asked, truth, wrong).verdict is Verdict.WRONG
    wrong = truth.copy()
    wrong[0, 1, 0, 0] = 5
    assert judge(asked, truth, wrong).verdict is Verdict.WRONG


@pytest.mark.parametrize(("dtype", "size"), [(F32, 2e38), (np.float16, 4e4), (F64, 1.2e308)])
def test_a_sum_whose_magnitudes_overflow_has_a_bound(dtype, size):
    """size + size - size = size, though |size| + |size| + |-size| is infinite."""
    asked = question("ReduceSum-1", np.array([[size, -size, size]], dtype), np.array([1]))
    truth = np.array([size], dtype)
    right = np.nextafter(truth, dtype(0))
    assert judge(asked, truth, right).verdict is Verdict.ROUNDING
    for wrong in (truth * dtype(0.9), -truth, dtype([0])):
        assert judge(asked, truth, wrong).verdict is Verdict.WRONG


def test_noise_whose_square_overflows_is_no_allowance():
    truth = F64([1e300, 1, 2])
    runs = [truth, F64([1e300 + 1e285, 1, 2])]
    assert agreement(truth, F64([1e300, 1, 3]), [], DECLARED).verdict is Verdict.WRONG
    assert agreement(truth, F64([1e300, 1e299, 2]), runs, DECLARED).verdict is Verdict.WRONG
    assert agreement(truth, F64([1e300 + 2e285, 1, 2]), runs, DECLARED).verdict is Verdict.ROUNDING


@pytest.mark.parametrize(
    ("dtype", "limit"),
    [(np.float16, 65504), (F32, GREATEST), (ml_dtypes.bfloat16, ml_dtypes.finfo(ml_dtypes.bfloat16).max)],
)
def test_rounding_may_lead_beyond_the_greatest_number(dtype, limit):
    """A function that is a few units off may give infinity near the greatest number, and not far below it."""
    near = np.array([limit, 2], dtype)
    near[0] = np.nextafter(near[0], dtype(0))
    asked = question("Multiply-1", near, np.ones(2, dtype))
    ours = np.array([INF, 2], dtype)
    assert judge(asked, near, ours).verdict is Verdict.ROUNDING
    assert agreement(near, ours, [], DECLARED).verdict is Verdict.ROUNDING
    assert judge(asked, near, np.array([-INF, 2], dtype)).is_fault
    exact = question("ReLU-1", near)
    assert judge(exact, near, ours).is_fault, "nothing is rounded"
    far = np.array([float(limit) * 0.4, 2], dtype)
    asked = question("Multiply-1", far, np.ones(2, dtype))
    assert judge(asked, far, ours).verdict is Verdict.NOT_FINITE
    assert agreement(far, ours, [], DECLARED).verdict is Verdict.NOT_FINITE


def test_numbers_beyond_the_type_that_is_computed_in_overflow_or_saturate():
    plugin = Arithmetic(converted=(("f64", "f32"),))
    truth = F64([1e300, 2])
    asked = question("Multiply-1", truth, F64(1), arithmetic=plugin)
    reason = "1 of 2 elements differ: the numbers exceed the greatest one of f32"
    for given in (judge(asked, truth, F64([INF, 2])), agreement(truth, F64([INF, 2]), [], plugin)):
        assert (given.verdict, given.reason) == (Verdict.OVERFLOW, reason)
    saturated = F64([GREATEST, 2])
    assert judge(asked, truth, saturated).verdict is Verdict.SATURATION
    assert agreement(truth, saturated, [], plugin).verdict is Verdict.SATURATION
    assert judge(asked, truth, F64([3e38, 2])).verdict is Verdict.WRONG
    half = Arithmetic("f16")
    assert agreement(F32([70000, 2]), F32([INF, 2]), [], half).verdict is Verdict.OVERFLOW
    assert agreement(F32([70000, 2]), F32([65504, 2]), [], half).verdict is Verdict.SATURATION
    assert agreement(F32([65500, 2]), F32([INF, 2]), [], half).verdict is Verdict.ROUNDING


def test_no_tie_makes_a_number_of_an_infinity():
    asked = question("Mod-1", F32([INF, 5]), F32([2, 3]))
    assert judge(asked, F32([INF, 2]), F32([17, 2])).verdict is Verdict.WRONG


def masked_scores():
    """Scores of which a mask hides some, and what they are used for."""
    graph = irops.Graph("masked")
    x = graph.parameter("x", "f32[2,4]")
    mask = graph.constant(F32([0, 0, -INF, 0]), name="mask")
    scores = graph.add("Add", x, mask, name="scores")
    scaled = graph.add("Multiply", scores, F32(0.5), name="scaled")
    graph.result(scaled, "y")
    return graph.model(), F32([[1, 2, 3, 4], [5, 6, 7, 8]])


class Unmasked:
    """A backend that leaves the mask out."""

    name = "unmasked"

    def kernel(self, op):
        return (lambda a, b, **_: a + np.where(np.isinf(b), F32(0), b)) if op.id == "Add-1" else None


@pytest.mark.parametrize("mode", ["isolated", "propagated", "cuts"])
def test_scores_without_their_mask_are_wrong_in_every_mode(mode):
    model, x = masked_scores()
    found = irops.compare(model, [x], b=Unmasked(), mode=mode)
    assert (found.first.name, found.first.verdict) == ("scores", Verdict.WRONG)


def test_stored_values_and_reductions_know_infinities():
    model, x = masked_scores()
    values = dict(irops.run(model, [x], keep="all"))
    values["scores"] = np.where(np.isinf(values["scores"]), F32(5), values["scores"])
    found = irops.compare(model, [x], b=values)
    assert [layer.name for layer in found.layers if layer.is_fault] == ["scores"]
    small = irops.reduce(model, [x], differs=("reference", Unmasked()))
    kept = [layer.type for layer in small.model.layers if layer.type not in ("Parameter", "Const")]
    assert kept == ["Add", "Result"]


def test_a_number_that_overflows_in_a_narrower_model_is_overflow():
    graph = irops.Graph("wide")
    x = graph.parameter("x", "f64[3]")
    graph.result(graph.add("Multiply", x, np.float64(1e200), name="scaled"), "y")
    x = F64([1, 1e-200, 3])
    with np.errstate(over="ignore"):
        narrow = {"scaled": (x * 1e200).astype(F32)}
    found = irops.compare(graph.model(), [x], b=narrow)
    reason = "2 of 3 elements differ: the numbers exceed the greatest one of f32"
    assert (found.first.verdict, found.first.reason) == (Verdict.OVERFLOW, reason)
    narrow["scaled"] = np.clip(x * 1e200, -GREATEST, GREATEST).astype(F32)
    assert irops.compare(graph.model(), [x], b=narrow).first.verdict is Verdict.SATURATION


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, F32, F64])
def test_the_greatest_number_is_no_infinity_whichever_of_the_two_it_is(dtype):
    limit = ml_dtypes.finfo(dtype).max
    one, other = np.array([limit, -limit], dtype), np.array([INF, -INF], dtype)
    asked = question("Multiply-1", one, np.ones(2, dtype))
    for found in (judge(asked, one, other), agreement(one, other, [], DECLARED)):
        reason = "infinity in place of the greatest number in 2 elements"
        assert (found.verdict, found.reason) == (Verdict.SATURATION, reason)
    assert agreement(other, one, [], DECLARED).verdict is Verdict.SATURATION


@pytest.mark.parametrize("op", loaded(default_registry().ids()), ids=lambda op: op.id)
def test_an_element_that_is_not_finite_leaves_the_others_a_bound(op):
    has_kernel = op.functions.kernel and not (op.definition.bodies or op.definition.stateful)
    for case in examples(op.definition) if has_kernel else ():
        given = [tensor and tensor.value for tensor in inputs_of(op, case)]
        asked = Question.of(Invocation(op, case.attributes), tuple(given))
        for index, element in product(asked.floats, (NAN, INF, -INF)):
            given[index] = asked.inputs[index].copy()
            given[index].reshape(-1)[:1] = element
            with suppress(Violation, LimitExceeded):
                for output, truth in enumerate(map(np.asarray, asked.again(given))):
                    if is_float(truth) and truth.size:
                        bound = full_bound(replace(asked, inputs=given), truth, output)
                        allowed = 0 if bound is None else np.broadcast_to(bound.values, truth.shape)
                        assert np.isfinite(np.where(np.isfinite(as_numbers(truth)), allowed, 0)).all()
            given[index] = asked.inputs[index]


@pytest.mark.parametrize("expected", [[1, 2, 3], [-INF, INF, 3], [INF, -INF, NAN]])
def test_expected_infinities_are_asserted(expected):
    graph = irops.Graph("reversed")
    x = graph.parameter("x", "f32[3]")
    graph.result(graph.add("Reverse", graph.add("Exp", x), np.array([0]), mode="index"), "y")
    with np.errstate(all="ignore"):
        right = [INF, 0, np.exp(F32(1))]
    from irops.testing import assert_same

    inputs = {"x": F32([1, -INF, 100])}
    assert_same(graph.model(), inputs, {"y": F32(right)})
    with pytest.raises(AssertionError, match=r"y (wrong|not finite)"):
        assert_same(graph.model(), inputs, {"y": F32(expected)})

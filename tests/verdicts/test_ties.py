"""Ties: both results are right, in every mode; and what only looks like one is wrong."""

from functools import partial

import numpy as np
import pytest
from planted import Tied
from questions import question, truth_of

import irops
from irops.debugging.compare.noise import agreement
from irops.debugging.reduce.reduction import NoFault
from irops.testing import assert_same
from irops.verdicts.judge import judge, judge_layer
from irops.verdicts.question import DECLARED, Arithmetic, Question, Verdict

F32 = np.float32
MODES = ("isolated", "propagated", "cuts")


def top_k(data, k, op="TopK-11", arithmetic=DECLARED, **attributes):
    given = {"axis": "0", "mode": "max", "sort": "value", "index_element_type": "i64", **attributes}
    return question(op, data, np.array(k), arithmetic=arithmetic, **given)


def verdicts(asked, values, indices):
    """Of both outputs, for the values and indices of another implementation."""
    truth = truth_of(asked)
    ours = [np.array(values, truth[0].dtype), np.array(indices, truth[1].dtype)]
    return [judged.verdict for judged in judge_layer(asked, truth, ours)]


EQUAL, TIE, WRONG = Verdict.EQUAL, Verdict.TIE, Verdict.WRONG
DATA = F32([5, 3, 5, 1, 5, 3])


@pytest.mark.parametrize(
    "data", [DATA, DATA.astype(np.int64), DATA.astype(np.uint8), DATA.astype(np.float16)]
)
def test_the_order_of_equal_elements_is_not_defined_unless_stable(data):
    assert verdicts(top_k(data, 4), [5, 5, 5, 3], [2, 4, 0, 5]) == [EQUAL, TIE]
    assert verdicts(top_k(data, 4, "TopK-3"), [5, 5, 5, 3], [2, 4, 0, 5]) == [EQUAL, TIE]
    assert verdicts(top_k(data, 4, stable="true"), [5, 5, 5, 3], [2, 4, 0, 5]) == [EQUAL, WRONG]
    for wrong in ([2, 4, 0, 3], [2, 2, 0, 5], [5, 4, 0, 2], [2, 4, 0, 6], [2, 4, 0, -1]):
        assert verdicts(top_k(data, 4), [5, 5, 5, 3], wrong) == [EQUAL, WRONG]


def test_each_row_has_its_own_ties():
    asked = top_k(np.stack([DATA, -DATA]), 4, axis="1")
    values = [[5, 5, 5, 3], [-1, -3, -3, -5]]
    assert verdicts(asked, values, [[2, 4, 0, 5], [3, 5, 1, 2]]) == [EQUAL, TIE]
    assert verdicts(asked, values, [[2, 4, 0, 5], [3, 5, 1, 3]]) == [EQUAL, WRONG]


def test_a_wrong_row_leaves_the_ties_of_others():
    asked = top_k(np.stack([DATA, DATA]), 4, axis="1")
    values, _ = truth_of(asked)
    judged = judge_layer(asked, truth_of(asked), [values, np.array([[2, 4, 0, 5], [0, 1, 2, 3]])])[1]
    assert (judged.verdict, judged.reason) == (WRONG, "3 of 8 elements differ, apart from ties")


def test_sorted_by_index_or_not_sorted():
    by_index = top_k(DATA, 4, sort="index")
    assert verdicts(by_index, [5, 5, 5, 3], [0, 2, 4, 5]) == [TIE, TIE]
    assert verdicts(by_index, [5, 3, 5, 5], [0, 1, 4, 2]) == [EQUAL, WRONG]
    assert verdicts(by_index, [3, 5, 5, 5], [1, 0, 2, 4]) == [WRONG, WRONG]
    assert verdicts(top_k(DATA, 4, sort="index", stable="true"), [5, 5, 5, 3], [0, 2, 4, 5]) == [WRONG, WRONG]
    unsorted = top_k(DATA, 4, sort="none")
    assert verdicts(unsorted, [3, 5, 5, 5], [5, 0, 4, 2]) == [TIE, TIE]
    assert verdicts(unsorted, [3, 5, 3, 5], [5, 0, 1, 2]) == [WRONG, WRONG]


def test_elements_that_are_equal_in_the_precision_that_is_computed_in():
    data = F32([1, 1.001, 2])
    narrow = Arithmetic("bf16")
    assert verdicts(top_k(data, 2, arithmetic=narrow), [2, 1.001], [2, 0]) == [EQUAL, TIE]
    assert verdicts(top_k(data, 2), [2, 1.001], [2, 0]) == [EQUAL, WRONG]
    assert verdicts(top_k(F32([1, 1.1, 2]), 2, arithmetic=narrow), [2, 1.1], [2, 0]) == [EQUAL, WRONG]


def selection(*, gathers):
    """The two best of scores after ReLU, of which several are equal, and the rows that belong to them."""
    graph = irops.Graph("selection")
    x = graph.parameter("x", "f32[6]")
    scores = graph.add("ReLU", graph.add("Sin", x, name="sin"), name="scores")
    options = {"axis": 0, "mode": "max", "sort": "value", "index_element_type": "i64"}
    best = graph.add("TopK", scores, 3, name="best", **options)
    if gathers:
        rows = graph.constant(np.arange(24, dtype=np.float32).reshape(6, 4), name="table")
        rows = graph.add("Gather", rows, best[1], 0, name="rows")
        graph.result(graph.add("Exp", rows, name="exp"), "y")
    else:
        graph.result(best[1], "y")
    return graph.model()


SCORES = F32([-1, -2, 1, -0.5, 1, -1])


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("gathers", [False, True])
def test_no_layer_is_wrong_where_equal_scores_are_selected_in_another_order(mode, gathers):
    found = irops.compare(selection(gathers=gathers), [SCORES], b=Tied(), mode=mode)
    assert [(layer.name, layer.reason) for layer in found.layers if layer.is_fault] == []


@pytest.mark.parametrize("mode", MODES)
def test_other_scores_are_wrong_in_every_mode(mode):
    found = irops.compare(selection(gathers=False), [SCORES], b=Tied(wrong=True), mode=mode)
    assert found.first.name == "best"


def test_a_fault_behind_a_tie_is_found():
    class Wrong(Tied):
        def kernel(self, op):
            return (lambda data: np.exp(data) * F32(1.01)) if op.id == "Exp-1" else super().kernel(op)

    found = irops.compare(selection(gathers=True), [SCORES], b=Wrong(), mode="propagated")
    assert [layer.name for layer in found.layers if layer.is_fault] == ["exp"]


@pytest.mark.parametrize("mode", ["propagated", "cuts"])
def test_a_fault_that_shows_once_is_no_tie(mode, beside_the_middle):
    """No second run excuses what the first one did."""

    class Once:
        name, wrong = "once", True

        def kernel(self, op):
            return partial(self.compute, op) if op.id == "FakeQuantize-1" else None

        def compute(self, op, *inputs, **attributes):
            right = np.asarray(op.functions.kernel(*inputs, **attributes)).copy()
            right[0, 0] += 20 * QUANTUM * self.wrong
            self.wrong = False
            return right

    found = irops.compare(quantized_network(product=True), [beside_the_middle], b=Once(), mode=mode)
    if mode == "propagated":
        assert [result.name for result in found.results if result.is_fault] == ["y"]  # in the first run of b
        assert not found.ok
    else:
        assert found.notes[0].startswith("the results of the whole model differ, but those of no part")


def test_expected_values_and_reductions_know_ties():
    model = selection(gathers=False)
    assert irops.run(model, [SCORES])[0].tolist() == [2, 4, 0]
    inputs = {"x": SCORES}
    assert_same(model, inputs, {"y": np.array([4, 2, 5])})
    for wrong in ([4, 0, 2], [4, 4, 0], [4, 2, 6]):
        with pytest.raises(AssertionError, match="y wrong"):
            assert_same(model, inputs, {"y": np.array(wrong)})
    for gathers in (False, True):
        with pytest.raises(NoFault):
            irops.reduce(selection(gathers=gathers), [SCORES], differs=("reference", Tied()))


# FakeQuantize

ROWS, WIDTH, LEVELS = 24, 40, 256
QUANTUM = F32(6 / 255)


def quantized(data, **attributes):
    ends = (F32(-3), F32(3), F32(-3), F32(3))
    return question("FakeQuantize-1", data, *ends, levels=str(LEVELS), **attributes)


def place_of(x):
    return (np.clip(x.astype(np.float64), -3, 3) + 3) * 255 / 6


def other_level(x, levels, *, steps=1):
    """The levels with the element closest to a middle on the other side of it, so many steps away."""
    place = place_of(x)
    distance = np.where((place > 1) & (place < 254), np.abs(place - np.floor(place) - 0.5), 1)
    closest = np.unravel_index(np.argmin(distance), x.shape)
    changed = levels.copy()
    current = np.rint((changed[closest] + 3) / QUANTUM)
    direction = 1 if current < place[closest] else -1
    changed[closest] = F32((current + steps * direction) * float(QUANTUM) - 3)
    return changed, closest


@pytest.fixture(scope="module")
def elements():
    """98,304 elements, one of them in the middle."""
    x = np.random.default_rng(7).standard_normal((256, 384)).astype(F32)
    x[3, 5] = F32((100.5 * 6 / 255) - 3)  # the middle between two levels, but for its own rounding
    return x


def test_one_level_is_a_tie_where_the_input_is_beside_the_middle_and_nowhere_else(elements):
    asked = quantized(elements)
    (truth,) = truth_of(asked)
    ours, place = other_level(elements, truth)
    assert place == (3, 5)
    assert judge(asked, truth, ours).verdict is Verdict.TIE
    assert judge(asked, truth, other_level(elements, truth, steps=2)[0]).verdict is Verdict.WRONG
    far = truth.copy()
    far[0, 0] += QUANTUM
    assert judge(asked, truth, far).verdict is Verdict.WRONG
    assert agreement(truth, ours, [], DECLARED, lambda: asked).verdict is Verdict.TIE
    assert agreement(truth, far, [], DECLARED, lambda: asked).verdict is Verdict.WRONG


def test_one_element_that_is_not_finite_leaves_the_ties_of_others(elements):
    data = elements.copy()
    data[0, :3] = np.nan, np.inf, -np.inf
    asked = quantized(data)
    (truth,) = truth_of(asked)
    ours, _ = other_level(elements, truth)
    for judged in (judge(asked, truth, ours), agreement(truth, ours, [], DECLARED, lambda: asked)):
        assert judged.verdict is Verdict.TIE
    ours[0, 0] = 1
    for judged in (judge(asked, truth, ours), agreement(truth, ours, [], DECLARED, lambda: asked)):
        assert judged.reason == "a number in place of NaN in 1 element"


def test_levels_that_are_all_a_little_off_are_wrong(elements):
    asked = quantized(elements[:8])
    (truth,) = truth_of(asked)
    for wrong in (truth + QUANTUM, truth * F32(1.001), truth * F32(1.00001)):
        assert judge(asked, truth, wrong).verdict is Verdict.WRONG


def quantized_network(*, product):
    graph = irops.Graph("quantized")
    value = graph.parameter("x", f"f32[{ROWS},{WIDTH}]")
    value = graph.add("Tanh", value, name="tanh")
    value = graph.add("FakeQuantize", value, F32(-3), F32(3), F32(-3), F32(3), levels=LEVELS, name="levels")
    if product:
        weights = np.random.default_rng(9).standard_normal((WIDTH, 64)).astype(F32)
        value = graph.add("MatMul", value, weights, name="product")
    graph.result(value, "y")
    return graph.model()


@pytest.fixture(scope="module")
def beside_the_middle():
    x = np.random.default_rng(8).standard_normal((ROWS, WIDTH)).astype(F32)
    x[3, 5] = np.arctanh((140.5 * 6 / 255) - 3)
    return x


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("element", [0, np.nan, np.inf])
def test_one_level_is_a_tie_in_every_mode(beside_the_middle, element, mode):
    model = quantized_network(product=False)
    beside_the_middle = beside_the_middle.copy()
    beside_the_middle[0, 0] = element
    found = irops.compare(model, [beside_the_middle], b=Tied(), mode=mode)
    assert [(layer.name, layer.reason) for layer in found.layers if layer.is_fault] == []
    found = irops.compare(model, [beside_the_middle], b=Tied(wrong=True), mode=mode)
    assert found.first.name == "levels"


def test_what_is_computed_from_another_level_follows_from_it(beside_the_middle):
    model = quantized_network(product=True)
    tied = Tied()
    found = irops.compare(model, [beside_the_middle], b=tied, mode="propagated")
    assert tied.decided
    assert [(layer.name, layer.reason) for layer in found.layers if layer.is_fault] == []
    found = irops.compare(model, [beside_the_middle], b=Tied(wrong=True), mode="propagated")
    assert [layer.name for layer in found.layers if layer.is_fault] == ["levels", "product"]


def test_a_whole_run_allows_ties_for_elements_that_rounding_may_change():
    """The same elements are a tie behind other layers, and wrong where they are an input of the model."""
    one, other = np.array([0, 1]), np.array([1, 0])
    data, noisy = F32([1, 1.000001, 0]), F32([1.0000004, 1.0000009, 0])
    for errors, verdict in (({0: np.abs(noisy - data) * 32}, Verdict.TIE), ({}, Verdict.WRONG)):
        asked = top_k(data, 2)
        asked = Question(asked.op, asked.attributes, asked.inputs, asked.again, DECLARED, errors)
        assert agreement(other, one, [], DECLARED, lambda asked=asked: asked, 1).verdict is verdict


ROW = F32([[[1, 5, 2, 7]]])


def nearest(transformation, scale):
    attributes = {"mode": "nearest", "shape_calculation_mode": "scales", "nearest_mode": "floor"}
    sides = ROW, F32([scale]), np.array([2])
    return question("Interpolate-11", *sides, coordinate_transformation_mode=transformation, **attributes)


@pytest.mark.parametrize("wrong", ["align_corners", "half_pixel"])
@pytest.mark.parametrize("scale", [2.0, 0.75, 1.7])
def test_elements_elsewhere_are_no_tie(scale, wrong):
    asked, other = nearest("asymmetric", scale), nearest(wrong, scale)
    (truth,), (ours,) = (each.again(each.inputs) for each in (asked, other))
    assert (truth == ours).all() or judge(asked, truth, ours).verdict is WRONG


@pytest.mark.parametrize(("scale", "verdict"), [(2.0, WRONG), (3.0, TIE)])
def test_an_element_may_be_the_next_one_where_the_scale_may_be_rounded(scale, verdict):
    asked = nearest("asymmetric", scale)
    (truth,) = truth_of(asked)
    ours = truth.copy()
    ours[0, 0, int(scale)] = 1  # the last copy of the first element is followed by another one
    assert judge(asked, truth, ours).verdict is verdict


@pytest.mark.parametrize("op", ["Mod-1", "FloorMod-1"])
@pytest.mark.parametrize(("remainder", "verdict"), [(2.9999995, TIE), (1.5, WRONG), (0.01, WRONG)])
def test_a_remainder_is_none_or_all_where_the_quotient_is_rounded(op, remainder, verdict):
    asked = question(op, F32([6, 7]), F32([3, 3]), auto_broadcast="numpy")
    (truth,) = truth_of(asked)
    assert judge(asked, truth, F32([remainder, 1])).verdict is verdict

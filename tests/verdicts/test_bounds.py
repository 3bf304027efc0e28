"""Error bounds of ops with sums or bodies inside: correct algorithms are within, small faults are not."""

import ml_dtypes
import numpy as np
import pytest
from questions import question, truth_of
from stored import check_stored
from tables import array_of, table

import irops
from irops.debugging.sources.parse import source_of_text
from irops.debugging.sources.source import LayerValue, Source
from irops.values.element import element_type
from irops.verdicts.bounds import full_bound, perturbed, quick_bound
from irops.verdicts.judge import judge
from irops.verdicts.question import GREATEST, ROUNDOFF, SMALLEST, Arithmetic, Verdict

RIGHT = (Verdict.EQUAL, Verdict.ROUNDING)
F32 = np.float32
RANDOM = np.random.default_rng(20_261_123)


def result(asked):
    return truth_of(asked)[0]


def plain_sum(terms):
    """One term after the other, in f32, along the last axis."""
    return np.add.accumulate(terms.astype(F32), axis=-1)[..., -1:]


def lanes_sum(terms):
    """As vector units of 16 lanes add."""
    padded = np.concatenate([terms, np.zeros((*terms.shape[:-1], -terms.shape[-1] % 16), F32)], axis=-1)
    lanes = np.add.accumulate(padded.reshape(*terms.shape[:-1], -1, 16), axis=-2)[..., -1, :]
    return plain_sum(lanes)


def exact_sum(terms):
    return terms.astype(np.float64).sum(-1, keepdims=True).astype(F32)


SUMS = (plain_sum, lanes_sum, exact_sum)
ROWS = {
    "random": RANDOM.standard_normal((2, 18_710)).astype(F32),
    "equal": np.full((1, 18_710), 0.1, F32),
    "two values": np.where(np.arange(50_000).reshape(1, -1) % 7 < 3, F32(0.3), F32(0)),
    "wide": (RANDOM.standard_normal((2, 3000)) * 10.0 ** RANDOM.integers(-6, 6, (2, 3000))).astype(F32),
    "short": RANDOM.standard_normal((64, 5)).astype(F32),
    "tiny": (RANDOM.standard_normal((2, 4000)) * 1e-37).astype(F32),
}


def softmax(x, add):
    powers = np.exp(x - x.max(-1, keepdims=True))
    return powers / add(powers)


def log_softmax(x, add):
    shifted = x - x.max(-1, keepdims=True)
    return shifted - np.log(add(np.exp(shifted)))


def mvn(x, add):
    count = F32(x.shape[-1])
    shifted = x - add(x) / count
    return shifted / np.sqrt(add(shifted * shifted) / count + F32(1e-5))


def normalize_l2(x, add):
    return x / np.sqrt(add(x * x) + F32(1e-12))


def mean(x, add):
    return (add(x) / F32(x.shape[-1]))[..., 0]


def norm(x, add):
    return np.sqrt(add(x * x))[..., 0]


LAST = np.array([1])
MVN = {"normalize_variance": "true", "eps_mode": "inside_sqrt"}
OPS = {
    "SoftMax": (softmax, lambda x: question("SoftMax-8", x, axis="1")),
    "LogSoftmax": (log_softmax, lambda x: question("LogSoftmax-5", x, axis="1")),
    "MVN": (mvn, lambda x: question("MVN-6", x, LAST, eps="1e-5", **MVN)),
    "NormalizeL2": (normalize_l2, lambda x: question("NormalizeL2-1", x, LAST, eps="1e-12", eps_mode="add")),
    "ReduceMean": (mean, lambda x: question("ReduceMean-1", x, LAST, keep_dims="false")),
    "ReduceL2": (norm, lambda x: question("ReduceL2-4", x, LAST, keep_dims="false")),
    "GroupNormalization": (
        lambda x, add: mvn(x, add).reshape(*x.shape, 1) * F32(1.5) - F32(0.5),
        lambda x: question(
            "GroupNormalization-12", x[..., np.newaxis],
            np.full(x.shape[1], 1.5, F32), np.full(x.shape[1], -0.5, F32), num_groups="1", epsilon="1e-5",
        ),
    ),
    "CumSum": (
        lambda x, add: np.add.accumulate(x, axis=-1, dtype=F32 if add is plain_sum else np.float64),
        lambda x: question("CumSum-3", x, np.array(1)),
    ),
}  # fmt: skip


@pytest.mark.parametrize("add", SUMS)
@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("op", OPS)
def test_sums_in_any_order_are_rounding(op, rows, add):
    compute, ask = OPS[op]
    asked = ask(ROWS[rows])
    with np.errstate(all="ignore"):
        ours = compute(ROWS[rows], add).astype(F32)
    found = judge(asked, result(asked), ours)
    assert found.verdict in RIGHT, found.reason


@pytest.mark.parametrize("rows", ["random", "two values", "wide", "short"])
@pytest.mark.parametrize("op", OPS)
def test_a_thousandth_and_two_exchanged_elements_are_wrong(op, rows):
    asked = OPS[op][1](ROWS[rows])
    truth = result(asked)
    if op != "ReduceMean":  # terms of both signs cancel in it
        assert judge(asked, truth, truth * F32(1.001)).verdict is Verdict.WRONG
    flat = truth.reshape(-1).copy()
    low, high = int(flat.argmin()), int(flat.argmax())
    flat[[low, high]] = flat[[high, low]]
    if flat[low] - flat[high] > 1e-3:
        assert judge(asked, truth, flat.reshape(truth.shape)).verdict is Verdict.WRONG


def attention(query, key, value, mask, scale, block):
    """One query after the other, over blocks of keys, each of which rescales what was added up before."""
    rows = np.empty((*query.shape[:-1], value.shape[-1]), F32)
    for place in np.ndindex(query.shape[:-1]):
        head, top, total, added = place[:-1], F32(-np.inf), F32(0), np.zeros(value.shape[-1], F32)
        for start in range(0, key.shape[-2], block):
            keys, values = (array[head][start : start + block] for array in (key, value))
            scores = plain_sum(query[place] * keys)[:, 0] * scale
            scores += mask[start : start + block]
            before, top = top, max(top, scores.max())
            powers, factor = np.exp(scores - top), np.exp(before - top)
            total = total * factor + plain_sum(powers)[0]
            added = added * factor + plain_sum((powers[:, np.newaxis] * values).T)[:, 0]
        rows[place] = added / total
    return rows


ATTENTION = {
    "few keys": (5, 8, 1),
    "many keys": (1500, 64, 1),
    "great scores": (400, 64, 6),
    "no sum": (1, 4, 1),
}


@pytest.mark.parametrize("block", [16, 4096])
@pytest.mark.parametrize("name", ATTENTION)
def test_attention_in_any_order_is_rounding_and_another_scale_is_wrong(name, block):
    keys, size, factor = ATTENTION[name]
    query, key, value = (
        RANDOM.standard_normal((1, 2, n, size)).astype(F32) * factor for n in (3, keys, keys)
    )
    mask = np.where(np.arange(keys) % 5 < 4, F32(0), F32(-1e4)).reshape(1, 1, 1, keys)
    asked = question("ScaledDotProductAttention-13", query, key, value, mask, causal="false")
    truth, scale = result(asked), F32(size**-0.5)
    found = judge(asked, truth, attention(query, key, value, mask.reshape(-1), scale, block))
    assert found.verdict in RIGHT, found.reason
    if keys > 1:
        other = attention(query, key, value, mask.reshape(-1), scale * F32(1.004), block)
        assert judge(asked, truth, other).verdict is Verdict.WRONG


@pytest.mark.parametrize("size", [64, 4096])
def test_another_epsilon_is_wrong_where_it_shows(size):
    x = (RANDOM.standard_normal((4, size)) * 0.01).astype(F32)
    asked = question("MVN-6", x, LAST, eps="1e-5", **MVN)
    other = result(question("MVN-6", x, LAST, eps="1e-12", **MVN))
    assert judge(asked, result(asked), other).verdict is Verdict.WRONG


def test_products_that_are_subnormal_may_each_be_flushed():
    a, b = np.full((2, 300), 1e-19, F32), np.full((300, 2), 1.1e-19, F32)
    asked = question("MatMul-1", a, b)
    assert result(asked)[0, 0] > 100 * 2.0**-126
    assert judge(asked, result(asked), np.zeros((2, 2), F32)).verdict in RIGHT
    larger = question("MatMul-1", a * F32(10), b * F32(100))
    assert judge(larger, result(larger), np.zeros((2, 2), F32)).verdict is Verdict.WRONG


def test_weights_that_are_subnormal_may_be_flushed():
    x, weights = np.full((2, 300), 1000, F32), np.full((300, 2), 9e-39, F32)
    asked = question("MatMul-1", x, weights)
    assert judge(asked, result(asked), np.zeros((2, 2), F32)).verdict in RIGHT
    asked = question("MatMul-1", x, weights * F32(10))
    assert judge(asked, result(asked), np.zeros((2, 2), F32)).verdict is Verdict.WRONG


LENGTH = 512
WEIGHTS = np.random.default_rng(1).random((LENGTH, 16)).astype(F32)
INPUTS = {"c": np.array(True), "x": np.random.default_rng(2).random((8, LENGTH)).astype(F32)}


def conditional(*, computes=True):
    """An If whose branches compute a product and SoftMax, or move elements alone."""

    def branch(name):
        graph = irops.Graph(name)
        a = graph.parameter("a", f"f32[8,{LENGTH}]")
        if computes:
            a = graph.add("SoftMax", graph.add("MatMul", a, WEIGHTS), axis=1)
        graph.result(graph.add("Transpose", a, np.array([1, 0])), "o")
        return graph

    graph = irops.Graph("conditional")
    condition, x = graph.parameter("c", "boolean[]"), graph.parameter("x", f"f32[8,{LENGTH}]")
    graph.result(graph.If(condition, branch("then"), branch("else"), {"a": x}, name="if")[0], "y")
    return graph.model()


class Device(Source):
    """A device that computes the whole If: it gives an array."""

    name, is_whole, computes_layers = "device", True, True

    def __init__(self, array):
        self.array = array

    def walk(self, context):
        for value in source_of_text("reference").walk(context):
            is_if = context.analysis.root.layers[value.layer].layer.type == "If"
            yield LayerValue(value.layer, (self.array,)) if is_if else value

    def results(self, context):
        return {"y": self.array}

    def compute(self, calls):
        return [[self.array] for _ in calls]


@pytest.mark.parametrize("mode", ["isolated", "propagated"])
def test_what_rounding_does_in_the_bodies_of_an_if_is_rounding(mode):
    scores = INPUTS["x"].astype(np.float64) @ WEIGHTS
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    exact = (powers / powers.sum(axis=1, keepdims=True)).T.astype(F32)
    for ours, verdict in ((exact, Verdict.ROUNDING), (exact * F32(1.02), Verdict.WRONG)):
        found = irops.compare(conditional(), INPUTS, b=Device(ours), mode=mode)
        assert [layer.verdict for layer in found.layers] == [verdict]


@pytest.mark.parametrize("mode", ["isolated", "propagated"])
def test_an_if_that_moves_elements_has_no_bound_but_that_of_its_type(mode):
    for factor, verdict in ((1, Verdict.EQUAL), (1.00002, Verdict.WRONG)):
        ours = INPUTS["x"].T * F32(factor)
        found = irops.compare(conditional(computes=False), INPUTS, b=Device(ours), mode=mode)
        assert [layer.verdict for layer in found.layers] == [verdict]


@pytest.mark.parametrize("name", GREATEST)
def test_the_numbers_of_an_element_type_are_those_of_its_format(name):
    found = ml_dtypes.finfo(element_type(name).dtype)
    assert GREATEST[name] == float(found.max)
    assert ROUNDOFF[name] == float(found.eps) / 2
    assert SMALLEST.get(name, 0.0) in (0.0, float(found.smallest_normal), float(found.smallest_subnormal))


ONES = {
    "Convolution-1": ((1, 3, 5, 5), (4, 3, 2, 2)),
    "GroupConvolution-1": ((1, 6, 5, 5), (2, 4, 3, 2, 2)),
    "ConvolutionBackpropData-1": ((1, 3, 5, 5), (3, 4, 2, 2)),
    "GroupConvolutionBackpropData-1": ((1, 6, 5, 5), (2, 3, 4, 2, 2)),
    "MatMul-1": ((2, 12), (12, 3)),
}


@pytest.mark.parametrize("op", ONES)
def test_the_length_of_a_sum_is_how_many_products_an_element_adds(op):
    attributes = {"strides": "1,1", "pads_begin": "0,0", "pads_end": "0,0", "dilations": "1,1"}
    asked = question(op, *(np.ones(shape, F32) for shape in ONES[op]), **attributes if "Conv" in op else {})
    bound = full_bound(asked, result(asked), 0)
    assert bound.basis == "a sum of 12 terms"


def test_inputs_change_up_and_down_by_their_roundoff():
    asked = question("Exp-1", np.full(64, 2, F32))
    (changed,) = perturbed(asked, 0)
    ratios = set(((changed - 2) / 2 / ROUNDOFF["f32"]).tolist())
    assert ratios == {-2.0, 2.0}


def test_bounds_of_exact_ops_are_as_stored():
    text = ""
    for op, inputs, attributes, precision in table(__file__, "bounds"):
        asked = question(
            op, *(array_of(*given) for given in inputs), arithmetic=Arithmetic(precision), **attributes
        )
        truth = result(asked)
        quick, full = quick_bound(asked, truth), full_bound(asked, truth, 0)
        of_one = judge(asked, truth, truth + np.abs(truth).max() * truth.dtype.type(1e-3))
        text += f"{op} {attributes} {precision}\n"
        for what, bound in (("quick", quick), ("full", full)):
            if bound is not None:
                numbers = np.broadcast_to(bound.values, truth.shape).ravel().tolist()
                text += f"  {what}: {bound.basis}: {' '.join(f'{number:.3g}' for number in numbers)}\n"
        text += f"  a thousandth more: {of_one.verdict}: {of_one.reason}\n"
    check_stored(__file__, "bounds", text)

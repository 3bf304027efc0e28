"""The error bounds of ops with sums inside: other correct algorithms are within, small faults are not."""

from __future__ import annotations

import numpy as np
import pytest

from irops.ops.invocation import Invocation
from irops.registry import default_registry
from irops.verdicts.judge import judge
from irops.verdicts.question import Question
from irops.verdicts.verdict import Verdict

RIGHT = (Verdict.EQUAL, Verdict.ROUNDING)
RANDOM = np.random.default_rng(20_261_123)
F32 = np.float32


def question(op, *inputs, **attributes):
    return Question.of(Invocation(default_registry().named(op), attributes), inputs)


def result(asked):
    return np.asarray(asked.again(asked.inputs)[0])


def plain_sum(terms):
    """One term after the other, in f32, along the last axis."""
    return np.add.accumulate(terms.astype(F32), axis=-1)[..., -1:]


def backwards_sum(terms):
    return plain_sum(terms[..., ::-1])


def lanes_sum(terms):
    """As vector units of 16 lanes add."""
    padded = np.concatenate([terms, np.zeros((*terms.shape[:-1], -terms.shape[-1] % 16), F32)], axis=-1)
    lanes = np.add.accumulate(padded.reshape(*terms.shape[:-1], -1, 16), axis=-2)[..., -1, :]
    return plain_sum(lanes)


def exact_sum(terms):
    return terms.astype(np.float64).sum(-1, keepdims=True).astype(F32)


SUMS = (plain_sum, backwards_sum, lanes_sum, exact_sum)
ROWS = {
    "random": RANDOM.standard_normal((4, 18_710)).astype(F32),
    "equal": np.full((2, 18_710), 0.1, F32),
    "two values": np.where(np.arange(2 * 50_000).reshape(2, -1) % 7 < 3, F32(0.3), F32(0)),
    "positive": RANDOM.random((3, 100_000)).astype(F32),
    "far from 0": (1000 + RANDOM.standard_normal((3, 4096))).astype(F32),
    "wide": (RANDOM.standard_normal((4, 3000)) * 10.0 ** RANDOM.integers(-6, 6, (4, 3000))).astype(F32),
    "short": RANDOM.standard_normal((64, 5)).astype(F32),
    "tiny": (RANDOM.standard_normal((3, 4000)) * 1e-37).astype(F32),
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
OPS = {
    "SoftMax": (softmax, lambda x: question("SoftMax-8", x, axis="1")),
    "LogSoftmax": (log_softmax, lambda x: question("LogSoftmax-5", x, axis="1")),
    "MVN": (
        mvn,
        lambda x: question(
            "MVN-6", x, LAST, normalize_variance="true", eps="1e-5", eps_mode="inside_sqrt"
        ),
    ),
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


@pytest.mark.parametrize("rows", ["random", "positive", "short", "far from 0"])
@pytest.mark.parametrize("op", OPS)
def test_a_scale_of_one_percent_and_two_swapped_elements_are_wrong(op, rows):
    asked = OPS[op][1](ROWS[rows])
    truth = result(asked)
    assert judge(asked, truth, truth * F32(1.01)).verdict is Verdict.WRONG
    flat = truth.reshape(-1).copy()
    low, high = int(flat.argmin()), int(flat.argmax())
    flat[low], flat[high] = flat[high], flat[low]
    if flat[high] != flat[low]:
        found = judge(asked, truth, flat.reshape(truth.shape))
        assert found.verdict is Verdict.WRONG or abs(flat[high] / flat[low] - 1) < 1e-4, found.reason


@pytest.mark.parametrize("size", [64, 4096])
def test_another_epsilon_is_wrong_where_it_shows(size):
    x = (RANDOM.standard_normal((4, size)) * 0.01).astype(F32)
    attributes = {"normalize_variance": "true", "eps_mode": "inside_sqrt"}
    asked = question("MVN-6", x, LAST, eps="1e-5", **attributes)
    other = result(question("MVN-6", x, LAST, eps="1e-12", **attributes))
    assert judge(asked, result(asked), other).verdict is Verdict.WRONG


def attention_inputs(keys=900, depth=64):
    shapes = ((2, 3, 7, depth), (2, 3, keys, depth), (2, 3, keys, depth))
    return [RANDOM.standard_normal(shape).astype(F32) for shape in shapes]


def attention(q, k, v, scale, mask=None):
    scores = np.zeros((*q.shape[:-1], k.shape[-2]), F32)
    for index in range(q.shape[-1]):
        scores += q[..., index : index + 1] * k[..., index][..., np.newaxis, :]
    scores = scores * F32(scale)
    if mask is not None:
        scores = scores + mask
    weights = softmax(scores, plain_sum)
    total = np.zeros((*q.shape[:-1], v.shape[-1]), F32)
    for index in range(v.shape[-2]):
        total += weights[..., index : index + 1] * v[..., index : index + 1, :]
    return total


def test_attention_with_plain_loops_is_rounding_and_another_scale_or_mask_is_wrong():
    q, k, v = attention_inputs()
    asked = question("ScaledDotProductAttention-13", q, k, v, None, None, None, causal="false")
    truth = result(asked)
    assert judge(asked, truth, attention(q, k, v, 1 / 8)).verdict in RIGHT
    assert judge(asked, truth, attention(q, k, v, 1.01 / 8)).verdict is Verdict.WRONG
    mask = np.zeros((7, 900), F32)
    mask[:, 5] = -10000
    assert judge(asked, truth, attention(q, k, v, 1 / 8, mask)).verdict is Verdict.WRONG


def lstm_cell(x, h, c, w, r, b):
    def product(a, weights):
        total = np.zeros((a.shape[0], weights.shape[0]), F32)
        for index in range(a.shape[1]):
            total += a[:, index : index + 1] * weights[:, index]
        return total

    gates = product(x, w) + product(h, r) + b
    f, i, g, o = np.split(gates, 4, axis=1)
    f, i, o = (1 / (1 + np.exp(-gate)) for gate in (f, i, o))
    c = f * c + i * np.tanh(g)
    return o * np.tanh(c), c


@pytest.mark.parametrize("sign", ["positive", "random"])
def test_gates_of_a_long_cell_may_be_added_one_by_one(sign):
    size = 2048
    draw = RANDOM.random if sign == "positive" else RANDOM.standard_normal
    scale = F32(0.5 / size if sign == "positive" else 1 / size**0.5)
    x, h, c = (draw((2, n)).astype(F32) for n in (size, 32, 32))
    w, r, b = draw((128, size)).astype(F32) * scale, draw((128, 32)).astype(F32), draw(128).astype(F32)
    asked = question("LSTMCell-4", x, h, c, w, r, b, hidden_size="32")
    truth = result(asked)
    ours = lstm_cell(x, h, c, w, r, b)[0]
    assert judge(asked, truth, ours).verdict in RIGHT
    swapped = lstm_cell(x, h, c, w[::-1], r, b)[0]
    assert judge(asked, truth, swapped).verdict is Verdict.WRONG
    assert judge(asked, truth, lstm_cell(x, h, c, w, r, b * F32(1.01))[0]).verdict is Verdict.WRONG


def test_products_that_are_subnormal_may_each_be_flushed():
    a = np.full((2, 300), 1e-19, F32)
    b = np.full((300, 2), 1.1e-19, F32)
    asked = question("MatMul-1", a, b)
    assert judge(asked, result(asked), np.zeros((2, 2), F32)).verdict in RIGHT
    larger = question("MatMul-1", a * F32(10), b * F32(100))
    assert judge(larger, result(larger), np.zeros((2, 2), F32)).verdict is Verdict.WRONG


def test_weights_that_are_subnormal_may_be_flushed():
    weights = np.full((300, 2), 9e-39, F32)
    asked = question("MatMul-1", np.full((2, 300), 1000, F32), weights)
    assert judge(asked, result(asked), np.zeros((2, 2), F32)).verdict in RIGHT
    asked = question("MatMul-1", np.full((2, 300), 1000, F32), weights * F32(10))
    assert judge(asked, result(asked), np.zeros((2, 2), F32)).verdict is Verdict.WRONG


def test_the_reference_may_be_the_less_exact_side():
    """NumPy adds along the first axis in a plain loop: a runtime that adds better is not wrong."""
    x = np.full((200_000, 3), 0.1, F32)
    asked = question("ReduceMean-1", x, np.array([0]), keep_dims="false")
    exact = np.full(3, 0.1, F32)
    assert judge(asked, result(asked), exact).verdict in RIGHT
    assert judge(asked, result(asked), exact * F32(1.02)).verdict is Verdict.WRONG


def quantized(x, high=1.0, out_high=1.0):
    ends = (np.float32(v) for v in (-1, high, -1, out_high))
    return question("FakeQuantize-1", x, *(np.array(end) for end in ends), levels="256")


def test_a_range_of_fake_quantize_that_is_a_little_off_is_wrong():
    x = RANDOM.standard_normal(5000).astype(F32)
    asked = quantized(x)
    truth = result(asked)
    assert judge(asked, truth, result(quantized(x, out_high=1.02))).verdict is Verdict.WRONG
    assert judge(asked, truth, result(quantized(x, out_high=1.0001))).verdict is Verdict.WRONG
    assert judge(asked, truth, result(quantized(x, high=1.001))).verdict is Verdict.WRONG

"""LSTMSequence, attention and CTCLoss against their formulas."""

from itertools import groupby, product
from math import exp, tanh

import numpy as np
import pytest

import irops
from irops.ops.sequence import scaled_dot_product_attention as module
from irops.values.element import element_type

FUNCTIONS = {"sigmoid": lambda x: 1 / (1 + exp(-x)), "tanh": tanh, "relu": lambda x: max(x, 0.0)}
BATCH, STEPS, INPUT, HIDDEN = 3, 4, 2, 3


def tensors(directions=1, dtype=np.float64, seed=1):
    rng = np.random.default_rng(seed)
    shapes = (
        (BATCH, STEPS, INPUT),
        (BATCH, directions, HIDDEN),
        (BATCH, directions, HIDDEN),
        (directions, 4 * HIDDEN, INPUT),
        (directions, 4 * HIDDEN, HIDDEN),
        (directions, 4 * HIDDEN),
    )
    return [rng.normal(0, 0.6, shape).astype(dtype) for shape in shapes]


def called(tensors, lengths, direction="forward", **options):
    (*states, w, r, b), given = tensors, {"hidden_size": HIDDEN, "direction": direction, **options}
    return irops.call("LSTMSequence-5", *states, np.array(lengths), w, r, b, **given)


def slowly(x, hidden, cell, length, w, r, b, names, clip):
    """One sequence in one direction: the outputs of its steps, and the last states."""
    f, g, h = (FUNCTIONS[name] for name in names)
    outputs = []
    for step in range(length):
        gates = [
            sum(w[k, i] * x[step, i] for i in range(INPUT))
            + sum(r[k, i] * hidden[i] for i in range(HIDDEN))
            + b[k]
            for k in range(4 * HIDDEN)
        ]
        gates = [min(max(gate, -clip), clip) if clip else gate for gate in gates]
        forget, into, new, out = (gates[k * HIDDEN : (k + 1) * HIDDEN] for k in range(4))
        cell = [f(forget[k]) * cell[k] + f(into[k]) * g(new[k]) for k in range(HIDDEN)]
        hidden = [f(out[k]) * h(cell[k]) for k in range(HIDDEN)]
        outputs.append(hidden)
    return outputs, hidden if length else [0] * HIDDEN, cell if length else [0] * HIDDEN


@pytest.mark.parametrize("direction", ["forward", "reverse", "bidirectional"])
@pytest.mark.parametrize(
    ("names", "clip"), [(("sigmoid", "tanh", "tanh"), 0), (("tanh", "relu", "sigmoid"), 0.3)]
)
@pytest.mark.parametrize("lengths", [(4, 4, 4), (2, 0, 4)])
def test_it_is_what_its_formula_says(direction, names, clip, lengths):
    ways = {"forward": [False], "reverse": [True], "bidirectional": [False, True]}[direction]
    x, hidden, cell, w, r, b = given = tensors(len(ways))
    y, last_hidden, last_cell = called(given, lengths, direction, activations=names, clip=clip)
    for item, length in enumerate(lengths):
        for way, backward in enumerate(ways):
            steps = x[item, :length][::-1] if backward else x[item, :length]
            outputs, h, c = slowly(
                steps, hidden[item, way], cell[item, way], length, w[way], r[way], b[way], names, clip
            )
            wanted = np.zeros((STEPS, HIDDEN))
            wanted[:length] = (outputs[::-1] if backward else outputs) or np.zeros((0, HIDDEN))
            np.testing.assert_allclose(y[item, way], wanted, atol=1e-12)
            np.testing.assert_allclose(last_hidden[item, way], h, atol=1e-12)
            np.testing.assert_allclose(last_cell[item, way], c, atol=1e-12)


@pytest.mark.parametrize(("kind", "tolerance"), [("f16", 2e-3), ("bf16", 2e-2), ("f32", 1e-6)])
def test_narrow_types_are_rounded_once(kind, tolerance):
    dtype = element_type(kind).dtype
    narrow = [array.astype(dtype) for array in tensors()]
    wide = [array.astype(np.float64) for array in narrow]
    lengths = np.array([4, 3, 1], np.int32)
    for ours, truth in zip(called(narrow, lengths), called(wide, lengths)):
        assert ours.dtype == dtype
        np.testing.assert_allclose(ours.astype(np.float64), truth, atol=tolerance)


@pytest.mark.parametrize("activations", [{}, {"activations": "Sigmoid, TANH, tanh"}])
def test_the_functions_of_the_specification_are_the_default_and_case_does_not_count(activations):
    plain = called(tensors(), [4] * 3, activations="sigmoid, tanh, tanh")
    assert np.array_equal(called(tensors(), [4] * 3, **activations)[0], plain[0])


def test_no_step_leaves_nothing():
    x, *others = tensors()
    y, last_hidden, last_cell = called([x[:, :0], *others], [0] * 3, "reverse")
    assert y.shape == (BATCH, 1, 0, HIDDEN)
    assert not last_hidden.any()
    assert not last_cell.any()


def by_definition(query, key, value, mask, scale, sink, causal):
    scores = query @ key.swapaxes(-1, -2) * scale
    if causal:
        scores = np.where(np.tri(*scores.shape[-2:], dtype=bool), scores, -np.inf)
    elif mask.dtype == bool:
        scores = np.where(mask, scores, -np.inf)
    else:
        scores = scores + mask
    if sink is not None:
        scores = np.concatenate([scores, np.broadcast_to(sink, (*scores.shape[:-1], 1))], axis=-1)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    return weights[..., : key.shape[-2]] @ value


@pytest.mark.parametrize("block", [1, 1 << 22])
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("mask", ["all", "one row", "matrix", "flags", "more rows", "more items"])
@pytest.mark.parametrize("sink", [None, (1, 3, 1, 1), (2, 1, 37, 1)])
def test_attention_is_its_formula(monkeypatch, block, causal, mask, sink):
    monkeypatch.setattr(module, "BLOCK_BYTES", block)
    rng = np.random.default_rng(0)
    rows = 1 if mask == "more rows" and not causal else 37
    query, key, value = rng.random((2, 3, rows, 5)), rng.random((2, 1, 41, 5)), rng.random((1, 3, 41, 4))
    masks = {
        "all": (),
        "one row": (1, 41),
        "matrix": (37, 41),
        "flags": (3, 37, 41),
        "more rows": (37, 41),
        "more items": (2, 1, 37, 1),
    }
    given = rng.random(masks[mask])
    if mask == "flags":
        given = (given > 0.5) | np.eye(37, 41, dtype=bool)
    drain = None if sink is None else rng.random(sink)
    more = [np.array(0.3), *([] if drain is None else [drain])]
    found = irops.call("ScaledDotProductAttention-13", query, key, value, given, *more, causal=causal)
    np.testing.assert_allclose(found, by_definition(query, key, value, given, 0.3, drain, causal), rtol=1e-6)


def test_what_is_far_apart_neither_overflows_nor_vanishes():
    query, key = np.array([[[300.0]]], np.float32), np.array([[[1.0], [2.0], [-3e30]]], np.float32)
    value = np.array([[[1.0], [2.0], [np.float32(5)]]], np.float32)
    assert irops.call("ScaledDotProductAttention-13", query, key, value, causal=False).item() == 2


def test_narrow_floats_are_computed_in_f32():
    query = np.full((1, 1, 4096), 8, np.float16)
    key = np.stack([query[0, 0], query[0, 0] - 8])[np.newaxis]
    value = np.array([[[1.0], [3.0]]], np.float16)
    assert irops.call("ScaledDotProductAttention-13", query, key, value, causal=False).item() == 1


RNG = np.random.default_rng(0)
LOGITS = RNG.standard_normal((1, 5, 3))
LABELS = [(), (0,), (0, 1), (0, 0), (1, 0, 1), (0, 0, 1), (1, 1, 1)]


def read(path, blank, merged):
    classes = [label for label, _ in groupby(path)] if merged else path
    return tuple(label for label in classes if label != blank)


def loss(target, steps, blank, merged):
    probabilities = np.exp(LOGITS[0]) / np.exp(LOGITS[0]).sum(axis=1, keepdims=True)
    paths = (path for path in product(range(3), repeat=steps) if read(path, blank, merged) == tuple(target))
    with np.errstate(divide="ignore"):
        return -np.log(
            sum(np.prod([probabilities[step, label] for step, label in enumerate(path)]) for path in paths)
        )


@pytest.mark.parametrize("merged", [True, False])
@pytest.mark.parametrize("steps", [3, 5])
@pytest.mark.parametrize("target", LABELS)
def test_the_loss_is_that_of_all_paths_that_are_read_as_the_labels(target, steps, merged):
    labels = np.full((1, 5), 2)
    labels[0, : len(target)] = target
    found = irops.call(
        "CTCLoss-4", LOGITS, np.array([steps]), labels, np.array([len(target)]), ctc_merge_repeated=merged
    )
    np.testing.assert_allclose(found, [loss(target, steps, 2, merged)])


def test_great_logits_do_not_overflow():
    logits = np.full((1, 2, 2), 1000, np.float32)
    found = irops.call(
        "CTCLoss-4", logits, np.array([2]), np.array([[0, 0]]), np.array([1]), ctc_merge_repeated=True
    )
    np.testing.assert_allclose(found, [-np.log(0.75)], rtol=1e-6)

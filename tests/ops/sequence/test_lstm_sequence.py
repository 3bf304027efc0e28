"""LSTMSequence, beside the same thing said element by element."""

from __future__ import annotations

from math import exp, tanh

import numpy as np
import pytest

import irops
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

"""Gradients are PyTorch's."""

import importlib
from pathlib import Path

import numpy as np
import pytest
from differentiable import CASES
from libraries import Late, needs

import irops

pytestmark = needs("torch")
torch = Late("torch")


def laid(a, b, more):
    axis = more.get("auto_broadcast.auto_broadcast_axis")
    return b if axis is None else b.reshape(b.shape + (1,) * (a.ndim - b.ndim - axis))


def reverse_sequence(data, lengths, batch_axis, seq_axis):
    rows = data.movedim((batch_axis, seq_axis), (0, 1))
    turned = torch.stack([torch.cat([row[:n].flip(0), row[n:]]) for row, n in zip(rows, lengths.tolist())])
    return turned.movedim((0, 1), (batch_axis, seq_axis))


def mat_mul(a, b, transpose_a, transpose_b):
    a, b = (t.mT if flag and t.ndim > 1 else t for t, flag in ((a, transpose_a), (b, transpose_b)))
    return a @ b


def by_name(function):
    """A function of PyTorch, which is loaded when it is called."""

    def apply(data):
        return getattr(torch, function)(data)

    return apply


FUNCTIONS = {
    "MatMul": mat_mul,
    "Multiply": lambda a, b, **more: a * laid(a, b, more),
    "Divide": lambda a, b, **more: a / laid(a, b, more),
    **{name: by_name(name.lower()) for name in ("ReLU", "Sigmoid", "Tanh", "Exp", "Log")},
    "SoftMax": lambda data, axis: data.softmax(axis),
}
TOLERANCE = {"f64": 1e-12, "f32": 2e-6}
CURVED = [case for case in CASES if not case.linear]
"""Of what is linear, the gradient is the transpose, as test_ops.py sees to the last digits of f64."""


@pytest.mark.parametrize("kind", TOLERANCE)
@pytest.mark.parametrize("case", CURVED, ids=str)
def test_a_gradient_is_the_one_that_pytorch_finds(case, kind, net):
    dtype = {"f64": np.float64, "f32": np.float32}[kind]
    model = net(*case.layers(kind))
    inputs = {
        f"i{k}": array.astype(dtype) if array.dtype == np.float64 else array
        for k, array in enumerate(case.inputs)
    }
    theirs = [torch.tensor(array, requires_grad=array.dtype == dtype) for array in inputs.values()]
    output = FUNCTIONS[case.op.partition("-")[0]](*theirs, **case.attributes)
    expected = output.detach().numpy()
    cotangent = np.asarray(np.random.default_rng(5).normal(size=expected.shape)).astype(dtype)
    found = irops.vjp(model, inputs, [cotangent])
    (array,) = found.results.values()
    np.testing.assert_allclose(array, expected, rtol=TOLERANCE[kind], atol=TOLERANCE[kind])
    output.backward(torch.tensor(cotangent))
    for name, tensor in zip(inputs, theirs):
        if tensor.requires_grad:
            np.testing.assert_allclose(
                found[name], tensor.grad.numpy(), rtol=TOLERANCE[kind], atol=TOLERANCE[kind]
            )


def encoded(weights, bits, lengths):
    """The encoder of examples/train_encoder, in PyTorch."""

    def half(letters, name):
        state, states = None, []
        for letter in (letters @ weights[f"{name}_W"] + weights[f"{name}_b"]).unbind(1):
            state = torch.tanh(letter if state is None else letter + state @ weights[f"{name}_U"])
            states.append(state)
        return torch.stack(states, 1)

    embedded = weights["embeddings"][bits]
    back = reverse_sequence(half(reverse_sequence(embedded, lengths, 0, 1), "backward"), lengths, 0, 1)
    return torch.cat([half(embedded, "forward"), back], 2) @ weights["out_W"] + weights["out_b"]


@pytest.mark.slow("trains a network")
@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_the_gradients_of_the_encoder_that_the_example_trains_are_pytorchs(kind, monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).resolve().parents[3] / "examples" / "train_encoder"))
    network = importlib.import_module("network")
    weights = {name: value.astype(kind) for name, value in network.first_weights(3).items()}
    bits, lengths = np.array([[0, 1, 1, 0], [1, 0, 1, 2], [1, 1, 2, 2]]), np.array([4, 3, 2])
    theirs = {name: torch.tensor(value, requires_grad=True) for name, value in weights.items()}
    logits = encoded(theirs, torch.tensor(bits), torch.tensor(lengths))
    slopes = np.random.default_rng(4).normal(size=(3, 4, 2)).astype(kind)
    logits.backward(torch.tensor(slopes))
    inputs, model = {"bits": bits, "lengths": lengths}, network.encoder(weights, 4, 1.0)
    found = irops.vjp(model, inputs, {"logits": slopes}, wrt=tuple(weights))
    tolerance = 1e-12 if kind is np.float64 else 1e-5
    np.testing.assert_allclose(
        found.results["logits"], logits.detach().numpy(), rtol=tolerance, atol=tolerance
    )
    assert set(found) == set(weights)
    for name, tensor in theirs.items():
        np.testing.assert_allclose(found[name], tensor.grad.numpy(), rtol=tolerance, atol=tolerance)

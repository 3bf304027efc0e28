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


def reverse(data, axes, mode):
    return data.flip([k for k, flag in enumerate(axes) if flag] if mode == "mask" else axes.tolist())


def mat_mul(a, b, transpose_a, transpose_b):
    a, b = (t.mT if flag and t.ndim > 1 else t for t, flag in ((a, transpose_a), (b, transpose_b)))
    return a @ b


def reshape(data, shape, special_zero):
    return data.reshape(
        [data.shape[k] if special_zero and n == 0 else n for k, n in enumerate(shape.tolist())]
    )


def gather(data, indices, axis, batch_dims):
    axis = int(axis)
    size = data.shape[axis]
    padded = torch.cat([data, torch.zeros_like(data.select(axis, 0).unsqueeze(axis))], axis)
    wanted = torch.where(indices < 0, indices + size, indices)
    wanted = torch.where((wanted < 0) | (wanted >= size), size, wanted)
    if batch_dims == 0:
        return padded.index_select(axis, wanted.ravel()).reshape(
            *data.shape[:axis], *indices.shape, *data.shape[axis + 1 :]
        )
    return torch.stack([row.index_select(axis - 1, places) for row, places in zip(padded, wanted)])


def slices(data, start, stop, step, axes=None):
    for axis, *bounds in zip(
        range(len(start)) if axes is None else axes.tolist(), *(t.tolist() for t in (start, stop, step))
    ):
        places = list(range(data.shape[axis]))[slice(*bounds)]
        data = data.index_select(axis, torch.tensor(places))
    return data


def unsqueeze(data, axes):
    for axis in sorted(int(axis) % (data.ndim + len(axes)) for axis in axes):
        data = data.unsqueeze(axis)
    return data


def broadcast(data, target, axes=None, mode="numpy"):
    sizes = tuple(target.tolist())
    if mode == "bidirectional":
        return data.broadcast_to(torch.broadcast_shapes(data.shape, sizes))
    if mode == "explicit":
        data = data.reshape(
            [data.shape[axes.tolist().index(k)] if k in axes.tolist() else 1 for k in range(len(sizes))]
        )
    return data.broadcast_to(sizes)


def by_name(function):
    """A function of PyTorch, which is loaded when it is called."""

    def apply(data):
        return getattr(torch, function)(data)

    return apply


def folded(function):
    def fold(data, axes, keep_dims):
        along = axes.ravel().tolist()
        return getattr(torch, function)(data, along, keepdim=keep_dims) if along else data.clone()

    return fold


FUNCTIONS = {
    "ReverseSequence": reverse_sequence,
    "Reverse": reverse,
    "MatMul": mat_mul,
    "Reshape": reshape,
    "Gather": gather,
    "Slice": slices,
    "Add": lambda a, b, **more: a + laid(a, b, more),
    "Subtract": lambda a, b, **more: a - laid(a, b, more),
    "Multiply": lambda a, b, **more: a * laid(a, b, more),
    "Divide": lambda a, b, **more: a / laid(a, b, more),
    "Transpose": lambda arg, order: arg.permute(*(order.tolist() or range(arg.ndim)[::-1])),
    "Concat": lambda *inputs, axis: torch.cat(inputs, axis),
    "Split": lambda data, axis, num_splits: data.chunk(num_splits, int(axis)),
    "VariadicSplit": lambda data, axis, lengths: data.split(
        [n if n >= 0 else data.shape[int(axis)] - sum(lengths.tolist()) - 1 for n in lengths.tolist()],
        int(axis),
    ),
    "Squeeze": lambda data, axes=None: data.squeeze() if axes is None else data.squeeze(axes.tolist()),
    "Unsqueeze": unsqueeze,
    "Broadcast": broadcast,
    "ReLU": by_name("relu"),
    "Sigmoid": by_name("sigmoid"),
    "Tanh": by_name("tanh"),
    "Exp": by_name("exp"),
    "Log": by_name("log"),
    "SoftMax": lambda data, axis: data.softmax(axis),
    "Convert": lambda data, destination_type: data.float(),
    "Identity": lambda data: data.clone(),
    "ReduceSum": folded("sum"),
    "ReduceMean": folded("mean"),
}
TOLERANCE = {"f64": 1e-12, "f32": 2e-6}
ALIKE = [
    case for case in CASES if case.name != "of nothing"
]  # the mean of nothing is NaN in PyTorch, 0 in OpenVINO


@pytest.mark.parametrize("kind", TOLERANCE)
@pytest.mark.parametrize("case", ALIKE, ids=str)
def test_a_gradient_is_the_one_that_pytorch_finds(case, kind, net):
    dtype = {"f64": np.float64, "f32": np.float32}[kind]
    model = net(*case.layers(kind))
    inputs = {
        f"i{k}": array.astype(dtype) if array.dtype == np.float64 else array
        for k, array in enumerate(case.inputs)
    }
    theirs = [torch.tensor(array, requires_grad=array.dtype == dtype) for array in inputs.values()]
    outputs = FUNCTIONS[case.op.partition("-")[0]](*theirs, **case.attributes)
    outputs = outputs if isinstance(outputs, tuple) else (outputs,)
    rng = np.random.default_rng(5)
    cotangents = [
        np.asarray(rng.normal(size=tuple(out.shape))).astype(out.detach().numpy().dtype) for out in outputs
    ]
    found = irops.vjp(model, inputs, cotangents)
    for array, out in zip(found.results.values(), outputs):
        np.testing.assert_allclose(array, out.detach().numpy(), rtol=TOLERANCE[kind], atol=TOLERANCE[kind])
    torch.autograd.backward(outputs, [torch.tensor(dy) for dy in cotangents])
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

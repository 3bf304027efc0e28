"""Layers by ONNX Runtime, in their ONNX form."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from libraries import needs

import irops
from irops.backends.onnxruntime import ONNXRuntime
from irops.registry import default_registry
from irops.values.violation import Violation

pytestmark = needs("onnxruntime", "onnx")
DATA = np.arange(24, dtype=np.float32).reshape(2, 3, 4)


@pytest.fixture(scope="module")
def backend():
    return ONNXRuntime()


@pytest.mark.parametrize("axes", [(), (0,), (1, 2), (-1, 0), (2, 2)])
def test_reverse_is_a_slice_that_goes_backwards(backend, axes):
    result = irops.call("Reverse-1", DATA, np.array(axes, np.int64), mode="index", backends=[backend])
    assert result.tolist() == np.flip(DATA, tuple({axis % 3 for axis in axes})).tolist()


@pytest.mark.parametrize(("batch", "seq"), [(0, 1), (1, 0), (0, 2), (2, 1), (-1, 0), (1, -1)])
def test_any_two_axes_of_reverse_sequence(backend, batch, seq):
    lengths = np.arange(DATA.shape[batch]) % (DATA.shape[seq] + 1)
    ours = irops.call("ReverseSequence-1", DATA, lengths, batch_axis=batch, seq_axis=seq, backends=[backend])
    assert (
        ours.tolist()
        == irops.call("ReverseSequence-1", DATA, lengths, batch_axis=batch, seq_axis=seq).tolist()
    )


@pytest.mark.parametrize(
    "data",
    [
        np.array([[2**63 - 1, 1]]),
        np.array([[0.1, 1]]),
        np.array([["a", "é"]], object),
        np.array([[True, False]]),
    ],
)
def test_elements_are_moved_as_they_are(backend, data):
    result = irops.call(
        "ReverseSequence-1", data, np.array([2]), batch_axis=0, seq_axis=1, backends=[backend]
    )
    assert result.dtype == data.dtype
    assert result.tolist() == data[:, ::-1].tolist()


def test_a_length_of_1_where_there_is_no_step_is_let_be(backend):
    assert irops.call(
        "ReverseSequence-1", np.zeros((1, 0)), np.array([1]), batch_axis=0, seq_axis=1, backends=[backend]
    ).shape == (1, 0)


@pytest.mark.parametrize("dtype", [ml_dtypes.bfloat16, ml_dtypes.int4, ml_dtypes.float8_e5m2])
def test_types_that_onnx_runtime_does_not_take_are_declined(backend, dtype):
    with pytest.raises(
        irops.EvaluationError,
        match="IR612 onnxruntime declines Reverse-1: ONNX Runtime does not accept this element type",
    ):
        irops.call("Reverse-1", np.zeros(2, dtype), np.array([0]), mode="index", backends=[backend])


def test_integers_that_may_overflow_are_declined(backend):
    with pytest.raises(irops.EvaluationError, match="overflow and rounding of integers; got i8"):
        irops.call("Add-1", np.array([127], np.int8), np.array([1], np.int8), backends=[backend])


def test_a_kernel_refuses_what_breaks_a_constraint(backend):
    kernel = backend.kernel(default_registry().op("ReverseSequence-1"))
    with pytest.raises(Violation) as caught:
        kernel(DATA, np.array([4, 1]), batch_axis=0, seq_axis=1)
    assert caught.value.constraint == "C3"


def test_a_signature_is_compiled_once():
    backend = ONNXRuntime()
    for factor in (1, 2):
        irops.call("Reverse-1", DATA * factor, np.array([factor]), mode="index", backends=[backend])
    assert len(backend._sessions) == 1
    irops.call("Reverse-1", DATA, np.array([0, 1]), mode="index", backends=[backend])
    assert len(backend._sessions) == 2


def test_an_op_without_an_onnx_form_has_no_kernel(backend):
    assert backend.kernel(default_registry().op("TopK-11")) is None


F32, I64 = np.float32, np.int64
NODES = [
    ("Add-7", [DATA, F32([1, 2, 3, 4])], {}),
    ("Add-14", [np.int8([120]), np.int8([100])], {}),
    ("Cast-9", [DATA - F32(3.5)], {"to": "i32"}),
    ("Cast-13", [np.array([0.1, -7.5])], {"to": "f16"}),
    ("Concat-4", [DATA, DATA + 1], {"axis": 1}),
    ("Concat-13", [DATA], {"axis": -1}),
    ("Gather-1", [DATA, I64([[1, 0]])], {"axis": 2}),
    ("Gather-13", [DATA, I64([-1])], {}),
    ("Identity-1", [DATA], {}),
    ("Identity-16", [np.array(["a", "é"], object)], {}),
    ("MatMul-13", [DATA, F32(np.eye(4)[:, :2])], {}),
    ("Mul-14", [DATA, F32(0.5)], {}),
    ("Relu-14", [DATA - 9], {}),
    ("Reshape-5", [DATA, I64([0, -1])], {}),
    ("Reshape-14", [DATA[:0], I64([0, 7])], {"allowzero": True}),
    ("ReverseSequence-10", [DATA[0], I64([1, 2, 3])], {"batch_axis": 0, "time_axis": 1}),
    ("Shape-1", [DATA], {}),
    ("Shape-15", [DATA], {"start": 1, "end": -1}),
    ("Sigmoid-13", [DATA - 9], {}),
    ("Slice-1", [DATA], {"starts": (1,), "ends": (-1,), "axes": (2,)}),
    ("Slice-1", [DATA], {"starts": (), "ends": (), "axes": ()}),
    ("Slice-13", [DATA, I64([3]), I64([0]), I64([2]), I64([-2])], {}),
    ("Slice-10", [DATA, I64([0, 1]), I64([1, 2])], {}),
    ("Slice-11", [DATA, I64([0]), I64([2]), None, I64([2])], {}),
    ("Squeeze-1", [DATA[:1]], {"axes": (0,)}),
    ("Squeeze-11", [DATA[:1, :1]], {}),
    ("Squeeze-13", [DATA[:1, :1], I64([1])], {}),
    ("Tanh-13", [DATA - 9], {}),
    ("Transpose-1", [DATA], {"perm": (2, 0, 1)}),
    ("Transpose-13", [DATA], {}),
    ("Transpose-13", [F32(3)], {"perm": ()}),
    ("Unsqueeze-1", [DATA], {"axes": (0, 4)}),
    ("Unsqueeze-13", [DATA, I64([-1])], {}),
]


@pytest.mark.parametrize(
    ("op", "inputs", "attributes"), NODES, ids=lambda item: item if isinstance(item, str) else ""
)
def test_a_node_of_onnx_runs_as_it_is(backend, op, inputs, attributes):
    ours = irops.call(f"onnx:{op}", *inputs, **attributes)
    theirs = irops.call(f"onnx:{op}", *inputs, **attributes, backends=[backend])
    assert theirs.dtype == ours.dtype
    if ours.dtype.kind == "f":
        np.testing.assert_allclose(theirs, ours, rtol=1e-6, atol=1e-7, strict=True)
    else:
        assert (theirs.shape, theirs.tolist()) == (ours.shape, ours.tolist())


def test_a_node_that_onnx_runtime_refuses_is_declined(backend):
    with pytest.raises(irops.EvaluationError, match="IR612 onnxruntime declines onnx:Squeeze-13"):
        irops.call("onnx:Squeeze-13", DATA[:1], backends=[backend])  # it requires the optional axes


def test_the_ops_of_these_nodes_have_kernels(backend):
    registry = default_registry()
    for op, _, _ in NODES:
        assert backend.kernel(registry.op(f"onnx:{op}")) is not None, op

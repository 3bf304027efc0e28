"""Layers by ONNX Runtime, in their ONNX form."""

import ml_dtypes
import numpy as np
import pytest
from libraries import needs

import irops
from irops.backends.onnxruntime import ONNXRuntime
from irops.conformance.kit import run_conformance
from irops.conformance.verdict import Status
from irops.dialects.registry import default_registry
from irops.values.violation import Violation

pytestmark = needs("onnxruntime", "onnx")
DATA = np.arange(24, dtype=np.float32).reshape(2, 3, 4)


@pytest.fixture(scope="module")
def backend():
    return ONNXRuntime()


@pytest.mark.parametrize("op", ["Cast-6", "MatMul-13", "Slice-1", "Slice-13", "Unsqueeze-1"])
def test_nodes_of_onnx_are_run_as_they_are(backend, op):
    report = run_conformance(backend, [f"onnx:{op}"], examples=40, seconds=3600)
    assert report.ok, str(report)
    assert report.ops[0].count(status=Status.PASSED) > 20


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

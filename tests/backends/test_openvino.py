"""Layers by OpenVINO: what it computes is right, what it would damage it declines."""

from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from libraries import needs
from tables import table

import irops
from irops.backends.openvino import OpenVINO
from irops.dialects.registry import Registry, default_registry
from irops.values.violation import Violation

pytestmark = needs("openvino")
EXAMPLES = Path(__file__).parents[2] / "examples"
F32 = np.float32
DATA, TWO = np.arange(6, dtype=F32).reshape(2, 3), np.zeros(2, F32)
DTYPES = [
    np.float32, np.float16, np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.bool_,
    ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn,
]  # fmt: skip


@pytest.fixture(scope="module")
def backend():
    return OpenVINO()


def reverse(backend, data, axes=(-1,)):
    return irops.call("Reverse-1", data, np.array(axes, np.int64), mode="index", backends=[backend])


def reverse_sequence(backend, data, lengths, **axes):
    axes = {"batch_axis": 0, "seq_axis": 1, **axes}
    return irops.call("ReverseSequence-1", data, np.asarray(lengths), backends=[backend], **axes)


@pytest.mark.parametrize("dtype", DTYPES)
def test_reverse_moves_elements_of_a_type(backend, dtype):
    data = np.arange(6).reshape(2, 3).astype(dtype)
    result = reverse(backend, data)
    assert result.dtype == dtype
    assert result.astype(float).tolist() == data[:, ::-1].astype(float).tolist()


def test_axes_may_be_flags(backend):
    result = irops.call("Reverse-1", DATA, np.array([True, False]), mode="mask", backends=[backend])
    assert result.tolist() == DATA[::-1].tolist()


def test_any_two_axes_of_reverse_sequence(backend):
    data = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    axes = {"batch_axis": 2, "seq_axis": 0}
    ours, right = (reverse_sequence(each, data, [0, 1, 2, 2], **axes) for each in (backend, "reference"))
    assert ours.tolist() == right.tolist()


@pytest.mark.parametrize("view", [DATA[:, ::2], DATA.T, DATA[::-1], np.array(7.0, np.float32), DATA[:0]])
def test_views_scalars_and_nothing(backend, view):
    axes = () if view.ndim == 0 else (0,)
    assert reverse(backend, view, axes).tolist() == np.flip(view, axes).tolist()


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (np.array([["a", "b"]], object), "a tensor of strings makes OpenVINO abort"),
        (np.array([[1, 2]], ml_dtypes.int4), "types of less than a byte are moved wrongly; got i4"),
        (np.array([[2**40, 1]]), "i64 is converted to i32; 1099511627776 cannot be represented"),
        (np.array([[2**63, 1]], np.uint64), "u64 is converted to i32; 9223372036854775808 cannot be"),
        (np.array([[0.1, 1]]), "f64 is converted to f32; 0.1 cannot be represented"),
        (np.array([[np.nan, 1]], np.float16), "f16 is converted to f32, which changes NaNs"),
    ],
)
def test_what_reverse_would_damage_is_declined(backend, data, reason):
    with pytest.raises(irops.EvaluationError, match="IR612 openvino declines Reverse-1: " + reason):
        reverse(backend, data)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (np.array([[2**24 + 1, 1]], np.int32), "i32 is converted to f32; 16777217 cannot be represented"),
        (np.array([[2**24 + 1, 1]], np.uint32), "u32 is converted to f32; 16777217 cannot be represented"),
        (np.array([[2**24 + 1, 1]]), "i64 is converted to f32; 16777217 cannot be represented"),
        (np.array([[1, 1]], ml_dtypes.bfloat16), "bf16 is converted to f32, which changes subnormals"),
        (np.array([["a", "b"]], object), "a tensor of strings"),
    ],
)
def test_what_reverse_sequence_would_damage_is_declined(backend, data, reason):
    with pytest.raises(irops.EvaluationError, match="IR612 openvino declines ReverseSequence-1: " + reason):
        reverse_sequence(backend, data, [2])


def test_fractions_of_lengths_are_cut_off_or_declined(backend):
    lengths = np.array([1.75, 2.75])
    for dtype in (np.float32, np.float16):
        assert reverse_sequence(backend, DATA, lengths.astype(dtype)).tolist() == [[0, 1, 2], [4, 3, 5]]
    reason = r"IR612 .*: fractions of bf16 lengths are rounded, not truncated"
    with pytest.raises(irops.EvaluationError, match=reason):
        reverse_sequence(backend, DATA, lengths.astype(ml_dtypes.bfloat16))


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint64, np.float64])
def test_what_is_not_lost_on_the_way_is_computed(backend, dtype):
    data = np.array([[2**24, 1, 5]], dtype)
    result = reverse_sequence(backend, data, [2])
    assert result.dtype == dtype
    assert result.tolist() == [[1, 2**24, 5]]


def test_what_openvino_declines_the_reference_computes():
    data = np.array([[2**40, 1]])
    both = ["openvino", "reference"]
    reversed_ = irops.call("Reverse-1", data, np.array([1]), mode="index", backends=both)
    assert reversed_.tolist() == [[1, 2**40]]


@pytest.mark.parametrize(("lengths", "constraint"), [([4, 1], "C3"), ([-1, 1], "C4")])
def test_a_kernel_refuses_what_breaks_a_constraint(backend, lengths, constraint):
    kernel = backend.kernel(default_registry().op("ReverseSequence-1"))
    with pytest.raises(Violation) as caught:
        kernel(DATA, np.array(lengths), batch_axis=0, seq_axis=1)
    assert caught.value.constraint == constraint


@pytest.mark.parametrize(
    ("op", "inputs", "attributes", "reason"), table(__file__, "what_other_ops_get_wrong_is_declined")
)
def test_what_other_ops_get_wrong_is_declined(backend, op, inputs, attributes, reason):
    arrays = [np.array(elements, kind) for kind, elements in inputs]
    if reason:
        with pytest.raises(irops.EvaluationError, match=f"IR612 openvino declines {op}: {reason}"):
            irops.call(op, *arrays, **attributes, backends=[backend])
    else:  # just inside of what the plug-in computes
        ours, right = (
            irops.call(op, *arrays, **attributes, backends=[one]) for one in (backend, "reference")
        )
        assert (ours.dtype, ours.tolist()) == (right.dtype, right.tolist())


def test_equal_axes_are_refused_although_openvino_takes_them(backend):
    kernel = backend.kernel(default_registry().op("ReverseSequence-1"))
    with pytest.raises(Violation) as caught:
        kernel(np.zeros((3, 2), np.float32), np.array([1, 1, 1]), batch_axis=0, seq_axis=0)
    assert caught.value.constraint == "C2"


@pytest.mark.parametrize("before_reset", [False, True])
def test_the_biases_of_a_gru_say_how_it_resets(backend, before_reset):
    random = np.random.default_rng(0)
    sizes = (2, 3, 5), (2, 1, 4), (1, 12, 5), (1, 12, 4), (1, 16 if before_reset else 12)
    data, state, w, r, biases = (random.standard_normal(size).astype(np.float32) for size in sizes)
    arguments = data, state, np.array([3, 2]), w, r, biases
    attributes = {"hidden_size": 4, "direction": "forward", "activations": ["sigmoid", "tanh"]}
    attributes["linear_before_reset"] = before_reset
    ours = irops.call("GRUSequence-5", *arguments, **attributes, backends=[backend])
    right = irops.call("GRUSequence-5", *arguments, **attributes, backends="reference")
    for one, other in zip(ours, right, strict=True):
        assert np.allclose(one, other, atol=1e-5)


@pytest.mark.parametrize("data", [np.array([32, 99]), DATA])
def test_the_axis_of_gather_1_is_a_constant_as_openvino_crashes_otherwise(backend, data):
    indices, axis = np.array([1, 0, 1]), np.array(0)
    gathered = irops.call("Gather-1", data, indices, axis, backends=[backend])
    assert (gathered == data[[1, 0, 1]]).all()


def test_the_positions_of_slice_scatter_are_constants_as_openvino_crashes_otherwise(backend):
    positions = (np.array([n]) for n in (1, 3, 1))
    updated = irops.call("SliceScatter-15", np.arange(5), np.array([8, 9]), *positions, backends=[backend])
    assert updated.tolist() == [0, 8, 9, 3, 4]


def test_a_signature_is_compiled_once():
    backend = OpenVINO()
    for factor in (1, 2, 3):
        reverse(backend, DATA * factor)
    assert len(backend._programs) == 1
    reverse(backend, DATA.astype(np.int32))
    reverse(backend, DATA[:1])
    assert len(backend._programs) == 3


def test_results_of_one_signature_do_not_share_memory(backend):
    first, second = reverse(backend, DATA), reverse(backend, DATA + 1)
    assert first.tolist() == DATA[:, ::-1].tolist()
    assert second.tolist() == (DATA + 1)[:, ::-1].tolist()


def test_several_outputs_come_as_a_tuple(backend):
    parts = irops.call("Split-1", DATA, np.array(1), num_splits=3, backends=[backend])
    assert [part.tolist() for part in parts] == [[[0], [3]], [[1], [4]], [[2], [5]]]


@pytest.mark.parametrize("example", ["bidirectional_encoder", "digit_classifier"])
def test_a_model_is_run_layer_by_layer_by_openvino_alone(example):
    folder = EXAMPLES / example
    with np.load(folder / "inputs.npz") as inputs, np.load(folder / "expected.npz") as expected:
        results = irops.run(folder / "model.xml", dict(inputs), backends=["openvino"])
        for name in expected.files:
            np.testing.assert_allclose(results[name], expected[name], rtol=1e-4, atol=1e-6)


def test_a_custom_op_is_not_an_openvino_op(backend):
    op = Registry(folders=[EXAMPLES / "my_reverse"]).op("MyReverse-extension")
    assert backend.kernel(op) is None

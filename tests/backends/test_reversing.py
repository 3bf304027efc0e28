"""The kernels of numba give what the reference gives, bit for bit, whatever the layout."""

import math
import sys
from collections.abc import Sequence
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from libraries import needs

from irops.backends.catalogue import chain
from irops.dialects.registry import default_registry
from irops.ops.movement import reverse as reversal, reverse_sequence as sequences
from irops.values.element import element_type, tagged
from irops.values.violation import Violation, collect_warnings

pytestmark = needs("numba")
KINDS = [
    np.float32, np.int8, np.float16, np.float64, np.complex128, ml_dtypes.bfloat16, ml_dtypes.int4,
    np.bool_, object,
]  # fmt: skip
SIZES = [0, 1, 2, 3, 5, 16, 17, 70, 300]
MOST = 20_000
"""Elements of a generated tensor, at most."""


def kernel(op: str) -> Any:
    found = chain(("numba",))[0].kernel(default_registry().op(op))
    assert found is not None
    return found


def same(found: np.ndarray, truth: np.ndarray) -> bool:
    if found.dtype != truth.dtype or found.shape != truth.shape:
        return False
    if found.dtype.kind == "O":
        return all(a is b for a, b in zip(found.ravel(), truth.ravel()))
    return np.ascontiguousarray(found).tobytes() == np.ascontiguousarray(truth).tobytes()


@st.composite
def tensors(draw: st.DrawFn, least_rank: int, kinds: Sequence[Any]) -> np.ndarray:
    """Any bits, NaNs of all kinds among them, laid out in memory in any way."""
    shape: list[int] = []
    for _ in range(draw(st.integers(least_rank, 5))):
        output_array = MOST // max(math.prod(shape), 1)
        shape.append(draw(st.sampled_from([size for size in SIZES if size <= output_array])))
    shape = draw(st.permutations(shape))
    kind = np.dtype(draw(st.sampled_from(kinds)))
    raw = np.random.default_rng(draw(st.integers(0, 99))).integers(
        0, 256, math.prod(shape) * max(kind.itemsize, 1), np.uint8
    )
    if kind.kind == "O":
        data = np.array([str(byte) for byte in raw[::8]], object).reshape(shape)
    else:
        data = (
            (raw & 7 if kind.name == "int4" else raw & 1 if kind.kind == "b" else raw)
            .view(kind)
            .reshape(shape)
        )
    layout = (
        draw(st.sampled_from(["plain", "transposed", "backwards", "sparse", "repeated"]))
        if shape
        else "plain"
    )
    axis = draw(st.integers(0, max(len(shape) - 1, 0)))
    if layout == "transposed":
        return np.ascontiguousarray(data.T).T
    if layout == "backwards":
        return np.flip(np.ascontiguousarray(np.flip(data, axis)), axis)
    if layout == "sparse":
        return np.repeat(data, 3, axis)[(slice(None),) * axis + (slice(None, None, 3),)]
    if layout == "repeated" and shape[axis]:
        return np.broadcast_to(np.take(data, [0], axis), data.shape)
    return data


@pytest.fixture(autouse=True, params=["alone", "together", "past the caches"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Small tensors on one core; cut into tasks for several; and stored as very large ones are."""
    from irops.backends.numba import reversing

    if request.param != "alone":
        for name, size in (("PARALLEL_BYTES", 0), ("TASK_BYTES", 512), ("TILE_BYTES", 4096)):
            monkeypatch.setattr(reversing, name, size)
    if request.param == "past the caches":
        monkeypatch.setattr(reversing, "STREAM_BYTES", 0)
    reversing.kernel_call.cache_clear()
    yield
    reversing.kernel_call.cache_clear()


relaxed = settings(
    deadline=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
SOME_OR_ALL_KINDS = pytest.mark.parametrize(
    "kinds",
    [
        pytest.param((np.float32, object), id="some kinds"),
        pytest.param(KINDS, id="all kinds", marks=pytest.mark.slow("compiles kernels for each width")),
    ],
)


@SOME_OR_ALL_KINDS
@relaxed
@given(data=st.data())
def test_reverse_is_the_references(kinds: Sequence[Any], data: st.DataObject) -> None:
    tensor = data.draw(tensors(0, kinds))
    axes = np.array(
        data.draw(
            st.lists(st.integers(-tensor.ndim, tensor.ndim - 1), max_size=6) if tensor.ndim else st.just([])
        ),
        np.int64,
    )
    truth = reversal.reverse(tensor, axes, mode="index")
    assert same(kernel("Reverse-1")(tensor, axes, mode="index"), truth)
    mask = np.isin(np.arange(tensor.ndim), axes % max(tensor.ndim, 1))
    assert same(kernel("Reverse-1")(tensor, mask, mode="mask"), truth)


@SOME_OR_ALL_KINDS
@relaxed
@given(data=st.data())
def test_reverse_sequence_is_the_references(kinds: Sequence[Any], data: st.DataObject) -> None:
    tensor = data.draw(tensors(2, kinds))
    batch_axis, seq_axis = data.draw(st.permutations(range(tensor.ndim)))[:2]
    steps, batch = tensor.shape[seq_axis], tensor.shape[batch_axis]
    some = np.random.default_rng(data.draw(st.integers(0, 99))).integers(0, steps + 1, batch)
    kind = data.draw(st.sampled_from(["random", "sorted", "full", "equal", "none"]))
    lengths = {
        "random": some,
        "sorted": np.sort(some),
        "full": np.full(batch, steps),
        "equal": np.full(batch, some[0] if batch else 0),
        "none": np.zeros(batch, np.int64),
    }[kind].astype(data.draw(st.sampled_from([np.int64, np.uint16, np.float32])))
    axes = {"batch_axis": batch_axis, "seq_axis": seq_axis}
    truth = sequences.reverse_sequence(tensor, lengths, **axes)
    assert same(kernel("ReverseSequence-1")(tensor, lengths, **axes), truth)


@pytest.mark.slow("compiles kernels")
@pytest.mark.parametrize("steps", [1, 2, 7, 8, 9, 16, 63, 64, 65, 128, 129, 255, 256, 257, 513, 600])
@pytest.mark.parametrize("kind", [np.uint8, np.uint16, np.uint32, np.uint64])
def test_sequences_of_every_length_beside_each_other(steps: int, kind: Any) -> None:
    lengths = np.random.default_rng(0).permutation(np.arange(steps + 1).repeat(2))
    tensor = np.arange(steps * lengths.size).reshape(steps, lengths.size).astype(kind)
    truth = sequences.reverse_sequence(tensor, lengths, batch_axis=1, seq_axis=0)
    assert same(kernel("ReverseSequence-1")(tensor, lengths, batch_axis=1, seq_axis=0), truth)


@pytest.mark.slow("compiles a kernel for each width")
@pytest.mark.parametrize("width", [1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 20, 24, 32, 40, 48, 64, 96, 100])
def test_elements_of_every_width(width: int) -> None:
    rng = np.random.default_rng(0)
    for steps in (2, 3, 5, 8, 21, 64, 65, 200, 700):
        lengths = rng.integers(0, steps + 1, 9)
        for batch_axis, seq_axis in ((0, 1), (1, 0)):
            tensor = rng.integers(0, 256, (9, steps, width) if batch_axis == 0 else (steps, 9, width)).astype(
                np.uint8
            )
            axes = {"batch_axis": batch_axis, "seq_axis": seq_axis}
            truth = sequences.reverse_sequence(tensor, lengths, **axes)
            assert same(kernel("ReverseSequence-1")(tensor, lengths, **axes), truth), (steps, axes)


def test_strings_are_the_same_objects_and_counted() -> None:
    words = [f"word {k} {'x' * 50}" for k in range(6)]
    tensor = np.array(words, object).reshape(2, 3)
    before = [sys.getrefcount(word) for word in words]
    found = kernel("ReverseSequence-1")(tensor, np.array([3, 2]), batch_axis=0, seq_axis=1)
    assert [place for row in found for place in row] == [words[k] for k in (2, 1, 0, 4, 3, 5)]
    assert [sys.getrefcount(word) for word in words] == [count + 1 for count in before]
    del found
    assert [sys.getrefcount(word) for word in words] == before


def test_codes_stay_tagged() -> None:
    tensor = tagged(np.array([[1, 2, 3]], np.uint8), element_type("nf4"))
    found = kernel("Reverse-1")(tensor, np.array([1]), mode="index")
    assert found.dtype.metadata == tensor.dtype.metadata
    assert found.tolist() == [[3, 2, 1]]


@pytest.mark.parametrize(
    ("lengths", "axes", "constraint"),
    [
        ([3, 1], (0, 1), "C3"),
        ([0, -1], (0, 1), "C4"),
        ([1.0, float("nan")], (0, 1), "C4"),
        ([1, 1], (1, 1), "C2"),
        ([1, 1, 1], (0, 1), "C1"),
        (np.array([2**63, 1], np.uint64), (0, 1), "C3"),
    ],
)
def test_violations_are_reported_like_by_the_reference(
    lengths: Any, axes: tuple[int, int], constraint: str
) -> None:
    tensor, each = np.zeros((2, 2), np.float32), np.asarray(lengths)
    named = {"batch_axis": axes[0], "seq_axis": axes[1]}
    with pytest.raises(Violation) as result:
        kernel("ReverseSequence-1")(tensor, each, **named)
    assert result.value.constraint == constraint
    if constraint != "C1":  # which inference alone holds there
        with pytest.raises(Violation) as truth:
            sequences.reverse_sequence(tensor, each, **named)
        assert (result.value.constraint, result.value.detail) == (truth.value.constraint, truth.value.detail)


def test_warnings_are_the_references() -> None:
    with collect_warnings() as warnings:
        kernel("ReverseSequence-1")(np.zeros((2, 2)), np.array([0, 2]), batch_axis=0, seq_axis=1)
        kernel("Reverse-1")(np.zeros((2, 2)), np.array([1, -1]), mode="index")
    assert [warning.constraint for warning in warnings] == ["C5", "C5", "C6"]


@pytest.mark.parametrize("axes", [[2], [-3]])
def test_axes_beyond_the_rank_are_refused(axes: list[int]) -> None:
    with pytest.raises(Violation, match="C4"):
        kernel("Reverse-1")(np.zeros((2, 2)), np.array(axes), mode="index")
    with pytest.raises(Violation, match="C3"):
        kernel("Reverse-1")(np.zeros((2, 2)), np.array([True]), mode="mask")


@pytest.mark.parametrize("op", ["onnx:ReverseSequence-10", "graiphic:ReverseSequence"])
def test_the_op_by_other_names_is_the_same(op: str) -> None:
    tensor, out = np.arange(12).reshape(4, 3), np.zeros((4, 3), np.int64)
    found = kernel(op)(tensor, np.array([4, 2, 0]), out=out, batch_axis=1, time_axis=0)
    assert found is out
    assert found.T.tolist() == [[9, 6, 3, 0], [4, 1, 7, 10], [2, 5, 8, 11]]

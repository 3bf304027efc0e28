"""Ops that move elements: indices and slices of which little is known, and outputs that agree."""

from itertools import product
from math import inf

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from tables import table

import irops
from irops.ops.movement.slice import slice_of, sliced_size
from irops.values.dim import MAX_DIM, UNKNOWN, Dim
from irops.values.shape import Shape

LAST, BEFORE_FIRST = Dim.of(MAX_DIM), Dim.of(-MAX_DIM - 1)


def intervals(low, high):
    return st.tuples(st.integers(low, high), st.integers(0, 5)).map(
        lambda p: Dim(p[0], min(p[0] + p[1], high))
    )


def numbers(dim):
    return range(dim.low, dim.high + 1)


def taken(size, start, stop, step):
    return len(np.arange(size)[slice_of(size, start, stop, step)])


@settings(max_examples=400, deadline=None, derandomize=True)
@given(
    intervals(0, 8),
    intervals(-9, 9),
    intervals(-9, 9),
    st.sampled_from([Dim.of(1), Dim.of(2), Dim.of(-1), Dim.of(-3), Dim(2, 3), Dim(-2, -1)]),
)
def test_intervals_are_exact(size, start, stop, step):
    counts = [taken(*numbers) for numbers in product(*map(numbers, (size, start, stop, step)))]
    assert sliced_size(size, start, stop, step) == Dim(min(counts), max(counts))


@pytest.mark.parametrize(
    ("size", "start", "stop", "step", "count"), table(__file__, "unlimited_axes_and_the_ends_of_64_bits")
)
def test_unlimited_axes_and_the_ends_of_64_bits(size, start, stop, step, count):
    (axis,) = Shape.parse(size)
    ends = {"last": LAST, "before the first": BEFORE_FIRST, "?": UNKNOWN}
    dims = [ends[number] if isinstance(number, str) else Dim.of(number) for number in (start, stop, step)]
    assert str(sliced_size(axis, *dims)) == count


def test_a_slice_that_takes_all_keeps_the_name_of_the_axis():
    batch = Dim(1, 8).named("batch")
    for start, stop, step in ((0, LAST, 1), (0, batch, 1), (-8, Dim.of(8), 1), (-1, BEFORE_FIRST, -1)):
        assert sliced_size(batch, Dim.of(start), stop, Dim.of(step)).symbol == batch.symbol


def test_what_one_slice_leaves_the_other_takes():
    past, new = Dim(0, inf).named("past"), Dim(1, inf).named("new")
    whole, one = past + new, Dim.of(1)
    assert sliced_size(whole, Dim.of(0), past, one).symbol == past.symbol
    assert sliced_size(whole, past, LAST, one).symbol == new.symbol
    assert sliced_size(past + 8, past, LAST, one) == 8


ROW = np.array([1, 2, 3], np.float32)


@pytest.mark.parametrize("op", ["Gather-1", "Gather-7", "ScatterUpdate-3"])
def test_negative_indices_to_which_openvino_gives_no_single_meaning_are_refused(op):
    graph, indices, updates = irops.Graph(), np.array([0, -1]), [ROW[:2]] * (op == "ScatterUpdate-3")
    x, given = graph.parameter("x", "f32[3]"), graph.parameter("i", "i64[2]")
    graph.result(graph.add(op, x, given, *updates, 0), "y")
    with pytest.raises(irops.DiagnosticError, match=f"IR401 {op} requires"):
        irops.run(graph.model(), {"x": ROW, "i": indices})
    with pytest.raises(irops.DiagnosticError, match=f"IR401 {op} requires"):
        graph.add(op, x, indices, *updates, 0)


@pytest.mark.parametrize("op", ["Gather-1", "Gather-7"])
def test_a_single_negative_index_counts_from_the_end_with_a_warning(op):
    graph = irops.Graph()
    graph.result(graph.add(op, graph.parameter("x", "f32[3]"), [-1], 0), "y")
    (warning,) = irops.check(graph.model()).warnings
    assert "requires: no element of indices is negative" in warning.message
    assert irops.run(graph.model(), {"x": ROW})["y"].tolist() == [3]


SHAPES = array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4)
FULL = array_shapes(max_dims=3, max_side=4)


@given(arrays(np.int8, SHAPES, elements=st.integers(-2, 2)), st.booleans())
def test_elements_can_be_put_together_again(array, ascending):
    unique, first, which, counts = irops.call("Unique-10", array, sorted=ascending)
    row = array.ravel()
    assert (unique[which] == row).all()
    assert (row[first] == unique).all()
    assert counts.tolist() == [(row == element).sum() for element in unique]
    assert (np.diff(unique) > 0).all() if ascending else (np.diff(first) > 0).all()


@given(arrays(np.int8, FULL, elements=st.integers(0, 1)), st.data(), st.booleans())
def test_slices_can_be_put_together_again(array, data, ascending):
    axis = data.draw(st.integers(-array.ndim, array.ndim - 1))
    unique, first, which, counts = irops.call("Unique-10", array, np.array(axis), sorted=ascending)
    assert (np.take(unique, which, axis) == array).all()
    assert (np.take(array, first, axis) == unique).all()
    assert counts.sum() == array.shape[axis]
    slices = [part.ravel().tolist() for part in np.moveaxis(unique, axis, 0)]
    assert all(a != b for k, a in enumerate(slices) for b in slices[:k])
    assert slices == sorted(slices) if ascending else (np.diff(first) > 0).all()


def blocks_of(image, kernel, stride, dilation, begin, end):
    """The blocks of an image, cut one by one."""
    padded = np.pad(image, [(0, 0), (0, 0), (begin, end), (begin, end)])
    reach = [dilation * (size - 1) + 1 for size in kernel]
    starts = product(*(range(0, size - far + 1, stride) for size, far in zip(padded.shape[2:], reach)))
    cut = [
        padded[:, :, y : y + reach[0] : dilation, x : x + reach[1] : dilation].reshape(len(image), -1)
        for y, x in starts
    ]
    return np.stack(cut, axis=-1)


@pytest.mark.parametrize(
    ("stride", "dilation", "begin", "end"), [(1, 1, 0, 0), (2, 1, 1, 0), (1, 2, 0, 1), (3, 2, 2, 2)]
)
def test_blocks_and_images_meet(stride, dilation, begin, end):
    """<blocks of x, y> = <x, image of y> for all x and y."""
    random = np.random.default_rng(0)
    image = random.integers(-9, 9, (2, 3, 6, 7))
    blocks = blocks_of(image, (2, 3), stride, dilation, begin, end)
    others = random.integers(-9, 9, blocks.shape)
    steps = {"strides": [stride] * 2, "dilations": [dilation] * 2}
    pads = {"pads_begin": [begin] * 2, "pads_end": [end] * 2}
    put_back = irops.call("Col2Im-15", others, np.array([6, 7]), np.array([2, 3]), **steps, **pads)
    assert (blocks * others).sum() == (image * put_back).sum()


def test_what_openvino_writes_and_computes_gives_no_finding():
    graph, ends, sizes = irops.Graph("m"), np.array([0, 1, 1, 0]), np.array([4, 6])
    x = graph.parameter("x", "f32[1,2,3,4]")
    graph.result(
        graph.ops.Pad(x, ends, ends, np.float32(2), pad_mode="edge"), "a value that edge does not use"
    )
    mode = {"mode": "linear_onnx", "shape_calculation_mode": "sizes"}
    graph.result(graph.ops.Interpolate(x, sizes, np.array([1, 2]), **mode), "not the last two axes")
    assert irops.check(graph).diagnostics == ()

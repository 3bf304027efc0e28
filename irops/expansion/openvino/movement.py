"""Ops that move elements, as reshapes, transposes, slices and gathers."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from irops.expansion.expanding import Expanding, OtherFormError, Outputs, RefusedError, ReplacingOp, expansion
from irops.values.dim import Dim
from irops.values.element import BOOLEAN, I64, STRING, tagged

ZERO, ONE, ALL = np.array(0, np.int64), np.array(1, np.int64), np.array([-1], np.int64)
FIRST, END = np.iinfo(np.int64).min, np.iinfo(np.int64).max

# Blocks between axes


@expansion("DepthToSpace-1", "Reshape-1")
def depth_to_space(subject: Expanding) -> Outputs:
    dims = subject.sizes("data", "blocks move between its axes")
    block, count = subject.attributes["block_size"], len(dims) - 2
    channels, sizes, blocks = dims[1], dims[2:], (block,) * count
    depth = _parts(channels, block**count)
    is_first = subject.attributes["mode"] == "blocks_first"
    middle: tuple[Any, ...] = (*blocks, depth) if is_first else (depth, *blocks)
    split = subject.reshaped(subject.input("data"), [dims[0], *middle, *sizes], "split")
    places = range(1, count + 1) if is_first else range(2, count + 2)
    pairs = [axis for number, place in enumerate(places) for axis in (count + 2 + number, place)]
    moved = subject.Transpose(split, [0, count + 1 if is_first else 1, *pairs])
    return Outputs([subject.reshaped(moved, [dims[0], depth, *(size * block for size in sizes)])])


@expansion("SpaceToDepth-1", "Reshape-1")
def space_to_depth(subject: Expanding) -> Outputs:
    dims = subject.sizes("data", "blocks move between its axes")
    block, count = subject.attributes["block_size"], len(dims) - 2
    outer = [_parts(size, block) for size in dims[2:]]
    pairs = [part for size in outer for part in (size, block)]
    split = subject.reshaped(subject.input("data"), [dims[0], dims[1], *pairs], "split")
    kept, within = range(2, 2 * count + 2, 2), range(3, 2 * count + 2, 2)
    is_first = subject.attributes["mode"] == "blocks_first"
    order = [0, *within, 1, *kept] if is_first else [0, 1, *within, *kept]
    moved = subject.Transpose(split, order)
    return Outputs([subject.reshaped(moved, [dims[0], dims[1] * block**count, *outer])])


@expansion("ShuffleChannels-1", "Reshape-1")
def shuffle_channels(subject: Expanding) -> Outputs:
    """The axis as a matrix of groups, transposed."""
    dims, axis = subject.sizes("data", "an axis is divided"), subject.attributes["axis"]
    group, rank = subject.attributes["group"], len(dims)
    parts = [*dims[:axis], group, _parts(dims[axis], group), *dims[axis + 1 :]]
    split = subject.reshaped(subject.input("data"), parts, "split")
    order = [*range(axis), axis + 1, axis, *range(axis + 2, rank + 1)]
    return Outputs([subject.reshaped(subject.Transpose(split, order), dims)])


def _parts(size: Dim, count: int) -> Dim:
    return Dim.of(int(size) // count) if size.known else size // count


def _no_strings(subject: Expanding) -> None:
    if subject.element_type("data", "elements are padded") is STRING:
        raise RefusedError("its data are strings, which Pad does not take")


@expansion("SpaceToBatch-2", "Reshape-1")
def space_to_batch(subject: Expanding) -> Outputs:
    _no_strings(subject)
    names = ("block_shape", "pads_begin", "pads_end")
    blocks, begin, end = (subject.constant(name, "sizes follow from it") for name in names)
    dims = subject.sizes("data", "blocks move between its axes")
    padded = subject.add("Pad-1", subject.input("data"), begin, end, pad_mode="constant")
    outer = [
        _parts(size + first + last, block)
        for size, first, last, block in zip(dims[1:], begin[1:], end[1:], blocks[1:])
    ]
    pairs = [part for size, block in zip(outer, blocks[1:]) for part in (size, block)]
    split = subject.reshaped(padded, [dims[0], *pairs], "split")
    count = 2 * len(outer) + 1
    moved = subject.Transpose(split, [*range(2, count, 2), 0, *range(1, count, 2)])
    return Outputs([subject.reshaped(moved, [dims[0] * prod(blocks), *outer])])


@expansion("BatchToSpace-2", "Slice-8")
def batch_to_space(subject: Expanding) -> Outputs:
    names = ("block_shape", "crops_begin", "crops_end")
    blocks, begin, end = (subject.constant(name, "sizes follow from it") for name in names)
    dims = subject.sizes("data", "blocks move between its axes")
    rest, count = blocks[1:], len(dims) - 1
    batch = _parts(dims[0], prod(rest))
    split = subject.reshaped(subject.input("data"), [*rest, batch, *dims[1:]], "split")
    pairs = [axis for number in range(count) for axis in (count + 1 + number, number)]
    moved = subject.Transpose(split, [count, *pairs])
    sizes = [size * block for size, block in zip(dims[1:], rest)]
    whole = subject.reshaped(moved, [batch, *sizes], "whole")
    stop = [-last or END for last in end[1:]]
    axes = list(range(1, count + 1))
    return Outputs([subject.add("Slice-8", whole, begin[1:], stop, [1] * count, axes)])


# Parts, copies and orders


@expansion("Split-1", "Slice-8")
def split(subject: Expanding) -> Outputs:
    axis, size = _split_axis(subject)
    count = subject.attributes["num_splits"]
    part = int(size) // count
    return _slices(subject, axis, [part] * count)


@expansion("VariadicSplit-1", "Slice-8")
def variadic_split(subject: Expanding) -> Outputs:
    axis, size = _split_axis(subject)
    lengths = subject.constant("split_lengths", "a Slice is made for each")
    rest = int(size) - sum(length for length in lengths if length >= 0)
    return _slices(subject, axis, [rest if length < 0 else length for length in lengths])


def _split_axis(subject: Expanding) -> tuple[int, Dim]:
    dims = subject.sizes("data", "parts lie along its axis")
    axis = subject.constant("axis", "parts lie along it")[0] % len(dims)
    if not dims[axis].known:
        raise RefusedError("the size of its axis is unknown, but the parts follow from it")
    return axis, dims[axis]


def _slices(subject: Expanding, axis: int, sizes: list[int]) -> Outputs:
    ends = np.cumsum(sizes)
    data = subject.input("data")
    return Outputs(
        [
            subject.add("Slice-8", data, [int(end) - size], [int(end)], [1], [axis], part=f"part_{number}")
            for number, (end, size) in enumerate(zip(ends, sizes))
        ]
    )


@expansion("Tile-1", "Reshape-1")
def tile(subject: Expanding) -> Outputs:
    """Copies along new axes before each axis."""
    repeats = [max(count, 0) for count in subject.constant("repeats", "axes for copies are made")]
    dims = list(subject.static_sizes("data", "it is broadcast to its copies"))
    rank = max(len(dims), len(repeats))
    dims, repeats = [1] * (rank - len(dims)) + dims, [1] * (rank - len(repeats)) + repeats
    apart = subject.reshaped(subject.input("data"), [part for size in dims for part in (1, size)], "apart")
    pairs = [part for pair in zip(repeats, dims) for part in pair]
    copies = subject.add("Broadcast-3", apart, pairs, mode="numpy")
    sizes = [size * count for size, count in zip(dims, repeats)]
    return Outputs([subject.reshaped(copies, sizes)])


@expansion("Reverse-1", "Slice-8")
def reverse(subject: Expanding) -> Outputs:
    """A Slice with step -1."""
    numbers = subject.constant("axes", "a Slice has a step for each")
    rank = subject.of_rank("data", "its axes are counted from 0")
    if subject.attributes["mode"] == "mask":
        axes = [axis for axis, is_reversed in enumerate(numbers) if is_reversed]
    else:
        axes = sorted({axis % rank for axis in numbers})
    if not axes:
        raise RefusedError("it reverses no axis")
    count = len(axes)
    return Outputs(
        [subject.add("Slice-8", subject.input("data"), [-1] * count, [FIRST] * count, [-1] * count, axes)]
    )


@expansion("ReverseSequence-1", "GatherElements-6")
def reverse_sequence(subject: Expanding) -> Outputs:
    """Element t of a sequence is element length - 1 - t, where t < length."""
    dims = subject.sizes("data", "sequences lie along its axes")
    batch, axis = subject.attributes["batch_axis"], subject.attributes["seq_axis"]
    if not dims[axis].known:
        raise RefusedError("the number of steps is unknown, but they are numbered")
    steps = np.arange(int(dims[axis])).reshape(-1, *(1,) * (len(dims) - axis - 1))
    lengths = subject.typed(subject.input("seq_lengths"), I64, "lengths")
    lengths = (
        subject.reshaped(lengths, [-1 if place == batch else 1 for place in range(len(dims))])
        if (dims[batch].known)
        else subject.Unsqueeze(lengths, [place for place in range(len(dims)) if place != batch])
    )
    mirrored = subject.Subtract(subject.Subtract(lengths, 1), steps)
    at = subject.Select(subject.Greater(lengths, steps), mirrored, steps)
    indices = subject.add("Broadcast-3", at, subject.shape_of("data"), mode="numpy")
    return Outputs([subject.add("GatherElements-6", subject.input("data"), indices, axis=axis)])


@expansion("Roll-7", "Gather-8")
def roll(subject: Expanding) -> Outputs:
    """Along each axis, elements gathered from the places that they had before."""
    dims = subject.sizes("data", "elements move along its axes")
    if not dims:
        raise RefusedError("its data are a scalar, which stays as it is")
    axes = [axis % len(dims) for axis in subject.constant("axes", "elements move along them")]
    shifts = subject.constant("shift", "places follow from it")
    if not axes:
        raise RefusedError("it moves along no axis")
    if len(shifts) == 1:
        shifts = shifts * len(axes)
    value = subject.input("data")
    for axis in dict.fromkeys(axes):
        if not dims[axis].known:
            raise RefusedError("the size of an axis is unknown, but its elements are numbered")
        size, total = int(dims[axis]), sum(step for place, step in zip(axes, shifts) if place == axis)
        before = (np.arange(size) - total % max(size, 1)) % max(size, 1)
        value = subject.add("Gather-8", value, before, axis)
    return Outputs([value])


@expansion("Squeeze-1", "Reshape-1")
def squeeze(subject: Expanding) -> Outputs:
    return _to_output_shape(subject)


@expansion("Unsqueeze-1", "Reshape-1")
def unsqueeze(subject: Expanding) -> Outputs:
    return _to_output_shape(subject)


def _to_output_shape(subject: Expanding) -> Outputs:
    dims = subject.output(0).shape.dims
    if dims is None:
        raise RefusedError("the rank of its output is unknown")
    return Outputs([subject.reshaped(subject.input("data"), dims)])


@expansion("ConvertLike-1", "Convert-1")
def convert_like(subject: Expanding) -> ReplacingOp:
    kind = subject.element_type("like", "Convert needs one")
    if STRING in (kind, subject.element_type("data")):
        raise RefusedError("its data are strings, which Convert does not take")
    return ReplacingOp([subject.input("data")], {"destination_type": kind})


# Parts that are written into a tensor: their positions are those in a tensor that numbers its elements.


@expansion("SliceScatter-15", "Reshape-1")
def slice_scatter(subject: Expanding) -> ReplacingOp:
    """The positions of the part are the slice of a tensor that numbers its elements."""
    data = subject.input("data")
    shape = subject.shape_of("data")
    flat = subject.add("Reshape-1", data, ALL, part="flat", special_zero=False)
    count = subject.add("ReduceProd-1", shape, np.array([0], np.int64), part="count", keep_dims=False)
    numbers = subject.add("Range-4", ZERO, count, ONE, part="numbers", output_type=I64)
    table = subject.add("Reshape-1", numbers, shape, part="table", special_zero=False)
    part = subject.add("Slice-8", table, *subject.inputs[2:], part="part")
    positions = subject.add("Reshape-1", part, ALL, part="positions", special_zero=False)
    updates = subject.add("Reshape-1", subject.input("updates"), ALL, part="updates", special_zero=False)
    written = subject.add("ScatterUpdate-3", flat, positions, updates, ZERO, part="written")
    return ReplacingOp([written, shape], {"special_zero": False})


@expansion("ScatterNDUpdate-15", "Reshape-1")
def scatter_nd_update(subject: Expanding) -> ReplacingOp:
    """The positions of the written elements are gathered from a tensor that numbers all elements."""
    reduction = subject.attributes["reduction"]
    if reduction == "none":
        raise OtherFormError("ScatterNDUpdate-4 means the same")
    updates = subject.input("updates")
    if reduction == "sub":
        kind = subject.element_type("data")
        if kind.kind == "unsigned" or kind is BOOLEAN:
            raise RefusedError(f"it has reduction=sub of {kind}, which no sum of negative updates equals")
        updates, reduction = subject.add("Negative-1", updates, part="negative"), "sum"
    shape = subject.shape_of("data")
    count = subject.add("ReduceProd-1", shape, np.array([0], np.int64), part="count", keep_dims=False)
    numbers = subject.add("Range-4", ZERO, count, ONE, part="numbers", output_type=I64)
    table = subject.add("Reshape-1", numbers, shape, part="table", special_zero=False)
    found = subject.add("GatherND-8", table, subject.input("indices"), part="found")
    written = subject.add(
        "ScatterElementsUpdate-12",
        subject.add("Reshape-1", subject.input("data"), ALL, part="flat", special_zero=False),
        subject.add("Reshape-1", found, ALL, part="positions", special_zero=False),
        subject.add("Reshape-1", updates, ALL, part="updates", special_zero=False),
        ZERO,
        part="written",
        reduction=reduction,
        use_init_val=True,
    )
    return ReplacingOp([written, shape], {"special_zero": False})


# Col2Im as the transpose of a convolution, whose filters hold a single 1 each.

ROUNDS = "overlapping elements are summed in another order, and with zeros, so that infinities give NaN"


@expansion("Col2Im-15", "GroupConvolutionBackpropData-1", rounds=ROUNDS)
def col2im(subject: Expanding) -> ReplacingOp:
    if len(subject.sizes("data", "it is reshaped to the places of blocks")) != 3:
        raise OtherFormError("its data have no axis of batch items")
    return _folded(subject, subject.input("data"))


@expansion("Col2Im-15", "Squeeze-1", rounds=ROUNDS)
def col2im_without_batch(subject: Expanding) -> ReplacingOp:
    axis = np.array([0], np.int64)
    if len(subject.sizes("data", "it is reshaped to the places of blocks")) != 2:
        raise OtherFormError("its data have an axis of batch items")
    batch = subject.add("Unsqueeze-1", subject.input("data"), axis, part="batch")
    form = _folded(subject, batch)
    folded = subject.add("GroupConvolutionBackpropData-1", *form.inputs, part="folded", **form.attributes)
    return ReplacingOp([folded, axis])


def _folded(subject: Expanding, data: Any) -> ReplacingOp:
    """The blocks, each element in a channel of its own, spread by filters of which each has one element 1."""
    purpose = "the filters and the padding follow from it"
    if subject.element_type("data", "the filters have it").integral:
        raise RefusedError("its data are integers, whose sums wrap around; those of convolutions saturate")
    size, kernel = (subject.constant(name, purpose) for name in ("output_size", "kernel_size"))
    rows = subject.sizes("data", purpose)[-2]
    if not rows.known:
        raise RefusedError(f"the number of rows of data is unknown, but {purpose}")
    numbers = [subject.attributes[name] for name in ("strides", "dilations", "pads_begin", "pads_end")]
    along = [_along(*each) for each in zip(size, kernel, *numbers)]
    elements, channels = prod(kernel), int(rows) // prod(kernel)
    places = np.array([0, int(rows), *(count for count, _ in along)], np.int64)
    blocks = subject.add("Reshape-1", data, places, part="blocks", special_zero=True)
    kind = subject.element_type("data", "the filters have it")
    single = np.eye(elements).reshape(1, elements, 1, *kernel)
    filters = tagged(np.repeat(single, channels, 0).astype(kind.dtype), kind)
    attributes = {
        "strides": numbers[0],
        "dilations": numbers[1],
        "pads_begin": numbers[2],
        "pads_end": numbers[3],
        "output_padding": tuple(padding for _, padding in along),
        "auto_pad": "explicit",
    }
    return ReplacingOp([blocks, filters], attributes)


def _along(size: int, kernel: int, stride: int, dilation: int, begin: int, end: int) -> tuple[int, int]:
    """Along an axis: the number of blocks, and of elements that none of them reaches."""
    reach = dilation * (kernel - 1) + 1
    count = (size + begin + end - reach) // stride + 1
    return count, size + begin + end - ((count - 1) * stride + reach)

"""Reverse and ReverseSequence with NumPy: no Python loops over elements, and little temporary memory."""

from __future__ import annotations

from functools import partial
from math import prod
from typing import Any

import numpy as np

from irops.backends.backend import Kernel
from irops.backends.filling import Lengths, checked_lengths, deliver, filling, kernel_for, output_array
from irops.spec.op import Op
from irops.values.element import Array

LARGE_SEQUENCE = 1 << 13
"""Sequences of at least this many elements are moved one by one."""
BLOCK_ELEMENTS = 1 << 16
"""Elements of smaller sequences that are moved at once; elements and indices fit into the caches."""
MAX_TABLE_STEPS = 512
"""Up to this many steps, the order of steps comes from a table with one row per length."""


class NumPy:
    """Kernels for Reverse and ReverseSequence, always available."""

    name = "numpy"

    def missing(self) -> str | None:
        """None: irops requires NumPy."""
        return None

    def kernel(self, op: Op) -> Kernel | None:
        return kernel_for(
            op,
            {
                "Reverse-1": filling(partial(reverse, op.functions.kernel)),
                "ReverseSequence-1": reverse_sequence,
            },
        )


def reverse(view: Any, data: Array, axes: Array, *, mode: str, out: Array | None = None) -> Array:
    """view: the reference kernel, which checks the axes and returns a view of data."""
    filled = output_array(data, out)
    copy(view(data, axes, mode=mode), filled)
    return deliver(filled, out)


def copy(view: Array, target: Array) -> None:
    """Copy elements. If the last axis is short, copy its elements as one number of a wider type."""
    size = view.itemsize * view.shape[-1] if view.ndim else 0
    if size in (2, 4, 8, 16) and view.shape[-1] > 1 and view.dtype.kind != "O":
        wide = np.dtype(np.complex128 if size == 16 else f"u{size}")
        if all(
            array.strides[-1] == array.itemsize
            and not any(stride % wide.alignment for stride in array.strides[:-1])
            for array in (view, target)
        ):
            view, target = view.view(wide)[..., 0], target.view(wide)[..., 0]
    np.copyto(target, view)


@filling
def reverse_sequence(
    data: Array, seq_lengths: Array, *, batch_axis: int, seq_axis: int, out: Array | None = None
) -> Array:
    lengths = checked_lengths(data, seq_lengths, batch_axis, seq_axis)
    filled = output_array(data, out)
    if lengths.maximum <= 1 or not data.size:
        np.copyto(filled, data)
        return deliver(filled, out)
    items = prod(data.shape[: max(batch_axis, seq_axis) + 1])
    if lengths.minimum == lengths.maximum:
        _by_length(data, lengths, filled, batch_axis, seq_axis)
    elif (
        items <= BLOCK_ELEMENTS and data.flags.c_contiguous and (data.dtype.kind != "O" or items == data.size)
    ):
        _by_block(data, lengths, filled, batch_axis, seq_axis, data.shape[batch_axis])
    elif data.size // data.shape[batch_axis] >= LARGE_SEQUENCE:
        _by_length(data, lengths, filled, batch_axis, seq_axis)
    else:
        _by_block(
            data,
            lengths,
            filled,
            batch_axis,
            seq_axis,
            max(1, BLOCK_ELEMENTS * data.shape[batch_axis] // data.size),
        )
    return deliver(filled, out)


def _by_length(data: Array, lengths: Lengths, filled: Array, batch_axis: int, seq_axis: int) -> None:
    """Copy adjacent sequences of equal length at once, the head and the tail as slices."""
    rows, target = (np.moveaxis(array, (batch_axis, seq_axis), (0, 1)) for array in (data, filled))
    ends = [*(np.flatnonzero(np.diff(lengths.values)) + 1).tolist(), len(lengths.values)]
    begin = 0
    for end in ends:
        length = int(lengths.values[begin])
        copy(rows[begin:end, :length][:, ::-1], target[begin:end, :length])
        copy(rows[begin:end, length:], target[begin:end, length:])
        begin = end


def _by_block(
    data: Array, lengths: Lengths, filled: Array, batch_axis: int, seq_axis: int, count: int
) -> None:
    """Copy `count` sequences at a time, by the indices of their elements in the block."""
    places: _SequencePlaces | None = None
    for begin in range(0, data.shape[batch_axis], count):
        selection = (slice(None),) * batch_axis + (slice(begin, begin + count),)
        block, target, values = (
            np.ascontiguousarray(data[selection]),
            filled[selection],
            lengths.values[begin : begin + count],
        )
        if places is None or len(values) != count:
            places = _SequencePlaces(block, batch_axis, seq_axis)
        items, indices_of_items = places.items(block), places.of(values)
        if target.flags.c_contiguous:
            items.take(indices_of_items, axis=1, out=places.items(target), mode="clip")
        else:
            target[...] = (
                items.take(indices_of_items, axis=1, mode="clip").view(data.dtype).reshape(target.shape)
            )


class _SequencePlaces:
    """The source indices of the items of a block. An item consists of all elements behind the later of the
    two axes, if they can be moved as one.
    """

    def __init__(self, block: Array, batch_axis: int, seq_axis: int) -> None:
        first, second = sorted((batch_axis, seq_axis))
        shape, self._batch_first = block.shape, batch_axis < seq_axis
        outer, between, size = prod(shape[:first]), prod(shape[first + 1 : second]), prod(shape[second + 1 :])
        units = size if block.dtype.kind == "O" else 1  # references are counted one by one
        self._kind = block.dtype if block.dtype.kind == "O" else np.dtype(f"V{block.itemsize * size}")
        self._indices = np.arange(shape[first] * between * shape[second] * units)
        self._items = (outer, self._indices.size)
        indices = self._indices.reshape(shape[first], between, shape[second], units)
        self._base = (indices[:, :, :1] if self._batch_first else indices[:1]).copy()
        self._places = self._indices.reshape(indices.shape)
        unit = units if self._batch_first else between * shape[second] * units  # from one step to the next
        self._step = np.arange(shape[seq_axis]) * unit
        self._order = np.empty((shape[first], shape[second]), np.intp)
        self._unit, steps, batch = unit, shape[seq_axis], shape[batch_axis]
        self._table: Array | None = None
        if steps <= min(MAX_TABLE_STEPS, batch):
            table = self._ordered(
                np.arange(steps + 1),
                np.empty((steps + 1, steps) if self._batch_first else (steps, steps + 1), np.intp),
            )
            self._table = table

    def items(self, block: Array) -> Array:
        """A block in C order as an array of items."""
        return block.reshape(*self._items, -1).view(self._kind)[..., 0]

    def of(self, lengths: Array) -> Array:
        """The source indices of the items for these lengths; valid until the next call."""
        if self._table is None:
            order = self._ordered(lengths, self._order)
        else:
            order = self._table.take(
                lengths, axis=0 if self._batch_first else 1, out=self._order, mode="clip"
            )
        np.add(order[:, np.newaxis, :, np.newaxis], self._base, out=self._places)
        return self._indices

    def _ordered(self, lengths: Array, order: Array) -> Array:
        """For each length, the source step of each step: the <formula> of the definition."""
        last = (lengths - 1) * self._unit
        last, step = (
            (last[:, np.newaxis], self._step) if self._batch_first else (last, self._step[:, np.newaxis])
        )
        np.subtract(last, step, out=order)
        np.copyto(order, step, where=order < 0)
        return order

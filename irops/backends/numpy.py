"""Reversal by NumPy alone: no loop of Python's over small things, and little memory beside the result."""

from __future__ import annotations

from functools import partial
from math import prod
from typing import Any

import numpy as np

from irops.backends.backend import Kernel
from irops.backends.filling import Lengths, delivered, filling, kernel_for, room, settled
from irops.spec.op import Op
from irops.values.element import Array

LARGE = 1 << 13
"""Elements from which on a sequence is a block by itself."""
TOGETHER = 1 << 16
"""Elements that are taken at once, where sequences are smaller: as many as stay in the caches with their
places.
"""
TABLED = 512
"""Steps up to which the order of steps is looked up in a table, by length: it has as many rows."""


class NumPy:
    """Reverse and ReverseSequence, wherever irops runs."""

    name = "numpy"

    def missing(self) -> str | None:
        """Nothing: irops stands on NumPy."""
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
    """view: the reference, which checks the axes and gives a view of data."""
    filled = room(data, out)
    copy(view(data, axes, mode=mode), filled)
    return delivered(filled, out)


def copy(view: Array, target: Array) -> None:
    """Copy elements; those of a short last axis as one, where they are together as large as a number of
    NumPy's.
    """
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
    lengths = settled(data, seq_lengths, batch_axis, seq_axis)
    filled = room(data, out)
    if lengths.most <= 1 or not data.size:
        np.copyto(filled, data)
        return delivered(filled, out)
    items = prod(data.shape[: max(batch_axis, seq_axis) + 1])
    if lengths.least == lengths.most:
        _by_length(data, lengths, filled, batch_axis, seq_axis)
    elif items <= TOGETHER and data.flags.c_contiguous and (data.dtype.kind != "O" or items == data.size):
        _by_block(data, lengths, filled, batch_axis, seq_axis, data.shape[batch_axis])
    elif data.size // data.shape[batch_axis] >= LARGE:
        _by_length(data, lengths, filled, batch_axis, seq_axis)
    else:
        _by_block(
            data,
            lengths,
            filled,
            batch_axis,
            seq_axis,
            max(1, TOGETHER * data.shape[batch_axis] // data.size),
        )
    return delivered(filled, out)


def _by_length(data: Array, lengths: Lengths, filled: Array, batch_axis: int, seq_axis: int) -> None:
    """Neighbours of equal lengths at a time: head and tail are slices."""
    rows, target = (np.moveaxis(array, (batch_axis, seq_axis), (0, 1)) for array in (data, filled))
    ends = [*(np.flatnonzero(np.diff(lengths.each)) + 1).tolist(), len(lengths.each)]
    begin = 0
    for end in ends:
        length = int(lengths.each[begin])
        copy(rows[begin:end, :length][:, ::-1], target[begin:end, :length])
        copy(rows[begin:end, length:], target[begin:end, length:])
        begin = end


def _by_block(
    data: Array, lengths: Lengths, filled: Array, batch_axis: int, seq_axis: int, count: int
) -> None:
    """So many sequences at a time: their elements are taken by their places in the block."""
    places: _Places | None = None
    for begin in range(0, data.shape[batch_axis], count):
        part = (slice(None),) * batch_axis + (slice(begin, begin + count),)
        block, target, each = (
            np.ascontiguousarray(data[part]),
            filled[part],
            lengths.each[begin : begin + count],
        )
        if places is None or len(each) != count:
            places = _Places(block, batch_axis, seq_axis)
        items, wanted = places.items(block), places.of(each)
        if target.flags.c_contiguous:
            items.take(wanted, axis=1, out=places.items(target), mode="clip")
        else:
            target[...] = items.take(wanted, axis=1, mode="clip").view(data.dtype).reshape(target.shape)


class _Places:
    """Where the items of a block come from. An item is what lies behind the later one of the two axes, if it
    can be moved as one.
    """

    def __init__(self, block: Array, batch_axis: int, seq_axis: int) -> None:
        first, second = sorted((batch_axis, seq_axis))
        shape, self._batch_first = block.shape, batch_axis < seq_axis
        outer, between, size = prod(shape[:first]), prod(shape[first + 1 : second]), prod(shape[second + 1 :])
        apart = size if block.dtype.kind == "O" else 1  # references are counted one by one
        self._kind = block.dtype if block.dtype.kind == "O" else np.dtype(f"V{block.itemsize * size}")
        self._own = np.arange(shape[first] * between * shape[second] * apart)
        self._items = (outer, self._own.size)
        own = self._own.reshape(shape[first], between, shape[second], apart)
        self._base = (own[:, :, :1] if self._batch_first else own[:1]).copy()
        self._places = self._own.reshape(own.shape)
        unit = apart if self._batch_first else between * shape[second] * apart  # from one step to the next
        self._step = np.arange(shape[seq_axis]) * unit
        self._order = np.empty((shape[first], shape[second]), np.intp)
        self._unit, steps, batch = unit, shape[seq_axis], shape[batch_axis]
        self._table: Array | None = None
        if steps <= min(TABLED, batch):
            table = self._ordered(
                np.arange(steps + 1),
                np.empty((steps + 1, steps) if self._batch_first else (steps, steps + 1), np.intp),
            )
            self._table = table

    def items(self, block: Array) -> Array:
        """A block in C's order, an item for each place."""
        return block.reshape(*self._items, -1).view(self._kind)[..., 0]

    def of(self, lengths: Array) -> Array:
        """The places from which items come, by length; good until the next are asked for."""
        if self._table is None:
            order = self._ordered(lengths, self._order)
        else:
            order = self._table.take(
                lengths, axis=0 if self._batch_first else 1, out=self._order, mode="clip"
            )
        np.add(order[:, np.newaxis, :, np.newaxis], self._base, out=self._places)
        return self._own

    def _ordered(self, lengths: Array, order: Array) -> Array:
        """For each length the steps from which steps come: the <formula> of the definition."""
        last = (lengths - 1) * self._unit
        last, step = (
            (last[:, np.newaxis], self._step) if self._batch_first else (last, self._step[:, np.newaxis])
        )
        np.subtract(last, step, out=order)
        np.copyto(order, step, where=order < 0)
        return order

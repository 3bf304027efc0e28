"""Slice as ONNX has it: steps may be left out, and all but data may be attributes."""

from __future__ import annotations

import numpy as np

from irops.ops.movement.slice import slice_gradient, slice_kernel, slice_shape, slice_values
from irops.ops.unbroadcast import Sizes
from irops.spec.binding import gradient, kernel, shape, values
from irops.values.element import Array
from irops.values.fact import Fact
from irops.values.shape import Shape


@shape("onnx:Slice-10")
def slice_by_inputs_shape(
    data: Fact, starts: Fact, ends: Fact, axes: Fact | None, steps: Fact | None
) -> Shape:
    return slice_shape(data, starts, ends, _ones(starts) if steps is None else steps, axes)


def _ones(starts: Fact) -> Fact:
    """The default steps: one 1 per element of starts."""
    count = starts.shape[0]
    return Fact(starts.element_type, Shape.of(count), np.ones(int(count), np.int64) if count.known else None)


@kernel("onnx:Slice-10")
def slice_by_inputs(
    data: Array, starts: Array, ends: Array, axes: Array | None, steps: Array | None
) -> Array:
    return slice_kernel(data, starts, ends, np.ones_like(starts) if steps is None else steps, axes)


@values("onnx:Slice-10")
def slice_by_inputs_values(
    data: Array, starts: Array, ends: Array, axes: Array | None, steps: Array | None
) -> Array | None:
    return slice_values(data, starts, ends, np.ones_like(starts) if steps is None else steps, axes)


@gradient("onnx:Slice-10")
def slice_by_inputs_gradient(
    d_output: Array, starts: Array, ends: Array, axes: Array | None, steps: Array | None, *, data_shape: Sizes
) -> Array:
    return slice_gradient(
        d_output, starts, ends, np.ones_like(starts) if steps is None else steps, axes, data_shape=data_shape
    )


@shape("onnx:Slice-1")
def slice_by_attributes_shape(
    data: Fact, *, starts: tuple[int, ...], ends: tuple[int, ...], axes: tuple[int, ...] | None
) -> Shape:
    first, last = (Fact.of(np.array(bound, np.int64)) for bound in (starts, ends))
    return slice_by_inputs_shape(
        data, first, last, None if axes is None else Fact.of(np.array(axes, np.int64)), None
    )


@values("onnx:Slice-1")
@kernel("onnx:Slice-1")
def slice_by_attributes(
    data: Array, *, starts: tuple[int, ...], ends: tuple[int, ...], axes: tuple[int, ...] | None
) -> Array:
    first, last = (np.array(bound, np.int64) for bound in (starts, ends))
    return slice_by_inputs(data, first, last, None if axes is None else np.array(axes, np.int64), None)


@gradient("onnx:Slice-1")
def slice_by_attributes_gradient(
    d_output: Array,
    *,
    starts: tuple[int, ...],
    ends: tuple[int, ...],
    axes: tuple[int, ...] | None,
    data_shape: Sizes,
) -> Array:
    first, last = (np.array(bound, np.int64) for bound in (starts, ends))
    sliced_axes = None if axes is None else np.array(axes, np.int64)
    return slice_by_inputs_gradient(d_output, first, last, sliced_axes, None, data_shape=data_shape)

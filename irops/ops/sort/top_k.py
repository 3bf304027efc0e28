"""TopK: the K largest or smallest elements along an axis, and their indices."""

from __future__ import annotations

import numpy as np

from irops.spec.binding import kernel, shape
from irops.values.dim import UNKNOWN, Dim
from irops.values.element import Array, ElementType, as_i64
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.violation import require, warn_unless


@shape("TopK-11")
def top_k_shape(data: Fact, k: Fact, *, axis: int, sort: str, stable: bool) -> tuple[Shape, Shape]:
    require(not stable or sort != "none", "C4", f"sort {sort}")
    return _selected_shapes(data, k, axis)


def _selected_shapes(data: Fact, k: Fact, axis: int) -> tuple[Shape, Shape]:
    count = check_count((k.dims or (UNKNOWN,))[0], data.shape[axis])
    selected = data.shape.with_dim(axis, count)
    return selected, selected


def check_count(k: Dim, size: Dim) -> Dim:
    """The number of elements to select, between 0 and size. Raises Violation if k is out of range."""
    require(k >= 0, "C2", k)
    require(k <= size, "C1", k, f"{size} elements")
    warn_unless(k >= 1, "C3", k)
    return k.at_least(0) if k.high <= size.high else Dim(max(k.low, 0), size.high)


@shape("TopK-1", "TopK-3")
def top_k_1_shape(data: Fact, k: Fact, *, axis: int) -> tuple[Shape, Shape]:
    return _selected_shapes(data, k, axis)


@kernel("TopK-1", "TopK-3", "TopK-11")
def top_k(
    data: Array, k: Array, *, axis: int, mode: str, sort: str, index_element_type: ElementType
) -> tuple[Array, Array]:
    count = int(as_i64(k))
    check_count(Dim.of(count), Dim.of(data.shape[axis]))
    keys = comparable(data)
    order = np.argsort(reversed_order(keys) if mode == "max" else keys, axis=axis, kind="stable")
    chosen = np.take(order, np.arange(count), axis=axis)
    if sort == "index":
        chosen = np.sort(chosen, axis=axis)
    return np.take_along_axis(data, chosen, axis=axis), chosen.astype(index_element_type.dtype)


def comparable(data: Array) -> Array:
    """Convert elements to a type that NumPy sorts fast, keeping their order.

    The codes of u1, u3, u6 and nf4 have the same order as the values that they represent.
    """
    if data.dtype.kind in "biu" or data.dtype.itemsize > 2:
        return data
    return data.astype(np.int16 if data.dtype.name.startswith(("int", "uint")) else np.float32)


def reversed_order(keys: Array) -> Array:
    """Keys in the reverse order; NaN stays last."""
    reversed_keys: Array = ~keys if keys.dtype.kind in "biu" else -keys
    return reversed_keys

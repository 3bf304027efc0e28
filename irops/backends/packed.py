"""Reversal of packed elements, as stored in files: whole bytes are moved where the axes allow it.

In memory, elements of fewer than 8 bits have one byte each and do not need this module.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from irops.backends.backend import Backend, kernel_of
from irops.backends.catalogue import chain
from irops.ops.movement.reverse import check_axes
from irops.registry import default_registry
from irops.values.element import Array, ElementType
from irops.values.packing import LAYOUTS, Buffer, pack, packed_size, unpack

Bytes = npt.NDArray[np.uint8]


def reverse_packed(
    raw: Buffer | Bytes,
    element: ElementType,
    shape: Sequence[int],
    axes: Iterable[int],
    *,
    backends: Iterable[str | Backend] | None = None,
) -> Bytes:
    """Apply Reverse-1 in index mode to the stored bytes of a tensor.

    Nothing is unpacked if the elements behind the axes fill whole bytes, or if the last axes are reversed and
    together fill whole bytes.
    Raises:  Violation for axes out of range; ValueError if raw is too short
    """
    axes_array = np.array([*axes], np.int64)
    check_axes(axes_array, len(shape))
    reversed_axes = sorted({int(axis) % len(shape) for axis in axes_array}) if shape else []
    stored = _stored(raw, element, shape)
    if not reversed_axes:
        return stored.copy()
    inner_axis = reversed_axes[-1] + 1
    if _fills_bytes(element, shape[inner_axis:]):
        return _bytes(
            _run(
                "Reverse-1",
                backends,
                _tensor(stored, shape, inner_axis, element),
                np.array(reversed_axes, np.int64),
                mode="index",
            )
        )
    first_inner = inner_axis
    while first_inner and first_inner - 1 in reversed_axes:
        first_inner -= 1
    if (
        inner_axis == len(shape)
        and _fills_bytes(element, shape[first_inner:])
        and element.name not in ("u3", "u6")
    ):
        outer = [axis for axis in reversed_axes if axis < first_inner]
        reversed_bytes = _run(
            "Reverse-1",
            backends,
            _tensor(stored, shape, first_inner, element),
            np.array([*outer, first_inner], np.int64),
            mode="index",
        )
        return _mirror_table(element.bits).take(_bytes(reversed_bytes), mode="clip")
    unpacked = _run(
        "Reverse-1",
        backends,
        unpack(stored.data, element, tuple(shape)),
        np.array(reversed_axes, np.int64),
        mode="index",
    )
    return np.frombuffer(pack(unpacked, element), np.uint8)


def reverse_sequence_packed(
    raw: Buffer | Bytes,
    element: ElementType,
    shape: Sequence[int],
    seq_lengths: Array,
    *,
    batch_axis: int,
    seq_axis: int,
    backends: Iterable[str | Backend] | None = None,
) -> Bytes:
    """Apply ReverseSequence-1 to the stored bytes of data; axes are not negative.

    Nothing is unpacked if the elements behind the later axis fill whole bytes.
    Raises:  Violation; ValueError if raw is too short
    """
    stored, inner_axis = _stored(raw, element, shape), max(batch_axis, seq_axis) + 1
    in_bytes = _fills_bytes(element, shape[inner_axis:])
    data = (
        _tensor(stored, shape, inner_axis, element)
        if in_bytes
        else unpack(stored.data, element, tuple(shape))
    )
    result = _run("ReverseSequence-1", backends, data, seq_lengths, batch_axis=batch_axis, seq_axis=seq_axis)
    return _bytes(result) if in_bytes else np.frombuffer(pack(result, element), np.uint8)


def _stored(raw: Buffer | Bytes, element: ElementType, shape: Sequence[int]) -> Bytes:
    needed = packed_size(element, prod(shape))
    stored = np.frombuffer(raw, np.uint8)
    if stored.size < needed:
        raise ValueError(f"expected {needed} bytes for {element}{list(shape)}, got {stored.size}")
    return stored[:needed]


def _fills_bytes(element: ElementType, shape: Sequence[int]) -> bool:
    """Whether a tensor of this shape fills whole bytes (or whole groups of bytes that elements share)."""
    layout = LAYOUTS.get(element.name)
    return layout is None or prod(shape) % layout.elements == 0


def _tensor(stored: Bytes, shape: Sequence[int], inner_axis: int, element: ElementType) -> Bytes:
    """Stored bytes as a tensor of bytes; the axes from inner_axis on are merged."""
    return stored.reshape(*shape[:inner_axis], packed_size(element, prod(shape[inner_axis:])))


def _bytes(tensor: Array) -> Bytes:
    flat: Bytes = np.ascontiguousarray(tensor).reshape(-1)
    return flat


def _run(op_id: str, backends: Iterable[str | Backend] | None, *inputs: Array, **attributes: Any) -> Array:
    op = default_registry().op(op_id)
    implementation = kernel_of(op, chain(backends))
    if implementation is None:
        raise LookupError(f"no backend implements {op_id}")
    result: Array = implementation[1](*inputs, **attributes)
    return result


@cache
def _mirror_table(bits: int) -> Bytes:
    """A table of all bytes with their fields in reverse order."""
    codes = np.arange(256)
    mask = (1 << bits) - 1
    mirrored = np.zeros_like(codes)
    for shift in range(0, 8, bits):
        mirrored |= (codes >> shift & mask) << (8 - bits - shift)
    return mirrored.astype(np.uint8)

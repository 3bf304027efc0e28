"""Reversal of elements that share bytes, as files store them: whole bytes are moved, wherever the axes allow
it.

In memory elements of fewer than 8 bits have a byte each, and need none of this.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from irops.backends.backend import Backend, chain, kernel_of
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
    """The stored bytes of a reversed tensor, from those of the tensor: what Reverse-1 gives in index mode.

    Nothing is unpacked where what lies behind the axes fills bytes, or the last axes are reversed and fill
    bytes together.
    Raises:  Violation for axes that the rank does not have; ValueError where raw is too short
    """
    given = np.array([*axes], np.int64)
    check_axes(given, len(shape))
    named = sorted({int(axis) % len(shape) for axis in given}) if shape else []
    stored = _stored(raw, element, shape)
    if not named:
        return stored.copy()
    behind = named[-1] + 1
    if _whole(element, shape[behind:]):
        return _bytes(
            _run(
                "Reverse-1",
                backends,
                _tensor(stored, shape, behind, element),
                np.array(named, np.int64),
                mode="index",
            )
        )
    last = behind
    while last and last - 1 in named:
        last -= 1
    if behind == len(shape) and _whole(element, shape[last:]) and element.name not in ("u3", "u6"):
        outer = [axis for axis in named if axis < last]
        turned = _run(
            "Reverse-1",
            backends,
            _tensor(stored, shape, last, element),
            np.array([*outer, last], np.int64),
            mode="index",
        )
        return _mirrored(element.bits).take(_bytes(turned), mode="clip")
    whole = _run(
        "Reverse-1",
        backends,
        unpack(stored.data, element, tuple(shape)),
        np.array(named, np.int64),
        mode="index",
    )
    return np.frombuffer(pack(whole, element), np.uint8)


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
    """The stored bytes of what ReverseSequence-1 gives, from those of data; axes count from 0.

    Nothing is unpacked where what lies behind the later axis fills bytes.
    Raises:  Violation; ValueError where raw is too short
    """
    stored, behind = _stored(raw, element, shape), max(batch_axis, seq_axis) + 1
    whole = _whole(element, shape[behind:])
    data = _tensor(stored, shape, behind, element) if whole else unpack(stored.data, element, tuple(shape))
    found = _run("ReverseSequence-1", backends, data, seq_lengths, batch_axis=batch_axis, seq_axis=seq_axis)
    return _bytes(found) if whole else np.frombuffer(pack(found, element), np.uint8)


def _stored(raw: Buffer | Bytes, element: ElementType, shape: Sequence[int]) -> Bytes:
    needed = packed_size(element, prod(shape))
    stored = np.frombuffer(raw, np.uint8)
    if stored.size < needed:
        raise ValueError(f"{stored.size} bytes are too few: {element}{list(shape)} takes {needed}")
    return stored[:needed]


def _whole(element: ElementType, shape: Sequence[int]) -> bool:
    """Whether a tensor of this shape ends where a byte (a group of bytes that elements share) ends."""
    layout = LAYOUTS.get(element.name)
    return layout is None or prod(shape) % layout.elements == 0


def _tensor(stored: Bytes, shape: Sequence[int], behind: int, element: ElementType) -> Bytes:
    """Stored bytes as a tensor of bytes; the axes from behind on are one."""
    return stored.reshape(*shape[:behind], packed_size(element, prod(shape[behind:])))


def _bytes(tensor: Array) -> Bytes:
    flat: Bytes = np.ascontiguousarray(tensor).reshape(-1)
    return flat


def _run(op_id: str, backends: Iterable[str | Backend] | None, *inputs: Array, **attributes: Any) -> Array:
    op = default_registry().op(op_id)
    found = kernel_of(op, chain(backends))
    if found is None:
        raise LookupError(f"no backend can compute {op_id}")
    result: Array = found[1](*inputs, **attributes)
    return result


@cache
def _mirrored(bits: int) -> Bytes:
    """Every byte with its fields in the opposite order."""
    codes = np.arange(256)
    mask = (1 << bits) - 1
    return sum((codes >> place & mask) << (8 - bits - place) for place in range(0, 8, bits)).astype(np.uint8)  # type: ignore[union-attr]

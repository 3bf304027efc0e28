"""ScaledDotProductAttention: mix values by how well their keys fit a query."""

from __future__ import annotations

from math import inf, prod, sqrt

import numpy as np

from irops.spec.binding import kernel, shape
from irops.values.dim import Dim, broadcast, unify
from irops.values.element import BOOLEAN, DYNAMIC, Array
from irops.values.fact import Fact
from irops.values.shape import Shape, broadcast_shapes
from irops.values.violation import require

BLOCK_BYTES = 32 << 20
"""How large the scores become that are held at one time."""


@shape("ScaledDotProductAttention-13")
def attention_shape(
    query: Fact,
    key: Fact,
    value: Fact,
    attention_mask: Fact | None,
    scale: Fact | None,
    sink: Fact | None,
    *,
    causal: bool,
) -> Shape:
    rows, columns = query.shape[-2], unify(key.shape[-2], value.shape[-2], "C2")
    unify(query.shape[-1], key.shape[-1], "C1")
    batch = _met(_met(query.shape[:-2], key.shape[:-2], "C3"), value.shape[:-2], "C3")
    if attention_mask is not None and not causal:
        kind, own = attention_mask.element_type, query.element_type
        require(kind in (BOOLEAN, DYNAMIC, own) or (own is DYNAMIC and kind.floating), "C6", kind, own)
        if attention_mask.shape.rank not in (None, 0):
            rows, batch = _masked_shape(attention_mask.shape, rows, columns, batch)
    if scale is not None and scale.shape.rank is not None:
        require(scale.shape.rank < 2 and scale.shape.size.can_be(1), "C7", scale)
    if sink is not None and sink.shape.rank is not None and query.shape.rank is not None:
        _check_sink(sink.shape, query.shape.rank, batch + Shape.of(rows, 1))
    return batch + Shape.of(rows, value.shape[-1])


def _met(known: Shape, other: Shape, constraint: str) -> Shape:
    """The batch axes of two inputs, broadcast; an input of unknown rank is taken not to add to those of
    query.
    """
    return known if other.dims is None else broadcast_shapes(known, other, constraint)


def _masked_shape(mask: Shape, rows: Dim, columns: Dim, batch: Shape) -> tuple[Dim, Shape]:
    """The rows and the batch axes that scores have with a mask added."""
    require(len(mask) > 1, "C4", mask)
    require(mask[-1].can_be(1) or mask[-1].can_be(columns), "C5", mask, f"{columns} keys")
    return broadcast(rows, mask[-2], "C5"), broadcast_shapes(batch, mask[:-2], "C5")


def _check_sink(sink: Shape, rank: int, scores: Shape) -> None:
    """Hold a sink to the shape of a single column of the scores."""
    require(len(sink) == rank, "C8", f"rank {len(sink)}, {sink}, for a query of rank {rank}")
    require(
        scores.dims is None or all(a.can_be(1) or a.can_be(b) for a, b in zip(sink, scores[-rank:])),
        "C8",
        sink,
        scores,
    )


@kernel("ScaledDotProductAttention-13", widen=True)
def attention(
    query: Array,
    key: Array,
    value: Array,
    attention_mask: Array | None,
    scale: Array | None,
    sink: Array | None,
    *,
    causal: bool,
) -> Array:
    kind = query.dtype.type
    factor = (
        kind(1 / sqrt(query.shape[-1]) if query.shape[-1] else inf) if scale is None else scale.reshape(())
    )
    bias = None if causal or attention_mask is None else np.atleast_2d(_bias(attention_mask, kind))
    rows = query.shape[-2] if bias is None else max(query.shape[-2], bias.shape[-2])
    keys = key.swapaxes(-1, -2)
    step = max(BLOCK_BYTES // max(prod(query.shape[:-2]) * keys.shape[-1] * query.itemsize, 1), 16)
    parts = [slice(first, min(first + step, rows)) for first in range(0, rows, step)] or [slice(0, 0)]
    mixed = []
    for part in parts:
        scores = np.matmul(_rows(query, part) * factor, keys)
        if causal:
            scores += _future(part, keys.shape[-1], kind)
        elif bias is not None:
            scores = _sum(scores, _rows(bias, part))
        mixed.append(_mixture(scores, value, None if sink is None else _rows(sink, part)))
    return mixed[0] if len(mixed) == 1 else np.concatenate(mixed, axis=-2)


def _rows(array: Array, part: slice) -> Array:
    """Some rows of matrices; a single one stands for all."""
    return array if array.shape[-2] == 1 else array[..., part, :]


def _bias(mask: Array, kind: type) -> Array:
    """What a mask adds to scores: -inf where its flags are false, else its own elements."""
    return np.where(mask, kind(0), kind(-inf)) if mask.dtype == np.bool_ else mask


def _future(part: slice, columns: int, kind: type) -> Array:
    """-inf at the keys that come after each of some queries, else 0."""
    later: Array = np.arange(columns) > np.arange(part.start, part.stop)[:, np.newaxis]
    masked: Array = np.where(later, kind(-inf), kind(0))
    return masked


def _sum(scores: Array, bias: Array) -> Array:
    """The sum, in the place of scores where it has their shape."""
    shape = np.broadcast_shapes(scores.shape, bias.shape)
    total: Array = np.add(scores, bias, out=scores if shape == scores.shape else None)
    return total


def _mixture(scores: Array, value: Array, sink: Array | None) -> Array:
    """Values weighted by the softmax of scores, which are overwritten; a sink takes part in the softmax and
    has no value.
    """
    peak = scores.max(axis=-1, keepdims=True, initial=-inf)
    if sink is not None:
        peak = np.maximum(peak, sink)
    weights = np.exp(np.subtract(scores, peak, out=scores), out=scores)
    total = weights.sum(axis=-1, keepdims=True)
    if sink is not None:
        total = total + np.exp(sink - peak)
    mixture: Array = np.matmul(weights, value)
    np.divide(mixture, total, out=mixture, where=total != 0)
    return mixture

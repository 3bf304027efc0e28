"""ScaledDotProductAttention: sums of values, weighted by the softmax of query-key scores."""

from math import inf, prod, sqrt

import numpy as np

from irops.spec.binding import kernel, shape
from irops.values.dim import Dim, broadcast, unify
from irops.values.element import BOOLEAN, DYNAMIC, Array
from irops.values.fact import Fact
from irops.values.shape import Shape, broadcast_shapes
from irops.values.violation import require

BLOCK_BYTES = 32 << 20
"""The size in bytes of the block of scores that is computed at one time, unless 16 rows are larger."""


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
    batch = _broadcast_batch(_broadcast_batch(query.shape[:-2], key.shape[:-2], "C3"), value.shape[:-2], "C3")
    if attention_mask is not None and not causal:
        kind, query_kind = attention_mask.element_type, query.element_type
        is_unknown = query_kind is DYNAMIC and kind.floating
        require(kind in (BOOLEAN, DYNAMIC, query_kind) or is_unknown, "C6", kind, query_kind)
        if attention_mask.shape.rank not in (None, 0):
            rows, batch = _masked_shape(attention_mask.shape, rows, columns, batch)
    if scale is not None and scale.shape.rank is not None:
        require(scale.shape.rank < 2 and scale.shape.size.can_be(1), "C7", scale)
    if sink is not None and sink.shape.rank is not None and query.shape.rank is not None:
        _check_sink(sink.shape, query.shape.rank, batch + Shape.of(rows, 1))
    return batch + Shape.of(rows, value.shape[-1])


def _broadcast_batch(batch: Shape, other: Shape, constraint: str) -> Shape:
    """The batch axes of two inputs, broadcast. An input of unknown rank is assumed to add no batch axes."""
    return batch if other.dims is None else broadcast_shapes(batch, other, constraint)


def _masked_shape(mask: Shape, rows: Dim, columns: Dim, batch: Shape) -> tuple[Dim, Shape]:
    """The number of rows and the batch axes of the scores after a mask is added."""
    require(len(mask) > 1, "C4", mask)
    require(mask[-1].can_be(1) or mask[-1].can_be(columns), "C5", mask, f"{columns} keys")
    return broadcast(rows, mask[-2], "C5"), broadcast_shapes(batch, mask[:-2], "C5")


def _check_sink(sink: Shape, rank: int, scores: Shape) -> None:
    """Require that a sink can be broadcast to one column of the scores."""
    require(len(sink) == rank, "C8", f"rank {len(sink)}, {sink}, for a query of rank {rank}")
    fits = scores.dims is None or all(a.can_be(1) or a.can_be(b) for a, b in zip(sink, scores[-rank:]))
    require(fits, "C8", sink, scores)


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
    outputs = []
    for part in parts:
        scores = np.matmul(_rows(query, part) * factor, keys)
        if causal:
            # the bias of a causal mask for some queries: -inf at all later keys, else 0
            is_later: Array = np.arange(keys.shape[-1]) > np.arange(part.start, part.stop)[:, np.newaxis]
            masked: Array = np.where(is_later, kind(-inf), kind(0))
            scores += masked
        elif bias is not None:
            scores = _add(scores, _rows(bias, part))
        outputs.append(_weighted_values(scores, value, None if sink is None else _rows(sink, part)))
    return outputs[0] if len(outputs) == 1 else np.concatenate(outputs, axis=-2)


def _rows(array: Array, part: slice) -> Array:
    """Some rows of matrices. A single row is broadcast, so it is returned as it is."""
    return array if array.shape[-2] == 1 else array[..., part, :]


def _bias(mask: Array, kind: type) -> Array:
    """The numbers that a mask adds to the scores: for a boolean mask, 0 or -inf; else its elements."""
    return np.where(mask, kind(0), kind(-inf)) if mask.dtype == np.bool_ else mask


def _add(scores: Array, bias: Array) -> Array:
    """scores + bias, in place if the sum has the shape of scores."""
    sizes = zip(reversed(bias.shape), reversed(scores.shape))
    fits = bias.ndim <= scores.ndim and all(size in (1, of_scores) for size, of_scores in sizes)
    total: Array = np.add(scores, bias, out=scores if fits else None)
    return total


def _weighted_values(scores: Array, value: Array, sink: Array | None) -> Array:
    """Values weighted by the softmax of scores, which it overwrites. A sink has a weight but no value."""
    peak = scores.max(axis=-1, keepdims=True, initial=-inf)
    if sink is not None:
        peak = np.maximum(peak, sink)
    weights = np.exp(np.subtract(scores, peak, out=scores), out=scores)
    total = weights.sum(axis=-1, keepdims=True)
    if sink is not None:
        total = total + np.exp(sink - peak)
    output: Array = np.matmul(weights, value)
    np.divide(output, total, out=output, where=total != 0)
    return output

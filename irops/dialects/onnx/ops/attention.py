"""Attention of ONNX: scaled products of queries and keys, with caches, masks and groups of heads."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from irops.ops.conversion import as_numbers, converted
from irops.spec.binding import kernel, shape
from irops.values.dim import Dim, unify
from irops.values.element import BOOLEAN, Array, as_i64, element_type_of
from irops.values.fact import Fact
from irops.values.shape import UNRANKED, Shape
from irops.values.violation import require


@shape("onnx:Attention-23")
def attention_shape(
    Q: Fact,
    K: Fact,
    V: Fact,
    attn_mask: Fact | None,
    past_key: Fact | None,
    past_value: Fact | None,
    nonpad_kv_seqlen: Fact | None = None,
    *,
    q_num_heads: int | None,
    kv_num_heads: int | None,
) -> tuple[Shape | Fact, ...]:
    del attn_mask
    require((past_key is None) == (past_value is None), "C3")
    require(nonpad_kv_seqlen is None or past_key is None, "C4")
    ranks = {fact.shape.rank for fact in (Q, K, V)} - {None}
    require(len(ranks) < 2, "C1", Q, K, V)
    if not ranks:
        return (UNRANKED,) * 4
    flat = ranks.pop() == 3
    require(not flat or (q_num_heads is not None and kv_num_heads is not None), "C2", q_num_heads)
    batch, heads, queries, size = _heads(Q.shape, q_num_heads, flat)
    other, groups, keys, size_k = _heads(K.shape, kv_num_heads, flat)
    third, groups_v, keys_v, size_v = _heads(V.shape, kv_num_heads, flat)
    batch = unify(unify(batch, other, "C5"), third, "C5")
    keys, groups = unify(keys, keys_v, "C6"), unify(groups, groups_v, "C6")
    size_k = unify(size, size_k, "C7")
    require(groups.can_be(0) or not groups.known or (heads % groups).can_be(0), "C8", heads, groups)
    if past_key is not None and past_value is not None:
        keys = keys + past_key.shape.of_rank(4, "C3")[2]
    present = [Fact(K.element_type, Shape.of(batch, groups, keys, size_k))]
    present.append(Fact(V.element_type, Shape.of(batch, groups, keys, size_v)))
    output = Shape.of(batch, queries, heads * size_v) if flat else Shape.of(batch, heads, queries, size_v)
    return output, *present, Fact(Q.element_type, Shape.of(batch, heads, queries, keys))


def _heads(data: Shape, count: int | None, flat: bool) -> tuple[Dim, Dim, Dim, Dim]:
    """The batch size, the number of heads, the length and the size of a head."""
    if not flat:
        batch, heads, length, size = data.of_rank(4, "C1")
        return batch, heads, length, size
    batch, length, hidden = data.of_rank(3, "C1")
    assert count is not None
    require((hidden % count).can_be(0), "C2", f"{hidden} for {count} heads")
    return batch, Dim.of(count), length, hidden // count


@kernel("onnx:Attention-23")
def attention(
    Q: Array,
    K: Array,
    V: Array,
    attn_mask: Array | None,
    past_key: Array | None,
    past_value: Array | None,
    nonpad_kv_seqlen: Array | None = None,
    *,
    is_causal: bool,
    kv_num_heads: int | None,
    q_num_heads: int | None,
    qk_matmul_output_mode: int,
    scale: float | None,
    softcap: float,
    left_window_size: int = -1,
    right_window_size: int = -1,
) -> tuple[Array, ...]:
    kind, flat = element_type_of(Q), Q.ndim == 3
    queries = _by_heads(Q, q_num_heads)
    keys, values = (
        part if past is None else np.concatenate((past, part), 2)
        for part, past in ((_by_heads(K, kv_num_heads), past_key), (_by_heads(V, kv_num_heads), past_value))
    )
    factor = np.sqrt(1 / np.sqrt(queries.shape[3]) if scale is None else scale)
    wide, groups = as_numbers(queries), queries.shape[1] // keys.shape[1]
    k, v = (np.repeat(as_numbers(part), groups, 1) for part in (keys, values))
    number = wide.dtype.type(factor)
    scores = (wide * number) @ np.swapaxes(k * number, 2, 3)
    capped = softcap * np.tanh(scores / softcap) if softcap > 0 else scores
    first = 0 if past_key is None else past_key.shape[2]
    start = np.full(len(Q), first)
    if nonpad_kv_seqlen is not None:
        start = as_i64(nonpad_kv_seqlen).ravel() - queries.shape[2]
    bias = _bias(scores.shape, attn_mask, nonpad_kv_seqlen, wide.dtype)
    bias = bias + _limits(scores.shape, start, is_causal, left_window_size, right_window_size)
    biased = capped + bias
    weights = _softmax(biased, np.isneginf(bias.max(3, keepdims=True, initial=-np.inf)))
    stages = (scores, capped, biased, weights)
    output = as_numbers(converted(weights.astype(wide.dtype), kind)) @ v
    if flat:
        output = output.transpose(0, 2, 1, 3).reshape(len(Q), queries.shape[2], -1)
    seen = converted(stages[qk_matmul_output_mode].astype(wide.dtype), kind)
    return converted(output, kind), keys, values, seen


def _by_heads(data: Array, count: int | None) -> Array:
    """[batch, heads, length, size], of the same or of [batch, length, heads * size]."""
    if data.ndim == 4:
        return data
    assert count is not None
    return data.reshape(*data.shape[:2], count, -1).transpose(0, 2, 1, 3)


def _bias(
    sizes: tuple[int, ...], mask: Array | None, lengths: Array | None, kind: np.dtype[np.generic]
) -> Array:
    """The numbers that the mask and the lengths add to scores: -inf for keys that are left out."""
    bias = np.zeros(sizes, kind)
    if mask is not None:
        allowed = element_type_of(mask) is BOOLEAN
        added = np.where(mask, 0, -np.inf) if allowed else as_numbers(mask)
        rest = sizes[3] - added.shape[-1]
        bias = bias + np.pad(added, [*[(0, 0)] * (added.ndim - 1), (0, rest)], constant_values=-np.inf)
    if lengths is not None:
        inside = np.arange(sizes[3]) < as_i64(lengths).reshape(-1, 1, 1, 1)
        bias = bias + np.where(inside, 0, -np.inf)
    return np.asarray(bias, kind)


def _limits(sizes: tuple[int, ...], start: Array, is_causal: bool, left: int, right: int) -> Array:
    """-inf for keys after a query, if is_causal, and for those outside the window around it; else 0.

    start: the position of the first query among the keys, for each item of the batch
    """
    query = np.arange(sizes[2])[:, np.newaxis] + start.reshape(-1, 1, 1, 1)
    ahead = np.arange(sizes[3]) - query
    limits: list[Callable[[Array], Array]] = []
    if is_causal:
        limits.append(lambda distance: distance <= 0)
    if right >= 0:
        limits.append(lambda distance: distance <= right)
    if left >= 0:
        limits.append(lambda distance: distance >= -left)
    allowed = np.ones(ahead.shape, bool)
    for within in limits:
        allowed &= within(ahead)
    return np.where(allowed, np.float32(0), np.float32(-np.inf))


def _softmax(scores: Array, without_keys: Array) -> Array:
    """Weights that sum to 1 over the keys; all 0 for a query without keys."""
    top = scores.max(3, keepdims=True, initial=-np.inf)
    weights = np.exp(scores - np.where(np.isneginf(top), 0, top))
    total = weights.sum(3, keepdims=True)
    return np.where(without_keys, 0, weights / np.where(total == 0, 1, total))

"""Attention as ONNX Runtime fuses it: with projections, masks, caches, groups of heads, rotary positions."""

from __future__ import annotations

import numpy as np

from irops.dialects.microsoft.ops.activations import add_bias
from irops.ops.conversion import as_numbers, converted
from irops.spec.binding import kernel, shape
from irops.values.dim import ANY, Dim, maximum, unify
from irops.values.element import Array, as_i64, element_type_of
from irops.values.fact import Fact
from irops.values.shape import UNRANKED, Shape
from irops.values.violation import require

MASKED = -10000.0
"""What is added to the scores of keys that a mask leaves out, where the node does not say."""
Numbers = tuple[int, ...]


def softmax(scores: Array) -> Array:
    """Weights that sum to 1 over the keys."""
    powers = np.exp(scores - scores.max(-1, keepdims=True, initial=np.finfo(np.float32).min))
    total = powers.sum(-1, keepdims=True)
    return np.asarray(powers / np.where(total == 0, 1, total))


def by_heads(data: Array, count: int) -> Array:
    """[batch, heads, length, size] of [batch, length, heads * size]."""
    return data.reshape(*data.shape[:2], count, -1).transpose(0, 2, 1, 3)


def joined(heads: Array) -> Array:
    """[batch, length, heads * size] of [batch, heads, length, size]."""
    return heads.transpose(0, 2, 1, 3).reshape(len(heads), heads.shape[2], -1)


def _causal(queries: int, keys: int) -> Array:
    """The lowest number for keys after each of the last queries, else 0."""
    ahead = np.arange(keys) > np.arange(queries)[:, np.newaxis] + keys - queries
    return np.where(ahead, np.finfo(np.float32).min, np.float32(0))


def _of_mask(mask: Array, batch: int, queries: int, keys: int, filter_value: float) -> Array:
    """What a mask adds to scores: [batch, 1, queries or 1, keys].

    mask: the number of keys of each item, their ends followed by their begins, or ones and zeros for keys, or
    for queries and keys
    """
    places = np.arange(keys)
    if mask.ndim == 1:
        end = mask[:batch, np.newaxis]
        start = mask[batch : 2 * batch, np.newaxis] if len(mask) == 2 * batch else np.zeros_like(end)
        kept = ((places >= start) & (places < end))[:, np.newaxis, np.newaxis]
    elif mask.ndim == 2:
        kept = (mask[:, np.newaxis, np.newaxis] > 0)[..., :keys]
    elif mask.ndim == 3:
        kept = mask[:, np.newaxis] > 0
    else:
        kept = mask[:, :, keys - queries : keys, :keys] > 0
    return np.where(kept, np.float32(0), np.float32(filter_value))


def attended(
    queries: Array, keys: Array, values: Array, *, scale: float | None, bias: list[Array], is_causal: bool
) -> Array:
    """The weighted means of values, in heads."""
    factor = np.float32(scale or 1 / np.sqrt(queries.shape[3]))
    scores = (queries @ keys.swapaxes(2, 3)) * factor
    for part in bias:
        scores = scores + part
    if is_causal:
        scores = scores + _causal(queries.shape[2], keys.shape[2])
    return np.asarray(softmax(scores) @ values)


# Attention: with the projection of the input to queries, keys and values.


@shape("microsoft:Attention-1")
def attention_shape(
    input: Fact,
    weights: Fact,
    bias: Fact | None,
    mask_index: Fact | None,
    past: Fact | None,
    attention_bias: Fact | None,
    past_sequence_length: Fact | None,
    *,
    do_rotary: bool | None,
    num_heads: int,
    qkv_hidden_sizes: Numbers | None,
) -> tuple[Shape, ...]:
    """The second output exists where keys and values have equal sizes, so that one tensor can hold both."""
    del mask_index, attention_bias
    require(past_sequence_length is None and not do_rotary, "C6")
    batch, length, size = input.shape.of_rank(3, "C1")
    rows, columns = weights.shape.of_rank(2, "C1")
    unify(size, rows, "C1")
    if bias is not None:
        columns = unify(columns, bias.shape.of_rank(1, "C2")[0], "C2")
    of_values, of_keys = columns // 3, columns // 3
    if qkv_hidden_sizes is not None:
        require(len(qkv_hidden_sizes) == 3 and qkv_hidden_sizes[0] == qkv_hidden_sizes[1], "C3")
        unify(columns, sum(qkv_hidden_sizes), "C3")
        of_keys, of_values = Dim.of(qkv_hidden_sizes[1]), Dim.of(qkv_hidden_sizes[2])
    require(num_heads > 0 and (of_keys % max(num_heads, 1)).can_be(0), "C4", num_heads)
    head, total = of_keys // num_heads, length
    if past is not None:
        two, others, heads, before, last = past.shape.of_rank(5, "C5")
        for ours, wanted in ((two, Dim.of(2)), (others, batch), (heads, Dim.of(num_heads)), (last, head)):
            unify(ours, wanted, "C5")
        total = before + length
    result, present = Shape.of(batch, length, of_values), Shape.of(2, batch, num_heads, total, head)
    return (result, present) if (of_values - of_keys).can_be(0) else (result,)


@kernel("microsoft:Attention-1")
def attention(
    input: Array,
    weights: Array,
    bias: Array | None,
    mask_index: Array | None,
    past: Array | None,
    attention_bias: Array | None,
    past_sequence_length: Array | None,
    *,
    mask_filter_value: float | None,
    num_heads: int,
    qkv_hidden_sizes: Numbers | None,
    scale: float | None,
    unidirectional: bool,
) -> tuple[Array, ...]:
    del past_sequence_length
    kind = element_type_of(input)
    projected = as_numbers(input) @ as_numbers(weights)
    projected = add_bias(projected, None if bias is None else as_numbers(bias))
    sizes = qkv_hidden_sizes or (projected.shape[2] // 3,) * 3
    outputs = _projected(
        projected,
        np.cumsum(sizes[:2]).tolist(),
        mask_index,
        past,
        attention_bias,
        num_heads=num_heads,
        filter_value=MASKED if mask_filter_value is None else mask_filter_value,
        scale=scale,
        is_causal=unidirectional,
    )
    return tuple(converted(output, kind) for output in outputs)


def _projected(
    projected: Array,
    ends: list[int],
    mask: Array | None,
    past: Array | None,
    attention_bias: Array | None,
    *,
    num_heads: int,
    filter_value: float,
    scale: float | None,
    is_causal: bool,
) -> tuple[Array, ...]:
    """The output and, where they have equal sizes, the keys and values that stay, of queries, keys and values
    side by side.
    """
    queries, keys, values = (by_heads(part, num_heads) for part in np.split(projected, ends, 2))
    if past is not None:
        keys, values = (np.concatenate((as_numbers(old), new), 2) for old, new in zip(past, (keys, values)))
    added = [] if attention_bias is None else [as_numbers(attention_bias)]
    if mask is not None:
        added.append(_of_mask(mask, len(queries), queries.shape[2], keys.shape[2], filter_value))
    result = attended(queries, keys, values, scale=scale, bias=added, is_causal=is_causal)
    kept = (np.stack((keys, values)),) if keys.shape == values.shape else ()
    return joined(result), *kept


def _centred(codes: Array, zero: Array | None) -> Array:
    return codes.astype(np.float64) - (0 if zero is None else zero.astype(np.float64))


@shape("microsoft:QAttention-1")
def q_attention_shape(
    input: Fact,
    weight: Fact,
    bias: Fact,
    input_scale: Fact,
    weight_scale: Fact,
    mask_index: Fact | None,
    input_zero_point: Fact | None,
    weight_zero_point: Fact | None,
    past: Fact | None,
    *,
    do_rotary: bool | None,
    num_heads: int,
) -> tuple[Shape, ...]:
    require(input_scale.shape.size.can_be(1), "C3", input_scale)
    require(input_zero_point is None or input_zero_point.shape.size.can_be(1), "C3", input_zero_point)
    for part in (weight_scale, weight_zero_point):
        if part is not None and not part.shape.size.can_be(1):
            unify(part.shape[0], weight.shape[1], "C3")
    return attention_shape(
        input,
        weight,
        bias,
        mask_index,
        past,
        None,
        None,
        do_rotary=do_rotary,
        num_heads=num_heads,
        qkv_hidden_sizes=None,
    )


@kernel("microsoft:QAttention-1")
def q_attention(
    input: Array,
    weight: Array,
    bias: Array,
    input_scale: Array,
    weight_scale: Array,
    mask_index: Array | None,
    input_zero_point: Array | None,
    weight_zero_point: Array | None,
    past: Array | None,
    *,
    mask_filter_value: float | None,
    num_heads: int,
    scale: float | None,
    unidirectional: bool,
) -> tuple[Array, ...]:
    kind = element_type_of(bias)
    sums = _centred(input, input_zero_point) @ _centred(weight, weight_zero_point)  # exact
    factor = as_numbers(input_scale).reshape(()) * as_numbers(weight_scale)
    projected = (sums * factor).astype(np.float32) + as_numbers(bias)
    size = projected.shape[2] // 3
    outputs = _projected(
        projected,
        [size, 2 * size],
        mask_index,
        past,
        None,
        num_heads=num_heads,
        filter_value=MASKED if mask_filter_value is None else mask_filter_value,
        scale=scale,
        is_causal=unidirectional,
    )
    return tuple(converted(output, kind) for output in outputs)


# MultiHeadAttention: of queries, keys and values that are projected already.


@shape("microsoft:MultiHeadAttention-1")
def multi_head_attention_shape(
    query: Fact,
    key: Fact | None,
    value: Fact | None,
    bias: Fact | None,
    key_padding_mask: Fact | None,
    attention_bias: Fact | None,
    past_key: Fact | None,
    past_value: Fact | None,
    past_sequence_length: Fact | None,
    cache_indirection: Fact | None,
    *,
    num_heads: int,
) -> tuple[Shape, ...]:
    del key_padding_mask, attention_bias
    require(past_sequence_length is None and cache_indirection is None, "C5")
    require((past_key is None) == (past_value is None), "C4")
    if query.shape.rank is None:
        return (UNRANKED,) * 4
    if query.shape.rank == 5:
        batch, length, heads, three, size = query.shape.of_rank(5, "C1")
        unify(heads, num_heads, "C2")
        unify(three, 3, "C1")
        require(key is None and value is None, "C1")
        keys, of_values = length, size
    else:
        batch, length, hidden = query.shape.of_rank(3, "C1")
        require(num_heads > 0 and (hidden % num_heads).can_be(0), "C2", hidden, num_heads)
        size = hidden // num_heads
        require(key is not None, "C1")
        assert key is not None
        batch, keys, of_values = _keys(key, value, batch, size, num_heads)
    if bias is not None:
        unify(bias.shape.of_rank(1, "C3")[0], (size * 2 + of_values) * num_heads, "C3")
    before = Dim.of(0) if past_key is None else past_key.shape.of_rank(4, "C4")[2]
    return (
        Shape.of(batch, length, of_values * num_heads),
        Shape.of(batch, num_heads, before + keys, size),
        Shape.of(batch, num_heads, before + keys, of_values),
        Shape.of(batch, num_heads, length, before + keys),
    )


def _keys(key: Fact, value: Fact | None, batch: Dim, size: Dim, heads: int) -> tuple[Dim, Dim, Dim]:
    """The batch, the number of keys, and the size of values in a head. Raises: Violation(C1)"""
    if key.shape.rank == 5:
        other, keys, count, two, of_key = key.shape.of_rank(5, "C1")
        for ours, wanted in ((count, Dim.of(heads)), (two, Dim.of(2)), (of_key, size)):
            unify(ours, wanted, "C1")
        return unify(batch, other, "C1"), keys, size
    require(value is not None, "C1")
    assert value is not None
    if key.shape.rank == 4:
        other, count, keys, of_key = key.shape.of_rank(4, "C1")
        unify(count, heads, "C1")
        of_value = value.shape.of_rank(4, "C1")[3]
        unify(of_key, size, "C1")
    else:
        other, keys, hidden = key.shape.of_rank(3, "C1")
        unify(hidden, size * heads, "C1")
        _, keys_v, hidden_v = value.shape.of_rank(3, "C1")
        keys, of_value = unify(keys, keys_v, "C1"), hidden_v // heads
    return unify(batch, other, "C1"), keys, of_value


@kernel("microsoft:MultiHeadAttention-1")
def multi_head_attention(
    query: Array,
    key: Array | None,
    value: Array | None,
    bias: Array | None,
    key_padding_mask: Array | None,
    attention_bias: Array | None,
    past_key: Array | None,
    past_value: Array | None,
    past_sequence_length: Array | None,
    cache_indirection: Array | None,
    *,
    mask_filter_value: float | None,
    num_heads: int,
    scale: float | None,
    unidirectional: bool,
) -> tuple[Array, ...]:
    del past_sequence_length, cache_indirection
    kind = element_type_of(query)
    parts = _parts(as_numbers(query), key, value, num_heads)
    if bias is not None:
        widths = np.cumsum([part.shape[1] * part.shape[3] for part in parts])[:2]
        pieces = np.split(as_numbers(bias), widths.tolist())
        parts = [part + piece.reshape(1, num_heads, 1, -1) for part, piece in zip(parts, pieces)]
    queries, keys, values = parts
    if past_key is not None and past_value is not None:
        keys = np.concatenate((as_numbers(past_key), keys), 2)
        values = np.concatenate((as_numbers(past_value), values), 2)
    added = [] if attention_bias is None else [as_numbers(attention_bias)]
    if key_padding_mask is not None:
        filter_value = MASKED if mask_filter_value is None else mask_filter_value
        mask = key_padding_mask
        if mask.ndim == 1 and len(mask) != len(queries):
            mask = mask[: len(queries)]  # of 3 * batch + 2 numbers, the first are those of keys
        added.append(_of_mask(mask, len(queries), queries.shape[2], keys.shape[2], filter_value))
    result = attended(queries, keys, values, scale=scale, bias=added, is_causal=unidirectional)
    factor = np.float32(scale or 1 / np.sqrt(queries.shape[3]))
    scores = (queries @ keys.swapaxes(2, 3)) * factor
    outputs = (joined(result), keys, values, scores)
    return tuple(converted(np.ascontiguousarray(part), kind) for part in outputs)


def _parts(query: Array, key: Array | None, value: Array | None, heads: int) -> list[Array]:
    """Queries, keys and values in heads."""
    if query.ndim == 5:
        return [query[:, :, :, k].transpose(0, 2, 1, 3) for k in range(3)]
    assert key is not None
    if key.ndim == 5:
        inner = [as_numbers(key)[:, :, :, k].transpose(0, 2, 1, 3) for k in range(2)]
    else:
        assert value is not None
        inner = [
            as_numbers(part) if part.ndim == 4 else by_heads(as_numbers(part), heads) for part in (key, value)
        ]
    return [by_heads(query, heads), *inner]


# Rotary positions.


def rotated(heads: Array, cos: Array, sin: Array, *, interleaved: bool) -> Array:
    """Heads turned by angles. heads: [batch, heads, length, size]; cos, sin: [batch, length, pairs]"""
    half = cos.shape[-1]
    turned, rest = heads[..., : 2 * half], heads[..., 2 * half :]
    first, second = (turned[..., ::2], turned[..., 1::2]) if interleaved else np.split(turned, 2, -1)
    c, s = cos[:, np.newaxis], sin[:, np.newaxis]
    a, b = first * c - second * s, first * s + second * c
    both = np.stack((a, b), -1).reshape(turned.shape) if interleaved else np.concatenate((a, b), -1)
    return np.concatenate((both, rest), -1)


@shape("microsoft:RotaryEmbedding-1")
def rotary_embedding_shape(
    input: Fact,
    position_ids: Fact,
    cos_cache: Fact,
    sin_cache: Fact,
    *,
    num_heads: int | None,
    rotary_embedding_dim: int | None,
) -> Shape:
    require(input.shape.rank in (None, 3, 4), "C1", input)
    require(position_ids.shape.rank in (None, 1, 2), "C2", position_ids)
    require(not rotary_embedding_dim or bool(num_heads), "C3")
    for one, other in zip(cos_cache.shape.of_rank(2, "C4"), sin_cache.shape.of_rank(2, "C4")):
        unify(one, other, "C4")
    return input.shape


@kernel("microsoft:RotaryEmbedding-1")
def rotary_embedding(
    input: Array,
    position_ids: Array,
    cos_cache: Array,
    sin_cache: Array,
    *,
    interleaved: bool | None,
    num_heads: int | None,
) -> Array:
    kind, half = element_type_of(input), cos_cache.shape[1]
    data = as_numbers(input)
    heads = data if input.ndim == 4 else by_heads(data, num_heads or input.shape[2] // (2 * half))
    places = as_i64(position_ids)
    if places.size == 1:
        places = places.reshape(1, 1) + np.arange(heads.shape[2])
    places = np.broadcast_to(places, (len(heads), heads.shape[2]))
    require(((places >= 0) & (places < len(cos_cache))).all(), "C5", places.max(initial=0), len(cos_cache))
    cos, sin = as_numbers(cos_cache)[places], as_numbers(sin_cache)[places]
    result = rotated(heads, cos, sin, interleaved=bool(interleaved))
    return converted(result if input.ndim == 4 else joined(result), kind)


# GroupQueryAttention: causal, with a cache and fewer heads of keys and values than of queries.


@shape("microsoft:GroupQueryAttention-1")
def group_query_attention_shape(
    query: Fact,
    key: Fact | None,
    value: Fact | None,
    past_key: Fact | None,
    past_value: Fact | None,
    seqlens_k: Fact,
    total_sequence_length: Fact,
    cos_cache: Fact | None,
    sin_cache: Fact | None,
    position_ids: Fact | None,
    attention_bias: Fact | None,
    head_sink: Fact | None,
    k_scale: Fact | None,
    v_scale: Fact | None,
    q_norm_weight: Fact | None,
    k_norm_weight: Fact | None,
    query_seqlens: Fact | None,
    *,
    do_rotary: bool | None,
    k_quant_type: str,
    kv_num_heads: int,
    num_heads: int,
    qk_output: int,
    sliding_window_cache: int,
    v_quant_type: str,
) -> tuple[Shape | Fact, ...]:
    del attention_bias, position_ids
    rare = (k_scale, v_scale, q_norm_weight, k_norm_weight, query_seqlens, head_sink)
    plain = {k_quant_type, v_quant_type} == {"NONE"} and not qk_output and not sliding_window_cache
    require(all(part is None for part in rare) and plain, "C6")
    require(not do_rotary or (cos_cache is not None and sin_cache is not None), "C4")
    require((past_key is None) == (past_value is None) and (key is None) == (value is None), "C5")
    require(kv_num_heads > 0 and num_heads % max(kv_num_heads, 1) == 0, "C2", num_heads, kv_num_heads)
    batch, length, hidden = query.shape.of_rank(3, "C1")
    count = num_heads if key is not None else num_heads + 2 * kv_num_heads
    require((hidden % count).can_be(0), "C1", hidden, count)
    size = hidden // count
    batch = unify(batch, seqlens_k.shape.size, "C3")
    if key is not None:
        unify(key.shape.of_rank(3, "C1")[2], size * kv_num_heads, "C1")
    total = total_sequence_length.dims
    known = total[0] if total and len(total) == 1 and total[0] >= 0 else Dim.of(0)
    buffer = Dim.of(0) if past_key is None else past_key.shape.of_rank(4, "C5")[2]
    present = maximum(known, buffer) if known.high > 0 else ANY
    kept = Fact(query.element_type, Shape.of(batch, kv_num_heads, present, size))
    return Shape.of(batch, length, size * num_heads), kept, kept


@kernel("microsoft:GroupQueryAttention-1")
def group_query_attention(
    query: Array,
    key: Array | None,
    value: Array | None,
    past_key: Array | None,
    past_value: Array | None,
    seqlens_k: Array,
    total_sequence_length: Array,
    cos_cache: Array | None,
    sin_cache: Array | None,
    position_ids: Array | None,
    attention_bias: Array | None,
    head_sink: Array | None,
    k_scale: Array | None,
    v_scale: Array | None,
    q_norm_weight: Array | None,
    k_norm_weight: Array | None,
    query_seqlens: Array | None,
    *,
    causal: bool,
    do_rotary: bool | None,
    kv_num_heads: int,
    local_window_size: int,
    num_heads: int,
    rotary_interleaved: bool | None,
    scale: float | None,
    smooth_softmax: int,
    softcap: float | None,
) -> tuple[Array, ...]:
    """seqlens_k: for each item, the number of keys, those of the cache included, minus 1."""
    del head_sink, k_scale, v_scale, q_norm_weight, k_norm_weight, query_seqlens
    kind, data = element_type_of(query), as_numbers(query)
    if key is None or value is None:
        size = data.shape[2] // (num_heads + 2 * kv_num_heads)
        queries, keys, values = np.split(data, [num_heads * size, (num_heads + kv_num_heads) * size], 2)
    else:
        queries, keys, values = data, as_numbers(key), as_numbers(value)
    queries = by_heads(queries, num_heads)
    keys, values = by_heads(keys, kv_num_heads), by_heads(values, kv_num_heads)
    batch, _, length, size = queries.shape
    totals = as_i64(seqlens_k).ravel() + 1
    is_prompt = length > 1 and int(total_sequence_length.reshape(())) == length
    before = np.zeros(batch, np.int64) if is_prompt else np.maximum(totals - length, 0)
    if do_rotary and cos_cache is not None and sin_cache is not None:
        places = before[:, np.newaxis] + np.arange(length) if position_ids is None else as_i64(position_ids)
        places = np.clip(np.broadcast_to(places, (batch, length)), 0, len(cos_cache) - 1)
        cos, sin = as_numbers(cos_cache)[places], as_numbers(sin_cache)[places]
        queries, keys = (
            rotated(part, cos, sin, interleaved=bool(rotary_interleaved)) for part in (queries, keys)
        )
    room = max(int(total_sequence_length.reshape(())), 0 if past_key is None else past_key.shape[2])
    kept = []
    ends = before + length
    for new, past in ((keys, past_key), (values, past_value)):
        cache = np.zeros((batch, kv_num_heads, room, size), data.dtype)
        if past is not None:
            cache[:, :, : past.shape[2]] = as_numbers(past)
        for item in range(batch):
            cache[item, :, before[item] : ends[item]] = new[item]
        kept.append(cache)
    result = np.zeros_like(queries)
    for item in range(batch):
        known_keys, known_values = (cache[item, :, : ends[item]] for cache in kept)
        result[item] = _grouped(
            queries[item],
            known_keys,
            known_values,
            None
            if attention_bias is None
            else as_numbers(attention_bias)[min(item, len(attention_bias) - 1)],
            start=int(before[item]),
            window=local_window_size,
            scale=scale,
            softcap=softcap,
            is_causal=causal,
            is_smooth=smooth_softmax > 0,
        )
    return tuple(converted(part, kind) for part in (joined(result), *kept))


def _grouped(
    queries: Array,
    keys: Array,
    values: Array,
    bias: Array | None,
    *,
    start: int,
    window: int,
    scale: float | None,
    softcap: float | None,
    is_causal: bool,
    is_smooth: bool,
) -> Array:
    """The attention of one item: queries [heads, length, size], keys and values [fewer heads, keys, size]."""
    groups = len(queries) // len(keys)
    factor = np.float32(scale or 1 / np.sqrt(queries.shape[2]))
    scores = queries @ np.repeat(keys, groups, 0).swapaxes(1, 2) * factor
    if softcap:
        scores = np.float32(softcap) * np.tanh(scores / np.float32(softcap))
    if bias is not None:
        scores = scores + bias[..., : scores.shape[2]]
    distance = np.arange(scores.shape[2]) - (start + np.arange(scores.shape[1]))[:, np.newaxis]
    allowed = distance <= 0 if is_causal else np.ones_like(distance, bool)
    if window > 0:
        allowed &= distance > -window
    scores = np.where(allowed, scores, -np.inf)
    top = scores.max(-1, keepdims=True, initial=0 if is_smooth else -np.inf)
    powers = np.exp(scores - np.where(np.isneginf(top), 0, top))
    total = powers.sum(-1, keepdims=True) + (np.exp(-top) if is_smooth else 0)
    return np.asarray(powers / np.where(total == 0, 1, total) @ np.repeat(values, groups, 0), scores.dtype)

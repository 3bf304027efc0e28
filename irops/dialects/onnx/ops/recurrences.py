"""Attention without softmax, rotary embeddings, and causal convolutions, with their states."""

from __future__ import annotations

import numpy as np

from irops.ops.convolution.convolution import group_convolution
from irops.spec.binding import kernel, shape
from irops.values.dim import Dim, unify
from irops.values.element import Array, element_type_of
from irops.values.fact import Fact
from irops.values.shape import Shape, unify_shapes
from irops.values.violation import require

# RotaryEmbedding: pairs of features are rotated by angles of their positions.


@shape("onnx:RotaryEmbedding-23")
def rotary_embedding_shape(
    X: Fact,
    cos_cache: Fact,
    sin_cache: Fact,
    position_ids: Fact | None,
    *,
    num_heads: int | None,
    rotary_embedding_dim: int,
) -> Shape:
    rank = X.shape.rank
    require(rank != 3 or num_heads, "C1", "none")
    cache = unify_shapes(cos_cache.shape, sin_cache.shape, "C2")
    if rank is None:
        return X.shape
    steps, size = (X.shape[1], X.shape[2] // (num_heads or 1)) if rank == 3 else (X.shape[2], X.shape[3])
    require(rank != 3 or (X.shape[2] % (num_heads or 1)).can_be(0), "C1", X.shape[2], num_heads)
    require(rotary_embedding_dim <= size, "C3", rotary_embedding_dim, f"{size} features")
    turned = Dim.of(rotary_embedding_dim) if rotary_embedding_dim else size
    require((turned % 2).can_be(0), "C3", turned)
    half = turned // 2
    if position_ids is None:
        unify_shapes(cache, Shape.of(X.shape[0], steps, half), "C4")
        return X.shape
    unify_shapes(position_ids.shape, Shape.of(X.shape[0], steps), "C5")
    unify(cache.of_rank(2, "C4")[1], half, "C4")
    return X.shape


@kernel("onnx:RotaryEmbedding-23", widen=True)
def rotary_embedding(
    X: Array,
    cos_cache: Array,
    sin_cache: Array,
    position_ids: Array | None,
    *,
    interleaved: bool,
    num_heads: int | None,
    rotary_embedding_dim: int,
) -> Array:
    heads = X.swapaxes(1, 2) if X.ndim == 4 else X.reshape(*X.shape[:2], num_heads or 1, -1)
    if position_ids is not None:
        wrong = (position_ids < 0) | (position_ids >= len(cos_cache))
        require(not wrong.any(), "C6", position_ids[wrong][:1].tolist(), f"{len(cos_cache)} positions")
        cos_cache, sin_cache = cos_cache[position_ids], sin_cache[position_ids]
    cos, sin = cos_cache[:, :, np.newaxis], sin_cache[:, :, np.newaxis]
    size = rotary_embedding_dim or heads.shape[-1]
    half = size // 2
    odd = (..., slice(1, size, 2)) if interleaved else (..., slice(half, size))
    even = (..., slice(0, size, 2)) if interleaved else (..., slice(half))
    result = heads.copy()
    result[even] = cos * heads[even] - sin * heads[odd]
    result[odd] = sin * heads[even] + cos * heads[odd]
    return result.swapaxes(1, 2) if X.ndim == 4 else result.reshape(X.shape)


# LinearAttention: a matrix for each head remembers keys and values, step by step.


@shape("onnx:LinearAttention-27")
def linear_attention_shape(
    query: Fact,
    key: Fact,
    value: Fact,
    past_state: Fact | None,
    decay: Fact | None,
    beta: Fact | None,
    *,
    kv_num_heads: int,
    q_num_heads: int,
    update_rule: str,
) -> tuple[Fact, Fact]:
    require(q_num_heads % kv_num_heads == 0, "C1", q_num_heads, kv_num_heads)
    batch = unify(unify(query.shape[0], key.shape[0], "C2"), value.shape[0], "C2")
    steps = unify(unify(query.shape[1], key.shape[1], "C2"), value.shape[1], "C2")
    keys = unify(
        _per_head(query.shape[2], q_num_heads, "C3"), _per_head(key.shape[2], kv_num_heads, "C3"), "C3"
    )
    features = _per_head(value.shape[2], kv_num_heads, "C3")
    state = Shape.of(batch, kv_num_heads, keys, features)
    if past_state is not None:
        state = unify_shapes(past_state.shape, state, "C4")
    for given, rules, extra, constraint in (
        (decay, ("gated", "gated_delta"), keys * kv_num_heads, "C5"),
        (beta, ("delta", "gated_delta"), Dim.of(1), "C6"),
    ):
        require((given is not None) == (update_rule in rules), constraint, update_rule)
        if given is not None:
            unify_shapes(given.shape[:2], Shape.of(batch, steps), constraint)
            last = given.shape[2]
            require(last.can_be(kv_num_heads) or last.can_be(extra), constraint, given)
    output = Fact(query.element_type, Shape.of(state[0], steps, state[3] * q_num_heads))
    return output, Fact((past_state or query).element_type, state)


def _per_head(features: Dim, heads: int, constraint: str) -> Dim:
    require((features % heads).can_be(0), constraint, f"{features} features", f"{heads} heads")
    return features // heads


@kernel("onnx:LinearAttention-27")
def linear_attention(
    query: Array,
    key: Array,
    value: Array,
    past_state: Array | None,
    decay: Array | None,
    beta: Array | None,
    *,
    kv_num_heads: int,
    q_num_heads: int,
    scale: float,
) -> tuple[Array, Array]:
    queries, keys, values = (
        _by_step(tensor, heads)
        for tensor, heads in ((query, q_num_heads), (key, kv_num_heads), (value, kv_num_heads))
    )
    steps, batch, _, size = keys.shape
    state = np.zeros((batch, kv_num_heads, size, values.shape[-1]), np.float32)
    if past_state is not None:
        state = past_state.astype(np.float32)
    gates = None if decay is None else np.exp(_by_step(decay, kv_num_heads))
    rates = None if beta is None else _by_step(beta, kv_num_heads if beta.shape[2] == kv_num_heads else 1)
    factor = np.float32(scale or 1 / np.sqrt(max(size, 1)))
    output = np.empty((steps, batch, q_num_heads, values.shape[-1]), np.float32)
    for step in range(steps):
        new = values[step]
        if gates is not None:
            state = state * gates[step][..., np.newaxis]
        if rates is not None:
            new = rates[step] * (new - np.einsum("bhkv,bhk->bhv", state, keys[step]))
        state = state + keys[step][..., np.newaxis] * new[..., np.newaxis, :]
        seen = np.repeat(state, q_num_heads // kv_num_heads, axis=1)
        output[step] = factor * np.einsum("bhk,bhkv->bhv", queries[step], seen)
    flat = output.swapaxes(0, 1).reshape(batch, steps, q_num_heads * values.shape[-1])
    kind = element_type_of(query if past_state is None else past_state)
    return flat.astype(query.dtype), state.astype(kind.dtype)


def _by_step(tensor: Array, heads: int) -> Array:
    """[B, T, H * D] as [T, B, H, D] in f32."""
    batch, steps, features = tensor.shape
    return tensor.reshape(batch, steps, heads, features // heads).swapaxes(0, 1).astype(np.float32)


# CausalConvWithState: each channel is convolved with its past.


@shape("onnx:CausalConvWithState-27")
def causal_conv_with_state_shape(
    input: Fact, weight: Fact, bias: Fact | None, past_state: Fact | None
) -> tuple[Shape, Shape]:
    batch, channels, steps = (input.shape[axis] for axis in range(3))
    channels = unify(channels, weight.shape[0], "C1")
    unify(weight.shape[1], 1, "C1")
    require(weight.shape[2] > 0, "C2", weight.shape[2])
    if bias is not None:
        channels = unify(channels, bias.shape[0], "C3")
    state = Shape.of(batch, channels, (weight.shape[2] - 1).at_least(0))
    if past_state is not None:
        state = unify_shapes(past_state.shape, state, "C4")
    return Shape.of(batch, channels, steps), state


@kernel("onnx:CausalConvWithState-27", widen=True)
def causal_conv_with_state(
    input: Array, weight: Array, bias: Array | None, past_state: Array | None, *, activation: str
) -> tuple[Array, Array]:
    channels, _, taps = weight.shape
    past = np.zeros((len(input), channels, taps - 1), input.dtype) if past_state is None else past_state
    padded = np.concatenate([past, input], axis=2)
    sums = group_convolution(
        padded,
        weight[:, np.newaxis],
        strides=(1,),
        pads_begin=(0,),
        pads_end=(0,),
        dilations=(1,),
        auto_pad="explicit",
    )
    if bias is not None:
        sums = sums + bias[:, np.newaxis]
    if activation != "none":
        sums = sums / (1 + np.exp(-sums))
    return sums, padded[:, :, padded.shape[2] - (taps - 1) :]

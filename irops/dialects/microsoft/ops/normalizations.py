"""Normalizations with sums before them, as ONNX Runtime fuses them."""

from __future__ import annotations

import numpy as np

from irops.ops.conversion import as_numbers, converted
from irops.spec.binding import kernel, shape
from irops.values.dim import unify
from irops.values.element import Array, element_type, element_type_of
from irops.values.fact import Fact
from irops.values.shape import UNRANKED, Shape, broadcast_shapes, unify_shapes
from irops.values.violation import require

F32 = element_type("f32")


def _sums(data: Array, skip: Array | None, bias: Array | None) -> Array:
    total = as_numbers(data)
    for part in (skip, bias):
        total = total if part is None else total + as_numbers(part)
    return total


def layer_normalized(
    data: Array, gamma: Array | None, beta: Array | None, epsilon: float, *, is_centred: bool = True
) -> tuple[Array, Array, Array]:
    """Rows along the last axis with mean 0, if they are centred, and mean square 1, scaled and shifted; the
    means and the inverse deviations.
    """
    wide = data.astype(np.float64)
    mean = wide.mean(-1, keepdims=True)
    centre = wide - mean if is_centred else wide
    inverse = 1 / np.sqrt(np.square(centre).mean(-1, keepdims=True) + epsilon)
    result = centre * inverse
    result = result if gamma is None else result * as_numbers(gamma)
    result = result if beta is None else result + as_numbers(beta)
    return result.astype(data.dtype), mean.astype(np.float32), inverse.astype(np.float32)


def _skip_shapes(input: Fact, skip: Fact, vectors: tuple[Fact | None, ...]) -> tuple[Fact, Fact, Fact, Fact]:
    """Facts of output, mean, inverse deviation and sum. Raises: Violation(C1) of skip, (C2) of a vector"""
    whole = input.shape
    if whole.rank is not None and skip.shape.rank is not None:
        whole = unify_shapes(whole, broadcast_shapes(whole, skip.shape, "C1"), "C1")
    for vector in vectors:
        if vector is not None and whole.rank is not None:
            size = vector.shape.of_rank(1, "C2")[0]
            whole = whole.with_dim(-1, unify(whole[-1], size, "C2"))
    small = UNRANKED if whole.rank is None else whole.with_dim(-1, 1)
    same = Fact(input.element_type, whole)
    return same, Fact(F32, small), Fact(F32, small), same


@shape("microsoft:SkipLayerNormalization-1")
def skip_layer_normalization_shape(
    input: Fact, skip: Fact, gamma: Fact, beta: Fact | None, bias: Fact | None
) -> tuple[Fact, Fact, Fact, Fact]:
    return _skip_shapes(input, skip, (gamma, beta, bias))


@kernel("microsoft:SkipLayerNormalization-1")
def skip_layer_normalization(
    input: Array, skip: Array, gamma: Array, beta: Array | None, bias: Array | None, *, epsilon: float
) -> tuple[Array, Array, Array, Array]:
    kind, total = element_type_of(input), _sums(input, skip, bias)
    result, mean, inverse = layer_normalized(total, gamma, beta, epsilon)
    return converted(result, kind), mean, inverse, converted(total, kind)


@shape("microsoft:SkipSimplifiedLayerNormalization-1")
def skip_simplified_shape(
    input: Fact, skip: Fact, gamma: Fact, bias: Fact | None
) -> tuple[Fact, Fact, Fact, Fact]:
    return _skip_shapes(input, skip, (gamma, bias))


@kernel("microsoft:SkipSimplifiedLayerNormalization-1")
def skip_simplified(
    input: Array, skip: Array, gamma: Array, bias: Array | None, *, epsilon: float
) -> tuple[Array, Array, Array, Array]:
    kind, total = element_type_of(input), _sums(input, skip, bias)
    result, mean, inverse = layer_normalized(total, gamma, None, epsilon, is_centred=False)
    return converted(result, kind), mean, inverse, converted(total, kind)


# Embeddings of words, positions and segments, normalized.


@shape("microsoft:EmbedLayerNormalization-1")
def embed_layer_normalization_shape(
    input_ids: Fact,
    segment_ids: Fact | None,
    word_embedding: Fact,
    position_embedding: Fact,
    segment_embedding: Fact | None,
    gamma: Fact,
    beta: Fact,
    mask: Fact | None,
    position_ids: Fact | None,
) -> tuple[Fact, Fact, Fact]:
    require((segment_ids is None) == (segment_embedding is None), "C1")
    batch, length = input_ids.shape.of_rank(2, "C2")
    for ids in (segment_ids, mask):
        if ids is not None:
            batch, length = (unify(*pair, "C2") for pair in zip((batch, length), ids.shape.of_rank(2, "C2")))
    if position_ids is not None:
        length = unify(length, position_ids.shape.of_rank(2, "C2")[1], "C2")
    size = word_embedding.shape.of_rank(2, "C3")[1]
    for table in (position_embedding, segment_embedding):
        if table is not None:
            size = unify(size, table.shape.of_rank(2, "C3")[1], "C3")
    for vector in (gamma, beta):
        size = unify(size, vector.shape.of_rank(1, "C3")[0], "C3")
    result = Fact(word_embedding.element_type, Shape.of(batch, length, size))
    return result, Fact(input_ids.element_type, Shape.of(batch)), result


@kernel("microsoft:EmbedLayerNormalization-1")
def embed_layer_normalization(
    input_ids: Array,
    segment_ids: Array | None,
    word_embedding: Array,
    position_embedding: Array,
    segment_embedding: Array | None,
    gamma: Array,
    beta: Array,
    mask: Array | None,
    position_ids: Array | None,
    *,
    epsilon: float,
) -> tuple[Array, Array, Array]:
    """mask_index is the number of ones in each row of mask; 0 without it."""
    places = np.arange(input_ids.shape[1])[np.newaxis] if position_ids is None else position_ids
    total = _row_of(word_embedding, input_ids) + _row_of(position_embedding, places)
    if segment_ids is not None and segment_embedding is not None:
        total = total + _row_of(segment_embedding, segment_ids)
    kind = element_type_of(word_embedding)
    result, _, _ = layer_normalized(total, gamma, beta, epsilon)
    count = np.zeros(len(input_ids), np.int32) if mask is None else (mask == 1).sum(1).astype(np.int32)
    return converted(result, kind), count, converted(total, kind)


def _row_of(table: Array, ids: Array) -> Array:
    require(((ids >= 0) & (ids < len(table))).all(), "C4", ids.ravel().tolist()[:8], len(table))
    return as_numbers(table)[ids]


# SimplifiedLayerNormalization, which ONNX Runtime adds to ONNX's own domain.


@shape("microsoft:SimplifiedLayerNormalization-1")
def simplified_layer_normalization_shape(
    X: Fact, scale: Fact, *, axis: int, stash_type: int
) -> tuple[Fact, Fact]:
    require(stash_type == 1, "C2", stash_type)
    whole = unify_shapes(X.shape, broadcast_shapes(X.shape, scale.shape, "C1"), "C1")
    small = whole
    for place in range(axis, X.shape.rank or 0):
        small = small.with_dim(place, 1)
    return Fact(scale.element_type, whole), Fact(F32, small)


@kernel("microsoft:SimplifiedLayerNormalization-1")
def simplified_layer_normalization(
    X: Array, scale: Array, *, axis: int, epsilon: float
) -> tuple[Array, Array]:
    data, axes = as_numbers(X), tuple(range(axis, X.ndim))
    inverse = 1 / np.sqrt(np.square(data, dtype=np.float64).mean(axes, keepdims=True) + epsilon)
    result = np.asarray(data * inverse * as_numbers(scale), as_numbers(scale).dtype)
    return converted(result, element_type_of(scale)), inverse.astype(np.float32)

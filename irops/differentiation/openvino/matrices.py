"""The derivatives of matrix products, attention and what is made of them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import inf, sqrt
from string import ascii_letters
from typing import Any

import numpy as np

from irops.differentiation.deriving import (
    Cotangents,
    Derivation,
    NotDerivedError,
    composition,
    derivative,
)
from irops.ops.matrix.einsum import ELLIPSIS, equation_of


def as_matrix(d: Derivation, term: Any, axis: int) -> Any:
    """A vector as a matrix with an axis of size 1; another tensor as it is."""
    return d.add("Unsqueeze-1", term, d.at(axis)) if d.builder.fact(term).shape.rank == 1 else term


@derivative("MatMul-1")
def mat_mul(d: Derivation) -> Cotangents:
    a, b, cotangent = d.input("a"), d.input("b"), d.cot
    ranks = d.fact("a").shape.rank, d.fact("b").shape.rank
    if None in ranks:
        raise NotDerivedError("the rank of an input is unknown")
    if ranks[1] == 1:
        cotangent = d.add("Unsqueeze-1", cotangent, d.at(-1))
    if ranks[0] == 1:
        cotangent = d.add("Unsqueeze-1", cotangent, d.at(-2))
    flip_a = d.attributes["transpose_a"] and ranks[0] != 1
    flip_b = d.attributes["transpose_b"] and ranks[1] != 1
    found = {}
    if d.wants("a"):
        other = as_matrix(d, b, -1)
        if flip_a:
            of_a = d.add("MatMul-1", other, cotangent, transpose_a=flip_b, transpose_b=True)
        elif not d.builder.is_exact and _is_one_matrix(d, other):
            # OpenVINO 2026.4 mistakes a square constant for its transpose where both are second operands
            swapped = d.add("MatMul-1", other, cotangent, transpose_a=flip_b, transpose_b=True)
            rank = len(d.builder.fact(swapped).shape)
            of_a = d.transposed(swapped, [*range(rank - 2), rank - 1, rank - 2])
        else:
            of_a = d.add("MatMul-1", cotangent, other, transpose_b=not flip_b)
        found["a"] = d.as_shape(_summed(d, of_a, a, 0), a)
    if d.wants("b"):
        other = as_matrix(d, a, 0)
        if flip_b:
            of_b = d.add("MatMul-1", cotangent, other, transpose_a=True, transpose_b=flip_a)
        else:
            of_b = d.add("MatMul-1", other, cotangent, transpose_a=not flip_a)
        found["b"] = d.as_shape(_summed(d, of_b, b, -1), b)
    return found


def _is_one_matrix(d: Derivation, term: Any) -> bool:
    """Whether all axes of a tensor but the last two are of size 1."""
    dims = d.builder.fact(term).shape.dims
    return dims is not None and all(dim.known and int(dim) == 1 for dim in dims[:-2])


def _summed(d: Derivation, term: Any, like: Any, axis: int) -> Any:
    """The cotangent of an operand summed over the batch axes along which it was broadcast."""
    if d.builder.fact(like).shape.rank == 1:
        rank = len(d.builder.fact(term).shape)
        kept = rank - 1 if axis == 0 else rank - 2
        return d.total(term, [n for n in range(rank) if n != kept])
    return d.summed_to(term, like)


@derivative("Einsum-7")
def einsum(d: Derivation) -> Cotangents:
    """For each operand, the product of the cotangent and the other operands, summed over the labels that
    the operand lacks; repeated along those that only it has, and on the diagonals of those that it has twice.
    """
    inputs = d.variadic("inputs")
    equation = equation_of(d.attributes["equation"])
    shapes = [d.fixed_shape(term) for term in inputs]
    most = max((len(s) - len(i) + 1 for s, i in zip(shapes, equation.inputs) if ELLIPSIS in i), default=0)
    used = {label for labels in equation.inputs for label in labels}
    spare = [letter for letter in ascii_letters if letter not in used][:most]
    spelled = [_spelled(labels, spare, len(shape)) for labels, shape in zip(equation.inputs, shapes)]
    output = _spelled(equation.output, spare, len(d.fixed_shape(d.cot)))
    found: list[Any] = []
    for number, own in enumerate(spelled):
        found.append(_einsum_cotangent(d, number, own, spelled, output) if d.wants_index(number) else None)
    return {"inputs": found}


def _spelled(labels: Sequence[str], spare: list[str], rank: int) -> str:
    covered = rank - len(labels) + 1
    return "".join("".join(spare[len(spare) - covered :]) if label == ELLIPSIS else label for label in labels)


def _einsum_cotangent(d: Derivation, number: int, own: str, spelled: list[str], output: str) -> Any:
    inputs = d.variadic("inputs")
    term, shape = inputs[number], d.fixed_shape(inputs[number])
    others = [n for n in range(len(inputs)) if n != number]
    # of size 1 in this operand, and repeated: such labels are summed over
    reaching = set(output).union(*(spelled[n] for n in others))
    unique = "".join(dict.fromkeys(own))
    common = "".join(label for label in unique if label in reaching)
    operands = [d.cot, *(inputs[n] for n in others)]
    equation = ",".join([output, *(spelled[n] for n in others)]) + "->" + common
    part = d.add("Einsum-7", *operands, equation=equation)
    sizes = dict(zip(own, shape))
    summed = [n for n, label in enumerate(common) if sizes[label] == 1]
    part = d.total(part, summed, keep=True)
    given = dict(zip(common, d.fixed_shape(part)))  # 1 where another operand has a label in size 1
    part = d.in_shape(part, [given.get(label, 1) for label in unique])
    part = d.add("Broadcast-3", part, np.array([sizes[label] for label in unique], np.int64))
    if len(unique) == len(own):
        return part
    for place, label in enumerate(own):
        if own.index(label) < place:
            unit = np.eye(sizes[label], dtype=d.kind_of(term).dtype)
            part = d.add("Einsum-7", part, unit, equation=_diagonal(unique, own, place))
            unique = _inserted(unique, own, place)
    return part


def _fresh(own: str, place: int) -> str:
    return next(letter for letter in ascii_letters[place:] if letter not in own)


def _inserted(unique: str, own: str, place: int) -> str:
    return unique[:place] + _fresh(own, place) + unique[place:]


def _diagonal(unique: str, own: str, place: int) -> str:
    new = _fresh(own, place)
    return f"{unique},{own[place]}{new}->{unique[:place]}{new}{unique[place:]}"


@derivative("Inverse-14")
def inverse(d: Derivation) -> Cotangents:
    """-Y^T dY Y^T."""
    if d.attributes["adjoint"]:
        raise NotDerivedError("irops has no rule for the adjugate matrix")
    left = d.add("MatMul-1", d.out, d.cot, transpose_a=True)
    return {"data": -d.add("MatMul-1", left, d.out, transpose_b=True)}


@composition("GroupedMatMul-17")
def grouped_mat_mul(d: Derivation) -> Sequence[Any]:
    a, b = d.input("mat_a"), d.input("mat_b")
    if d.optional("offsets") is None or d.fact("mat_a").shape.rank == 3:
        return [d.add("MatMul-1", a, b, transpose_b=True)]
    ends = [0, *(int(end) for end in d.constant_of("offsets"))]
    parts = []
    for group, (begin, end) in enumerate(pairwise(ends)):
        if begin < end:
            one = np.array([1], np.int64)
            rows = d.add("Slice-8", a, one * begin, one * end, one, one * 0)
            parts.append(
                d.add("MatMul-1", rows, d.add("Gather-8", b, d.at(group), d.at(0)), transpose_b=True)
            )
    missing = d.fixed_shape(a)[0] - ends[-1]
    if missing:
        kind = d.kind_of(a).dtype
        parts.append(np.zeros((missing, d.fixed_shape(b)[1]), kind))
    return [parts[0] if len(parts) == 1 else d.add("Concat-1", *parts, axis=0)]


@composition("ScaledDotProductAttention-13")
def attention(d: Derivation) -> Sequence[Any]:
    query, kind = d.input("query"), d.kind_of(d.input("query"))
    mask, scale, sink = (d.optional(name) for name in ("attention_mask", "scale", "sink"))
    size = d.sizes("query", "its gradient depends on it")[-1]
    if scale is not None:
        factor: Any = d.in_shape(scale, [])
    elif size.known:
        factor = 1 / sqrt(int(size)) if int(size) else inf
    else:
        raise NotDerivedError("the last size of query is unknown")
    scores = d.add("MatMul-1", query * factor, d.input("key"), transpose_b=True)
    if d.attributes["causal"]:
        rows, columns = (int(dim) for dim in _last_two(d, scores))
        later = np.arange(columns) > np.arange(rows)[:, None]
        scores = d.where(later, -inf, scores)
    elif mask is not None:
        scores = _masked(d, scores, mask)
    if sink is not None:
        shape = d.add(
            "Concat-1", d.add("Slice-8", d.add("ShapeOf-3", scores), *_part(0, -1)), np.array([1]), axis=0
        )
        scores = d.add("Concat-1", scores, d.add("Broadcast-3", sink, shape), axis=-1)
    # where all of a row is masked, its output is 0
    can_be_empty = mask is not None and not d.attributes["causal"] and sink is None
    if can_be_empty:
        peak = d.add("ReduceMax-1", scores, d.at(-1), keep_dims=True)
        counts = d.add("Greater-1", peak, d.like(-inf, kind))
        weights = d.where(counts, d.add("SoftMax-8", d.where(counts, scores, 0.0), axis=-1), 0.0)
    else:
        weights = d.add("SoftMax-8", scores, axis=-1)
    if sink is not None:
        weights = d.add("Slice-8", weights, *_part(0, -1), np.array([-1], np.int64))
    return [d.add("MatMul-1", weights, d.input("value"))]


def _part(start: int, stop: int) -> list[Any]:
    return [np.array([n], np.int64) for n in (start, stop, 1)]


def _last_two(d: Derivation, term: Any) -> tuple[Any, Any]:
    shape = d.builder.fact(term).shape
    if shape.rank is None or not (shape[-1].known and shape[-2].known):
        raise NotDerivedError("the number of queries or keys is unknown")
    return shape[-2], shape[-1]


def _masked(d: Derivation, scores: Any, mask: Any) -> Any:
    if d.builder.fact(mask).element_type.name == "boolean":
        return d.where(mask, scores, -inf)
    return scores + mask

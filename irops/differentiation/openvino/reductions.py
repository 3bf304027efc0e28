"""The derivatives of reductions along axes. Elements that are equal share what their maximum gets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from irops.differentiation.deriving import Cotangents, Derivation, composition, derivative
from irops.values.element import Array


def reduced_axes(d: Derivation) -> list[int] | None:
    """The axes of a reduction, from 0; None if they are not known."""
    axes, rank = d.known_value(d.input("axes")), d.fact("data").shape.rank
    if axes is None or rank is None:
        return None
    if rank == 0:
        return []
    return sorted({int(axis) % rank for axis in np.asarray(axes).ravel()})


def kept(d: Derivation, term: Any) -> Any:
    """A reduced tensor, with axes of size 1 in place of those that were reduced."""
    if d.attributes["keep_dims"]:
        return term
    axes, shape = reduced_axes(d), d.fact("data").shape
    if axes is not None and shape.static:
        return d.in_shape(term, [1 if n in axes else int(size) for n, size in enumerate(shape)])
    return d.add("Unsqueeze-1", term, d.input("axes") if axes is None else np.array(axes, np.int64))


def summed_axes(d: Derivation) -> Any:
    """The axes of a reduction as an operand."""
    axes = reduced_axes(d)
    return d.input("axes") if axes is None else np.array(axes, np.int64)


def repeated_back(d: Derivation, term: Any) -> Any:
    """A reduced tensor, repeated along the axes that were reduced."""
    return d.add("Broadcast-3", kept(d, term), d.sizes_of(d.input("data")))


@derivative("ReduceSum-1")
def reduce_sum(d: Derivation) -> Cotangents:
    return {"data": repeated_back(d, d.cot)}


@derivative("ReduceMean-1")
def reduce_mean(d: Derivation) -> Cotangents:
    data, kind = d.input("data"), d.kind_of(d.cot)
    shape, axes = d.fact("data").shape, reduced_axes(d)
    if axes is not None and all(shape[axis].known for axis in axes):
        count: Any = float(max(int(np.prod([int(shape[axis]) for axis in axes])), 1))
    else:
        axes_term = d.in_shape(d.input("axes"), [-1])
        sizes = d.add("Gather-8", d.add("ShapeOf-3", data), axes_term, d.at(0))
        count = d.typed(d.add("ReduceProd-1", sizes, d.at(0)), kind)
    return {"data": repeated_back(d, d.cot / count)}


@derivative("ReduceMax-1", "ReduceMin-1")
def reduce_max(d: Derivation) -> Cotangents:
    data, axes = d.input("data"), summed_axes(d)
    is_chosen = d.indicator(d.add("Equal-1", data, kept(d, d.out)), d.kind_of(d.cot))
    count = d.add("ReduceSum-1", is_chosen, axes, keep_dims=True)
    return {"data": is_chosen * (kept(d, d.cot) / count)}


@derivative("ReduceProd-1")
def reduce_prod(d: Derivation) -> Cotangents:
    """The product of the other elements: of all over this one, where no element is 0."""
    data, axes, kind = d.input("data"), summed_axes(d), d.kind_of(d.cot)
    is_zero = d.add("Equal-1", data, 0)
    zeros = d.add("ReduceSum-1", d.indicator(is_zero, kind), axes, keep_dims=True)
    nonzero = d.where(is_zero, 1.0, data)
    product = d.add("ReduceProd-1", nonzero, axes, keep_dims=True)
    if_zero = d.where(d.add("Equal-1", zeros, 1), product, 0.0)
    if_not = d.where(d.add("Equal-1", zeros, 0), product / nonzero, 0.0)
    return {"data": kept(d, d.cot) * d.where(is_zero, if_zero, if_not)}


@derivative("ReduceL1-4")
def reduce_l1(d: Derivation) -> Cotangents:
    return {"data": d.Sign(d.input("data")) * kept(d, d.cot)}


@derivative("ReduceL2-4")
def reduce_l2(d: Derivation) -> Cotangents:
    """data / norm; 0 where the norm is 0."""
    norm = kept(d, d.out)
    is_zero = d.add("Equal-1", norm, 0)
    factor = d.where(is_zero, 0.0, kept(d, d.cot) / d.where(is_zero, 1.0, norm))
    return {"data": d.input("data") * factor}


@derivative("CumSum-3")
def cum_sum(d: Derivation) -> Cotangents:
    axis, attributes = d.optional("axis"), d.attributes
    return {
        "data": d.add(
            "CumSum-3", d.cot, d.at(0) if axis is None else axis,
            exclusive=attributes["exclusive"], reverse=not attributes["reverse"],
        )
    }  # fmt: skip


@derivative("SegmentMax-16")
def segment_max(d: Derivation) -> Cotangents:
    data, ids, kind = d.input("data"), d.input("segment_ids"), d.kind_of(d.cot)
    # ids behind the last segment are dropped: they go to one more row, whose cotangent is 0
    shape = d.fixed_shape(d.out)
    ids = d.add("Minimum-1", ids, np.array(shape[0]).astype(d.kind_of(ids).dtype))
    row = np.zeros((1, *shape[1:]), kind.dtype)
    maxima, cotangents = (d.add("Concat-1", each, row, axis=0) for each in (d.out, d.cot))
    is_chosen = d.indicator(d.add("Equal-1", data, d.add("Gather-8", maxima, ids, d.at(0))), kind)
    rows = d.add("Unsqueeze-1", ids, d.at(1))
    counts = d.add("ScatterNDUpdate-15", d.zeros(maxima), rows, is_chosen, reduction="sum")
    share = cotangents / d.add("Maximum-1", counts, 1.0)
    return {"data": is_chosen * d.add("Gather-8", share, ids, d.at(0))}


# Softmax.


@derivative("SoftMax-1", "SoftMax-8")
def soft_max(d: Derivation) -> Cotangents:
    product = d.cot * d.out
    return {"data": product - d.out * d.total(product, [d.attributes["axis"]], keep=True)}


@derivative("LogSoftmax-5")
def log_softmax(d: Derivation) -> Cotangents:
    total = d.total(d.cot, [d.attributes["axis"]], keep=True)
    return {"data": d.cot - d.Exp(d.out) * total}


# Normalization.


def axes_of(d: Derivation, name: str = "axes") -> Array:
    """The axes of an input that must be known, from 0, each once."""
    rank = len(d.sizes("data", "its gradient depends on it"))
    return np.array(sorted({int(axis) % rank for axis in d.constant_of(name)}), np.int64)


@composition("LRN-1")
def lrn(d: Derivation) -> Sequence[Any]:
    """The sums over neighbours are products with a band of ones for each axis."""
    data, axes, size = d.input("data"), axes_of(d), d.attributes["size"]
    sums, sizes = data * data, d.fixed_shape(data)
    for axis in axes.tolist():
        numbers = np.arange(sizes[axis])
        near = np.abs(numbers[:, None] - numbers) <= (size - 1) // 2
        band = near.astype(d.kind_of(data).dtype)
        order = [n for n in range(len(sizes)) if n != axis] + [axis]
        sums = d.transposed(d.transposed(sums, order) @ band, [int(n) for n in np.argsort(order)])
    scale = d.attributes["alpha"] / float(size) ** len(axes)
    return [data / d.add("Power-1", sums * scale + d.attributes["bias"], d.attributes["beta"])]

"""How many terms the sums of an op have, and the magnitude of these terms.

A sum of n terms t that is rounded after every addition has an error of at most n*u*sum|t|, where u is the
unit roundoff; with errors of random sign, it stays below SAFETY*sqrt(n)*u*sum|t| in practice always
(N. Higham and T. Mary, "A new approach to probabilistic rounding error analysis", 2019). The op itself gives
sum|t|: applied to the absolute values of its inputs.

The errors are of one sign where a plain loop adds equal terms: `drift` computes what such a loop does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod, sqrt
from typing import Any

import numpy as np

from irops.values.element import Array
from irops.verdicts.arithmetic import ROUNDOFF
from irops.verdicts.question import Question

SAFETY = 8.0
"""By how many standard deviations the error of a sum may exceed 0: more happens to 1 of 10^13 sums. Times the
root of the number of terms it exceeds the worst case for up to 64 terms.
"""
Length = Callable[[Question, Array], int]


def growth(length: int) -> float:
    """The bound on the error of a sum of so many terms, in units of roundoff of the sum of magnitudes."""
    return SAFETY * sqrt(max(length, 1))


def _matmul(question: Question, _: Array) -> int:
    a = _shape(question, 0)
    if len(a) < 2:
        return a[0] if a else 1
    return a[-2] if question.attributes.get("transpose_a") else a[-1]


def _filters(first: int) -> Length:
    """The product of the sizes of filters from an axis on."""
    return lambda question, _: prod(_shape(question, 1)[first:])


def _transposed_filters(axis: int) -> Length:
    """Input channels times taps, where filters have input channels on an axis, then output channels."""

    def length(question: Question, _: Array) -> int:
        sizes = _shape(question, 1)
        return sizes[axis] * prod(sizes[axis + 2 :])

    return length


def _reduced(question: Question, output: Array) -> int:
    return max(prod(_shape(question, 0)) // max(output.size, 1), 1)


def _along_axis(_: Question, output: Array) -> int:
    return max(output.shape, default=1)


def _window(question: Question, _: Array) -> int:
    return prod(question.attributes.get("kernel") or (1,))


def _einsum(question: Question, output: Array) -> int:
    sizes: dict[str, int] = {}
    left = str(question.attributes["equation"]).replace(" ", "").partition("->")[0]
    for term, array in zip(left.split(","), question.inputs):
        if array is None or "." in term:
            return max((a.size for a in question.inputs if a is not None), default=1)
        sizes.update(zip(term, array.shape))
    return max(prod(sizes.values()) // max(output.size, 1), 1)


def _rows(question: Question, _: Array) -> int:
    """The rows that one output of an embedding bag adds up, at most."""
    indices = question.inputs[1]
    return 1 if indices is None else max(indices.size, 1)


def _few(count: int) -> Length:
    return lambda _question, _output: count


LENGTHS: Mapping[str, Length] = {
    "MatMul": _matmul,
    "GroupedMatMul": _matmul,
    "Einsum": _einsum,
    "Convolution": _filters(1),
    "GroupConvolution": _filters(2),
    "ConvolutionBackpropData": _transposed_filters(0),
    "GroupConvolutionBackpropData": _transposed_filters(1),
    "ReduceSum": _reduced,
    "ReduceMean": _reduced,
    "ReduceL1": _reduced,
    "ReduceL2": _reduced,
    "ReduceProd": _reduced,
    "CumSum": _along_axis,
    "AvgPool": _window,
    "AdaptiveAvgPool": _reduced,
    "EmbeddingBagOffsetsSum": _rows,
    "EmbeddingBagPackedSum": _rows,
    "EmbeddingSegmentsSum": _rows,
    "EmbeddingBagOffsets": _rows,
    "EmbeddingBagPacked": _rows,
    "ScatterElementsUpdate": _rows,
    "ScatterNDUpdate": _rows,
    "Add": _few(1),
    "Subtract": _few(1),
    "SquaredDifference": _few(2),
}
"""Ops whose outputs are sums of products of their inputs."""
TERMS: Mapping[str, Callable[[Array], Array]] = {
    "ReduceSum": np.abs,
    "ReduceMean": np.abs,
    "ReduceL1": np.abs,
    "ReduceL2": np.square,
}
"""Reductions that add up terms, and these terms."""
NEGATED = {"Subtract": 1, "SquaredDifference": 1}
"""The input of which the op takes the negative: -|b| makes the difference the sum of magnitudes."""


def _shape(question: Question, index: int) -> tuple[int, ...]:
    array = question.inputs[index]
    return () if array is None else array.shape


def magnitude(question: Question, given: Sequence[Array | None], output: int) -> Array:
    """The sum of the absolute values of the terms of each output element, for inputs of an op of LENGTHS."""
    inputs = [
        np.abs(array) if array is not None and index in question.floats else array
        for index, array in enumerate(given)
    ]
    negated = NEGATED.get(question.type)
    subtrahend = None if negated is None else inputs[negated]
    if negated is not None and subtrahend is not None:
        inputs[negated] = -subtrahend
    return _again_in_f64_if_infinite(question, inputs, output)


def _again_in_f64_if_infinite(question: Question, inputs: Sequence[Array | None], output: int) -> Array:
    """The magnitudes, which may exceed a type that the result itself does not exceed."""
    sums = np.abs(np.asarray(question.again(inputs)[output]).astype(np.float64))
    if np.isfinite(sums).all():
        return sums
    wide = [
        array.astype(np.float64) if array is not None and index in question.floats else array
        for index, array in enumerate(inputs)
    ]
    sums = np.abs(np.asarray(question.again(wide)[output]).astype(np.float64))
    return np.minimum(sums, np.finfo(np.float64).max)


def drift(terms: Array, axes: tuple[int, ...], unit: float) -> Array:
    """The relative error of plain loops over terms that are not negative, in f64. The axes keep size 1.

    unit: the unit roundoff of the sum
    """
    kept = tuple(1 if axis in axes else size for axis, size in enumerate(terms.shape))
    if not terms.size or not axes:
        return np.zeros(kept)
    others = tuple(axis for axis in range(terms.ndim) if axis not in axes)
    rows = np.transpose(terms, (*others, *axes)).reshape(*(terms.shape[axis] for axis in others), -1)
    with np.errstate(all="ignore"):
        plain = _plain_sums(rows, unit)[..., -1]
        exact = rows.sum(axis=-1)
        relative: Array = np.nan_to_num(np.abs(plain - exact) / exact, posinf=0.0).reshape(kept)
        return relative


def _plain_sums(rows: Array, unit: float) -> Array:
    """The sums up to each term by a plain loop along the last axis."""
    kind = np.float64 if unit < ROUNDOFF["f32"] else np.float32
    return np.add.accumulate(rows.astype(kind), axis=-1).astype(np.float64)


def drift_of(question: Question, truth: Array, unit: float) -> Array:
    """The relative error of plain loops for each element of a sum; 0 for other ops."""
    data, axes = question.inputs[0], question.inputs[1] if len(question.inputs) > 1 else None
    if data is None or axes is None or data.dtype.kind == "c":
        return np.zeros(())
    if question.type == "CumSum":
        return _drift_of_cumulated(question, np.abs(data.astype(np.float64)), int(axes.reshape(-1)[0]), unit)
    if question.type not in TERMS:
        return np.zeros(())
    reduced = tuple(sorted({int(axis) % data.ndim for axis in axes.reshape(-1)}))
    return drift(TERMS[question.type](data.astype(np.float64)), reduced, unit).reshape(truth.shape)


def _drift_of_cumulated(question: Question, terms: Array, axis: int, unit: float) -> Array:
    if question.attributes.get("reverse"):
        terms = np.flip(terms, axis)
    rows = np.moveaxis(terms, axis, -1)
    with np.errstate(all="ignore"):
        exact = np.add.accumulate(rows, axis=-1)
        relative = np.nan_to_num(np.abs(_plain_sums(rows, unit) - exact) / exact, posinf=0.0)
    largest = np.maximum.accumulate(relative, axis=-1)
    moved = np.moveaxis(largest, -1, axis)
    return np.flip(moved, axis) if question.attributes.get("reverse") else moved


def length_of(question: Question, output: Array) -> int:
    """How many terms are added up for one element of an output; 1 for ops that add none."""
    length: Any = LENGTHS.get(question.type)
    return 1 if length is None else max(int(length(question, output)), 1)

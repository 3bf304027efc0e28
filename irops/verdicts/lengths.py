"""How many terms the sums of an op have, and the magnitude of these terms.

A sum of n terms t that is rounded after every addition has an error of at most n*u*sum|t|, where u is the
unit roundoff; with errors of random sign, it stays below SAFETY*sqrt(n)*u*sum|t| in practice always
(N. Higham and T. Mary, "A new approach to probabilistic rounding error analysis", 2019). The op itself gives
sum|t|: applied to the absolute values of its inputs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

from irops.values.element import Array
from irops.verdicts.question import Question

Length = Callable[[Question, Array], int]


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
NEGATED = {"Subtract": 1, "SquaredDifference": 1}
"""The input of which the op takes the negative: -|b| makes the difference the sum of magnitudes."""


def _shape(question: Question, index: int) -> tuple[int, ...]:
    array = question.inputs[index]
    return () if array is None else array.shape


def magnitude(question: Question, output: int) -> Array | None:
    """The sum of the absolute values of the terms of each output element; None where the op gives none."""
    if question.type not in LENGTHS:
        return None
    inputs = [
        np.abs(array) if array is not None and index in question.floats else array
        for index, array in enumerate(question.inputs)
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


def length_of(question: Question, output: Array) -> int:
    """How many terms are added up for one element of an output; 1 for ops that add none."""
    length: Any = LENGTHS.get(question.type)
    return 1 if length is None else max(int(length(question, output)), 1)

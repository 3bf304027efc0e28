"""How many terms the sums of an op have, and the magnitude of these terms.

A sum of n terms t that is rounded after every addition has an error of at most n*u*sum|t|, where u is the
unit roundoff, in any order of the additions; SAFETY*sqrt(n) is more than n up to 64 terms. The error of more
terms, of which each has a random sign, stays within SAFETY*sqrt(n)*u*sum|t| but for 1 of 10^13 sums
(N. Higham and T. Mary, "A new approach to probabilistic rounding error analysis", 2019). The op itself gives
sum|t|: applied to the absolute values of its inputs.

The errors are of one sign where a plain loop adds equal terms of one sign: `drift` computes what such a loop
does with the terms of a reduction.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import prod, sqrt
from typing import Any

import numpy as np

from irops.values.element import Array
from irops.verdicts.arithmetic import ROUNDOFF
from irops.verdicts.conditioning import change_between, sensitivity
from irops.verdicts.question import Question
from irops.verdicts.tolerances import SAFETY

Length = Callable[[Question, Array], int]


def growth(length: int) -> float:
    """The bound on the error of a sum of so many terms, in units of roundoff of the sum of magnitudes."""
    return SAFETY * sqrt(length)


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


def _deformable_filters(question: Question, _: Array) -> int:
    """Channels times taps, each interpolated from four elements."""
    return 4 * prod(_shape(question, 2)[1:])


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
    "DeformableConvolution": _deformable_filters,
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

FIXED = {"DeformableConvolution": (1, 3)}
"""Floating inputs that are no factors of terms: offsets, and masks, which are not negative."""


def _shape(question: Question, index: int) -> tuple[int, ...]:
    array = question.inputs[index]
    return () if array is None else array.shape


def magnitude(question: Question, output: int, flush_below: float = 0.0) -> Array | None:
    """The sum of the absolute values of the terms of each output element; None where the op gives none.

    flush_below: elements of inputs that are smaller count as 0
    """
    if question.type not in LENGTHS:
        return None
    fixed = FIXED.get(question.type, ())
    inputs = [
        _magnitudes(array, flush_below) if index in question.floats and index not in fixed else array
        for index, array in enumerate(question.inputs)
    ]
    negated = NEGATED.get(question.type)
    subtrahend = None if negated is None else inputs[negated]
    if negated is not None and subtrahend is not None:
        inputs[negated] = -subtrahend
    return np.abs(np.asarray(question.again(inputs)[output]).astype(np.float64))


def _magnitudes(array: Array | None, flush_below: float) -> Array | None:
    if array is None:
        return None
    sizes: Array = np.abs(array)
    return np.where(sizes < flush_below, np.zeros_like(sizes), sizes) if flush_below else sizes


TERMS: Mapping[str, Callable[[Array], Array]] = {
    "ReduceSum": np.abs,
    "ReduceMean": np.abs,
    "ReduceL1": np.abs,
    "ReduceL2": np.square,
}
"""Reductions that add up terms, and these terms."""


def drift_of(question: Question, truth: Array, unit: float) -> Array:
    """The relative error of a plain loop for each element of a reduction; 0 for other ops."""
    data = question.inputs[0]
    if question.type not in TERMS or data is None or data.dtype.kind == "c" or len(question.inputs) < 2:
        return np.zeros(())
    assert question.inputs[1] is not None
    axes = tuple(sorted({int(axis) % data.ndim for axis in question.inputs[1].reshape(-1)}))
    relative = drift(TERMS[question.type](data.astype(np.float64)), axes, unit)
    return relative.reshape(truth.shape)


def drift(terms: Array, axes: tuple[int, ...], unit: float) -> Array:
    """The relative error of adding up terms that are not negative in a plain loop. The axes keep size 1.

    unit: the unit roundoff of the sum
    """
    kept = tuple(1 if axis in axes else size for axis, size in enumerate(terms.shape))
    if not terms.size or not axes:
        return np.zeros(kept)
    last = np.moveaxis(terms, axes, range(-len(axes), 0))
    rows = last.reshape(*last.shape[: terms.ndim - len(axes)], -1)
    kind = np.float64 if unit < ROUNDOFF["f32"] else np.float32
    with np.errstate(all="ignore"):
        plain = np.add.accumulate(rows.astype(kind), axis=-1)[..., -1].astype(np.float64)
        exact = rows.sum(axis=-1)
        relative: Array = np.nan_to_num(np.abs(plain - exact) / exact, posinf=0.0).reshape(kept)
        return relative


def length_of(question: Question, output: Array) -> int:
    """How many terms are added up for one element of an output; 1 for ops that add none."""
    length: Any = LENGTHS.get(question.type)
    return 1 if length is None else max(int(length(question, output)), 1)


# The errors of sums within functions: softmax, norms, attention, recurrent cells, transforms.
#
# A runtime may add the terms of such a sum in any order. Terms t that are added in f32 give a sum with an
# error of at most growth(n)*u*sum|t|; each function below says what this error does to the result of an op.
# What the rounding of inputs and of single operations does comes on top of it (conditioning.py).

InnerError = Callable[[Question, Array, int, float], Array | float]
"""The bound on the absolute error of each element. Takes the question, the result, the index of the output,
and the unit roundoff of sums."""


def inner_error(question: Question, truth: Array, output: int, unit: float) -> Array | float | None:
    """The bound on what the sums within an op contribute; None for ops without any."""
    error = INNER.get(question.type)
    return None if error is None else error(question, truth, output, unit)


def _wide(question: Question, index: int) -> Array:
    array = question.inputs[index]
    assert array is not None
    return array.astype(np.float64)


def _axes(question: Question, index: int) -> tuple[int, ...]:
    data, axes = question.inputs[0], question.inputs[index]
    assert data is not None
    assert axes is not None
    return tuple(sorted({int(axis) % data.ndim for axis in axes.reshape(-1)}))


def _relative(terms: Array, axes: tuple[int, ...], unit: float) -> Array:
    """The relative error of a sum of terms that are not negative: growth(n)*u, and twice what a loop does."""
    length = prod(terms.shape[axis] for axis in axes)
    result: Array = growth(max(length, 1)) * unit + 2 * drift(terms, axes, unit)
    return result


def _softmax_sum(question: Question, unit: float) -> Array:
    data = _wide(question, 0)
    axis = int(question.attributes["axis"]) % data.ndim
    powers = np.exp(data - data.max(axis, keepdims=True, initial=-np.inf))
    return _relative(np.nan_to_num(powers), (axis,), unit)


def _softmax(question: Question, truth: Array, _: int, unit: float) -> Array:
    """y = e/S: the relative error of S is that of y."""
    result: Array = _softmax_sum(question, unit) * np.abs(truth.astype(np.float64))
    return result


def _log_softmax(question: Question, _truth: Array, _: int, unit: float) -> Array:
    """y = x - max - log S: the relative error of S is the absolute error of its logarithm."""
    return _softmax_sum(question, unit)


def _moments(data: Array, axes: tuple[int, ...], epsilon: Array | float, unit: float) -> Array:
    """y = (x - m)/s with s = sqrt(v + epsilon), in two passes.

    m is off by dm = e*mean|x|, v by dv = e'*v + dm^2; so y is off by dm/s + |y|*dv/(2*s^2).
    """
    shift = data.mean(axes, keepdims=True)
    squares = np.square(data - shift)
    variance = squares.mean(axes, keepdims=True)
    of_mean = _relative(np.abs(data), axes, unit) * np.abs(data).mean(axes, keepdims=True)
    of_variance = _relative(squares, axes, unit) * variance + np.square(of_mean)
    total = np.maximum(variance + epsilon, np.finfo(np.float64).tiny)
    deviation = np.sqrt(total)
    result: Array = of_mean / deviation + np.sqrt(squares) / deviation * of_variance / (2 * total)
    return result


def _mvn(question: Question, _truth: Array, _: int, unit: float) -> Array:
    data, attributes = _wide(question, 0), question.attributes
    if len(question.inputs) > 1:
        axes = _axes(question, 1)
    else:
        first = 1 if attributes["across_channels"] else 2
        axes = tuple(attributes.get("reduction_axes") or range(first, data.ndim))
    if not axes:
        return np.zeros(())
    if not attributes["normalize_variance"]:
        error: Array = _relative(np.abs(data), axes, unit) * np.abs(data).mean(axes, keepdims=True)
        return error
    epsilon = float(attributes["eps"])
    inside = attributes.get("eps_mode", "inside_sqrt").lower() == "inside_sqrt"
    return _moments(data, axes, epsilon if inside else epsilon**2, unit)


def _group_normalization(question: Question, truth: Array, _: int, unit: float) -> Array:
    data, scale = _wide(question, 0), _wide(question, 1)
    groups = data.reshape(data.shape[0], int(question.attributes["num_groups"]), -1)
    error = _moments(groups, (2,), float(question.attributes["epsilon"]), unit).reshape(data.shape)
    result: Array = error * np.abs(scale).reshape(-1, *[1] * (truth.ndim - 2))
    return result


def _normalize_l2(question: Question, truth: Array, _: int, unit: float) -> Array:
    """y = x/sqrt(S): half of the relative error of S."""
    axes = _axes(question, 1)
    return _relative(np.square(_wide(question, 0)), axes, unit) / 2 * np.abs(truth.astype(np.float64))


def _grn(question: Question, truth: Array, _: int, unit: float) -> Array:
    return _relative(np.square(_wide(question, 0)), (1,), unit) / 2 * np.abs(truth.astype(np.float64))


def _lrn(question: Question, truth: Array, _: int, unit: float) -> Array:
    """y = x/S^beta: beta times the relative error of S."""
    length = int(question.attributes["size"]) ** max(len(_axes(question, 1)), 1)
    factor = max(abs(float(question.attributes["beta"])), 1.0)
    return factor * growth(length) * unit * np.abs(truth.astype(np.float64))


def _attention(question: Question, _truth: Array, output: int, unit: float) -> Array:
    """y = sum p*v with p = softmax(s), s = q*k.

    s is off by ds = growth(d)*u*|q|*|k|, p relatively by 2*ds and the error of its sum, y by that and by the
    error of its own sum, relative to sum p*|v|.
    """
    query, key = _wide(question, 0), _wide(question, 1)
    scale = question.inputs[4] if len(question.inputs) > 4 else None
    depth = query.shape[-1]
    factor = 1 / sqrt(max(depth, 1)) if scale is None else abs(float(scale.reshape(-1)[0]))
    longest = np.abs(key).max(axis=-2, keepdims=True, initial=0.0)
    scores = (np.abs(query) * longest).sum(axis=-1, keepdims=True) * factor
    inputs = list(question.inputs)
    inputs[2] = None if inputs[2] is None else np.abs(inputs[2])
    values = np.abs(np.asarray(question.again(inputs)[output]).astype(np.float64))
    count = growth(max(key.shape[-2], 1))
    result: Array = (2 * growth(max(depth, 1)) * scores + 2 * count) * unit * values
    return result


RECURRENT = {
    "LSTMCell": (3, 4, 5, 1),
    "GRUCell": (2, 3, 4, 1),
    "RNNCell": (2, 3, 4, 1),
    "LSTMSequence": (4, 5, 6, 1),
    "GRUSequence": (3, 4, 5, 1),
    "RNNSequence": (3, 4, 5, 1),
}
"""The indices of W, R, B and the initial state."""


def _recurrent(question: Question, truth: Array, output: int, unit: float) -> Array:
    """The sums of the gates are off by growth(n)*u*(|x|*|W| + |h|*|R| + |B|), as if B were changed by it."""
    weights, recurrence, bias, state = RECURRENT[question.type]
    if len(question.inputs) <= bias or question.inputs[bias] is None:
        w, r = _wide(question, weights), _wide(question, recurrence)
        length = w.shape[-1] + r.shape[-1]
        return SAFETY * sqrt(length) * sensitivity(question, truth, output)
    w, r, b = (_wide(question, index) for index in (weights, recurrence, bias))
    greatest = np.abs(_wide(question, 0)).reshape(-1, w.shape[-1]).max(axis=0, initial=0.0)
    hidden = max(1.0, float(np.abs(_wide(question, state)).max(initial=0.0)))
    terms = np.abs(w) @ greatest + hidden * np.abs(r).sum(axis=-1)
    extra = b.shape[-1] - terms.shape[-1]  # a GRU with linear_before_reset has one part of B more than of W
    sums = np.abs(b) + np.concatenate([terms, terms[..., terms.shape[-1] - extra :]], axis=-1)
    change = growth(w.shape[-1] + r.shape[-1]) * unit * sums

    def changed(random: np.random.Generator) -> list[Array | None]:
        signs = random.choice([-1.0, 1.0], b.shape)
        kind = question.inputs[bias]
        assert kind is not None
        wide = np.float64 if kind.dtype.itemsize == 8 else np.float32
        moved = (b + signs * change).astype(wide).astype(kind.dtype)
        return [moved if index == bias else array for index, array in enumerate(question.inputs)]

    return 2 * change_between(question, truth, output, changed)


def _ctc_loss(question: Question, truth: Array, _: int, unit: float) -> Array:
    """The logarithms of one softmax for each step are added up."""
    shape = _wide(question, 0).shape
    result: Array = (shape[1] * growth(max(shape[2], 1)) + growth(shape[1]) * np.abs(truth)) * unit
    return result


def _inverse(question: Question, truth: Array, output: int, _unit: float) -> Array:
    """Elimination adds up to n terms for each element; its error is that of inputs changed by so much."""
    return SAFETY * sqrt(truth.shape[-1]) * sensitivity(question, truth, output)


def _transform(question: Question, _truth: Array, _: int, unit: float) -> float:
    """A sum of n products with roots of unity: not every runtime has a fast transform for every size."""
    data = np.abs(_wide(question, 0))
    axes = _axes(question, 1)
    total = float(data.sum(axis=axes).max(initial=0.0)) * 2
    length = prod(data.shape[axis] for axis in axes)
    inverse = question.type in ("IDFT", "IRDFT")
    return growth(2 * max(length, 1)) * unit * total / (max(length, 1) if inverse else 1)


def _interpolate(question: Question, truth: Array, _: int, unit: float) -> float:
    """Weighted means of as many elements as one element of the output stands for, with margins."""
    data = _wide(question, 0)
    taps = (2 * -(-one // max(other, 1)) + 2 for one, other in zip(data.shape, truth.shape) if one != other)
    return growth(prod(taps)) * unit * float(np.abs(data).max(initial=0.0))


INNER: Mapping[str, InnerError] = {
    "SoftMax": _softmax,
    "LogSoftmax": _log_softmax,
    "MVN": _mvn,
    "GroupNormalization": _group_normalization,
    "NormalizeL2": _normalize_l2,
    "GRN": _grn,
    "LRN": _lrn,
    "ScaledDotProductAttention": _attention,
    **dict.fromkeys(RECURRENT, _recurrent),
    "CTCLoss": _ctc_loss,
    "Inverse": _inverse,
    **dict.fromkeys(("DFT", "IDFT", "RDFT", "IRDFT"), _transform),
    "Interpolate": _interpolate,
}
"""Ops whose results are functions of sums."""

"""How far two correct results of an op may be apart, element by element.

A sum of n terms t that is rounded after every addition has an error of at most n*u*sum|t|, where u is the
unit roundoff; with errors of random sign, it stays below SAFETY*sqrt(n)*u*sum|t| in practice always
(N. Higham and T. Mary, "A new approach to probabilistic rounding error analysis", 2019). The op itself gives
sum|t|: applied to the absolute values of its inputs. The errors are of one sign where a plain loop adds equal
terms: `drift` computes what such a loop does.

A runtime may add the terms within a softmax or a norm in any order, too: the functions of inner sums say what
the error of such a sum does to the result. What the rounding of inputs and of single operations does comes on
top of it (conditioning).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log2, prod, sqrt
from typing import Any

import numpy as np

from irops.analysis.invocation import named_inputs, positional
from irops.ops.image.interpolate import with_rounded_coordinates
from irops.spec.op import Op
from irops.values.element import Array, element_type_of
from irops.values.violation import LimitExceeded, Violation
from irops.verdicts.metrics import as_numbers
from irops.verdicts.policy import JUMP, SAFETY, SENSITIVITY_TRIES, ULPS
from irops.verdicts.question import MOVING, ROUNDOFF, Question

DISCRETE_CATEGORIES = ("detection", "sort")
DISCRETE = ("Mod", "FloorMod", "Interpolate", "GridSample", "CTCGreedyDecoder", "CTCGreedyDecoderSeqLen")


def has_jumps(op: Op) -> bool:
    """Whether the result of an op may jump."""
    return op.definition.category in DISCRETE_CATEGORIES or op.definition.type in DISCRETE


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
            """..." names no axes"""
        sizes.update(zip(term, array.shape))
    return max(prod(sizes.values()) // max(output.size, 1), 1)


def _rows(question: Question, _: Array) -> int:
    """The rows that one output of an embedding bag adds up, at most."""
    indices = question.inputs[1]
    return 1 if indices is None else max(indices.size, 1)


def _few(count: int) -> Length:
    return lambda _question, _output: count


LENGTHS: Mapping[str, Length] = {
    **dict.fromkeys(("MatMul", "GroupedMatMul"), _matmul),
    "Einsum": _einsum,
    "Convolution": _filters(1),
    "GroupConvolution": _filters(2),
    "ConvolutionBackpropData": _transposed_filters(0),
    "GroupConvolutionBackpropData": _transposed_filters(1),
    **dict.fromkeys(("ReduceSum", "ReduceMean", "ReduceL1", "ReduceL2", "ReduceProd"), _reduced),
    "CumSum": _along_axis,
    "AvgPool": _window,
    "AdaptiveAvgPool": _reduced,
    **dict.fromkeys(("EmbeddingBagOffsetsSum", "EmbeddingBagPackedSum", "EmbeddingSegmentsSum"), _rows),
    **dict.fromkeys(("EmbeddingBagOffsets", "EmbeddingBagPacked"), _rows),
    **dict.fromkeys(("ScatterElementsUpdate", "ScatterNDUpdate"), _rows),
    **dict.fromkeys(("Add", "Subtract"), _few(1)),
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


def _with_floats(
    question: Question, inputs: Sequence[Array | None], change: Callable[[Array], Array]
) -> list[Array | None]:
    """Inputs, those whose errors count changed."""
    changed = list(inputs)
    for index in question.floats:
        array = changed[index]
        changed[index] = None if array is None else change(array)
    return changed


def magnitude(question: Question, given: Sequence[Array | None], output: int) -> Array:
    """The sum of the absolute values of the terms of each output element, for inputs of an op of LENGTHS."""
    inputs = _with_floats(question, given, np.abs)
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
    wide = _with_floats(question, inputs, lambda array: array.astype(np.float64))
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
    if data is None or axes is None or data.dtype.kind == "c" or not data.ndim:
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


InnerError = Callable[[Question, Array, float], Array]
"""The bound on the absolute error of each element. Takes the question, the result, and the unit roundoff of
sums.
"""


def inner_error(question: Question, truth: Array, unit: float) -> Array:
    """The bound on what the sums within an op contribute; 0 for ops without any."""
    error = INNER.get(question.type)
    return np.zeros(()) if error is None else np.nan_to_num(error(question, truth, unit), posinf=0.0)


def _wide_input(question: Question, index: int) -> Array:
    array = question.inputs[index]
    assert array is not None
    return array.astype(np.float64)


def _axes(question: Question, index: int) -> tuple[int, ...]:
    data, axes = question.inputs[0], question.inputs[index]
    assert data is not None
    assert axes is not None
    return tuple(sorted({int(axis) % data.ndim for axis in axes.reshape(-1)}))


def _relative(terms: Array, axes: tuple[int, ...], unit: float) -> Array:
    """The relative error of a sum of terms that are not negative."""
    length = prod(terms.shape[axis] for axis in axes)
    relative: Array = growth(length) * unit + drift(terms, axes, unit)
    return relative


def _softmax_sum(question: Question, unit: float) -> Array:
    data = _wide_input(question, 0)
    axis = int(question.attributes["axis"]) % data.ndim
    powers = np.exp(data - data.max(axis, keepdims=True, initial=-np.inf))
    return _relative(np.nan_to_num(powers), (axis,), unit)


def _softmax(question: Question, truth: Array, unit: float) -> Array:
    """y = e/S: the relative error of S is that of y."""
    error: Array = _softmax_sum(question, unit) * np.abs(truth.astype(np.float64))
    return error


def _log_softmax(question: Question, _: Array, unit: float) -> Array:
    """y = x - max - log S: the relative error of S is the absolute error of its logarithm."""
    return _softmax_sum(question, unit)


def _moments(data: Array, axes: tuple[int, ...], epsilon: float, unit: float) -> Array:
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
    error: Array = of_mean / deviation + np.sqrt(squares) / deviation * of_variance / (2 * total)
    return error


def _mvn(question: Question, _: Array, unit: float) -> Array:
    data, attributes = _wide_input(question, 0), question.attributes
    if len(question.inputs) > 1:
        axes = _axes(question, 1)
    else:
        first = 1 if attributes["across_channels"] else 2
        axes = tuple(attributes.get("reduction_axes") or range(first, data.ndim))
        axes = tuple(axis % data.ndim for axis in axes)
    if not attributes["normalize_variance"]:
        error: Array = _relative(np.abs(data), axes, unit) * np.abs(data).mean(axes, keepdims=True)
        return error
    epsilon = float(attributes["eps"])
    inside = str(attributes.get("eps_mode", "inside_sqrt")).lower() == "inside_sqrt"
    return _moments(data, axes, epsilon if inside else epsilon**2, unit)  # sqrt(v) + e >= sqrt(v + e^2)


def _group_normalization(question: Question, truth: Array, unit: float) -> Array:
    data, scale = _wide_input(question, 0), _wide_input(question, 1)
    groups = data.reshape(data.shape[0], int(question.attributes["num_groups"]), -1)
    error = _moments(groups, (2,), float(question.attributes["epsilon"]), unit)
    scaled: Array = error.reshape(data.shape) * np.abs(scale).reshape(-1, *[1] * (truth.ndim - 2))
    return scaled


def _normalize_l2(question: Question, truth: Array, unit: float) -> Array:
    """y = x/sqrt(S): half of the relative error of S."""
    axes = _axes(question, 1)
    return _relative(np.square(_wide_input(question, 0)), axes, unit) / 2 * np.abs(truth.astype(np.float64))


def _grn(question: Question, truth: Array, unit: float) -> Array:
    return _relative(np.square(_wide_input(question, 0)), (1,), unit) / 2 * np.abs(truth.astype(np.float64))


def _attention(question: Question, truth: Array, unit: float) -> Array:
    """y = p V with p = softmax(scale q k): a score that is off by d changes its p by a factor of exp(d), and
    the sums over the keys are off by their number.

    |q||k| bounds the terms of the scores of a query; those of y are p |V|, which the op itself gives.
    """
    query, key, value = (_wide_input(question, index) for index in range(3))
    given = question.inputs[4] if len(question.inputs) > 4 else None
    scale = 1 / sqrt(query.shape[-1]) if given is None else float(np.abs(given).max(initial=0))
    lengths = [np.sqrt(np.square(array).sum(-1, keepdims=True)) for array in (query, key)]
    scores = scale * lengths[0] * lengths[1].max(-2, keepdims=True, initial=0)
    inputs = list(question.inputs)
    inputs[2] = np.abs(value).astype(truth.dtype)
    terms = np.asarray(question.again(inputs)[0]).astype(np.float64)
    of_scores = np.expm1(growth(query.shape[-1]) * unit * scores)
    error: Array = (of_scores + growth(key.shape[-2]) * unit) * terms
    return error


INNER: Mapping[str, InnerError] = {
    "SoftMax": _softmax,
    "LogSoftmax": _log_softmax,
    "MVN": _mvn,
    "GroupNormalization": _group_normalization,
    "NormalizeL2": _normalize_l2,
    "GRN": _grn,
    "ScaledDotProductAttention": _attention,
}
"""Ops whose results are functions of sums."""


SEED = 20_261_122  # any number, but a fixed one: no verdict depends on chance


def perturbed(question: Question, seed: int) -> list[Array | None]:
    """The inputs, each floating element changed by its roundoff, up or down."""
    random = np.random.default_rng((SEED, seed))
    return _with_floats(question, question.inputs, lambda array: _changed(question, array, random))


def _changed(question: Question, array: Array, random: np.random.Generator) -> Array:
    """An input with changed elements. Where a result may jump, powers of two stay: products and quotients of
    them are exact, so that no implementation jumps there.
    """
    kind = element_type_of(array)
    unit = max(question.arithmetic.roundoff(kind), ROUNDOFF["f32"] if kind.bits <= 32 else 0.0)
    signs = np.where(random.integers(0, 2, array.shape, np.int8) > 0, unit, -unit)
    wide = np.float64 if kind.bits > 16 and array.dtype.kind == "f" else np.float32
    if has_jumps(question.op):
        signs = np.where(np.abs(np.frexp(array.astype(wide))[0]) == 0.5, 0.0, signs)
    changed: Array = array * (1 + signs) if array.dtype.kind == "c" else array.astype(wide) * (1 + 2 * signs)
    return changed.astype(array.dtype)


def changes(question: Question, output: int, tries: int = SENSITIVITY_TRIES) -> list[Array]:
    """The results for changed inputs and coordinates; none where changed inputs are not allowed."""
    results = [*_with_other_coordinates(question, output)]
    for seed in range(tries if question.floats else 0):
        try:
            results.append(np.asarray(question.again(perturbed(question, seed))[output]))
        except (Violation, LimitExceeded):
            continue
    return results


def _with_other_coordinates(question: Question, output: int) -> Iterator[Array]:
    """The results of an op that computes coordinates in f32, in which implementations round otherwise."""
    right = defined(question, output) if question.type == "Interpolate" else None
    if right is not None:
        given = positional(question.op, named_inputs(question.op, question.inputs))
        with np.errstate(all="ignore"):
            yield from with_rounded_coordinates(question.op.id, given, question.attributes, right.shape, ULPS)


def defined(question: Question, output: int) -> Array | None:
    """The result by the definition; None where a first source has inputs that are not allowed."""
    try:
        return np.asarray(question.again(question.inputs)[output])
    except (Violation, LimitExceeded):
        return None


def sensitivity(question: Question, truth: Array, output: int) -> Array:
    """The change of each element, and of elements beside it, when inputs change by their roundoff.

    truth: what the inputs are said to give, which is not what the definition gives where a source is wrong
    """
    wide = np.complex128 if truth.dtype.kind == "c" else np.float64
    right, change = defined(question, output), np.zeros(truth.shape)
    if right is None or right.shape != truth.shape:
        return change
    reference = right.astype(wide)
    for result in changes(question, output):
        if result.shape == truth.shape:
            with np.errstate(all="ignore"):
                change = np.maximum(change, np.nan_to_num(np.abs(result - reference), posinf=0.0))
    if change.ndim == 0 or not change.size:
        return change
    if has_jumps(question.op):  # a jump is no error; irops.verdicts.ties looks at those
        kind = element_type_of(truth)
        limit = JUMP * question.arithmetic.roundoff(kind) * greatest_finite(reference)
        change = np.where(change > limit, 0.0, change)
    # signs may cancel for one element by chance, but not for a whole row of them
    return np.maximum(change, np.maximum(root_mean_square(change, -1), root_mean_square(change)))


def root_mean_square(array: Array, axis: int | None = None) -> Array:
    """The root of the mean of squares of finite numbers that are not negative; the axes keep size 1. The
    squares do not overflow.
    """
    scale = float(np.max(array, initial=0.0)) or 1.0
    with np.errstate(under="ignore"):
        mean: Array = scale * np.sqrt(np.mean(np.square(array / scale), axis=axis, keepdims=True))
    return mean


def greatest_finite(array: Array) -> float:
    """The greatest magnitude of the finite elements, 0 where there are none."""
    return float(np.max(np.abs(array[np.isfinite(array)]), initial=0.0))


EXACT_CATEGORIES = (*MOVING, "comparison", "logical", "bitwise", "condition", "type")
_EXACT = (
    "Abs AdaptiveMaxPool Ceiling Clamp Eye Floor GatherTree Identity MaxPool Maximum Minimum Negative OneHot"
    " ReLU ReduceLogicalAnd ReduceLogicalOr ReduceMax ReduceMin ReorgYolo Round SegmentMax Sign TopK"
)
EXACT = frozenset(_EXACT.split())
"""Ops outside of these categories that give elements of their inputs, or round them as they say."""
ADDING = ("ScatterElementsUpdate", "ScatterNDUpdate", "Col2Im")
"""Ops of a moving category that may add elements up."""
STEPPED = ("FakeQuantize",)
"""Ops whose results are constant between jumps: a change of their inputs changes nothing, or is a tie."""


@dataclass(frozen=True, slots=True)
class ErrorBound:
    """A bound on the difference of each element, and what it follows from."""

    values: Array
    basis: str


def has_exact_kind(op: Op) -> bool:
    """Whether an op moves, chooses or compares elements, whatever its attributes are. Bodies may compute."""
    definition = op.definition
    if definition.bodies:
        return False
    return definition.type in EXACT or definition.category in EXACT_CATEGORIES


def is_exact(question: Question) -> bool:
    """Whether an op has one correct result, whatever the order in which it is computed."""
    if question.type in ADDING:
        return question.attributes.get("reduction", "none") in ("none", "min", "max")
    return has_exact_kind(question.op)


def quick_bound(question: Question, truth: Array) -> ErrorBound:
    """A bound that needs nothing but the result; elements within it are not looked at further."""
    kind, arithmetic = element_type_of(truth), question.arithmetic
    units = arithmetic.input_roundoff(kind) if is_exact(question) else ULPS * arithmetic.roundoff(kind)
    basis = "the element type" if is_exact(question) else f"{ULPS:g} units in the last place"
    small = 0.0 if is_exact(question) and not units else arithmetic.smallest(kind)
    with np.errstate(all="ignore"):
        return ErrorBound(units * np.abs(as_numbers(truth)) + small, basis)


def full_bound(question: Question, truth: Array, output: int) -> ErrorBound | None:
    """The error bound of an op for the inputs of a layer; None for ops whose result is exact.

    Computes the op once for sums, and a few times for other functions.
    """
    if is_exact(question):
        return None
    kind, arithmetic = element_type_of(truth), question.arithmetic
    unit, wide = arithmetic.roundoff(kind), np.abs(as_numbers(truth))
    with np.errstate(all="ignore"):
        base = ULPS * unit * wide + arithmetic.smallest(kind)
        floor = floor_of(question, truth)
        if floor is not None:
            floor = np.nan_to_num(floor, posinf=0.0)
            base = base + 2 * ULPS * unit * floor  # of two functions, one after the other
        if question.rounding_within is not None:
            return ErrorBound(
                base + question.rounding_within(truth, output), "what rounding does in its bodies"
            )
        base = base + _flushed_inputs(question, truth, output)
        if question.type in LENGTHS:
            return _bound_of_sum(question, truth, output, base)
        if question.type in STEPPED:
            return ErrorBound(base, "the range of its levels")
        change = SAFETY * sensitivity(question, truth, output)
        if question.type not in INNER:
            return ErrorBound(base + change, "its inputs changed by one roundoff")
        inner = inner_error(question, truth, arithmetic.sum_roundoff(kind))
        return ErrorBound(base + change + inner, "its sums, and of its inputs changed by one roundoff")


def _bound_of_sum(question: Question, truth: Array, output: int, base: Array) -> ErrorBound:
    kind, arithmetic = element_type_of(truth), question.arithmetic
    terms = magnitude(question, question.inputs, output)
    length, unit = length_of(question, truth), arithmetic.sum_roundoff(kind)
    narrowed = 2 * arithmetic.input_roundoff(kind)
    error = (growth(length) * unit + drift_of(question, truth, unit) + narrowed) * terms
    flushed = length * arithmetic.smallest_term(kind)  # every product below the smallest normal number
    if question.type == "ReduceL2":  # the products are squares, of which the root is taken
        flushed = sqrt(flushed)
    return ErrorBound(base + error + flushed, f"a sum of {length:,} terms")


def _flushed_inputs(question: Question, truth: Array, output: int) -> Array | float:
    """The change of each element where inputs that are subnormal numbers count as 0: processors and devices
    may be set so, and a product with a large number is then lost.
    """
    smallest = question.arithmetic.smallest(element_type_of(truth))
    inputs = _with_floats(question, question.inputs, lambda array: _flushed(array, smallest))
    if all(one is other for one, other in zip(inputs, question.inputs)):
        return 0.0
    if question.type in LENGTHS:
        lost: Array = magnitude(question, question.inputs, output) - magnitude(question, inputs, output)
        return lost
    try:
        results = [np.asarray(question.again(given)[output]) for given in (question.inputs, inputs)]
    except (Violation, LimitExceeded):
        return 0.0
    if results[0].shape != results[1].shape or results[0].shape != truth.shape:
        return 0.0
    change: Array = np.nan_to_num(np.abs(as_numbers(results[0]) - as_numbers(results[1])), posinf=0.0)
    return change


def _flushed(array: Array, smallest: float) -> Array:
    if array.dtype.kind == "c":
        return array
    sizes = np.abs(array.astype(np.float64))
    small = (sizes > 0) & (sizes < smallest)
    return np.where(small, np.zeros_like(array), array) if small.any() else array


# Functions whose usual algorithms lose digits: the magnitude of the numbers that cancel.


def _input(question: Question) -> Array:
    """x*(1 + f(x)) where f is near -1."""
    magnitude: Array = np.abs(_wide_input(question, 0))
    return magnitude


def _one(_: Question) -> Array:
    """exp(x) - 1, log(1 + x), and the like."""
    return np.ones(())


def _alpha(question: Question) -> Array:
    """alpha * (exp(x) - 1)"""
    return np.asarray(abs(float(question.attributes.get("alpha", 1.0))))


def _range(question: Question) -> Array:
    """start + k * step"""
    ends = [float(np.asarray(array).reshape(-1)[0]) for array in question.inputs[:2] if array is not None]
    return np.asarray(max(map(abs, ends), default=0.0))


def _greatest(question: Question) -> Array:
    """Weights from coordinates that are rounded: the error is that of the neighbours, which may be larger."""
    return np.asarray(greatest_finite(_input(question)))


def _levels(question: Question) -> Array:
    """low + level * quantum"""
    return np.maximum(*(np.abs(limit_of_levels(question, index)) for index in (3, 4)))


def limit_of_levels(question: Question, index: int) -> Array:
    """A limit of FakeQuantize, without axes of size 1 in front of those of the data."""
    data, limit = question.inputs[0], _wide_input(question, index)
    further = limit.ndim - (0 if data is None else data.ndim)
    return limit.reshape(limit.shape[max(further, 0) :])


FLOORS: Mapping[str, Callable[[Question], Array]] = {
    **dict.fromkeys(("Gelu", "Mish", "Swish", "HSwish", "Sin", "Cos"), _input),
    **dict.fromkeys(("SoftPlus", "Selu", "HardSigmoid", "HSigmoid", "LogSoftmax"), _one),
    **dict.fromkeys(("Asinh", "Atanh", "Acosh", "Sinh"), _one),
    "Elu": _alpha,
    **dict.fromkeys(("Interpolate", "GridSample"), _greatest),
    "Range": _range,
    "FakeQuantize": _levels,
}
"""By op type: to what magnitude the error of a result is relative, besides the result itself."""


TRANSFORMS = ("DFT", "IDFT", "RDFT", "IRDFT", "STFT", "ISTFT")
"""Fast Fourier transforms add up in about log2(n) steps; their error is relative to the whole spectrum."""


def floor_of(question: Question, truth: Array) -> Array | None:
    """The magnitude of the numbers that cancel in an op; None where none do."""
    if question.type in TRANSFORMS:
        greatest = greatest_finite(truth.astype(np.float64))
        return np.asarray(greatest * log2(truth.size + 1))
    floor = FLOORS.get(question.type)
    if floor is None:
        return None
    if question.op.definition.category in ("activation", "arithmetic"):
        largest = np.asarray(floor(question))
        return largest if largest.shape in ((), truth.shape) else np.asarray(greatest_finite(largest))
    return floor(question)

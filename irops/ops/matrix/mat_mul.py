"""MatMul, GroupedMatMul, Inverse and Einsum."""

import re
from collections import Counter
from itertools import pairwise
from math import prod
from typing import Any, NamedTuple

import numpy as np

from irops.ops.contraction import product
from irops.ops.conversion import as_numbers, converted, low_bits
from irops.ops.unbroadcast import Sizes, unbroadcast
from irops.spec.binding import gradient, kernel, shape
from irops.values.dim import ANY, Dim, broadcast, unify
from irops.values.element import Array, as_i64, element_type_of
from irops.values.fact import Fact
from irops.values.shape import SCALAR, UNRANKED, Shape, broadcast_shapes
from irops.values.violation import Violation, require, warn_unless


@shape("MatMul-1")
def mat_mul_shape(a: Fact, b: Fact, *, transpose_a: bool, transpose_b: bool) -> Shape:
    if a.shape.dims is None or b.shape.dims is None:
        return UNRANKED
    left = Shape.of(1, *a.shape) if a.shape.rank == 1 else _transposed(a.shape, transpose_a)
    right = Shape.of(*b.shape, 1) if b.shape.rank == 1 else _transposed(b.shape, transpose_b)
    unify(left[-1], right[-2], "C1")
    rows = left[-2:-1] if a.shape.rank != 1 else Shape.of()
    columns = right[-1:] if b.shape.rank != 1 else Shape.of()
    return broadcast_shapes(left[:-2], right[:-2], "C2") + rows + columns


def _transposed(matrices: Shape, flag: bool) -> Shape:
    return matrices[:-2] + Shape.of(matrices[-1], matrices[-2]) if flag else matrices


@kernel("MatMul-1", widen=True)
def mat_mul(a: Array, b: Array, *, transpose_a: bool, transpose_b: bool) -> Array:
    left = _swapped(a, transpose_a and a.ndim > 1)
    right = _swapped(b, transpose_b and b.ndim > 1)
    if left.ndim > 2 and right.ndim == 2 and left.flags.c_contiguous:
        # One large product of all rows is faster than many small ones.
        *counts, inner = left.shape
        return product(left.reshape(prod(counts), inner), right).reshape(*counts, right.shape[-1])
    return product(left, right)


@gradient("MatMul-1", of="a", widen=True)
def mat_mul_gradient_of_a(
    d_output: Array, b: Array, *, a_shape: Sizes, transpose_a: bool, transpose_b: bool
) -> Array:
    right = _swapped(b, transpose_b) if b.ndim > 1 else b[:, np.newaxis]
    gradient_of_operand = product(_as_matrices(d_output, a_shape, b.shape), right.swapaxes(-1, -2))
    if len(a_shape) > 1:
        return unbroadcast(_swapped(gradient_of_operand, transpose_a), a_shape)
    return unbroadcast(gradient_of_operand, (1, *a_shape)).reshape(a_shape)


@gradient("MatMul-1", of="b", widen=True)
def mat_mul_gradient_of_b(
    d_output: Array, a: Array, *, b_shape: Sizes, transpose_a: bool, transpose_b: bool
) -> Array:
    left = _swapped(a, transpose_a) if a.ndim > 1 else a[np.newaxis]
    gradients = _as_matrices(d_output, a.shape, b_shape)
    if len(b_shape) < 3:  # one product that sums over all rows, instead of one product for each matrix
        left, gradients = (rows.reshape(prod(rows.shape[:-1]), rows.shape[-1]) for rows in (left, gradients))
    gradient_of_operand = product(left.swapaxes(-1, -2), gradients)
    if len(b_shape) > 1:
        return unbroadcast(_swapped(gradient_of_operand, transpose_b), b_shape)
    return unbroadcast(gradient_of_operand, (*b_shape, 1)).reshape(b_shape)


def _as_matrices(d_output: Array, a_shape: Sizes, b_shape: Sizes) -> Array:
    """The gradient of the product, with the axes that were removed because a or b is a vector."""
    removed = (-2,) * (len(a_shape) == 1) + (-1,) * (len(b_shape) == 1)
    return np.expand_dims(d_output, removed)


def _swapped(matrices: Array, flag: bool) -> Array:
    return matrices.swapaxes(-1, -2) if flag else matrices


@shape("GroupedMatMul-17")
def grouped_mat_mul_shape(mat_a: Fact, mat_b: Fact, offsets: Fact | None) -> Shape:
    warn_unless(offsets is None or mat_a.shape.rank != 3, "C4", offsets)
    if mat_a.shape.dims is None:
        return UNRANKED
    groups, columns, inner = mat_b.shape.of_rank(3, "C2")
    unify(mat_a.shape[-1], inner, "C1")
    if len(mat_a.shape) == 3:
        return Shape.of(unify(mat_a.shape[0], groups, "C2"), mat_a.shape[1], columns)
    require(offsets is not None, "C3")
    if offsets is not None:
        unify(offsets.shape[0], groups, "C5")
        if offsets.value is not None:
            check_offsets(as_i64(offsets.value).tolist(), mat_a.shape[0])
    return Shape.of(mat_a.shape[0], columns)


def check_offsets(offsets: list[int], rows: Dim) -> None:
    """Check that offsets ascend from at least 0 to at most the number of rows."""
    ascends = all(begin <= end for begin, end in pairwise([0, *offsets]))
    require(ascends and (not offsets or offsets[-1] <= rows), "C6", offsets, f"{rows} rows")


@kernel("GroupedMatMul-17", widen=True)
def grouped_mat_mul(mat_a: Array, mat_b: Array, offsets: Array | None) -> Array:
    columns = mat_b.swapaxes(-1, -2)
    if mat_a.ndim == 3:
        return product(mat_a, columns)
    require(offsets is not None, "C3")
    ends = [0, *(() if offsets is None else as_i64(offsets).tolist())]
    check_offsets(ends[1:], Dim.of(len(mat_a)))
    output = np.zeros((len(mat_a), mat_b.shape[1]), mat_a.dtype)
    for group, (begin, end) in enumerate(pairwise(ends)):
        output[begin:end] = product(mat_a[begin:end], columns[group])
    return output


@shape("Inverse-14")
def inverse_shape(data: Fact) -> Shape:
    if data.shape.dims is None:
        return data.shape
    size = unify(data.shape[-2], data.shape[-1], "C1")
    return data.shape[:-2] + Shape.of(size, size)


@kernel("Inverse-14")
def inverse(data: Array, *, adjoint: bool) -> Array:
    try:
        inverses = np.linalg.inv(data.astype(np.float64))
    except np.linalg.LinAlgError:
        raise Violation("C2", "got a singular matrix") from None
    return converted(inverses.swapaxes(-1, -2) if adjoint else inverses, element_type_of(data))


# Einsum: sums of products along axes with letters.


ELLIPSIS = "..."
_SUBSCRIPT = re.compile(r"[A-Za-z]*(\.\.\.)?[A-Za-z]*")
Labels = tuple[str, ...]


class Equation(NamedTuple):
    """The labels of each input, and those of the output."""

    inputs: tuple[Labels, ...]
    output: Labels


def equation_of(text: str) -> Equation:
    """Parse an equation. Without an arrow, the output has the labels that occur once, in ASCII order.

    Raises:  Violation(C1) if the syntax is wrong; Violation(C5) if the output has a label that no input has,
        or a label twice
    """
    left, arrow, right = text.replace(" ", "").partition("->")
    inputs = tuple(_labels(subscript, text) for subscript in left.split(","))
    counts = Counter(label for labels in inputs for label in labels)
    if not arrow:
        single = tuple(sorted(label for label, count in counts.items() if count == 1 and label != ELLIPSIS))
        return Equation(inputs, (ELLIPSIS,) * (ELLIPSIS in counts) + single)
    output = _labels(right, text)
    require(all(label in counts or label == ELLIPSIS for label in output), "C5", repr(text))
    require(len(set(output)) == len(output), "C5", repr(text))
    return Equation(inputs, tuple(label for label in output if label in counts))


def _labels(subscript: str, text: str) -> Labels:
    require(_SUBSCRIPT.fullmatch(subscript), "C1", repr(text))
    head, dots, tail = subscript.partition(ELLIPSIS)
    return (*head, *(ELLIPSIS,) * bool(dots), *tail)


LabelSizes = dict[str, Dim]


@shape("Einsum-7")
def einsum_shape(*inputs: Fact, equation: str) -> Shape:
    parsed = equation_of(equation)
    require(
        len(parsed.inputs) == len(inputs), "C2", f"{len(parsed.inputs)} subscripts", f"{len(inputs)} inputs"
    )
    sizes, shared = _sizes([fact.shape for fact in inputs], parsed.inputs)
    result = SCALAR
    for label in parsed.output:
        result = result + (shared if label == ELLIPSIS else Shape.of(sizes.get(label, ANY)))
    return result


def _sizes(shapes: list[Shape], subscripts: tuple[Labels, ...]) -> tuple[LabelSizes, Shape]:
    """The size of each label, and the broadcast shape of the axes under ellipses, over all inputs."""
    sizes, shared = LabelSizes(), SCALAR
    for tensor, labels in zip(shapes, subscripts):
        if tensor.dims is None:
            shared = UNRANKED if ELLIPSIS in labels else shared
            continue
        of_labels, of_ellipsis = _sizes_of_input(tensor, labels)
        for label, size in of_labels.items():
            sizes[label] = broadcast(sizes[label], size, "C4") if label in sizes else size
        shared = broadcast_shapes(shared, of_ellipsis, "C4")
    return sizes, shared


def _sizes_of_input(tensor: Shape, labels: Labels) -> tuple[LabelSizes, Shape]:
    """The size of each label and the axes under the ellipsis in one input; equal labels have equal sizes."""
    covered = len(tensor) - len(labels) + (ELLIPSIS in labels)
    fits = covered == 0 or (ELLIPSIS in labels and covered > 0)
    require(fits, "C3", f"{''.join(labels) or 'no label'} for {tensor}")
    of_labels, of_ellipsis, axis = LabelSizes(), SCALAR, 0
    for label in labels:
        if label == ELLIPSIS:
            of_ellipsis, axis = tensor[axis : axis + covered], axis + covered
        else:
            of_labels[label] = unify(of_labels.get(label, ANY), tensor[axis], "C4")
            axis += 1
    return of_labels, of_ellipsis


@kernel("Einsum-7", widen=True)
def einsum(*inputs: Array, equation: str) -> Array:
    parsed, kind = equation_of(equation), element_type_of(inputs[0])
    sizes, shared = _sizes([Shape(array.shape) for array in inputs], parsed.inputs)
    numbers = {label: number for number, label in enumerate(sizes)}
    ellipsis_axes = range(len(numbers), len(numbers) + len(shared))
    operands: list[Any] = []
    for array, labels in zip(inputs, parsed.inputs):
        covered = array.ndim - len(labels) + (ELLIPSIS in labels)
        covered_axes = ellipsis_axes[len(shared) - covered :]
        by_label = (covered_axes if label == ELLIPSIS else [numbers[label]] for label in labels)
        axes = [axis for axes in by_label for axis in axes]
        target = [(*sizes.values(), *shared)[axis] for axis in axes]
        operands += [np.broadcast_to(as_numbers(array), [int(size) for size in target]), axes]
    output = [
        axis for label in parsed.output for axis in (ellipsis_axes if label == ELLIPSIS else [numbers[label]])
    ]
    result: Array = np.asarray(np.einsum(*operands, output, optimize=len(inputs) > 1))
    return low_bits(result, kind) if kind.integral else result

"""Einsum: sums of products along axes with letters."""

import re
from collections import Counter
from typing import Any, NamedTuple

import numpy as np

from irops.ops.conversion import as_numbers, low_bits
from irops.spec.binding import kernel, shape
from irops.values.dim import ANY, Dim, broadcast, unify
from irops.values.element import Array, element_type_of
from irops.values.fact import Fact
from irops.values.shape import SCALAR, UNRANKED, Shape, broadcast_shapes
from irops.values.violation import require

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


Sizes = dict[str, Dim]


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


def _sizes(shapes: list[Shape], subscripts: tuple[Labels, ...]) -> tuple[Sizes, Shape]:
    """The size of each label, and the broadcast shape of the axes under ellipses, over all inputs."""
    sizes, shared = Sizes(), SCALAR
    for tensor, labels in zip(shapes, subscripts):
        if tensor.dims is None:
            shared = UNRANKED if ELLIPSIS in labels else shared
            continue
        of_labels, of_ellipsis = _sizes_of_input(tensor, labels)
        for label, size in of_labels.items():
            sizes[label] = broadcast(sizes[label], size, "C4") if label in sizes else size
        shared = broadcast_shapes(shared, of_ellipsis, "C4")
    return sizes, shared


def _sizes_of_input(tensor: Shape, labels: Labels) -> tuple[Sizes, Shape]:
    """The size of each label and the axes under the ellipsis in one input; equal labels have equal sizes."""
    covered = len(tensor) - len(labels) + (ELLIPSIS in labels)
    fits = covered == 0 or (ELLIPSIS in labels and covered > 0)
    require(fits, "C3", f"{''.join(labels) or 'no label'} for {tensor}")
    of_labels, of_ellipsis, axis = Sizes(), SCALAR, 0
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

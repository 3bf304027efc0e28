"""Einsum: sums of products over the axes that an equation labels."""

from __future__ import annotations

from typing import Any

import numpy as np

from irops.ops.conversion import as_numbers, low_bits
from irops.ops.matrix.subscripts import ELLIPSIS, Labels, equation_of
from irops.spec.binding import kernel, shape
from irops.values.dim import ANY, Dim, broadcast, unify
from irops.values.element import Array, element_type_of
from irops.values.fact import Fact
from irops.values.shape import SCALAR, UNRANKED, Shape, broadcast_shapes
from irops.values.violation import require

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
    require(
        covered == 0 or (ELLIPSIS in labels and covered > 0),
        "C3",
        f"{''.join(labels) or 'no label'} for {tensor}",
    )
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
        axes = [
            axis
            for label in labels
            for axis in (ellipsis_axes[len(shared) - covered :] if label == ELLIPSIS else [numbers[label]])
        ]
        target = [(*sizes.values(), *shared)[axis] for axis in axes]
        operands += [np.broadcast_to(as_numbers(array), [int(size) for size in target]), axes]
    output = [
        axis for label in parsed.output for axis in (ellipsis_axes if label == ELLIPSIS else [numbers[label]])
    ]
    result: Array = np.asarray(np.einsum(*operands, output, optimize=len(inputs) > 1))
    return low_bits(result, kind) if kind.integral else result

"""Einsum: sums of products, over axes that an equation names."""

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

Known = dict[str, Dim]


@shape("Einsum-7")
def einsum_shape(*inputs: Fact, equation: str) -> Shape:
    wanted = equation_of(equation)
    require(
        len(wanted.inputs) == len(inputs), "C2", f"{len(wanted.inputs)} subscripts", f"{len(inputs)} inputs"
    )
    sizes, shared = _sizes([fact.shape for fact in inputs], wanted.inputs)
    result = SCALAR
    for label in wanted.output:
        result = result + (shared if label == ELLIPSIS else Shape.of(sizes.get(label, ANY)))
    return result


def _sizes(shapes: list[Shape], subscripts: tuple[Labels, ...]) -> tuple[Known, Shape]:
    """What is known of the size of each label, and of the axes that ellipses stand for, all inputs
    together.
    """
    sizes, shared = Known(), SCALAR
    for tensor, labels in zip(shapes, subscripts):
        if tensor.dims is None:
            shared = UNRANKED if ELLIPSIS in labels else shared
            continue
        own, between = _own(tensor, labels)
        for label, size in own.items():
            sizes[label] = broadcast(sizes[label], size, "C4") if label in sizes else size
        shared = broadcast_shapes(shared, between, "C4")
    return sizes, shared


def _own(tensor: Shape, labels: Labels) -> tuple[Known, Shape]:
    """The same of one tensor, of which each label that is there more than once has one size."""
    covered = len(tensor) - len(labels) + (ELLIPSIS in labels)
    require(
        covered == 0 or (ELLIPSIS in labels and covered > 0),
        "C3",
        f"{''.join(labels) or 'no label'} for {tensor}",
    )
    own, between, axis = Known(), SCALAR, 0
    for label in labels:
        if label == ELLIPSIS:
            between, axis = tensor[axis : axis + covered], axis + covered
        else:
            own[label], axis = unify(own.get(label, ANY), tensor[axis], "C4"), axis + 1
    return own, between


@kernel("Einsum-7", widen=True)
def einsum(*inputs: Array, equation: str) -> Array:
    wanted, kind = equation_of(equation), element_type_of(inputs[0])
    sizes, shared = _sizes([Shape(array.shape) for array in inputs], wanted.inputs)
    numbers = {label: number for number, label in enumerate(sizes)}
    spread = range(len(numbers), len(numbers) + len(shared))
    operands: list[Any] = []
    for array, labels in zip(inputs, wanted.inputs):
        covered = array.ndim - len(labels) + (ELLIPSIS in labels)
        places = [
            place
            for label in labels
            for place in (list(spread)[len(shared) - covered :] if label == ELLIPSIS else [numbers[label]])
        ]
        goal = [(*sizes.values(), *shared)[place] for place in places]
        operands += [np.broadcast_to(as_numbers(array), [int(size) for size in goal]), places]
    output = [
        place for label in wanted.output for place in (spread if label == ELLIPSIS else [numbers[label]])
    ]
    result: Array = np.asarray(np.einsum(*operands, output, optimize=len(inputs) > 1))
    return low_bits(result, kind) if kind.integral else result

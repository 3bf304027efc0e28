"""Products of matrices and sums of products, and convolutions by groups."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from irops.expansion.expanding import Expanding, OtherFormError, Outputs, RefusedError, expansion
from irops.ops.matrix.einsum import ELLIPSIS, equation_of
from irops.values.violation import Violation

ROUNDS = "sums are rounded in another order, and narrow types round after each product"
MOST_GROUPS = 256
"""The most groups for which an op each is added."""


@expansion("MatMul-1", "ReduceSum-1", rounds=ROUNDS)
def mat_mul(subject: Expanding) -> Outputs:
    """The sum over the shared axis of the products of all pairs."""
    subject.real_type("a")
    ranks = [subject.of_rank(name, "its axes are aligned with those of the other") for name in ("a", "b")]
    a, b = (
        _transposed(subject, subject.input(name), rank, subject.attributes[f"transpose_{name}"])
        for name, rank in zip(("a", "b"), ranks)
    )
    # a [..., rows, inner, 1], b [..., 1, inner, columns]
    left = subject.Unsqueeze(a, [-1])
    if ranks[1] == 1:
        return Outputs([subject.ReduceSum(subject.Multiply(a, b), [-1], keep_dims=False)])
    right = b if ranks[0] == 1 else subject.Unsqueeze(b, [-3])
    return Outputs([subject.ReduceSum(subject.Multiply(left, right), [-2], keep_dims=False)])


def _transposed(subject: Expanding, value: Any, rank: int, flag: bool) -> Any:
    if not flag or rank == 1:
        return value
    return subject.Transpose(value, [*range(rank - 2), rank - 1, rank - 2])


@expansion("GroupedMatMul-17", "MatMul-1", rounds=ROUNDS)
def grouped_mat_mul(subject: Expanding) -> Outputs:
    """A product of batches, or one for the rows of each group."""
    subject.real_type("mat_a")
    rows, matrices = subject.input("mat_a"), subject.input("mat_b")
    if subject.of_rank("mat_a", "rows may lie in groups") == 3:
        return Outputs([subject.MatMul(rows, matrices, transpose_b=True)])
    ends = subject.constant("offsets", "rows are cut at them")
    if len(ends) > MOST_GROUPS or not ends:
        raise RefusedError(f"it has {len(ends)} groups; an op each is added for 1 to {MOST_GROUPS}")
    count = subject.sizes("mat_a", "rows after the last group are 0")[0]
    if not count.known or int(count) != ends[-1]:
        raise RefusedError("it may have rows in no group, which are 0")
    products = []
    for number, (begin, end) in enumerate(pairwise([0, *ends])):
        part = subject.add("Slice-8", rows, [begin], [end], [1], [0])
        matrix = subject.add("Gather-8", matrices, number, 0)
        products.append(subject.MatMul(part, matrix, transpose_b=True))
    return Outputs([subject.add("Concat-1", *products, axis=0)])


# Sums over labels


@expansion("Einsum-7", "ReduceSum-1")
def einsum_of_integers(subject: Expanding) -> Outputs:
    if not subject.builder.fact(subject.inputs[0]).element_type.integral:
        raise OtherFormError("its inputs are not integers")
    return _einsum(subject)


@expansion("Einsum-7", "ReduceSum-1", rounds=ROUNDS)
def einsum(subject: Expanding) -> Outputs:
    if subject.builder.fact(subject.inputs[0]).element_type.integral:
        raise OtherFormError("its inputs are integers")
    subject.real_type(subject.op.definition.inputs[0].name)
    return _einsum(subject)


def _einsum(subject: Expanding) -> Outputs:
    """The products of all inputs, whose axes lie in one order, summed over labels that the output has not."""
    try:
        equation = equation_of(subject.attributes["equation"])
    except Violation as violation:
        raise RefusedError(violation.detail) from None
    axes = [
        _axes(labels, len(_dims(subject, value))) for labels, value in zip(equation.inputs, subject.inputs)
    ]
    hidden = max((sum(axis.isdigit() for axis in each) for each in axes), default=0)
    shared = [str(number) for number in reversed(range(hidden))]
    kept = [axis for label in equation.output for axis in (shared if label == ELLIPSIS else [label])]
    summed = [axis for axis in dict.fromkeys(a for each in axes for a in each) if axis not in kept]
    order = [*kept, *summed]
    product: Any = None
    for each, value in zip(axes, subject.inputs):
        factor = _in_order(subject, value, each, order)
        product = factor if product is None else subject.Multiply(product, factor)
    if summed:
        product = subject.ReduceSum(product, list(range(len(kept), len(order))), keep_dims=False)
    return Outputs([product])


def _dims(subject: Expanding, value: Any) -> tuple[Any, ...]:
    dims = subject.builder.fact(value).shape.dims
    if dims is None:
        raise RefusedError("the rank of an input is unknown, but its axes have labels")
    return dims


def _axes(labels: tuple[str, ...], rank: int) -> list[str]:
    """A name for each axis: its label, and for those of the ellipsis a number, counted from the last."""
    covered = rank - len(labels) + (ELLIPSIS in labels)
    hidden = [str(number) for number in reversed(range(covered))]
    named = [axis for label in labels for axis in (hidden if label == ELLIPSIS else [label])]
    if len(set(named)) < len(named):
        raise RefusedError("an input has a label twice, which takes a diagonal")
    return named


def _in_order(subject: Expanding, value: Any, axes: list[str], order: list[str]) -> Any:
    """A value with its axes in an order, and size 1 where it has none of them."""
    wanted = sorted(range(len(axes)), key=lambda place: order.index(axes[place]))
    if wanted != sorted(wanted):
        value = subject.Transpose(value, wanted)
    missing = [place for place, axis in enumerate(order) if axis not in axes]
    return subject.Unsqueeze(value, missing) if missing else value


# Convolutions by groups: one for each group


@expansion("GroupConvolution-1", "Concat-1", rounds=ROUNDS)
def group_convolution(subject: Expanding) -> Outputs:
    return _by_groups(subject, "Convolution-1")


@expansion("GroupConvolutionBackpropData-1", "Concat-1", rounds=ROUNDS)
def group_deconvolution(subject: Expanding) -> Outputs:
    return _by_groups(subject, "ConvolutionBackpropData-1")


def _by_groups(subject: Expanding, op: str) -> Outputs:
    count = subject.sizes("filters", "groups lie along its axis 0")[0]
    if not count.known or not 0 < int(count) <= MOST_GROUPS:
        raise RefusedError(f"it has {count} groups; an op each is added for 1 to {MOST_GROUPS}")
    parts = subject.all_of("Split-1", subject.input("data"), 1, num_splits=int(count))
    attributes = {name: value for name, value in subject.attributes.items() if value is not None}
    results = [
        subject.add(
            op,
            part,
            subject.add("Gather-8", subject.input("filters"), number, 0),
            *subject.inputs[2:],
            **attributes,
        )
        for number, part in enumerate(parts)
    ]
    return Outputs([results[0] if len(results) == 1 else subject.add("Concat-1", *results, axis=1)])

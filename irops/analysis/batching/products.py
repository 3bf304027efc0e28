"""Matrix products: items do not meet where the axis of the batch is not summed over."""

from __future__ import annotations

from irops.analysis.batching.carried import SAME, Carried, Items, ItemsMeet
from irops.analysis.batching.case import Case, Input
from irops.analysis.batching.elementwise import require_broadcast
from irops.ops.matrix.subscripts import ELLIPSIS, equation_of

SUMMED = "it sums over the axis that carries the batch"


def mat_mul(case: Case) -> list[Carried]:
    """MatMul: the batch is among the leading axes of both operands, among the rows of a, or among the columns
    of b.
    """
    a, b = case["a"], case["b"]
    rank = max(a.rank, b.rank, 2)
    places = {
        _place(a, rank, case.attributes["transpose_a"], rank - 2),
        _place(b, rank, case.attributes["transpose_b"], rank - 1),
    } - {None}
    if len(places) != 1:
        raise ItemsMeet("the axes that carry the batch are not aligned")
    (place,) = places
    assert place is not None
    for entry in (a, b):
        if not isinstance(entry.carried, Items):
            stacked = place.axis if place.axis < rank - 2 else -1
            require_broadcast(entry, stacked - (rank - entry.rank))
    dropped = (a.rank == 1 and place.axis > rank - 2) + 0
    return [place.at(place.axis - dropped)]


def _place(operand: Input, rank: int, is_transposed: bool, kept: int) -> Items | None:
    """The axis of the product, with all axes, that the items of an operand have; None without items.

    kept: the axis of the product that the operand gives: its rows, or its columns
    """
    if not isinstance(operand.carried, Items):
        return None
    items = operand.carried
    if operand.rank == 1:
        raise ItemsMeet(SUMMED)
    from_end = operand.rank - 1 - items.axis
    if from_end > 1:
        return items.at(rank - 1 - from_end)
    if is_transposed:
        from_end = 1 - from_end
    if rank - 1 - from_end != kept:
        raise ItemsMeet(SUMMED)
    return items.at(kept)


def einsum(case: Case) -> list[Carried]:
    """Einsum: one label for the batch, wherever it occurs, and in the output."""
    equation = equation_of(case.attributes["equation"])
    if any(ELLIPSIS in labels for labels in (*equation.inputs, equation.output)):
        raise ItemsMeet("its equation has an ellipsis, which is not covered")
    named = [
        (labels, entry, entry.carried)
        for labels, entry in zip(equation.inputs, case.inputs)
        if isinstance(entry.carried, Items)
    ]
    batch = {(labels[items.axis], items.at(0)) for labels, _, items in named}
    if len(batch) != 1:
        raise ItemsMeet("the axes that carry the batch have different labels")
    ((label, items),) = batch
    for labels, entry in zip(equation.inputs, case.inputs):
        if labels.count(label) > 1 or (label in labels) != isinstance(entry.carried, Items):
            raise ItemsMeet(f"the label {label!r} of the batch is also that of other axes")
        if not isinstance(entry.carried, Items) and entry.carried is not SAME:
            raise ItemsMeet(f"input {entry.number} depends on the number of items")
    if label not in equation.output:
        raise ItemsMeet(SUMMED)
    return [items.at(equation.output.index(label))]


def attention(case: Case) -> list[Carried]:
    """ScaledDotProductAttention: the batch is a leading axis of all that carry it."""
    rank = len(case.output)
    case.items("query")
    places = {items.at(items.axis + rank - entry.rank) for entry, items in case.batched}
    if len(places) != 1:
        raise ItemsMeet("the axes that carry the batch are not aligned")
    (place,) = places
    if place.axis >= rank - 2:
        raise ItemsMeet("its positions attend to each other along the axis that carries the batch")
    for entry in case.inputs:
        if not isinstance(entry.carried, Items):
            require_broadcast(entry, place.axis - (rank - entry.rank))
    return [place]

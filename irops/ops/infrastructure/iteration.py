"""What is known of a body that runs again and again: what the inference of Loop and TensorIterator share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from math import inf

from irops.ops.infrastructure.slices import joined_shape, part_count, part_shape
from irops.spec.body import BodyFunction, Feedback
from irops.values.dim import ANY, Dim
from irops.values.element import DYNAMIC, ElementType
from irops.values.fact import Fact
from irops.values.shape import UNRANKED, Shape
from irops.values.violation import violations_at, require, warn_unless


def part_counts(
    body: BodyFunction, shapes: Sequence[Shape], hold: Callable[..., None] = warn_unless
) -> list[Dim]:
    """How many parts each input that is cut gives. hold: how strictly (see part_count)."""
    return [
        part_count(entry, shapes[entry.port], hold)
        for entry in body.inputs
        if entry.cut is not None and entry.port is not None
    ]


def first_items(body: BodyFunction, inputs: Sequence[Fact], free: int = 0) -> list[Fact]:
    """What each Parameter takes in the first iteration; values only of those that keep them.

    Inputs that are cut have been held to their cuts (part_counts). free: how many inputs may feed none, the
    first ones.
    """
    items = list(body.declared)
    fed = Counter(entry.port for entry in body.inputs)
    for port in range(len(inputs)):
        warn_unless(
            fed[port] == 1 or (port < free and not fed[port]),
            "C6",
            f"{fed[port]} Parameters for input {port}",
        )
    changing = {edge.parameter for edge in carried(body)}
    for entry in body.inputs:
        if entry.port is None:
            continue
        fact, declared = inputs[entry.port], items[entry.parameter]
        with violations_at(entry.at):
            warn_unless(alike(fact.element_type, declared.element_type), "C4", f"{fact} for {declared}")
        kind = declared.element_type if fact.element_type is DYNAMIC else fact.element_type
        if entry.cut is not None:
            items[entry.parameter] = Fact(kind, part_shape(entry, fact.shape))
        else:
            items[entry.parameter] = Fact(kind, fact.shape) if entry.parameter in changing else fact
    return items


def alike(a: ElementType, b: ElementType) -> bool:
    """Whether two element types may be the same."""
    return a is b or DYNAMIC in (a, b)


def carried(body: BodyFunction) -> list[Feedback]:
    """The back edges; what is cut into parts takes the next part instead."""
    cut = {entry.parameter for entry in body.inputs if entry.cut is not None}
    return [edge for edge in body.back_edges if edge.parameter not in cut]


def settled(body: BodyFunction, items: list[Fact], count: Callable[[list[Fact]], Dim]) -> list[Fact]:
    """What is known of the Results in every iteration.

    Where back edges bring shapes that the first iteration did not have, the body is inferred again with
    shapes that allow both, and less and less is taken for known until all that comes is allowed. count: how
    many iterations there are,
    given the Results.
    """
    if not body.may_repeat():
        items = _replaced(items, {edge.parameter: UNRANKED for edge in carried(body)})
    results = body(items)
    for edge in body.back_edges:
        with violations_at(edge.at):
            kinds = results[edge.result].element_type, items[edge.parameter].element_type
            require(alike(*kinds), "C5", *kinds)
    if count(results).high <= 1:
        return results
    for step in (Shape.union, _widened, _unknown, _unranked):
        brought = [
            (edge.parameter, items[edge.parameter].shape, results[edge.result].shape)
            for edge in carried(body)
        ]
        widen = step if body.may_repeat() else _unranked
        wider = {
            parameter: widen(shape, other) for parameter, shape, other in brought if not shape.covers(other)
        }
        if not wider:
            break
        items = _replaced(items, wider)
        results = body(items)
    return results


def _replaced(items: list[Fact], shapes: dict[int, Shape]) -> list[Fact]:
    return [
        Fact(item.element_type, shapes[place]) if place in shapes else item
        for place, item in enumerate(items)
    ]


def _widened(shape: Shape, other: Shape) -> Shape:
    """Both shapes, and all that lies farther that way: what grew may grow on."""
    if shape.dims is None or other.dims is None or len(shape.dims) != len(other.dims):
        return UNRANKED
    return Shape(
        Dim(a.low if b.low >= a.low else 0, a.high if b.high <= a.high else inf)
        for a, b in zip(shape.dims, other.dims)
    )


def _unknown(shape: Shape, other: Shape) -> Shape:
    return UNRANKED if shape.rank is None or shape.rank != other.rank else Shape((ANY,) * shape.rank)


def _unranked(shape: Shape, other: Shape) -> Shape:  # noqa: ARG001
    return UNRANKED


def output_facts(
    body: BodyFunction, initial: Sequence[Fact], results: Sequence[Fact], count: Dim
) -> tuple[Fact, ...]:
    """What is known of the outputs after so many iterations; as in OpenVINO, after one at least where there
    may be one.
    """
    found: dict[int, Fact] = {}
    sources = sources_of(body)
    for entry in body.outputs:
        if entry.port is None:
            continue
        fact = results[entry.result]
        with violations_at(entry.at):
            if entry.cut is not None:
                shape = joined_shape(entry.cut, fact.shape, count)
            elif count.high == 0:
                shape = _unchanged(sources.get(entry.result), initial, fact.shape)
            else:
                shape = fact.shape if count.low > 0 else fact.shape.unnamed()
        found[entry.port] = Fact(fact.element_type, shape)
    return tuple(found[port] for port in sorted(found))


def _unchanged(source: int | None, initial: Sequence[Fact], last: Shape) -> Shape:
    """The shape of an output without any iteration: that of the initial value, which is taken to keep its
    shape if it can.
    """
    warn_unless(source is not None, "C9", "no iteration")
    if source is None:
        return last
    shape = initial[source].shape
    if shape.dims is None or last.dims is None or not shape.can_be(last):
        return shape
    return Shape(map(_met, shape, last))


def _met(a: Dim, b: Dim) -> Dim:
    return Dim(max(a.low, b.low), min(a.high, b.high))


def sources_of(body: BodyFunction) -> dict[int, int]:
    """For each Result that a back edge carries on, the Parameter that takes it."""
    return {edge.result: edge.parameter for edge in reversed(carried(body))}

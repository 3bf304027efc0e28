"""The iterations of a body."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from math import inf

import numpy as np

from irops.ops.infrastructure.slices import concatenated, concatenated_shape, part, part_count, part_shape
from irops.spec.body import CURRENT_ITERATION, BodyFunction, Feedback
from irops.values.dim import ANY, Dim
from irops.values.element import DYNAMIC, Array, ElementType
from irops.values.fact import Fact
from irops.values.shape import UNRANKED, Shape
from irops.values.violation import LimitExceeded, require, violations_at, warn_unless


def iterations(
    body: BodyFunction, items: list[Array], inputs: Sequence[Array], count: float
) -> Iterator[list[Array]]:
    """The Results of each iteration.

    items: the values of the Parameters, which are filled in here; count: the number of iterations, possibly
        infinite
    """
    for entry in body.inputs:
        if entry.port is not None and entry.cut is None:
            items[entry.parameter] = inputs[entry.port]
    has_back_edge = {edge.parameter for edge in body.back_edges}
    iteration = 0
    while iteration < count:
        if iteration >= body.iterations:
            raise iteration_limit_exceeded(body, count)
        for entry in body.inputs:
            if entry.cut is not None and entry.port is not None:
                items[entry.parameter] = part(inputs[entry.port], entry.cut, iteration)
            elif entry.purpose == CURRENT_ITERATION and (
                iteration == 0 or entry.parameter not in has_back_edge
            ):
                items[entry.parameter] = _number(body.declared[entry.parameter], iteration)
        results = body(items)
        yield results
        for edge in carried(body):
            items[edge.parameter] = results[edge.result]
        iteration += 1


def iteration_limit_exceeded(body: BodyFunction, count: float) -> LimitExceeded:
    """The error for a body that would run more often than the limit allows."""
    times = f"{int(count):,} times" if count < inf else "without end"
    return LimitExceeded(
        "iteration-limit", f"the body would run {times}, the limit is {body.iterations:,} (iterations)"
    )


def _number(declared: Fact, iteration: int) -> Array:
    """The number of an iteration, with the element type and the rank that its Parameter declares."""
    kind = declared.element_type
    return np.full((1,) * (declared.shape.rank or 0), iteration, np.int64 if kind is DYNAMIC else kind.dtype)


def collect_outputs(
    body: BodyFunction, runs: Iterator[list[Array]], initial: list[Array]
) -> tuple[Array, ...]:
    """The outputs of the op.

    runs: the Results of each iteration; initial: the initial values of the Parameters
    """
    pieces: dict[int, list[Array]] = {
        entry.port: [] for entry in body.outputs if entry.port is not None and entry.cut is not None
    }
    results: list[Array] | None = None
    piece_bytes = 0
    for results in runs:
        for entry in body.outputs:
            if entry.port in pieces:
                pieces[entry.port].append(results[entry.result])
                piece_bytes += results[entry.result].nbytes
        if piece_bytes > body.tensor_bytes:
            message = f"the pieces of outputs take {piece_bytes:,} bytes, {body.tensor_bytes:,} are left"
            raise LimitExceeded("memory-limit", f"{message} (tensor_bytes)")
    outputs: dict[int, Array] = {}
    sources = sources_of(body)
    for entry in body.outputs:
        if entry.port is None:
            continue
        if entry.cut is not None:
            outputs[entry.port] = concatenated(pieces[entry.port], entry.cut, body.result_facts[entry.result])
        else:
            outputs[entry.port] = (
                _initial(sources.get(entry.result), initial) if results is None else results[entry.result]
            )
    return tuple(outputs[port] for port in sorted(outputs))


def _initial(source: int | None, initial: list[Array]) -> Array:
    require(source is not None, "C9", "zero iterations")
    assert source is not None
    return initial[source]


def part_counts(
    body: BodyFunction, shapes: Sequence[Shape], check: Callable[..., None] = warn_unless
) -> list[Dim]:
    """The number of parts of each sliced input. check: warn_unless or require (see part_count)."""
    sliced = ((entry, entry.port) for entry in body.inputs if entry.cut is not None)
    return [part_count(entry, shapes[port], check) for entry, port in sliced if port is not None]


def first_items(body: BodyFunction, inputs: Sequence[Fact], free: int = 0) -> list[Fact]:
    """The facts of the Parameters in the first iteration, with values only for those that do not change.

    Expects that the sliced inputs have been checked by part_counts. free: the first inputs need not be
    connected to a Parameter; how many.
    """
    items = list(body.declared)
    uses = Counter(entry.port for entry in body.inputs)
    for port in range(len(inputs)):
        used = uses[port] == 1 or (port < free and not uses[port])
        warn_unless(used, "C6", f"{uses[port]} Parameters for input {port}")
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
    """Whether two element types are equal, or one is unknown."""
    return a is b or DYNAMIC in (a, b)


def carried(body: BodyFunction) -> list[Feedback]:
    """The back edges, without those to the Parameters of sliced inputs, which have no effect."""
    sliced = {entry.parameter for entry in body.inputs if entry.cut is not None}
    return [edge for edge in body.back_edges if edge.parameter not in sliced]


def result_facts(body: BodyFunction, items: list[Fact], count: Callable[[list[Fact]], Dim]) -> list[Fact]:
    """The facts of the Results that hold in every iteration.

    If a back edge brings a shape that its Parameter does not have in the first iteration, the body is
    inferred again with a shape that contains both. The shapes are widened in up to four steps, until they
    contain every shape that the back edges bring. count: the number of iterations, given the Results.
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
        edges = carried(body)
        shapes = [(e.parameter, items[e.parameter].shape, results[e.result].shape) for e in edges]
        widen = step if body.may_repeat() else _unranked
        wider = {at: widen(shape, other) for at, shape, other in shapes if not shape.covers(other)}
        if not wider:
            break
        items = _replaced(items, wider)
        results = body(items)
    return results


def _replaced(items: list[Fact], shapes: dict[int, Shape]) -> list[Fact]:
    changed = {index: Fact(items[index].element_type, shape) for index, shape in shapes.items()}
    return [changed.get(index, item) for index, item in enumerate(items)]


def _widened(shape: Shape, other: Shape) -> Shape:
    """The union of both shapes, in which each size is unbounded in the direction in which it changes."""
    if shape.dims is None or other.dims is None or len(shape.dims) != len(other.dims):
        return UNRANKED
    pairs = zip(shape.dims, other.dims)
    return Shape(Dim(a.low if b.low >= a.low else 0, a.high if b.high <= a.high else inf) for a, b in pairs)


def _unknown(shape: Shape, other: Shape) -> Shape:
    return UNRANKED if shape.rank is None or shape.rank != other.rank else Shape((ANY,) * shape.rank)


def _unranked(shape: Shape, other: Shape) -> Shape:  # noqa: ARG001
    return UNRANKED


def output_facts(
    body: BodyFunction, initial: Sequence[Fact], results: Sequence[Fact], count: Dim
) -> tuple[Fact, ...]:
    """The facts of the outputs after count iterations.

    As in OpenVINO, assumes at least one iteration if there may be one.
    """
    outputs: dict[int, Fact] = {}
    sources = sources_of(body)
    for entry in body.outputs:
        if entry.port is None:
            continue
        fact = results[entry.result]
        with violations_at(entry.at):
            if entry.cut is not None:
                shape = concatenated_shape(entry.cut, fact.shape, count)
            elif count.high == 0:
                shape = _unchanged(sources.get(entry.result), initial, fact.shape)
            else:
                shape = fact.shape if count.low > 0 else fact.shape.unnamed()
        outputs[entry.port] = Fact(fact.element_type, shape)
    return tuple(outputs[port] for port in sorted(outputs))


def _unchanged(source: int | None, initial: Sequence[Fact], last: Shape) -> Shape:
    """The shape of an output after zero iterations: that of its initial value.

    Assumes that the body keeps this shape, if it can: the result is the intersection of both.
    """
    warn_unless(source is not None, "C9", "zero iterations")
    if source is None:
        return last
    shape = initial[source].shape
    if shape.dims is None or last.dims is None or not shape.can_be(last):
        return shape
    return Shape(map(_intersection, shape, last))


def _intersection(a: Dim, b: Dim) -> Dim:
    return Dim(max(a.low, b.low), min(a.high, b.high))


def sources_of(body: BodyFunction) -> dict[int, int]:
    """For each Result with a back edge, the Parameter that receives its value."""
    return {edge.result: edge.parameter for edge in reversed(carried(body))}

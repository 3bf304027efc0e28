"""Loop and TensorIterator: the iterations of a body, and the slices of what they take and join."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from math import inf

import numpy as np

from irops.spec.binding import kernel, shape
from irops.spec.body import (
    CURRENT_ITERATION,
    EXECUTION_CONDITION,
    BodyFunction,
    BodyInput,
    BodyOutput,
    Cut,
    Feedback,
)
from irops.values.dim import ANY, UNKNOWN, Dim, unify
from irops.values.element import BOOLEAN, DYNAMIC, I64, Array, ElementType
from irops.values.fact import Fact, dims_array
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
    return Shape(Dim(max(a.low, b.low), min(a.high, b.high)) for a, b in zip(shape, last))


def sources_of(body: BodyFunction) -> dict[int, int]:
    """For each Result with a back edge, the Parameter that receives its value."""
    return {edge.result: edge.parameter for edge in reversed(carried(body))}


# The slices that port maps of loops take and join; warnings where OpenVINO's CPU plug-in does otherwise.
#
# The plug-in takes start and end of a TensorIterator for positions between elements, of which -1 is the end
# of the axis, and counts iterations along sliced inputs and, if all shapes are static, along concatenated
# outputs.


def part_count(entry: BodyInput, shape: Shape, check: Callable[..., None] = warn_unless) -> Dim:
    """The number of parts of a sliced input, without a remainder.

    check: warn_unless to continue if there is a remainder, or require
    """
    assert entry.cut is not None
    cut = entry.cut
    if shape.dims is None:
        return ANY
    with violations_at(entry.at):
        size = shape[axis_of(cut, len(shape))]
        values = f"start {cut.start}, end {cut.end}, stride {cut.stride} on {size} elements"
        first, last = (cut.start, cut.end) if cut.stride > 0 else (cut.end, cut.start)
        whole = (first, last) == (0, -1)  # an axis of size 0 can only be sliced as a whole, into no parts
        lowest = 0 if whole else max(_elements_up_to(first), _elements_up_to(last))
        require(size >= lowest, "C2", values)
        length = _length(first, last, Dim(max(size.low, lowest), max(size.high, lowest), size.symbol))
        require(whole or length >= 1, "C2", values)
        length = length.at_least(0 if whole else 1)
        low, high = length.ceil_div(cut.part_size).low, (length // cut.part_size).high
        check(abs(cut.stride) == cut.part_size and low <= high, "C3", f"part_size {cut.part_size}, {values}")
        return Dim(min(low, high), high).named((length // cut.part_size).symbol)


def axis_of(cut: Cut, rank: int) -> int:
    """The sliced or concatenated axis, counted from 0."""
    require(-rank <= cut.axis < rank, "C1", f"axis {cut.axis} at rank {rank}")
    warn_unless(cut.axis >= 0, "C7", cut.axis)
    return cut.axis % rank


def _elements_up_to(index: int) -> int:
    """The smallest size of an axis that has an index."""
    return index + 1 if index >= 0 else -index


def _length(first: int, last: int, size: Dim) -> Dim:
    """The number of elements from index first to index last, both inclusive. Negative indices count from the
    end.
    """
    if (first < 0) == (last < 0):
        return Dim.of(last - first + 1)
    return size + (last - first + 1) if last < 0 else (last - first + 1) - size


def part_shape(entry: BodyInput, shape: Shape) -> Shape:
    """The shape of a part of a sliced input."""
    assert entry.cut is not None
    return shape if shape.dims is None else shape.with_dim(entry.cut.axis, entry.cut.part_size)


def part(array: Array, cut: Cut, iteration: int) -> Array:
    """The part for an iteration. With a negative stride the parts are taken from the end; the elements of a
    part keep their order.
    """
    axis = cut.axis % array.ndim
    start = cut.start if cut.start >= 0 else cut.start + array.shape[axis]
    low = start + iteration * cut.stride - (cut.part_size - 1 if cut.stride < 0 else 0)
    view: Array = array[(slice(None),) * axis + (slice(low, low + cut.part_size),)]
    return view


def concatenated_shape(cut: Cut, piece: Shape, count: Dim) -> Shape:
    """The shape of count concatenated pieces. Scalar pieces are concatenated along a new axis."""
    if piece.dims is None:
        return UNRANKED
    pieces = piece if piece.dims else Shape.of(1)
    axis = axis_of(cut, len(pieces))
    size = pieces[axis].named(None)  # pieces may differ in size, so a symbol would be wrong for some
    return pieces.with_dim(axis, size * count)


def concatenated(pieces: Sequence[Array], cut: Cut, inferred: Fact) -> Array:
    """The concatenated pieces of all iterations, in reverse order with a negative stride.

    inferred: the fact of a piece, used if there are none
    """
    if not pieces:
        # unknown sizes of the other axes are replaced with their lower bounds
        shape = concatenated_shape(cut, inferred.shape, Dim.of(0))
        sizes = (0,) if shape.dims is None else tuple(int(dim.low) for dim in shape.dims)
        return np.empty(sizes, inferred.element_type.dtype)
    arrays = [piece if piece.ndim else piece.reshape(1) for piece in pieces]
    axis = axis_of(cut, arrays[0].ndim)
    shapes = {(*array.shape[:axis], 0, *array.shape[axis + 1 :]): array for array in arrays}
    require(len(shapes) == 1, "C8", *(Shape(array.shape) for array in list(shapes.values())[:2]))
    return np.concatenate(arrays[::-1] if cut.stride < 0 else arrays, axis=axis)


def check_slices(body: BodyFunction, shapes: Sequence[Shape]) -> None:
    """Warn about sliced inputs of which the plug-in takes other parts, or none."""
    for entry in body.inputs:
        if entry.cut is None or entry.port is None:
            continue
        cut, shape = entry.cut, shapes[entry.port]
        with violations_at(entry.at):
            ends = f"start {cut.start}, end {cut.end}, stride {cut.stride}"
            warn_unless(_counted_alike(cut), "C12", ends)
            if shape.dims is not None and -len(shape) <= cut.axis < len(shape):
                warn_unless(shape[cut.axis] > 0, "C14", shape)


def _counted_alike(cut: Cut) -> bool:
    if cut.stride > 0:
        return cut.start == 0 and cut.end < 0
    return cut.start == -1 and cut.end >= 0


def check_concatenations(body: BodyFunction, results: Sequence[Fact], count: Dim) -> None:
    """Warn about concatenated outputs for which the plug-in counts another number of iterations."""
    for entry in body.outputs:
        if entry.cut is None or entry.port is None:
            continue
        cut, shape = entry.cut, results[entry.result].shape
        values = f"start {cut.start}, end {cut.end}, stride {cut.stride}, part_size {cut.part_size}"
        with violations_at(entry.at):
            if count.known and shape.static:
                size = int(count) * cut.part_size
                warn_unless(int(count) * abs(cut.stride) == _covered(cut, size), "C13", values)
            else:
                warn_unless(abs(cut.stride) == cut.part_size, "C13", values)


def _covered(cut: Cut, size: int) -> int:
    """The number of elements that the plug-in counts along an axis."""
    start, end = (at if at >= 0 else at + size + 1 for at in (cut.start, cut.end))
    return end - start if cut.stride > 0 else start - end


# Loop and TensorIterator: a body that is repeated.


@shape("Loop-5")
def loop_shape(
    trip_count: Fact, execution_condition: Fact, *inputs: Fact, body: BodyFunction
) -> tuple[Fact, ...]:
    for fact in (trip_count, execution_condition):
        require(fact.shape.size.can_be(1), "C10", fact)
    warn_unless(trips_of(trip_count) >= -1, "C14", trips_of(trip_count))
    all_inputs = (trip_count, execution_condition, *inputs)
    parts = part_counts(body, [fact.shape for fact in all_inputs])
    check_whole_axis(body)
    max_count = iteration_count(trip_count, execution_condition, Fact())
    items = with_number(body, first_items(body, all_inputs, free=2), max_count)
    condition = condition_of(body)

    def count(results: list[Fact]) -> Dim:
        return iteration_count(trip_count, execution_condition, results[condition.result])

    results = result_facts(body, items, count)
    check_condition(condition, results[condition.result])
    iteration_dim = count(results)
    enough = all(iteration_dim.low <= available.high for available in parts)
    warn_unless(enough, "C13", f"{iteration_dim} iterations", *parts)
    warn_unless(iteration_dim.low < inf, "C15", "an infinite number of iterations")
    if iteration_dim.low == inf:
        iteration_dim = Dim(1, inf)
    return output_facts(body, items, results, iteration_dim)


@kernel("Loop-5")
def loop(
    trip_count: Array, execution_condition: Array, *inputs: Array, body: BodyFunction
) -> tuple[Array, ...]:
    shapes = Shape(trip_count.shape), Shape(execution_condition.shape)
    require(trip_count.size == 1 and execution_condition.size == 1, "C10", *shapes)
    all_inputs = (trip_count, execution_condition, *inputs)
    trips = int(trip_count.item())
    max_count = trips if trips >= 0 else inf
    if not execution_condition.item():
        max_count = 0
    items = list(body.declared)
    return collect_outputs(body, while_true(body, items, all_inputs, max_count), items)


def while_true(
    body: BodyFunction, items: list[Array], inputs: tuple[Array, ...], max_count: float
) -> Iterator[list[Array]]:
    """The Results of each iteration, until the condition is false or the maximum number is reached."""
    parts = [int(count) for count in part_counts(body, [Shape(array.shape) for array in inputs], require)]
    condition = condition_of(body).result
    if (
        max_count > body.iterations
        and body.result_facts[condition].value is not None
        and body.result_facts[condition].value.all()
    ):
        raise iteration_limit_exceeded(body, max_count)
    condition_holds, completed = max_count > 0, 0
    for results in iterations(body, items, inputs, min(max_count, *parts, inf)):
        yield results
        completed += 1
        require(results[condition].size == 1, "C11", Shape(results[condition].shape))
        condition_holds = bool(results[condition].item())
        if not condition_holds:
            break
    ended = not condition_holds or completed == max_count
    require(ended, "C13", f"{min(parts, default=0)} parts and more iterations")


def iteration_count(trip_count: Fact, execution_condition: Fact, body_condition: Fact) -> Dim:
    """The number of iterations, infinite if the loop certainly does not end.

    body_condition: the execution_condition Result. As in OpenVINO, an unknown initial condition is assumed to
    be true.
    """
    trips = trips_of(trip_count)
    first, again = truth(execution_condition), truth(body_condition)
    if first is False or trips == 0:
        return Dim.of(0)
    if again is False:
        return Dim.of(1)
    max_count = trips if trips.low >= 0 else Dim(0, inf)
    if trips.high < 0:
        max_count = Dim(inf, inf)
    return max_count if again else Dim(min(max_count.low, 1), max_count.high)


def trips_of(trip_count: Fact) -> Dim:
    return trip_count.dims[0] if trip_count.dims else UNKNOWN


def truth(condition: Fact) -> bool | None:
    """The value of a condition, if it is known."""
    return None if condition.value is None or condition.value.size != 1 else bool(condition.value.item())


def with_number(body: BodyFunction, items: list[Fact], max_count: Dim) -> list[Fact]:
    """The facts of the Parameters, with the possible numbers of the iteration for current_iteration."""
    changing = {edge.parameter for edge in body.back_edges}
    for entry in body.inputs:
        if entry.port is None and entry.purpose == CURRENT_ITERATION:
            declared = items[entry.parameter]
            with violations_at(entry.at):
                kind = declared.element_type
                require(alike(kind, I64) or kind.name == "i32", "C12", declared)
                require((declared.shape.rank or 0) < 2 and declared.shape.size.can_be(1), "C12", declared)
                warn_unless(declared.shape.static, "C17", declared)
            shape = Shape((1,) * (declared.shape.rank or 0))
            number = dims_array([Dim(0, max(max_count.high - 1, 0))]).reshape(shape.to_tuple())
            items[entry.parameter] = Fact(kind, shape, None if entry.parameter in changing else number)
    return items


def check_whole_axis(body: BodyFunction) -> None:
    """Warn about inputs that are not sliced over the whole axis."""
    for entry in body.inputs:
        if entry.cut is not None:
            with violations_at(entry.at):
                ends = (entry.cut.start, entry.cut.end)
                whole = (0, -1) if entry.cut.stride > 0 else (-1, 0)
                warn_unless(ends == whole, "C16", f"start {ends[0]} and end {ends[1]}")


def condition_of(body: BodyFunction) -> BodyOutput:
    """The Result with the purpose execution_condition."""
    return next(entry for entry in body.outputs if entry.purpose == EXECUTION_CONDITION)


def check_condition(condition: BodyOutput, fact: Fact) -> None:
    """Require that the condition of the body is a boolean tensor of one element and rank 0 or 1."""
    with violations_at(condition.at):
        require(alike(fact.element_type, BOOLEAN), "C11", fact)
        require((fact.shape.rank or 0) < 2 and fact.shape.size.can_be(1), "C11", fact)


@shape("TensorIterator-1")
def tensor_iterator_shape(*inputs: Fact, body: BodyFunction) -> tuple[Fact, ...]:
    count = iterations_of_slices(body, [fact.shape for fact in inputs])
    items = first_items(body, inputs)
    results = result_facts(body, items, lambda _: count)
    check_pieces(body, [fact.shape for fact in results], warn_unless)
    check_slices(body, [fact.shape for fact in inputs])
    check_concatenations(body, results, count)
    return output_facts(body, items, results, count)


@kernel("TensorIterator-1")
def tensor_iterator(*inputs: Array, body: BodyFunction) -> tuple[Array, ...]:
    count = int(iterations_of_slices(body, [Shape(array.shape) for array in inputs], require))
    if count > body.iterations:
        raise iteration_limit_exceeded(body, count)
    items = list(body.declared)
    return collect_outputs(body, checked(body, iterations(body, items, inputs, count)), items)


def iterations_of_slices(
    body: BodyFunction, shapes: Sequence[Shape], check: Callable[..., None] = warn_unless
) -> Dim:
    """The number of iterations: the number of parts of the sliced inputs. Without sliced inputs, the first
    concatenated output determines it; without that, it is 1.
    """
    counts = part_counts(body, shapes, check)
    if counts:
        return reduce(lambda a, b: unify(a, b, "C10"), counts)
    concatenated = next((entry.cut for entry in body.outputs if entry.cut is not None), None)
    return Dim.of(
        1 if concatenated is None else abs(concatenated.end - concatenated.start) // concatenated.part_size
    )


def checked(body: BodyFunction, runs: Iterator[list[Array]]) -> Iterator[list[Array]]:
    """The Results of each iteration; their pieces must have the declared part_size."""
    for results in runs:
        check_pieces(body, [Shape(array.shape) for array in results], require)
        yield results


def check_pieces(body: BodyFunction, results: Sequence[Shape], check: Callable[..., None]) -> None:
    """Check that the pieces of concatenated outputs have the declared part_size."""
    for entry in body.outputs:
        piece = results[entry.result]
        if entry.cut is not None and piece.dims and -len(piece) <= entry.cut.axis < len(piece):
            size = piece[entry.cut.axis]
            with violations_at(entry.at):
                part = entry.cut.part_size
                check(size.can_be(part), "C11", f"part_size {part} of {size} elements")

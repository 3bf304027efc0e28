"""Ops of ONNX with bodies (If, Loop, Scan, SequenceMap), and those on sequences and optional values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from math import inf
from typing import Any

import numpy as np

from irops.ops.condition.branch import outputs_of
from irops.ops.infrastructure.iteration import (
    alike,
    carried,
    collect_outputs,
    iteration_limit_exceeded,
    iterations,
    sources_of,
    truth,
)
from irops.ops.stock import normal_axes
from irops.spec.binding import kernel, shape
from irops.spec.body import CURRENT_ITERATION, BodyFunction, Cut
from irops.values.dim import ANY, Dim, unify
from irops.values.element import BOOLEAN, DYNAMIC, F32, I64, Array, ElementType, zeros
from irops.values.fact import Fact, NoTensor, OptionalFact, SequenceFact, dims_array, parse_fact
from irops.values.shape import UNRANKED, Shape
from irops.values.violation import require

# If.


@shape("onnx:If-1")
def if_shape(cond: Fact, *, then_branch: BodyFunction, else_branch: BodyFunction) -> tuple[Fact, ...]:
    require(cond.shape.size.can_be(1), "C1", cond)
    known = truth(cond)
    both = [
        # of what its inputs are, the graph that does not run need only fit the types
        outputs_of(body, body(body.declared if known in (None, runs) else [*map(_vague, body.declared)]))
        for runs, body in ((True, then_branch), (False, else_branch))
    ]
    require(len(both[0]) == len(both[1]), "C2", *map(len, both))
    for pair in zip(*both):
        require(alike(pair[0].element_type, pair[1].element_type), "C3", *pair)
    if known is not None:
        return tuple(both[0 if known else 1])
    return tuple(either(*pair) for pair in zip(*both))


@kernel("onnx:If-1")
def if_then_else(cond: Array, *, then_branch: BodyFunction, else_branch: BodyFunction) -> tuple[Any, ...]:
    require(cond.size == 1, "C1", Shape(cond.shape))
    body = then_branch if cond.flat[0] else else_branch
    return tuple(outputs_of(body, body(body.declared)))


# What bodies give that run repeatedly: states after the last iteration, and tensors of all, stacked.


def stacked_fact(fact: Fact, cut: Cut, count: Dim) -> Fact:
    """The Fact of count values, stacked along a new axis."""
    dims = fact.shape.dims
    if dims is None:
        return Fact(fact.element_type)
    axis = stacking_axis(cut, len(dims))
    return Fact(fact.element_type, Shape((*dims[:axis], count, *dims[axis:])))


def stacking_axis(cut: Cut, rank: int) -> int:
    """Where values of a rank are stacked."""
    require(-rank - 1 <= cut.axis <= rank, "C2", f"axis {cut.axis} of {rank + 1}")
    return cut.axis % (rank + 1)


def stacked(pieces: Sequence[Array], cut: Cut, inferred: Fact) -> Array:
    """The values of all iterations along a new axis, the last one first with a negative stride."""
    if not pieces:
        sizes = tuple(int(size.low) for size in inferred.shape.dims or ())
        axis = stacking_axis(cut, len(sizes))
        return zeros((*sizes[:axis], 0, *sizes[axis:]), inferred.element_type)
    shapes = {piece.shape for piece in pieces}
    require(len(shapes) == 1, "C3", *map(Shape, sorted(shapes, key=repr)[:2]))
    axis = stacking_axis(cut, pieces[0].ndim)
    return np.stack(pieces[::-1] if cut.stride < 0 else pieces, axis)


def state_facts(body: BodyFunction, items: list[Fact], count: Callable[[list[Fact]], Dim]) -> list[Fact]:
    """The Facts of the Results that hold in every iteration.

    A state that changes is widened, in up to four steps, until it holds every value that comes back.
    """
    states = carried(body)
    if not body.may_repeat():
        items = _with(items, {edge.parameter: _vague(items[edge.parameter]) for edge in states})
    results = body(items)
    for edge in states:
        pair = _lifted(results[edge.result], items[edge.parameter])
        require(alike(pair[0].element_type, pair[1].element_type), "C4", *pair)
    if count(results).high <= 1:
        return results
    for widen in (either, _unbounded, _unsized, _vague):
        steps = ((edge.parameter, items[edge.parameter], results[edge.result]) for edge in states)
        step = widen if body.may_repeat() else _vague
        wider = {parameter: step(fact, other) for parameter, fact, other in steps if not _covers(fact, other)}
        if not wider:
            break
        items = _with(items, wider)
        results = body(items)
    return results


def either(a: Fact, b: Fact) -> Fact:
    """What holds for both, where one type may be unknown."""
    a, b = _lifted(a, b)
    if isinstance(a, OptionalFact) and isinstance(b, OptionalFact):
        absent = next((one for one in (a, b) if one.present is False), None)
        content = either(a.content, b.content) if absent is None else (b if absent is a else a).content
        return OptionalFact(content, a.present if a.present is b.present else None)
    if (
        DYNAMIC in (a.element_type, b.element_type)
        and not isinstance(a, NoTensor)
        and not isinstance(b, NoTensor)
    ):
        kind = b.element_type if a.element_type is DYNAMIC else a.element_type
        return Fact(kind, a.shape.union(b.shape))
    return a.union(b)


def _lifted(a: Fact, b: Fact) -> tuple[Fact, Fact]:
    """Both Facts as those of optional values, where one is: a state may be absent at first."""
    if isinstance(a, OptionalFact) and not isinstance(b, OptionalFact):
        return a, OptionalFact(b, present=True)
    if isinstance(b, OptionalFact) and not isinstance(a, OptionalFact):
        return OptionalFact(a, present=True), b
    return a, b


def _with(items: list[Fact], others: dict[int, Fact]) -> list[Fact]:
    return [others.get(index, item) for index, item in enumerate(items)]


def _covers(fact: Fact, other: Fact) -> bool:
    """Whether all that other may be is described by a Fact of the same kind."""
    if isinstance(fact, OptionalFact):
        other = _lifted(fact, other)[1]
    if isinstance(fact, SequenceFact) and isinstance(other, SequenceFact):
        length = fact.length.low <= other.length.low and other.length.high <= fact.length.high
        return length and (other.length.high == 0 or _covers(fact.content, other.content))
    if isinstance(fact, OptionalFact) and isinstance(other, OptionalFact):
        present = fact.present is None or fact.present is other.present
        return present and (other.present is False or _covers(fact.content, other.content))
    if isinstance(fact, NoTensor) or isinstance(other, NoTensor):
        return type(fact) is Fact and fact.element_type is DYNAMIC and fact.shape.dims is None
    return fact.element_type in (DYNAMIC, other.element_type) and fact.shape.covers(other.shape)


def _unbounded(fact: Fact, other: Fact) -> Fact:
    """The union, in which each size and length is unbounded in the direction in which it changes."""
    return _joined(
        fact, other, lambda a, b: Dim(a.low if b.low >= a.low else 0, a.high if b.high <= a.high else inf)
    )


def _unsized(fact: Fact, other: Fact) -> Fact:
    return _joined(fact, other, lambda a, b: ANY)  # noqa: ARG005


def _joined(fact: Fact, other: Fact, join: Callable[[Dim, Dim], Dim]) -> Fact:
    fact, other = _lifted(fact, other)
    if isinstance(fact, SequenceFact) and isinstance(other, SequenceFact):
        joined = fact.union(other)
        assert isinstance(joined, SequenceFact)
        bare = 0 in (fact.length.high, other.length.high)
        content = joined.content if bare else _joined(fact.content, other.content, join)
        return SequenceFact(content, join(fact.length, other.length))
    if isinstance(fact, OptionalFact) and isinstance(other, OptionalFact):
        present = fact.present if fact.present is other.present else None
        return OptionalFact(_joined(fact.content, other.content, join), present)
    if isinstance(fact, NoTensor) or isinstance(other, NoTensor):
        return fact.union(other)
    a, b = fact.shape.dims, other.shape.dims
    sizes = Shape(map(join, a, b)) if a is not None and b is not None and len(a) == len(b) else UNRANKED
    return Fact(either(fact, other).element_type, sizes)


def _vague(fact: Fact, other: Fact | None = None) -> Fact:  # noqa: ARG001
    """The Fact without all that an iteration may change."""
    if isinstance(fact, SequenceFact):
        return SequenceFact(_vague(fact.content))
    if isinstance(fact, OptionalFact):
        return OptionalFact(_vague(fact.content))
    return fact if isinstance(fact, NoTensor) else Fact(fact.element_type)


def repeated_facts(
    body: BodyFunction, initial: Sequence[Fact], results: Sequence[Fact], count: Dim
) -> tuple[Fact, ...]:
    """The Facts of the outputs after count iterations. initial: of the Parameters, before the first one"""
    outputs: dict[int, Fact] = {}
    sources = sources_of(body)
    for entry in body.outputs:
        if entry.port is None:
            continue
        fact, source = _without_value(results[entry.result]), sources.get(entry.result)
        if entry.cut is not None:
            fact = stacked_fact(fact, entry.cut, count)
        elif source is not None and count.high == 0:
            fact = initial[source]
        elif source is not None and count.low == 0:
            fact = either(initial[source], fact)
        outputs[entry.port] = fact
    return tuple(outputs[port] for port in sorted(outputs))


# Loop.


@shape("onnx:Loop-1")
def loop_shape(M: Fact | None, cond: Fact | None, *v_initial: Fact, body: BodyFunction) -> tuple[Fact, ...]:
    for fact in filter(None, (M, cond)):
        require(fact.shape.size.can_be(1), "C1", fact)
    most = Dim(inf, inf) if M is None else (M.dims[0] if M.dims else ANY).at_least(0)
    first = True if cond is None else truth(cond)
    if first is not True:
        most = Dim(0, most.high if first is None else 0)
    condition = next(entry.result for entry in body.outputs if entry.port is None)

    def count(results: list[Fact]) -> Dim:
        again = truth(results[condition])
        if again:
            return most
        return Dim(min(most.low, 1), most.high if again is None else min(most.high, 1))

    going = Fact(BOOLEAN, Shape(()) if cond is None else cond.shape)
    items = first_items(body, (M, going, *v_initial))
    for entry in body.inputs:
        declared = items[entry.parameter]
        if entry.port == 1 and going.shape.static:  # the body runs only where the condition is true
            items[entry.parameter] = going.with_value(np.ones(going.shape.to_tuple(), bool))
        elif entry.port is None and entry.purpose == CURRENT_ITERATION:
            sizes = (1,) * (declared.shape.rank or 0)
            number = dims_array([Dim(0, max(most.high - 1, 0))]).reshape(sizes)
            items[entry.parameter] = Fact(I64, Shape(sizes), number)
    results = state_facts(body, list(items), count)
    require(results[condition].shape.size.can_be(1), "C1", results[condition])
    require(alike(results[condition].element_type, BOOLEAN), "C1", results[condition])
    total = count(results)
    return repeated_facts(body, items, results, Dim(0, inf) if total.low == inf else total)


def first_items(body: BodyFunction, inputs: Sequence[Fact | None]) -> list[Fact]:
    """The Facts of the Parameters in the first iteration, of states without their values. Those of scanned
    inputs are as declared.
    """
    changing = {edge.parameter for edge in carried(body)}
    items = list(body.declared)
    for entry in body.inputs:
        fact = None if entry.port is None else inputs[entry.port]
        if fact is not None and entry.cut is None:
            items[entry.parameter] = _without_value(fact) if entry.parameter in changing else fact
    return items


def _without_value(fact: Fact) -> Fact:
    """The Fact of a state, of which nothing is known that one iteration may change."""
    if isinstance(fact, SequenceFact):
        return SequenceFact(fact.content, fact.length)
    if isinstance(fact, OptionalFact):
        return OptionalFact(fact.content, fact.present)
    return fact if isinstance(fact, NoTensor) else fact.with_value(None)


@kernel("onnx:Loop-1")
def loop(M: Array | None, cond: Array | None, *v_initial: Any, body: BodyFunction) -> tuple[Any, ...]:
    for array in (M, cond):
        require(array is None or array.size == 1, "C1")
    trips = inf if M is None else max(int(M.flat[0]), 0)
    condition = np.array(True) if cond is None else cond
    items = list(body.declared)
    runs = _while_true(body, items, (M, condition, *v_initial), trips if condition.flat[0] else 0)
    return collect_outputs(body, runs, items, stacked)


def _while_true(
    body: BodyFunction, items: list[Any], inputs: tuple[Any, ...], trips: float
) -> Iterator[list[Any]]:
    """The Results of each iteration, until the condition is false or the maximum number is reached."""
    condition = next(entry.result for entry in body.outputs if entry.port is None)
    for results in iterations(body, items, inputs, trips):
        yield results
        require(results[condition].size == 1, "C1", Shape(results[condition].shape))
        if not results[condition].flat[0]:
            return


# Scan: iterations over parts of inputs, which lose the axis.


def part(array: Array, cut: Cut, iteration: int) -> Array:
    """The part of an iteration, without the axis."""
    axis = cut.axis % array.ndim
    place = iteration if cut.stride > 0 else array.shape[axis] - 1 - iteration
    return np.asarray(np.take(array, place, axis))


def part_fact(fact: Fact, cut: Cut) -> Fact:
    """The Fact of a part."""
    dims = fact.shape.dims
    if dims is None:
        return Fact(fact.element_type)
    axis = scanned_axis(cut, len(dims))
    return Fact(fact.element_type, Shape((*dims[:axis], *dims[axis + 1 :])))


def scanned_axis(cut: Cut, rank: int) -> int:
    require(-rank <= cut.axis < rank, "C2", f"axis {cut.axis} of {rank}")
    return cut.axis % rank


def scan_length(body: BodyFunction, shapes: Sequence[Shape]) -> Dim:
    """The number of iterations: the size of all scanned inputs along their axes."""
    sizes = [ANY]
    for entry in body.inputs:
        if entry.cut is not None and entry.port is not None and shapes[entry.port].rank is not None:
            sizes.append(shapes[entry.port][scanned_axis(entry.cut, len(shapes[entry.port]))])
    return reduce(lambda a, b: unify(a, b, "C1"), sizes)


@shape("onnx:Scan-9")
def scan_shape(*initial_state_and_scan_inputs: Fact, body: BodyFunction) -> tuple[Fact, ...]:
    count = scan_length(body, [fact.shape for fact in initial_state_and_scan_inputs])
    return _scanned(body, initial_state_and_scan_inputs, count, count)


def _scanned(body: BodyFunction, inputs: Sequence[Fact], count: Dim, times: Dim) -> tuple[Fact, ...]:
    """The Facts of the outputs. count: of parts of inputs and of what is stacked; times: of iterations"""
    items = first_items(body, inputs)
    for entry in body.inputs:
        if entry.cut is not None and entry.port is not None:
            items[entry.parameter] = part_fact(inputs[entry.port], entry.cut)
    results = state_facts(body, list(items), lambda _: times)
    outputs = repeated_facts(body, items, results, times)
    cuts = {entry.port: entry.cut for entry in body.outputs if entry.cut is not None}
    return tuple(
        fact if cuts.get(port) is None or fact.shape.dims is None else _with_size(fact, cuts[port], count)
        for port, fact in enumerate(outputs)
    )


def _with_size(fact: Fact, cut: Cut | None, count: Dim) -> Fact:
    assert cut is not None
    return fact.with_shape(fact.shape.with_dim(stacking_axis(cut, len(fact.shape) - 1), count))


@kernel("onnx:Scan-9")
def scan(*initial_state_and_scan_inputs: Array, body: BodyFunction) -> tuple[Array, ...]:
    return _scan(body, initial_state_and_scan_inputs)


def _scan(body: BodyFunction, inputs: Sequence[Array]) -> tuple[Array, ...]:
    count = int(scan_length(body, [Shape(array.shape) for array in inputs]).low)
    if count > body.iterations:
        raise iteration_limit_exceeded(body, count)
    items = list(body.declared)
    return collect_outputs(body, iterations(body, items, inputs, count, part), items, stacked)


# Scan as opset 8 has it: once for each item of a batch, over the second axis, up to a length of its own.


@shape("onnx:Scan-8")
def batched_scan_shape(
    sequence_lens: Fact | None, *initial_state_and_scan_inputs: Fact, body: BodyFunction
) -> tuple[Fact, ...]:
    inputs = (Fact(), *initial_state_and_scan_inputs)
    sizes = [ANY if sequence_lens is None else sequence_lens.shape[0]]
    sizes += [fact.shape[0] for fact in initial_state_and_scan_inputs]
    batch = reduce(lambda a, b: unify(a, b, "C5"), sizes)
    single = [Fact(fact.element_type, fact.shape[1:]) for fact in inputs]
    count = scan_length(body, [fact.shape for fact in single])
    times = count if sequence_lens is None else Dim(0, count.high)
    facts = _scanned(body, single, count, times)
    return tuple(Fact(fact.element_type, Shape.of(batch) + fact.shape) for fact in facts)


@kernel("onnx:Scan-8")
def batched_scan(
    sequence_lens: Array | None, *initial_state_and_scan_inputs: Array, body: BodyFunction
) -> tuple[Array, ...]:
    batch = len(initial_state_and_scan_inputs[0])
    count = int(
        scan_length(body, [Shape(()), *(Shape(a.shape[1:]) for a in initial_state_and_scan_inputs)]).low
    )
    lengths = [count] * batch if sequence_lens is None else sequence_lens.tolist()
    require(all(0 <= length <= count for length in lengths), "C6", lengths, f"{count} parts")
    cut = {entry.port for entry in body.inputs if entry.cut is not None}
    is_stacked = [entry.cut is not None for entry in body.outputs]
    runs = [
        _scan(
            body,
            [
                np.array(length),
                *(
                    array[index][:length] if port in cut else array[index]
                    for port, array in enumerate(initial_state_and_scan_inputs, 1)
                ),
            ],
        )
        for index, length in enumerate(lengths)
    ]
    return tuple(
        np.stack([_filled(array, count) if padded else array for array in arrays])
        for padded, arrays in zip(is_stacked, zip(*runs))
    )


def _filled(array: Array, count: int) -> Array:
    """The array with zeros behind it, up to a size of its first axis."""
    return np.concatenate([array, np.zeros((count - len(array), *array.shape[1:]), array.dtype)])


# SequenceMap: the body runs once for each element of the sequences.


@shape("onnx:SequenceMap-17")
def sequence_map_shape(
    input_sequence: Fact, *additional_inputs: Fact, body: BodyFunction
) -> tuple[Fact, ...]:
    inputs = (input_sequence, *additional_inputs)
    lengths = [fact.length for fact in inputs if isinstance(fact, SequenceFact)]
    count = reduce(lambda a, b: unify(a, b, "C1"), lengths, ANY)
    items = list(body.declared)
    for entry in body.inputs:
        assert entry.port is not None
        fact = inputs[entry.port]
        items[entry.parameter] = fact.content if isinstance(fact, SequenceFact) else fact
    results = outputs_of(body, body(items))
    return tuple(SequenceFact(Fact(fact.element_type, fact.shape.unnamed()), count) for fact in results)


@kernel("onnx:SequenceMap-17")
def sequence_map(input_sequence: list[Any], *additional_inputs: Any, body: BodyFunction) -> tuple[Any, ...]:
    inputs = (input_sequence, *additional_inputs)
    lengths = {len(values) for values in inputs if isinstance(values, list)}
    require(len(lengths) == 1, "C1", sorted(lengths))
    outputs: list[list[Any]] = [[] for _ in body.outputs]
    for index in range(len(input_sequence)):
        items = list(body.declared)
        for entry in body.inputs:
            assert entry.port is not None
            values = inputs[entry.port]
            items[entry.parameter] = values[index] if isinstance(values, list) else values
        for output, value in zip(outputs, outputs_of(body, body(items))):
            output.append(value)
    return tuple(outputs)


# Ops on sequences, at run time lists.


def content_of(sequence: Fact) -> Fact:
    """What holds for each element."""
    return sequence.content if isinstance(sequence, SequenceFact) else Fact()


def length_of(sequence: Fact) -> Dim:
    return sequence.length if isinstance(sequence, SequenceFact) else ANY


def place(position: Array | None, count: int, most: int) -> int:
    """A position in 0..most, which may count from the end of the sequence; without one, the last."""
    if position is None:
        return most
    require(position.size == 1, "C1", Shape(position.shape))
    number = int(position.flat[0])
    require(-count <= number <= most, "C1", f"position {number} in a sequence of {count}")
    return number + count if number < 0 else number


def check_place(position: Fact | None, length: Dim, extra: int) -> None:
    """Require that a position may lie in a sequence of a length. extra: 1 where its end counts, too"""
    if position is None or position.value is None or position.value.size != 1:
        return
    number = int(position.value.flat[0])
    lowest = number + 1 - extra if number >= 0 else -number
    require(length >= lowest, "C1", f"position {number} in a sequence of {length}")


def unnamed(fact: Fact) -> Fact:
    """The type and shape of one tensor as what holds for each of several."""
    return Fact(fact.element_type, fact.shape.unnamed())


@shape("onnx:SequenceEmpty-11")
def sequence_empty_shape(*, dtype: ElementType | None) -> Fact:
    return SequenceFact(Fact(dtype or F32), Dim.of(0))


@kernel("onnx:SequenceEmpty-11")
def sequence_empty() -> tuple[Any]:
    return ([],)


@shape("onnx:SequenceConstruct-11")
def sequence_construct_shape(*inputs: Fact) -> Fact:
    return SequenceFact(reduce(either, map(unnamed, inputs)), Dim.of(len(inputs)))


@kernel("onnx:SequenceConstruct-11")
def sequence_construct(*inputs: Array) -> tuple[Any]:
    return (list(inputs),)


@shape("onnx:SequenceAt-11")
def sequence_at_shape(input_sequence: Fact, position: Fact) -> Fact:
    check_place(position, length_of(input_sequence), 0)
    return content_of(input_sequence)


@kernel("onnx:SequenceAt-11")
def sequence_at(input_sequence: list[Array], position: Array) -> Array:
    count = len(input_sequence)
    return input_sequence[place(position, count, count - 1)]


@shape("onnx:SequenceInsert-11")
def sequence_insert_shape(input_sequence: Fact, tensor: Fact, position: Fact | None) -> Fact:
    length = length_of(input_sequence)
    check_place(position, length, 1)
    content_before = content_of(input_sequence)
    kinds = {content_before.element_type, tensor.element_type} - {DYNAMIC}
    require(len(kinds) < 2, "C2", content_before.element_type, tensor.element_type)
    content = unnamed(tensor) if length.high == 0 else either(content_before, unnamed(tensor))
    return SequenceFact(content, length + 1)


@kernel("onnx:SequenceInsert-11")
def sequence_insert(input_sequence: list[Array], tensor: Array, position: Array | None) -> tuple[Any]:
    count = len(input_sequence)
    index = place(position, count, count)
    return ([*input_sequence[:index], tensor, *input_sequence[index:]],)


@shape("onnx:SequenceErase-11")
def sequence_erase_shape(input_sequence: Fact, position: Fact | None) -> Fact:
    length = length_of(input_sequence)
    check_place(position, length, 0)
    require(length >= 1, "C1", "an empty sequence")
    return SequenceFact(content_of(input_sequence), length.at_least(1) - 1)


@kernel("onnx:SequenceErase-11")
def sequence_erase(input_sequence: list[Array], position: Array | None) -> tuple[Any]:
    count = len(input_sequence)
    require(count > 0, "C1", "an empty sequence")
    index = place(position, count, count - 1)
    return ([*input_sequence[:index], *input_sequence[index + 1 :]],)


@shape("onnx:SequenceLength-11")
def sequence_length_shape(input_sequence: Fact) -> Fact:
    return Fact(I64, Shape(()), dims_array([length_of(input_sequence)]).reshape(()))


@kernel("onnx:SequenceLength-11")
def sequence_length(input_sequence: list[Array]) -> Array:
    return np.array(len(input_sequence), np.int64)


# Sequences of the parts of a tensor, and tensors of the elements of a sequence.


@shape("onnx:SplitToSequence-11")
def split_to_sequence_shape(input: Fact, split: Fact | None, *, axis: int, keepdims: bool) -> Fact:
    size = input.shape[axis]
    if split is None:
        part = input.shape.with_dim(axis, 1) if keepdims else input.shape.without([axis])
        return SequenceFact(Fact(input.element_type, part.unnamed()), size)
    require((split.shape.rank or 0) < 2, "C1", split)
    lengths = split.dims
    if split.shape.rank == 0 and lengths is not None:
        length = lengths[0]
        require(length >= 1, "C1", length)
        length = length.at_least(1)
        whole = size.known and length.known and int(size) % int(length) == 0
        each = length if whole else Dim(min(1, size.low), min(length.high, size.high))
        return SequenceFact(_part(input, axis, each), size.ceil_div(length))
    if lengths is None or split.shape.rank is None:
        return SequenceFact(_part(input, axis, Dim(0, size.high)))
    require(all(length >= 0 for length in lengths), "C1", Shape(lengths))
    if all(length.known for length in lengths):
        require(size.can_be(sum(map(int, lengths))), "C1", Shape(lengths), size)
    each = reduce(Dim.union, [length.at_least(0) for length in lengths]) if lengths else Dim(0, size.high)
    return SequenceFact(_part(input, axis, each), Dim.of(len(lengths)))


def _part(input: Fact, axis: int, size: Dim) -> Fact:
    return Fact(input.element_type, input.shape.with_dim(axis, size).unnamed())


@kernel("onnx:SplitToSequence-11")
def split_to_sequence(input: Array, split: Array | None, *, axis: int, keepdims: bool) -> tuple[Any]:
    size = input.shape[axis]
    if split is None:
        parts = np.split(input, size, axis) if size else []
        return ([part if keepdims else part.squeeze(axis) for part in parts],)
    if split.ndim:
        lengths = [int(length) for length in split]
        require(sum(lengths) == size and min(lengths, default=0) >= 0, "C1", lengths, f"{size} elements")
    else:
        require(int(split) > 0, "C1", int(split))
        lengths = [int(split)] * -(-size // int(split))
    return (np.split(input, np.cumsum(lengths)[:-1], axis) if lengths else [],)


@shape("onnx:ConcatFromSequence-11")
def concat_from_sequence_shape(input_sequence: Fact, *, axis: int, new_axis: bool) -> Fact:
    content, length = content_of(input_sequence), length_of(input_sequence)
    require(length >= 1, "C1", input_sequence)
    if content.shape.rank is None:
        return Fact(content.element_type)
    rank = content.shape.rank + new_axis
    require(-rank <= axis < rank, "C2", f"axis {axis} at rank {rank}")
    sizes, at = list(content.shape), axis % rank
    if new_axis:
        sizes.insert(at, length)
    else:
        sizes[at] = sizes[at].named(None) * length.named(None)
    return Fact(content.element_type, Shape(sizes))


@kernel("onnx:ConcatFromSequence-11")
def concat_from_sequence(input_sequence: list[Array], *, axis: int, new_axis: bool) -> Array:
    require(bool(input_sequence), "C1", "an empty sequence")
    at = normal_axes([axis], input_sequence[0].ndim + new_axis, "C2")[0]
    shapes = [
        array.shape if new_axis else (*array.shape[:at], 0, *array.shape[at + 1 :])
        for array in input_sequence
    ]
    require(len(set(shapes)) == 1, "C3", *(Shape(array.shape) for array in input_sequence[:2]))
    return np.stack(input_sequence, at) if new_axis else np.concatenate(input_sequence, at)


# Ops on optional values, at run time None or what the value holds.


@shape("onnx:Optional-15")
def optional_shape(input: Fact | None, *, type: str | None) -> Fact:
    require(input is not None or type is not None, "C1")
    if input is not None:
        return OptionalFact(input, present=True)
    return OptionalFact(parse_fact(type or ""), present=False)


@kernel("onnx:Optional-15")
def optional(input: Any) -> tuple[Any]:
    return (input,)


@shape("onnx:OptionalHasElement-15", "onnx:OptionalHasElement-18")
def optional_has_element_shape(input: Fact | None) -> Fact:
    present = input.present if isinstance(input, OptionalFact) else input is not None
    return Fact(BOOLEAN, Shape(()), None if present is None else np.array(present))


@kernel("onnx:OptionalHasElement-15", "onnx:OptionalHasElement-18")
def optional_has_element(input: Any) -> Array:
    return np.array(input is not None)


@shape("onnx:OptionalGetElement-15")
def optional_get_element_shape(input: Fact) -> Fact:
    if not isinstance(input, OptionalFact):
        return input
    require(input.present is not False, "C1")
    return input.content


@kernel("onnx:OptionalGetElement-15")
def optional_get_element(input: Any) -> tuple[Any]:
    require(input is not None, "C1")
    return (input,)

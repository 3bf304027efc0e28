"""Loop and TensorIterator: a body that is repeated."""

from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from math import inf

from irops.ops.infrastructure import iteration
from irops.ops.infrastructure.slices import check_concatenations, check_slices
from irops.spec.binding import kernel, shape
from irops.spec.body import CURRENT_ITERATION, EXECUTION_CONDITION, BodyFunction, BodyOutput
from irops.values.dim import UNKNOWN, Dim, unify
from irops.values.element import BOOLEAN, I64, Array
from irops.values.fact import Fact, dims_array
from irops.values.shape import Shape
from irops.values.violation import require, violations_at, warn_unless


@shape("Loop-5")
def loop_shape(
    trip_count: Fact, execution_condition: Fact, *inputs: Fact, body: BodyFunction
) -> tuple[Fact, ...]:
    for fact in (trip_count, execution_condition):
        require(fact.shape.size.can_be(1), "C10", fact)
    warn_unless(trips_of(trip_count) >= -1, "C14", trips_of(trip_count))
    all_inputs = (trip_count, execution_condition, *inputs)
    parts = iteration.part_counts(body, [fact.shape for fact in all_inputs])
    check_whole_axis(body)
    max_count = iteration_count(trip_count, execution_condition, Fact())
    items = with_number(body, iteration.first_items(body, all_inputs, free=2), max_count)
    condition = condition_of(body)

    def count(results: list[Fact]) -> Dim:
        return iteration_count(trip_count, execution_condition, results[condition.result])

    results = iteration.result_facts(body, items, count)
    check_condition(condition, results[condition.result])
    iteration_dim = count(results)
    enough = all(iteration_dim.low <= available.high for available in parts)
    warn_unless(enough, "C13", f"{iteration_dim} iterations", *parts)
    warn_unless(iteration_dim.low < inf, "C15", "an infinite number of iterations")
    if iteration_dim.low == inf:
        iteration_dim = Dim(1, inf)
    return iteration.output_facts(body, items, results, iteration_dim)


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
    return iteration.collect_outputs(body, while_true(body, items, all_inputs, max_count), items)


def while_true(
    body: BodyFunction, items: list[Array], inputs: tuple[Array, ...], max_count: float
) -> Iterator[list[Array]]:
    """The Results of each iteration, until the condition is false or the maximum number is reached."""
    parts = [
        int(count) for count in iteration.part_counts(body, [Shape(array.shape) for array in inputs], require)
    ]
    condition = condition_of(body).result
    if (
        max_count > body.iterations
        and body.result_facts[condition].value is not None
        and body.result_facts[condition].value.all()
    ):
        raise iteration.iteration_limit_exceeded(body, max_count)
    condition_holds, completed = max_count > 0, 0
    for results in iteration.iterations(body, items, inputs, min(max_count, *parts, inf)):
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
                require(iteration.alike(kind, I64) or kind.name == "i32", "C12", declared)
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
        require(iteration.alike(fact.element_type, BOOLEAN), "C11", fact)
        require((fact.shape.rank or 0) < 2 and fact.shape.size.can_be(1), "C11", fact)


@shape("TensorIterator-1")
def tensor_iterator_shape(*inputs: Fact, body: BodyFunction) -> tuple[Fact, ...]:
    count = iterations_of_slices(body, [fact.shape for fact in inputs])
    items = iteration.first_items(body, inputs)
    results = iteration.result_facts(body, items, lambda _: count)
    check_pieces(body, [fact.shape for fact in results], warn_unless)
    check_slices(body, [fact.shape for fact in inputs])
    check_concatenations(body, results, count)
    return iteration.output_facts(body, items, results, count)


@kernel("TensorIterator-1")
def tensor_iterator(*inputs: Array, body: BodyFunction) -> tuple[Array, ...]:
    count = int(iterations_of_slices(body, [Shape(array.shape) for array in inputs], require))
    if count > body.iterations:
        raise iteration.iteration_limit_exceeded(body, count)
    items = list(body.declared)
    return iteration.collect_outputs(
        body, checked(body, iteration.iterations(body, items, inputs, count)), items
    )


def iterations_of_slices(
    body: BodyFunction, shapes: Sequence[Shape], check: Callable[..., None] = warn_unless
) -> Dim:
    """The number of iterations: the number of parts of the sliced inputs. Without sliced inputs, the first
    concatenated output determines it; without that, it is 1.
    """
    counts = iteration.part_counts(body, shapes, check)
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

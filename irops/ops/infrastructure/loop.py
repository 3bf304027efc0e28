"""Loop: run a body until its condition is false, or as often as is said."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

from irops.ops.infrastructure.iteration import alike, first_items, output_facts, part_counts, settled
from irops.ops.infrastructure.turns import gathered, iterations, too_many
from irops.spec.binding import kernel, shape
from irops.spec.body import CURRENT_ITERATION, EXECUTION_CONDITION, BodyFunction, BodyOutput
from irops.values.dim import UNKNOWN, Dim
from irops.values.element import BOOLEAN, I64, Array
from irops.values.fact import Fact, dims_array
from irops.values.shape import Shape
from irops.values.violation import violations_at, require, warn_unless


@shape("Loop-5")
def loop_shape(
    trip_count: Fact, execution_condition: Fact, *inputs: Fact, body: BodyFunction
) -> tuple[Fact, ...]:
    for fact in (trip_count, execution_condition):
        require(fact.shape.size.can_be(1), "C10", fact)
    warn_unless(trips_of(trip_count) >= -1, "C14", trips_of(trip_count))
    every = (trip_count, execution_condition, *inputs)
    parts = part_counts(body, [fact.shape for fact in every])
    hold_cuts(body)
    most = turn_count(trip_count, execution_condition, Fact())
    items = with_number(body, first_items(body, every, free=2), most)
    condition = condition_of(body)

    def count(results: list[Fact]) -> Dim:
        return turn_count(trip_count, execution_condition, results[condition.result])

    results = settled(body, items, count)
    hold_condition(condition, results[condition.result])
    turns = count(results)
    warn_unless(all(turns.low <= available.high for available in parts), "C13", f"{turns} iterations", *parts)
    warn_unless(turns.low < inf, "C15", "no end")
    return output_facts(body, items, results, Dim(min(turns.low, 1), inf) if turns.low == inf else turns)


@kernel("Loop-5")
def loop(
    trip_count: Array, execution_condition: Array, *inputs: Array, body: BodyFunction
) -> tuple[Array, ...]:
    require(
        trip_count.size == 1 and execution_condition.size == 1,
        "C10",
        Shape(trip_count.shape),
        Shape(execution_condition.shape),
    )
    every = (trip_count, execution_condition, *inputs)
    trips = int(trip_count.flat[0])
    most = 0 if not execution_condition.flat[0] else trips if trips >= 0 else inf
    items = list(body.declared)
    return gathered(body, while_true(body, items, every, most), items)


def while_true(
    body: BodyFunction, items: list[Array], inputs: tuple[Array, ...], most: float
) -> Iterator[list[Array]]:
    """The Results of each iteration, until the condition is false or there have been as many as may be."""
    parts = [int(count) for count in part_counts(body, [Shape(array.shape) for array in inputs], require)]
    condition = condition_of(body).result
    if (
        most > body.iterations
        and body.result_facts[condition].value is not None
        and body.result_facts[condition].value.all()
    ):
        raise too_many(body, most)
    goes_on, turns = most > 0, 0
    for results in iterations(body, items, inputs, min(most, *parts, inf)):
        yield results
        turns += 1
        require(results[condition].size == 1, "C11", Shape(results[condition].shape))
        goes_on = bool(results[condition].flat[0])
        if not goes_on:
            break
    require(not goes_on or turns == most, "C13", f"{min(parts, default=0)} parts and more iterations")


def turn_count(trip_count: Fact, execution_condition: Fact, goes_on: Fact) -> Dim:
    """How many iterations there are: an infinity of them where there is surely no end. goes_on: the condition
    that the body gives.

    As in OpenVINO, a condition that is not known at first is taken to be true.
    """
    trips = trips_of(trip_count)
    first, again = truth(execution_condition), truth(goes_on)
    if first is False or trips == 0:
        return Dim.of(0)
    if again is False:
        return Dim.of(1)
    most = Dim(inf, inf) if trips.high < 0 else trips if trips.low >= 0 else Dim(0, inf)
    return most if again else Dim(min(most.low, 1), most.high)


def trips_of(trip_count: Fact) -> Dim:
    return trip_count.dims[0] if trip_count.dims else UNKNOWN


def truth(condition: Fact) -> bool | None:
    """What a condition surely is."""
    return None if condition.value is None or condition.value.size != 1 else bool(condition.value.flat[0])


def with_number(body: BodyFunction, items: list[Fact], most: Dim) -> list[Fact]:
    """The Parameters' items, with what is known of the number of the iteration."""
    changing = {edge.parameter for edge in body.back_edges}
    for entry in body.inputs:
        if entry.port is None and entry.purpose == CURRENT_ITERATION:
            declared = items[entry.parameter]
            with violations_at(entry.at):
                kind = declared.element_type
                require(alike(kind, I64) or kind.name == "i32", "C12", declared)
                require((declared.shape.rank or 0) < 2 and declared.shape.size.can_be(1), "C12", declared)
            shape = Shape((1,) * (declared.shape.rank or 0))
            number = dims_array([Dim(0, max(most.high - 1, 0))]).reshape(shape.to_tuple())
            items[entry.parameter] = Fact(kind, shape, None if entry.parameter in changing else number)
    return items


def hold_cuts(body: BodyFunction) -> None:
    """Remark on inputs that are not cut from end to end."""
    for entry in body.inputs:
        if entry.cut is not None:
            with violations_at(entry.at):
                ends = (entry.cut.start, entry.cut.end)
                warn_unless(
                    ends == ((0, -1) if entry.cut.stride > 0 else (-1, 0)),
                    "C16",
                    f"start {ends[0]} and end {ends[1]}",
                )


def condition_of(body: BodyFunction) -> BodyOutput:
    """The Result that says whether to go on."""
    return next(entry for entry in body.outputs if entry.purpose == EXECUTION_CONDITION)


def hold_condition(condition: BodyOutput, fact: Fact) -> None:
    """Hold what the body gives as its condition to being one."""
    with violations_at(condition.at):
        require(alike(fact.element_type, BOOLEAN), "C11", fact)
        require((fact.shape.rank or 0) < 2 and fact.shape.size.can_be(1), "C11", fact)

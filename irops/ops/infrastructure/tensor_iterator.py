"""TensorIterator: run a body once for every part that its inputs are cut into."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import reduce

from irops.ops.infrastructure.iteration import first_items, output_facts, part_counts, settled
from irops.ops.infrastructure.turns import gathered, iterations, too_many
from irops.spec.binding import kernel, shape
from irops.spec.body import BodyFunction
from irops.values.dim import Dim, unify
from irops.values.element import Array
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.violation import violations_at, require, warn_unless


@shape("TensorIterator-1")
def tensor_iterator_shape(*inputs: Fact, body: BodyFunction) -> tuple[Fact, ...]:
    count = turn_count(body, [fact.shape for fact in inputs])
    items = first_items(body, inputs)
    results = settled(body, items, lambda _: count)
    hold_pieces(body, [fact.shape for fact in results], warn_unless)
    return output_facts(body, items, results, count)


@kernel("TensorIterator-1")
def tensor_iterator(*inputs: Array, body: BodyFunction) -> tuple[Array, ...]:
    count = int(turn_count(body, [Shape(array.shape) for array in inputs], require))
    if count > body.iterations:
        raise too_many(body, count)
    items = list(body.declared)
    return gathered(body, held(body, iterations(body, items, inputs, count)), items)


def turn_count(body: BodyFunction, shapes: Sequence[Shape], hold: Callable[..., None] = warn_unless) -> Dim:
    """How many iterations there are: as many as parts; where nothing is cut, as many as the first joined
    output says, or one.
    """
    counts = part_counts(body, shapes, hold)
    if counts:
        return reduce(lambda a, b: unify(a, b, "C10"), counts)
    joined = next((entry.cut for entry in body.outputs if entry.cut is not None), None)
    return Dim.of(1 if joined is None else abs(joined.end - joined.start) // joined.part_size)


def held(body: BodyFunction, turns: Iterator[list[Array]]) -> Iterator[list[Array]]:
    """The Results of each iteration, held to what is said of them."""
    for results in turns:
        hold_pieces(body, [Shape(array.shape) for array in results], require)
        yield results


def hold_pieces(body: BodyFunction, results: Sequence[Shape], hold: Callable[..., None]) -> None:
    """Hold the pieces of joined outputs to the part_size that is said of them."""
    for entry in body.outputs:
        piece = results[entry.result]
        if entry.cut is not None and piece.dims and -len(piece) <= entry.cut.axis < len(piece):
            size = piece[entry.cut.axis]
            with violations_at(entry.at):
                hold(
                    size.can_be(entry.cut.part_size),
                    "C11",
                    f"part_size {entry.cut.part_size} of {size} elements",
                )

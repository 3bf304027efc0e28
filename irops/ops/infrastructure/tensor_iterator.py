"""TensorIterator: run a body once for each slice of its inputs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import reduce

from irops.ops.infrastructure.iteration import first_items, output_facts, part_counts, result_facts
from irops.ops.infrastructure.plugin_slices import check_concatenations, check_slices
from irops.ops.infrastructure.turns import collect_outputs, iteration_limit_exceeded, iterations
from irops.spec.binding import kernel, shape
from irops.spec.body import BodyFunction
from irops.values.dim import Dim, unify
from irops.values.element import Array
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.violation import require, violations_at, warn_unless


@shape("TensorIterator-1")
def tensor_iterator_shape(*inputs: Fact, body: BodyFunction) -> tuple[Fact, ...]:
    count = iteration_count(body, [fact.shape for fact in inputs])
    items = first_items(body, inputs)
    results = result_facts(body, items, lambda _: count)
    check_pieces(body, [fact.shape for fact in results], warn_unless)
    check_slices(body, [fact.shape for fact in inputs])
    check_concatenations(body, results, count)
    return output_facts(body, items, results, count)


@kernel("TensorIterator-1")
def tensor_iterator(*inputs: Array, body: BodyFunction) -> tuple[Array, ...]:
    count = int(iteration_count(body, [Shape(array.shape) for array in inputs], require))
    if count > body.iterations:
        raise iteration_limit_exceeded(body, count)
    items = list(body.declared)
    return collect_outputs(body, checked(body, iterations(body, items, inputs, count)), items)


def iteration_count(
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
                check(
                    size.can_be(entry.cut.part_size),
                    "C11",
                    f"part_size {entry.cut.part_size} of {size} elements",
                )

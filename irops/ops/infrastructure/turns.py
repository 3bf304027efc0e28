"""A body run again and again: what the kernels of Loop and TensorIterator share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf

import numpy as np

from irops.ops.infrastructure.iteration import carried, sources_of
from irops.ops.infrastructure.slices import joined, part
from irops.spec.body import CURRENT_ITERATION, BodyFunction
from irops.values.element import DYNAMIC, Array
from irops.values.fact import Fact
from irops.values.violation import LimitExceeded, require


def iterations(
    body: BodyFunction, items: list[Array], inputs: Sequence[Array], count: float
) -> Iterator[list[Array]]:
    """The Results of each iteration. items: what the Parameters take, filled in; count: how many iterations,
    perhaps without end.
    """
    for entry in body.inputs:
        if entry.port is not None and entry.cut is None:
            items[entry.parameter] = inputs[entry.port]
    fed = {edge.parameter for edge in body.back_edges}
    turn = 0
    while turn < count:
        if turn >= body.iterations:
            raise too_many(body, count)
        for entry in body.inputs:
            if entry.cut is not None and entry.port is not None:
                items[entry.parameter] = part(inputs[entry.port], entry.cut, turn)
            elif entry.purpose == CURRENT_ITERATION and (turn == 0 or entry.parameter not in fed):
                items[entry.parameter] = _number(body.declared[entry.parameter], turn)
        results = body(items)
        yield results
        for edge in carried(body):
            items[edge.parameter] = results[edge.result]
        turn += 1


def too_many(body: BodyFunction, count: float) -> LimitExceeded:
    """The complaint that a body would run too often."""
    said = f"{int(count):,} times" if count < inf else "without end"
    return LimitExceeded(
        "iteration-limit", f"the body would run {said}, the limit is {body.iterations:,} (iterations)"
    )


def _number(declared: Fact, turn: int) -> Array:
    """The number of an iteration, as the Parameter that takes it wants it: a scalar, or one element."""
    kind = declared.element_type
    return np.full((1,) * (declared.shape.rank or 0), turn, np.int64 if kind is DYNAMIC else kind.dtype)


def gathered(body: BodyFunction, turns: Iterator[list[Array]], initial: list[Array]) -> tuple[Array, ...]:
    """The outputs of a body's iterations. initial: what the Parameters took at first."""
    pieces: dict[int, list[Array]] = {
        entry.port: [] for entry in body.outputs if entry.port is not None and entry.cut is not None
    }
    results: list[Array] | None = None
    taken = 0
    for results in turns:
        for entry in body.outputs:
            if entry.port in pieces:
                pieces[entry.port].append(results[entry.result])
                taken += results[entry.result].nbytes
        if taken > body.tensor_bytes:
            raise LimitExceeded(
                "memory-limit",
                f"the pieces of outputs take {taken:,} bytes, {body.tensor_bytes:,} are left (tensor_bytes)",
            )
    found: dict[int, Array] = {}
    sources = sources_of(body)
    for entry in body.outputs:
        if entry.port is None:
            continue
        if entry.cut is not None:
            found[entry.port] = joined(pieces[entry.port], entry.cut, body.result_facts[entry.result])
        else:
            found[entry.port] = (
                _initial(sources.get(entry.result), initial) if results is None else results[entry.result]
            )
    return tuple(found[port] for port in sorted(found))


def _initial(source: int | None, initial: list[Array]) -> Array:
    require(source is not None, "C9", "no iteration")
    assert source is not None
    return initial[source]

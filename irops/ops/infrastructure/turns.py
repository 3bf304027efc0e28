"""The execution of a body in a loop, for the kernels of Loop and TensorIterator."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf

import numpy as np

from irops.ops.infrastructure.iteration import carried, sources_of
from irops.ops.infrastructure.slices import concatenated, part
from irops.spec.body import CURRENT_ITERATION, BodyFunction
from irops.values.element import DYNAMIC, Array
from irops.values.fact import Fact
from irops.values.violation import LimitExceeded, require


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
            raise LimitExceeded(
                "memory-limit",
                f"the pieces of outputs take {piece_bytes:,} bytes, "
                f"{body.tensor_bytes:,} are left (tensor_bytes)",
            )
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

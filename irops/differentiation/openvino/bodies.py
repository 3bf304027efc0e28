"""The derivatives of If, Loop and TensorIterator: through the layers of the body, iteration by iteration."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from typing import Any

import numpy as np

from irops.differentiation.deriving import (
    Applied,
    Cotangents,
    Derivation,
    DerivedBody,
    NotDerivedError,
    Place,
    Terms,
    composition,
    derivative,
    through,
)
from irops.ops.infrastructure.iteration import (
    carried,
    condition_of,
    count_of_slices,
    part_counts,
    sources_of,
)
from irops.spec.body import CURRENT_ITERATION, BodyFunction, Cut
from irops.values.element import DYNAMIC, Array, ElementType
from irops.values.violation import require

NARROW = ("f16", "bf16")


def results_of(d: Derivation, body: DerivedBody, arguments: Sequence[Any]) -> list[Any]:
    """The results of a body, whose layers are applied one after another."""
    values: dict[Place, Any] = {(number, 0): term for number, term in zip(body.parameters, arguments)}
    for layer in body.layers:
        if layer.value is not None:
            values[layer.id, 0] = d.value(_widened(d, layer.value()), "constant")
        elif layer.invocation is not None:
            given = [None if source is None else values[source] for source in layer.sources]
            inner = Derivation(d.builder, layer.invocation, given, (), (), (), layer.bodies)
            outputs = BODIES[inner.op.id](inner) if layer.bodies else _applied(inner)
            values.update({(layer.id, number): term for number, term in enumerate(outputs)})
    return [values[place] for place in body.results]


def _widened(d: Derivation, array: Array) -> Array:
    """A constant as rules compute with it: of f32 where arrays of narrower types are."""
    return array.astype(np.float32) if d.builder.is_exact and array.dtype.name in WIDENED else array


WIDENED = ("float16", "bfloat16")


def _applied(d: Derivation) -> Sequence[Any]:
    if d.op.definition.stateful:
        raise NotDerivedError(f"its body contains {d.op.id}, which keeps a state")
    given = {name: _wide_type(d, value) for name, value in d.attributes.items() if value is not None}
    return d.builder.apply(d.op, d.inputs, given, d.op.definition.type)


def _wide_type(d: Derivation, value: Any) -> Any:
    is_narrow = d.builder.is_exact and isinstance(value, ElementType) and value.name in NARROW
    return "f32" if is_narrow else value


# If.


def _branch(d: Derivation, is_true: bool) -> list[Any]:
    """The outputs of one of the bodies."""
    body = d.bodies["then_body" if is_true else "else_body"]
    arguments: list[Any] = [None] * len(body.parameters)
    for entry in body.function.inputs:
        if entry.port is not None:
            arguments[entry.parameter] = d.inputs[entry.port]
    results = results_of(d, body, arguments)
    by_port = {entry.port: results[entry.result] for entry in body.function.outputs if entry.port is not None}
    return [by_port[port] for port in sorted(by_port)]


def _condition(d: Derivation, term: Any) -> bool | None:
    """The value of a condition, if it is known."""
    value = d.known_value(term)
    return None if value is None else bool(np.asarray(value).ravel()[0])


def conditional(d: Derivation) -> Sequence[Any]:
    """The outputs of an If inside of a body."""
    known = _condition(d, d.input("cond"))
    if known is not None:
        return _branch(d, known)

    def side(is_true: bool) -> Callable[[Terms, Sequence[Any]], list[Any]]:
        return lambda terms, operands: _branch(
            Derivation(terms, d.invocation, operands, (), (), (), d.bodies), is_true
        )

    outputs = d.builder.choose(d.input("cond"), side(is_true=True), side(is_true=False), d.inputs)
    if d.builder.noted is not None:
        d.builder.noted.append(Applied(d.invocation, tuple(d.inputs), outputs, d.bodies))
    return outputs


@derivative("If-8")
def back_through_branch(d: Derivation) -> Cotangents:
    """Back through the body that runs; a graph chooses it by an If, too."""
    if _condition(d, d.input("cond")) is not None:
        return through(d, conditional)
    count, wanted = len(d.inputs), sorted(d._wanted)
    reaching = [index for index in range(len(d.results)) if d.reaches(index)]

    def side(is_true: bool) -> Callable[[Terms, Sequence[Any]], list[Any]]:
        def back(terms: Terms, operands: Sequence[Any]) -> list[Any]:
            cotangents: list[Any] = [None] * len(d.results)
            for place, index in enumerate(reaching):
                cotangents[index] = operands[count + place]
            inner = Derivation(
                terms, d.invocation, operands[:count], d.results, cotangents, d._wanted, d.bodies
            )
            found = through(inner, lambda again: _branch(again, is_true))["inputs"]
            chosen = [found[index - 1] for index in wanted]
            return [
                inner.zeros(inner.inputs[index]) if term is None else term
                for index, term in zip(wanted, chosen)
            ]

        return back

    operands = [*d.inputs, *(d.cotangent(index) for index in reaching)]
    outputs = d.builder.choose(d.input("cond"), side(is_true=True), side(is_true=False), operands)
    by_index = dict(zip(wanted, outputs))
    return {"inputs": [by_index.get(index) for index in range(1, count)]}


# Loop and TensorIterator.


def _iterations(
    d: Derivation, body: DerivedBody, count: float, again: Callable[[list[Any]], bool]
) -> tuple[list[list[Any]], list[Any]]:
    """The results of each iteration, and the initial values of the Parameters."""
    function = body.function
    initial: list[Any] = [None] * len(body.parameters)
    for entry in function.inputs:
        if entry.port is not None and entry.cut is None:
            initial[entry.parameter] = d.inputs[entry.port]
    items = list(initial)
    runs: list[list[Any]] = []
    fed_back = {edge.parameter for edge in function.back_edges}
    while len(runs) < count:
        if len(runs) >= function.iterations:
            raise NotDerivedError(f"its body runs more than {function.iterations:,} times")
        for entry in function.inputs:
            if entry.cut is not None and entry.port is not None:
                items[entry.parameter] = _part(d, d.inputs[entry.port], entry.cut, len(runs))
            elif entry.purpose == CURRENT_ITERATION and (not runs or entry.parameter not in fed_back):
                items[entry.parameter] = _number(d, function, entry.parameter, len(runs))
        results = results_of(d, body, items)
        runs.append(results)
        for edge in carried(function):
            items[edge.parameter] = results[edge.result]
        if not again(results):
            break
    return runs, initial


def _number(d: Derivation, function: BodyFunction, parameter: int, iteration: int) -> Any:
    declared = function.declared[parameter]
    kind = np.int64 if declared.element_type is DYNAMIC else declared.element_type.dtype
    return d.value(np.full((1,) * (declared.shape.rank or 0), iteration, kind), "iteration")


def _part(d: Derivation, term: Any, cut: Cut, iteration: int) -> Any:
    rank = d.builder.fact(term).shape.rank
    if rank is None:
        raise NotDerivedError("the rank of a sliced input is unknown")
    size = d.size(term, cut.axis % rank)
    start = cut.start if cut.start >= 0 else size + cut.start
    low = start + iteration * cut.stride - (cut.part_size - 1 if cut.stride < 0 else 0)
    bounds = (d.vector([low]), d.vector([low + cut.part_size]))
    return d.add("Slice-8", term, *bounds, np.array([1]), np.array([cut.axis % rank]))


def _outputs(
    d: Derivation, function: BodyFunction, runs: Sequence[Sequence[Any]], initial: Sequence[Any]
) -> list[Any]:
    """The outputs; None for one that no iteration gives."""
    outputs: dict[int, Any] = {}
    sources = sources_of(function)
    for entry in function.outputs:
        if entry.port is None:
            continue
        if entry.cut is not None:
            pieces = [_piece(d, results[entry.result]) for results in runs]
            pieces = pieces[::-1] if entry.cut.stride < 0 else pieces
            axis = entry.cut.axis
            outputs[entry.port] = d.add("Concat-1", *pieces, axis=axis) if pieces else None
        elif runs:
            outputs[entry.port] = runs[-1][entry.result]
        else:
            source = sources.get(entry.result)
            outputs[entry.port] = None if source is None else initial[source]
    return [outputs[port] for port in sorted(outputs)]


def _piece(d: Derivation, term: Any) -> Any:
    return d.in_shape(term, [1]) if d.builder.fact(term).shape.rank == 0 else term


@composition("TensorIterator-1")
def tensor_iterator(d: Derivation) -> Sequence[Any]:
    body = d.bodies["body"]
    count = count_of_slices(body.function, [d.builder.fact(term).shape for term in d.inputs], require)
    if not count.known:
        raise NotDerivedError("the number of its iterations is not known without a run")
    return _outputs(d, body.function, *_iterations(d, body, int(count), lambda _: True))


@composition("Loop-5")
def loop(d: Derivation) -> Sequence[Any]:
    body = d.bodies["body"]
    trips, first = d.known_value(d.input("trip_count")), _condition(d, d.input("execution_condition"))
    shapes = [d.builder.fact(term).shape for term in d.inputs]
    parts = [int(count) if count.known else None for count in part_counts(body.function, shapes, require)]
    if trips is None or first is None or None in parts:
        raise NotDerivedError("the number of its iterations is not known without a run")
    most = int(np.asarray(trips).ravel()[0])
    count = min(inf if most < 0 else most, *(part for part in parts if part is not None), inf)
    condition = condition_of(body.function).result

    def again(results: list[Any]) -> bool:
        holds = _condition(d, results[condition])
        if holds is None:
            raise NotDerivedError("the number of its iterations is not known without a run")
        return holds

    return _outputs(d, body.function, *_iterations(d, body, count if first else 0, again))


BODIES: dict[str, Callable[[Derivation], Sequence[Any]]] = {
    "If-8": conditional,
    "Loop-5": loop,
    "TensorIterator-1": tensor_iterator,
}
"""The outputs of ops with bodies inside of other bodies."""

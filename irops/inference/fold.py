"""Values that are known before anything runs: constants through small sub-graphs, and shapes in part."""
from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from irops.inference.layer import LayerFault, named_inputs, positional, taken, with_normal_axes
from irops.registry import Op
from irops.values.element import Array
from irops.values.fact import Fact, dims_array, holds_dims
from irops.values.violation import LimitExceeded, Violation

DEEPEST = 50
"""After so many steps of a chain, a value is worked out at once rather than when asked for, to bound recursion."""


def attach_values(op: Op, inputs: Sequence[Fact | None], attributes: Mapping[str, Any], outputs: list[Fact], limit: int) -> list[Fact]:
    """The outputs, with values that are worked out when first asked for, where they follow from the inputs' and are small.

    limit: how many elements a value may have, and all inputs together 16 times as many.
    """
    if op.definition.stateful or op.definition.bodies or not inputs:
        return outputs
    partial = op.functions.values is not None
    promising = [fact is None or fact.promising for fact in inputs]
    if not (any(promising) if partial else all(promising)):
        return outputs
    if not all(_small(fact, limit) for fact in outputs) or not all(f is None or _small(f, 16 * limit) for f in inputs):
        return outputs
    worked_out: list[tuple[Array | None, ...]] = []

    def outcome() -> tuple[Array | None, ...]:
        if not worked_out:
            worked_out.append(_evaluate(op, inputs, attributes, len(outputs)))
        return worked_out[0]

    depth = 1 + max((fact.depth for fact in inputs if fact is not None), default=0)
    found = [fact if fact.promising else _lazy(fact, outcome, index, depth) for index, fact in enumerate(outputs)]
    if depth > DEEPEST:
        for fact in found:
            fact.settle()
    return found


def _lazy(fact: Fact, outcome: Callable[[], tuple[Array | None, ...]], index: int, depth: int) -> Fact:
    return Fact(fact.element_type, fact.shape, lambda: outcome()[index], depth)


def _small(fact: Fact, limit: int) -> bool:
    size = fact.shape.size
    return size.known and size.high <= limit


def _evaluate(op: Op, inputs: Sequence[Fact | None], attributes: Mapping[str, Any], count: int) -> tuple[Array | None, ...]:
    """All elements where all inputs are known; what is known of each, where the op can say it; else None."""
    nothing: tuple[Array | None, ...] = (None,) * count
    known = [None if fact is None else fact.known for fact in inputs]
    missing = [fact is not None and value is None for fact, value in zip(inputs, known)]
    in_part = any(missing) or any(value is not None and holds_dims(value) for value in known)
    function = op.functions.values if in_part else op.functions.kernel
    if function is None:
        return nothing
    if in_part:
        known = [_dims(fact, value) for fact, value in zip(inputs, known)]
        if any(fact is not None and value is None for fact, value in zip(inputs, known)):
            return nothing
    try:
        arguments = positional(op, named_inputs(op, known))
        attributes = with_normal_axes(op, known, attributes)
        result = function(*arguments, **taken(op, "values" if in_part else "kernel", attributes, {}))
    except (Violation, LayerFault, LimitExceeded):
        return nothing                            # told where the layer itself is inferred or run
    return result if isinstance(result, tuple) else (result,)


def _dims(fact: Fact | None, value: Array | None) -> Array | None:
    if fact is None or value is not None:
        return value
    dims = fact.dims
    return None if dims is None or not fact.element_type.integral else dims_array(dims).reshape(fact.shape.to_tuple())

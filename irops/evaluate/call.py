"""irops.call: one op on arrays, at once."""
from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from irops.backends.backend import Backend, chain, kernel_of
from irops.backends.declined import Declined
from irops.diagnostics.diagnostic import Diagnostic, EvaluationError, Location
from irops.diagnostics.rules import rule
from irops.evaluate.arrays import as_tensor, fact_of, result_array, size_in_bytes
from irops.evaluate.variables import Variables
from irops.inference.bind import bind
from irops.inference.layer import LayerFault, fault_of, infer_layer, named_inputs, positional, taken, with_normal_axes
from irops.limits import Limits
from irops.limits import notes as limit_notes
from irops.registry import Op, Registry, default_registry
from irops.values.element import Array, ElementType
from irops.values.shape import Shape
from irops.values.violation import LimitExceeded, Violation


def call(op_id: str, *inputs: Any, backends: Iterable[str | Backend] = ("reference",), registry: Registry | None = None,
         limits: Limits | None = None, **attributes: Any) -> Array | tuple[Array, ...]:
    """The output of one op, or a tuple where it has several: call("ReverseSequence-1", data, lengths, batch_axis=0, seq_axis=1).

    inputs: arrays in the order of the definition, None for an optional one that is not given; attributes: Python values.
    Raises:  KeyError for an op that is not defined; EvaluationError, with .diagnostics, for what breaks its definition
    """
    op = (registry or default_registry()).op(op_id)
    try:
        spelled = {attribute.parameter: name for name, attribute in op.definition.attributes.items()}
        values = bind(op, {spelled.get(name, name): attribute_text(value) for name, value in attributes.items()})
        for fault in values.faults:
            if not values.usable or fault.rule == "unknown-attribute":
                raise LayerFault(fault.rule, fault.message)
        arrays = [None if item is None else as_tensor(item) for item in inputs]
        facts = infer_layer(op, [None if a is None else fact_of(a, with_value=True) for a in arrays], values.values)
        limits = limits or Limits()
        if size_in_bytes(facts) > limits.tensor_bytes:
            raise LayerFault("byte-limit", f"{op.id} would give {facts[0]}, {limits.said('tensor_bytes')}")
        found = kernel_of(op, chain(backends))
        if found is None:
            raise LayerFault("unevaluable-op", f"no backend can compute {op.id}")
        bound = with_normal_axes(op, arrays, values.values)
        with np.errstate(all="ignore"):
            result = found[1](*positional(op, named_inputs(op, arrays)), **taken(op, "kernel", bound, {"variables": Variables()}))
    except Violation as violation:
        raise _error(op, fault_of(op, violation)) from None
    except LayerFault as fault:
        raise _error(op, fault) from None
    except Declined as declined:
        raise _error(op, LayerFault("declined-op", str(declined))) from None
    except LimitExceeded as limit:
        raise _error(op, LayerFault(limit.rule, str(limit))) from None
    if isinstance(result, tuple):
        return tuple(result_array(r, f) for r, f in zip(result, facts))
    return result_array(result, facts[0])


def _error(op: Op, fault: LayerFault) -> EvaluationError:
    constraint = f"{op.id}:{fault.constraint}" if fault.constraint else None
    return EvaluationError([Diagnostic(rule(fault.rule), fault.message, Location("<call>"), constraint, notes=limit_notes(fault.rule))])


def attribute_text(value: Any) -> str:
    """A Python value as the text that a file would hold."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (list, tuple)):
        return ", ".join(attribute_text(item) for item in value)
    if isinstance(value, (ElementType, Shape)):
        return str(value)
    return repr(value) if isinstance(value, float) else str(value)

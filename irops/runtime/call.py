"""irops.call: one op on arrays, at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from irops.analysis.layer import LayerFault, fault_of
from irops.backends.backend import Backend, chain
from irops.backends.declined import Declined
from irops.backends.lru_cache import LruCache
from irops.diagnostics.diagnostic import Diagnostic, EvaluationError, Location
from irops.diagnostics.rules import rule
from irops.limits import Limits
from irops.limits import notes as limit_notes
from irops.registry import Registry, default_registry
from irops.runtime.arrays import out_of_memory
from irops.runtime.prepared import Prepared
from irops.spec.op import Op
from irops.values.element import Array, ElementType
from irops.values.shape import Shape
from irops.values.violation import LimitExceeded, Violation

_PREPARED: LruCache[Prepared] = LruCache(256)
"""The latest ops that were called, by their attributes and backends."""


def call(
    op_id: str,
    *inputs: Any,
    out: Any = None,
    backends: str | Iterable[str | Backend] | None = None,
    registry: Registry | None = None,
    limits: Limits | None = None,
    **attributes: Any,
) -> Array | tuple[Array, ...]:
    """The output of one op, or a tuple where it has several: call("ReverseSequence-1", data, lengths,
    batch_axis=0, seq_axis=1).

    inputs: arrays in the order of the definition, None for an optional one that is not given; attributes:
        Python values.
    out: an array to write the output to, or a tuple of them; it is what is given back. backends: see
        irops.run.
    Raises:  KeyError for an op that is not defined; EvaluationError, with .diagnostics, for what breaks its
        definition; ValueError
             for arrays of types that no tensor has, and where out is not of the output's type and shape
    """
    op = (registry or default_registry()).op(op_id)
    asked = None if backends is None else (backends,) if isinstance(backends, str) else tuple(backends)
    try:
        prepared = _PREPARED.get(
            _key(op_id, attributes, asked, registry),
            lambda: Prepared(op, _texts(op, attributes), chain(asked)),
        )
        result: Array | tuple[Array, ...] = prepared.run(inputs, out, limits)
    except Violation as violation:
        raise _error(op, fault_of(op, violation)) from None
    except LayerFault as fault:
        raise _error(op, fault) from None
    except Declined as declined:
        raise _error(op, LayerFault("declined-op", str(declined))) from None
    except LimitExceeded as limit:
        raise _error(op, LayerFault(limit.rule, str(limit))) from None
    except MemoryError:
        raise _error(op, out_of_memory(op)) from None
    return result


def _key(
    op_id: str,
    attributes: Mapping[str, Any],
    backends: tuple[str | Backend, ...] | None,
    registry: Registry | None,
) -> Any:
    """What a call is remembered by. Values that are equal may be spelled otherwise (1 and True), so their
    types are part of it.
    """
    known = tuple(
        [
            (name, type(value), value if isinstance(value, (int, str)) else attribute_text(value))
            for name, value in attributes.items()
        ]
    )
    return op_id, known, backends, registry


def _texts(op: Op, attributes: Mapping[str, Any]) -> dict[str, str]:
    spelled = {attribute.parameter: name for name, attribute in op.definition.attributes.items()}
    return {spelled.get(name, name): attribute_text(value) for name, value in attributes.items()}


def _error(op: Op, fault: LayerFault) -> EvaluationError:
    constraint = f"{op.id}:{fault.constraint}" if fault.constraint else None
    return EvaluationError(
        [
            Diagnostic(
                rule(fault.rule), fault.message, Location("<call>"), constraint, notes=limit_notes(fault.rule)
            )
        ]
    )


def attribute_text(value: Any) -> str:
    """A Python value as the text that a file would hold."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (list, tuple)):
        return ", ".join(attribute_text(item) for item in value)
    if isinstance(value, (ElementType, Shape)):
        return str(value)
    return repr(value) if isinstance(value, float) else str(value)

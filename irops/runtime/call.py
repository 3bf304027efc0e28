"""irops.call: one op on arrays, at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from irops.backends.backend import Backend
from irops.backends.catalogue import chain
from irops.backends.declined import Declined
from irops.backends.lru_cache import LruCache
from irops.diagnostics.diagnostic import EvaluationError, Location
from irops.diagnostics.rule import Severity
from irops.diagnostics.suggestions import did_you_mean
from irops.invocation import OpFault, fault_of, fault_of_limit, out_of_memory
from irops.limits import Limits
from irops.registry import Registry, default_registry
from irops.runtime.prepared import Prepared
from irops.spec.domains import format_value
from irops.spec.op import Op
from irops.values.element import Array
from irops.values.violation import LimitExceeded, Violation

OPTIONS = ("out", "backends", "registry", "limits")
"""The keyword parameters of call that are not attributes."""
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
    """The output of one op: call("ReverseSequence-1", data, lengths, batch_axis=0, seq_axis=1).

    op_id: an id, or a type alone for its newest version.
    The result is an array, or a tuple where there are several outputs or the op's last output is variadic.

    inputs: arrays in the order of the definition, None for an optional one that is not given; attributes:
        Python values.
    out: an array to write the output to, or a tuple of them; it is what is given back. backends: see
        irops.run.
    Raises:  KeyError for an op that is not defined; EvaluationError, with .diagnostics, for what breaks its
        definition; ValueError
             for arrays of types that no tensor has, and where out is not of the output's type and shape
    """
    if backends is not None:
        backends = (backends,) if isinstance(backends, str) else tuple(backends)
    key = (op_id, backends, registry, *[(name, _spelled(value)) for name, value in attributes.items()])
    prepared = _PREPARED.find(key)
    op = (registry or default_registry()).named(op_id) if prepared is None else prepared.op
    try:
        if prepared is None:
            prepared = Prepared(op, _texts(op, attributes), chain(backends))
            _PREPARED.put(key, prepared)
        result: Array | tuple[Array, ...] = prepared.run(inputs, out, limits)
    except Violation as violation:
        raise _error(op, fault_of(op, violation)) from None
    except OpFault as fault:
        raise _error(op, fault) from None
    except Declined as declined:
        raise _error(op, OpFault("declined-op", str(declined))) from None
    except LimitExceeded as limit:
        raise _error(op, fault_of_limit(limit)) from None
    except MemoryError:
        raise _error(op, out_of_memory(op)) from None
    return result


def _spelled(value: Any) -> Any:
    """What an attribute's value is remembered by: equal values may be spelled otherwise (1 and True)."""
    kind = type(value)
    return (kind, value) if kind in (int, str, bool) else (kind, format_value(value))


def _texts(op: Op, attributes: Mapping[str, Any]) -> dict[str, str]:
    """The attributes as texts. Raises: OpFault for one that the op does not have"""
    known = op.definition.attributes
    spelled = {attribute.parameter: name for name, attribute in known.items()}
    for name in attributes:
        if name not in spelled and name not in known:
            meant = did_you_mean(name, (*spelled, *OPTIONS))
            raise OpFault("unknown-attribute", f"{op.id} has no attribute {name!r}{meant}")
    return {spelled.get(name, name): format_value(value) for name, value in attributes.items()}


def _error(op: Op, fault: OpFault) -> EvaluationError:
    """What is wrong as an error, also where it is a warning about a file."""
    return EvaluationError([replace(fault.diagnostic(op, Location("<call>")), level=Severity.ERROR)])

"""irops.call: one op on arrays, at once."""

import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from irops.analysis.invocation import FAULTS, OpFault, fault_of, require_all
from irops.backends.backend import Backend, Declined
from irops.backends.catalogue import chain
from irops.backends.one_op import LruCache
from irops.diagnostics.suggestions import did_you_mean
from irops.dialects.registry import Registry, default_registry
from irops.files.limits import Limits
from irops.runtime.prepared import Prepared, call_error
from irops.spec.attributes import format_value, text_of
from irops.spec.op import Op
from irops.values.arrays import array_of, is_foreign, is_torch, like

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
) -> Any:
    """The output of one op: call("ReverseSequence-1", data, lengths, batch_axis=0, seq_axis=1).

    op_id: an id, or a type alone for its newest version.
    The result is an array, or a tuple where there are several outputs or the op's last output is variadic.

    inputs: arrays in the order of the definition, None for an optional one that is not given; attributes:
        Python values.
    out: an array to write the output to, or a tuple of them; it is what is given back. backends: see
        irops.run.
    Arrays of other libraries that offer DLPack, in the memory of the CPU: the outputs are of the library of
    the first of them. Tensors of torch that require gradients take part in its graph.
    Raises:  KeyError for an op that is not defined; EvaluationError, with .diagnostics, for what breaks its
        definition; ValueError
             for arrays of types that no tensor has, for arrays on other devices, and where out is not of the
             output's type and shape
    """
    if backends is not None:
        backends = (backends,) if isinstance(backends, str) else tuple(backends)
    key = (op_id, backends, registry, *[(name, _spelled(value)) for name, value in attributes.items()])
    prepared = _PREPARED.find(key)
    op = (registry or default_registry()).named(op_id) if prepared is None else prepared.op
    try:
        if prepared is None:
            texts = _texts(op, attributes)
            require_all(op, inputs, texts)
            prepared = Prepared(op, texts, chain(backends))
            _PREPARED.put(key, prepared)
        result: Any = called(prepared, inputs, out, limits)
    except FAULTS as error:
        raise call_error(op, fault_of(op, error)) from error.__cause__
    except Declined as declined:
        raise call_error(op, OpFault("declined-op", str(declined))) from None
    return result


def _spelled(value: Any) -> Any:
    """The key of an attribute's value: equal values may be spelled otherwise (1 and True)."""
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
    named = {spelled.get(name, name): value for name, value in attributes.items()}
    return {name: text_of(known[name], value) for name, value in named.items()}


# irops.call on arrays of other libraries: the outputs are of the library of the inputs.


def called(prepared: Prepared, inputs: Sequence[Any], out: Any, limits: Limits | None) -> Any:
    """The outputs of an op, as arrays of the library of the first input that is not of NumPy.

    Raises:  as Prepared.run; ValueError for arrays on other devices, and for types that the library lacks
    """
    for item in inputs:
        if type(item) is not np.ndarray and is_foreign(item):
            return _called(prepared, inputs, item, out, limits)
    if out is None or type(out) is np.ndarray:
        return prepared.run(inputs, out, limits)
    return _filled(prepared, inputs, out, limits)


def _called(prepared: Prepared, inputs: Sequence[Any], model: Any, out: Any, limits: Limits | None) -> Any:
    # whether torch records what is done with an input
    wanted = any(is_torch(item) and item.requires_grad for item in inputs)
    if wanted and bool(sys.modules["torch"].is_grad_enabled()):
        if out is not None:
            raise ValueError("out is given, but an input requires a gradient; give one of them")
        from irops.runtime.torch_gradients import call_with_gradients

        return call_with_gradients(prepared, inputs, limits)
    arrays = [_array(item) for item in inputs]
    if out is not None:
        return _filled(prepared, arrays, out, limits)
    result = prepared.run(arrays, None, limits)
    return tuple(like(one, model) for one in result) if isinstance(result, tuple) else like(result, model)


def _array(item: Any) -> Any:
    if not is_foreign(item):
        return item
    return array_of(item.detach() if is_torch(item) else item)


def _filled(prepared: Prepared, inputs: Sequence[Any], out: Any, limits: Limits | None) -> Any:
    """out, whose arrays may be of any library, with the outputs in them."""
    rooms = tuple(_array(room) for room in out) if isinstance(out, tuple) else _array(out)
    prepared.run(inputs, rooms, limits)
    return out

"""A call of an op that is settled as far as its attributes go, and once for inputs of the same types and
shapes as before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from irops.analysis.bind import bind
from irops.analysis.layer import LayerFault, infer_layer, named_inputs, positional, taken, with_normal_axes
from irops.backends.backend import Backend, fill, kernel_of
from irops.limits import Limits
from irops.runtime.arrays import as_tensor, fact_of, hold_possible, result_array, size_in_bytes
from irops.runtime.variables import Variables
from irops.spec.op import Op
from irops.values.element import Array, element_type_of
from irops.values.fact import Fact
from irops.values.violation import collect_warnings

REMEMBERED = 256
"""Of how many types and shapes of inputs what was inferred is kept."""
NO_LIMITS_GIVEN = Limits()


@dataclass(frozen=True, slots=True)
class Settled:
    """What follows from the inputs' types and shapes: the outputs, their size in bytes, and the kernel's
    keywords.

    shapes: of the outputs, where all sizes are known
    """

    facts: list[Fact]
    shapes: list[tuple[int, ...] | None]
    size: float
    keywords: Mapping[str, Any]


class Prepared:
    """An op, its attributes and what computes it.

    Raises:  LayerFault, where attributes are wrong or nothing can compute it
    """

    def __init__(self, op: Op, attributes: Mapping[str, str], backends: Sequence[Backend]) -> None:
        bound = bind(op, dict(attributes))
        for fault in bound.faults:
            if not bound.usable or fault.rule == "unknown-attribute":
                raise LayerFault(fault.rule, fault.message)
        found = kernel_of(op, backends)
        if found is None:
            raise LayerFault("unsupported-op", f"no backend can compute {op.id}")
        self._op, self._values, self._kernel = op, bound.values, found[1]
        self._checks_values = getattr(self._kernel, "checks_values", False)
        self._is_variadic = any(port.variadic for port in op.definition.inputs)
        self._stateful = "variables" in taken(op, "kernel", {}, {"variables": None})
        self._settled: dict[tuple[Any, ...], Settled] = {}

    def run(self, inputs: Sequence[Any], out: Any, limits: Limits | None) -> Any:
        """The outputs, in the arrays of out, where they are given.

        Raises:  LayerFault, Violation, Declined, LimitExceeded; ValueError where out does not fit
        """
        arrays = [None if item is None else as_tensor(item) for item in inputs]
        settled = self._settle(arrays)
        limits = limits or NO_LIMITS_GIVEN
        if settled.size > limits.tensor_bytes:
            raise LayerFault(
                "memory-limit",
                f"{self._op.id} would give {settled.facts[0]}, {limits.message('tensor_bytes')}",
            )
        if out is not None:
            _check_room(out, settled)
        keywords = {**settled.keywords, "variables": Variables()} if self._stateful else settled.keywords
        exact = not self._is_variadic and len(arrays) == len(self._op.definition.inputs)
        arguments = arrays if exact else positional(self._op, named_inputs(self._op, arrays))
        with np.errstate(all="ignore"):
            result = fill(self._kernel, arguments, keywords, None if isinstance(out, tuple) else out)
        if isinstance(result, tuple):
            return (
                tuple(result_array(r, f) for r, f in zip(result, settled.facts))
                if out is None
                else _filled(out, result)
            )
        return result_array(result, settled.facts[0]) if out is None else out

    def _settle(self, arrays: Sequence[Array | None]) -> Settled:
        """What follows from types and shapes; from values too, unless the kernel checks them itself."""
        if not self._checks_values:
            return self._inferred(arrays, with_value=True)
        key = tuple([None if a is None else (element_type_of(a).name, a.shape) for a in arrays])
        known = self._settled.get(key)
        if known is None:
            with collect_warnings() as warnings:
                known = self._inferred(arrays, with_value=False)
            if warnings or not all(fact.shape.static for fact in known.facts):
                return self._inferred(arrays, with_value=True)  # said each time
            if len(self._settled) >= REMEMBERED:
                self._settled.clear()
            self._settled[key] = known
        return known

    def _inferred(self, arrays: Sequence[Array | None], *, with_value: bool) -> Settled:
        op = self._op
        facts = infer_layer(
            op, [None if a is None else fact_of(a, with_value=with_value) for a in arrays], self._values
        )
        hold_possible(op, facts)
        shapes = [fact.shape.to_tuple() if fact.shape.static else None for fact in facts]
        return Settled(
            facts,
            shapes,
            size_in_bytes(facts),
            taken(op, "kernel", with_normal_axes(op, arrays, self._values), {}),
        )


def _check_room(out: Any, settled: Settled) -> None:
    given = out if isinstance(out, tuple) else (out,)
    if len(given) != len(settled.facts):
        raise ValueError(f"out has {len(given)} arrays, must have {len(settled.facts)}")
    for array, fact, shape in zip(given, settled.facts, settled.shapes):
        fits = isinstance(array, np.ndarray) and (
            (array.shape == shape and element_type_of(array) is fact.element_type) or fact.admits(array)
        )
        if not fits or not array.flags.writeable:
            what = fact_of(array) if isinstance(array, np.ndarray) else type(array).__name__
            raise ValueError(f"out is {what}, must be {fact}, and writeable")


def _filled(out: Any, results: Sequence[Any]) -> Any:
    for array, result in zip(out if isinstance(out, tuple) else (out,), results):
        np.copyto(array, result)
    return out

"""One op with its attributes and a kernel, ready to be called; what follows from input shapes is kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from irops.backends.backend import Backend, fill, kernel_of
from irops.backends.lru_cache import LruCache
from irops.invocation import Invocation, OpFault
from irops.limits import Limits
from irops.runtime.arrays import check_possible, size_in_bytes
from irops.runtime.variables import Transaction
from irops.spec.op import Op
from irops.values.element import Array, element_type_of
from irops.values.fact import Fact
from irops.values.tensors import as_tensor, fact_of, result_array
from irops.values.violation import collect_warnings

MAX_SIGNATURES = 256
"""For how many sets of types and shapes of inputs the outputs are kept."""
NO_LIMITS_GIVEN = Limits()


@dataclass(frozen=True, slots=True)
class Outputs:
    """What follows from the inputs' types and shapes: the outputs, their size in bytes, the kernel's
    keywords.

    shapes: of the outputs, where all sizes are known
    """

    facts: tuple[Fact, ...]
    shapes: tuple[tuple[int, ...] | None, ...]
    size: float
    keywords: Mapping[str, Any]


class Prepared:
    """An op, its attributes and what computes it.

    Raises:  OpFault, where attributes are wrong or nothing can compute it
    """

    def __init__(self, op: Op, attributes: Mapping[str, str], backends: Sequence[Backend]) -> None:
        self._invocation = Invocation(op, attributes)
        for fault in self._invocation.faults:
            if not self._invocation.usable or fault.rule == "unknown-attribute":
                raise OpFault(fault.rule, fault.sentence)
        found = kernel_of(op, backends)
        if found is None:
            raise OpFault("unsupported-op", f"no backend can compute {op.id}")
        self._op, self._kernel = op, found[1]
        self._has_variadic_output = op.definition.outputs[-1].variadic
        self._checks_values = getattr(self._kernel, "checks_values", False)
        names = op.functions.keyword_params["kernel"]
        self._stateful = names is None or "variables" in names
        self._known: LruCache[Outputs] = LruCache(MAX_SIGNATURES)

    def run(self, inputs: Sequence[Any], out: Any, limits: Limits | None) -> Any:
        """The outputs, in the arrays of out, where they are given.

        Raises:  OpFault, Violation, Declined, LimitExceeded; ValueError where out does not fit
        """
        arrays = [None if item is None else as_tensor(item) for item in inputs]
        outputs = self._outputs(arrays)
        limits = limits or NO_LIMITS_GIVEN
        if outputs.size > limits.tensor_bytes:
            message = f"{self._op.id} would give {outputs.facts[0]}, {limits.message('tensor_bytes')}"
            raise OpFault("memory-limit", message)
        if out is not None:
            _check_room(out, outputs)
        keywords = {**outputs.keywords, "variables": Transaction()} if self._stateful else outputs.keywords
        one_out = None if isinstance(out, tuple) else out
        kernel = self._kernel if one_out is None else self._filling(one_out)
        results = self._invocation.compute(arrays, kernel=kernel, keywords=keywords)
        if out is None:
            found = tuple(result_array(result, fact) for result, fact in zip(results, outputs.facts))
            return found if len(found) > 1 or self._has_variadic_output else found[0]
        return _filled(out, results) if isinstance(out, tuple) else out

    def _filling(self, out: Array) -> Any:
        return lambda *inputs, **attributes: fill(self._kernel, inputs, attributes, out)

    def _outputs(self, arrays: Sequence[Array | None]) -> Outputs:
        """What follows from types and shapes; from values too, unless the kernel checks them itself."""
        if not self._checks_values:
            return self._inferred(arrays, with_value=True)
        key = tuple([None if a is None else (element_type_of(a).name, a.shape) for a in arrays])
        known = self._known.find(key)
        if known is None:
            with collect_warnings() as warnings:
                known = self._inferred(arrays, with_value=False)
            if warnings or not all(fact.shape.static for fact in known.facts):
                return self._inferred(arrays, with_value=True)  # the warnings are due at each call
            self._known.put(key, known)
        return known

    def _inferred(self, arrays: Sequence[Array | None], *, with_value: bool) -> Outputs:
        facts = self._invocation.infer(
            [None if a is None else fact_of(a, with_value=with_value) for a in arrays]
        )
        check_possible(self._op, facts)
        shapes = tuple(fact.shape.to_tuple() if fact.shape.static else None for fact in facts)
        return Outputs(facts, shapes, size_in_bytes(facts), self._invocation.keywords("kernel", arrays))


def _check_room(out: Any, outputs: Outputs) -> None:
    given = out if isinstance(out, tuple) else (out,)
    if len(given) != len(outputs.facts):
        raise ValueError(f"out has {len(given)} arrays, must have {len(outputs.facts)}")
    for array, fact, shape in zip(given, outputs.facts, outputs.shapes):
        fits = isinstance(array, np.ndarray) and (
            (array.shape == shape and element_type_of(array) is fact.element_type) or fact.admits(array)
        )
        if not fits or not array.flags.writeable:
            what = fact_of(array) if isinstance(array, np.ndarray) else type(array).__name__
            raise ValueError(f"out is {what}, must be {fact}, and writeable")


def _filled(out: tuple[Array, ...], results: Sequence[Any]) -> tuple[Array, ...]:
    for array, result in zip(out, results):
        np.copyto(array, result)
    return out

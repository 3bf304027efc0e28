"""The values inside a model, from a run of irops, computed when they are first needed."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from irops.debugging.reduce.case import computes
from irops.debugging.reduce.cutting import Cutting
from irops.debugging.reduce.stored_arrays import StoredArrays
from irops.editing.scope import Value, Wanted
from irops.limits import Limits
from irops.runtime.session import run
from irops.values.element import Array


class Recording:
    """Values by layer and output. A part of the model is run that begins at values recorded before.

    Bisection asks for values in the middle of what was recorded before, so that all runs together cost about
    two runs of the model.
    """

    def __init__(self, cutting: Cutting, store: StoredArrays, limits: Limits | None = None) -> None:
        self._cutting, self._store, self._limits = cutting, store, limits

    def of(self, wanted: Collection[Value]) -> Mapping[Value, Array]:
        """The values. Raises: EvaluationError where the reference cannot compute them"""
        missing = [value for value in wanted if self._key(value) not in self._store]
        if missing:
            self._record(missing)
        return {value: self._store[self._key(value)] for value in wanted}

    def _record(self, missing: list[Value]) -> None:
        layers = self._cutting.wiring.layers
        ends = [Wanted(layers[number], index) for number, index in missing]
        part = self._cutting.between(self._behind(missing), ends, self, folded=False)
        results = run(part.model, part.inputs, limits=self._limits, registry=self._cutting.analysis.registry)
        for value, array in zip(missing, results.values(), strict=True):
            self._store.keep(self._key(value), array)

    def _behind(self, values: list[Value]) -> set[int]:
        """The operations that compute values from those that were recorded."""
        wiring, operations = self._cutting.wiring, set[int]()
        ahead = list(dict.fromkeys(number for number, _ in values))
        while ahead:
            number = ahead.pop()
            if number in operations:
                continue
            operations.add(number)
            for source in wiring.inputs[number]:
                if source is None or not computes(source[0]):
                    continue
                if self._key((source[0].id, source[1])) not in self._store:
                    ahead.append(source[0].id)
        return operations

    def _key(self, value: Value) -> tuple[int, Value]:
        return id(self._cutting), value

"""Which layers the names mean that gradients are asked for, and given, by."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

import numpy as np

from irops.analysis.inputs import declared_fact, parameter, parameters, results
from irops.diagnostics.diagnostic import Diagnostic, DiagnosticError, EvaluationError, Location
from irops.diagnostics.rules import rule
from irops.graph.wiring import Wiring
from irops.ir.model import Layer, Model
from irops.values.element import DYNAMIC

Key = str | int


class Names:
    """The inputs, constants and results of a model by the names that a caller may use."""

    def __init__(self, model: Model, wiring: Wiring) -> None:
        self.model = model
        self.parameters, self.results = parameters(model), results(model)
        self._constants = {layer.name: layer for layer in reversed(model.layers) if layer.is_constant}
        for name in (name for layer in self.parameters for name in _names(layer)):
            self._constants.pop(name, None)
        self._results: dict[Key, Layer] = {}
        for position, layer in enumerate(self.results):
            source = wiring.inputs[layer.id][0]
            produced = () if source is None else source[0].outputs[source[1]].names
            self._results[position] = layer
            for name in (layer.name, *(layer.output_names or ()), *produced):
                self._results.setdefault(name, layer)

    def constant(self, key: Key) -> Layer | None:
        """The Const of a name that is no input's."""
        return self._constants.get(key) if isinstance(key, str) else None

    def wanted(self, wrt: Key | Collection[Key] | None) -> frozenset[int]:
        """The layers of which gradients are asked for: the inputs and constants named, or all inputs that may
        have a gradient.

        Raises:  DiagnosticError where a name is neither (IR602), or the tensor has no gradients (IR623)
        """
        if wrt is None:
            return frozenset(layer.id for layer in self.parameters if _may(layer))
        layers = [
            self.constant(key) or self._input(key) for key in ((wrt,) if isinstance(wrt, (str, int)) else wrt)
        ]
        for layer in layers:
            if not _may(layer):
                raise EvaluationError(
                    [
                        Diagnostic(
                            rule("undifferentiable-input"),
                            f"a gradient is asked for of {layer.name!r}, which is {declared_fact(layer)}; "
                            f"tensors of {declared_fact(layer).element_type} have none",
                            self.place(layer),
                        )
                    ]
                )
        return frozenset(layer.id for layer in layers)

    def _input(self, key: Key) -> Layer:
        try:
            return parameter(self.model, key)
        except DiagnosticError as error:
            notes = ("gradients are asked for of inputs, and of constants by the name of their layer",)
            raise EvaluationError(
                [Diagnostic(d.rule, d.message, d.location, notes=notes) for d in error.diagnostics]
            ) from None

    def of_results(self, cotangents: Any) -> dict[int, Any]:
        """Cotangents by the id of their Result; given by name or position, as a sequence, or as an array for
        the only result.

        Raises:  EvaluationError (IR622) where there is no such result
        """
        if isinstance(cotangents, (np.ndarray, np.generic, float, int)):
            cotangents = [cotangents]
            if len(self.results) != 1:
                raise self.unfit(
                    f"one cotangent is given for {len(self.results)} results; say by name which it is of"
                )
        named = cotangents if isinstance(cotangents, Mapping) else dict(enumerate(cotangents))
        return {self._result(key).id: value for key, value in named.items() if value is not None}

    def _result(self, key: Key) -> Layer:
        found = self._results.get(key)
        if found is None:
            known = ", ".join(repr(layer.name) for layer in self.results) or "none"
            raise self.unfit(f"the model has no result {key!r}; its results are {known}")
        return found

    def unfit(self, message: str, layer: Layer | None = None) -> EvaluationError:
        """The error that tells what is wrong with a cotangent."""
        return EvaluationError([Diagnostic(rule("incompatible-cotangent"), message, self.place(layer))])

    def place(self, layer: Layer | None) -> Location:
        """Where a layer is, or the model."""
        source = self.model.source
        if layer is None:
            return Location(source.path if source else None)
        return (
            Location(None, None, None, layer.id, layer.name)
            if source is None
            else source.location(layer.at, layer)
        )

    def aliases(self) -> Iterator[tuple[Key, str]]:
        """Other names of the inputs: of their tensors, and their positions."""
        for position, layer in enumerate(self.parameters):
            yield position, layer.name
            for name in _names(layer):
                yield name, layer.name


def _names(layer: Layer) -> tuple[str, ...]:
    return (layer.name, *(name for port in layer.outputs for name in port.names))


def _may(layer: Layer) -> bool:
    kind = declared_fact(layer).element_type
    return kind is DYNAMIC or kind.differentiable

"""The inputs, constants and results that gradients are asked for, and given, by name."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from irops.analysis.model_analysis import ModelAnalysis
from irops.analysis.signature import Key, declared_fact
from irops.diagnostics.diagnostic import Diagnostic, DiagnosticError, EvaluationError
from irops.diagnostics.rules import rule
from irops.ir.model import Layer
from irops.values.element import DYNAMIC


class GradientNames:
    """The inputs and results of a model as its signature has them, and its constants by layer name."""

    def __init__(self, analysis: ModelAnalysis) -> None:
        self.analysis, self.signature = analysis, analysis.signature
        layers = analysis.model.layers
        self._constants = {layer.name: layer for layer in reversed(layers) if layer.is_constant}
        for name in (name for port in self.signature.inputs for name in port.names):
            self._constants.pop(name, None)

    @property
    def result_ids(self) -> list[int]:
        return [port.layer.id for port in self.signature.results]

    def constant(self, key: Key) -> Layer | None:
        """The Const of a name that is not an input's."""
        return self._constants.get(key) if isinstance(key, str) else None

    def wanted(self, wrt: Key | Collection[Key] | None) -> frozenset[int]:
        """The layers whose gradients are wanted: the inputs and constants named, or all inputs that may
        have one.

        Raises:  DiagnosticError where a name is neither (IR602), or the tensor has no gradients (IR623)
        """
        if wrt is None:
            inputs = [port.layer for port in self.signature.inputs]
            return frozenset(layer.id for layer in inputs if _may_have_gradient(layer))
        keys = (wrt,) if isinstance(wrt, (str, int)) else wrt
        layers = [self.constant(key) or self._input(key) for key in keys]
        for layer in layers:
            if not _may_have_gradient(layer):
                fact = declared_fact(layer)
                message = (
                    f"a gradient is asked for of {layer.name!r}, which is {fact}; "
                    f"tensors of {fact.element_type} have none"
                )
                place = self.analysis.location(layer)
                raise EvaluationError([Diagnostic(rule("undifferentiable-input"), message, place)])
        return frozenset(layer.id for layer in layers)

    def _input(self, key: Key) -> Layer:
        try:
            return self.signature.input(key).layer
        except DiagnosticError as error:
            notes = ("gradients are asked for of inputs, and of constants by the name of their layer",)
            found = [Diagnostic(d.rule, d.message, d.location, notes=notes) for d in error.diagnostics]
            raise EvaluationError(found) from None

    def of_results(self, cotangents: Any) -> dict[int, Any]:
        """Cotangents by the id of their Result; given by name or position, in order, or as one array.

        Raises:  EvaluationError (IR622) where there is no such result
        """
        if isinstance(cotangents, (np.ndarray, np.generic, float, int)):
            cotangents = [cotangents]
            count = len(self.signature.results)
            if count != 1:
                raise self.unfit(f"one cotangent is given for {count} results; say by name which it is of")
        named = cotangents if isinstance(cotangents, Mapping) else dict(enumerate(cotangents))
        return {self._result(key).id: value for key, value in named.items() if value is not None}

    def _result(self, key: Key) -> Layer:
        try:
            return self.signature.result(key).layer
        except KeyError as error:
            raise self.unfit(error.args[0]) from None

    def unfit(self, message: str, layer: Layer | None = None) -> EvaluationError:
        """The error for a cotangent that does not fit."""
        return EvaluationError(
            [Diagnostic(rule("incompatible-cotangent"), message, self.analysis.location(layer))]
        )


def _may_have_gradient(layer: Layer) -> bool:
    kind = declared_fact(layer).element_type
    return kind is DYNAMIC or kind.differentiable

"""The analysis of a model: its structure and signature, and inference for any set of input shapes."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from irops.analysis.checks.bodies import port_maps_are_sound
from irops.analysis.checks.definitions import (
    layers_have_the_inputs_that_openvino_requires,
    layers_name_ops_and_attributes,
)
from irops.analysis.checks.edges import EDGE_CHECKS
from irops.analysis.inference import Inference
from irops.analysis.inferred import Inferred
from irops.analysis.signature import Key, Signature
from irops.analysis.structure import ModelStructure
from irops.diagnostics.diagnostic import Diagnostic


class ModelAnalysis(ModelStructure):
    """What follows from a model alone, computed once: topology, port maps, invocations, signature.

    Immutable once built; threads may share it. Inference is run as often as needed, for any input shapes.
    """

    def __repr__(self) -> str:
        return f"<ModelAnalysis of {self.model!r}>"

    @cached_property
    def signature(self) -> Signature:
        """The model's inputs and results."""
        return Signature(self)

    @cached_property
    def structural_findings(self) -> tuple[Diagnostic, ...]:
        """What is wrong with edges, port maps, ops and attributes, whatever the shapes are."""
        checks = (
            *EDGE_CHECKS,
            port_maps_are_sound,
            layers_name_ops_and_attributes,
            layers_have_the_inputs_that_openvino_requires,
        )
        return tuple(finding for check in checks for finding in check(self))

    def infer(self, inputs: Mapping[Key, Any] | None = None) -> Inferred:
        """The Facts of every output of every layer.

        inputs: other shapes for the inputs, by tensor name, layer name or position; see irops.infer
        Raises:  DiagnosticError for an input that does not exist, or a text that is not a shape
        """
        return self._inferred(inputs) if inputs else self.declared

    @cached_property
    def declared(self) -> Inferred:
        """What follows for the shapes that the inputs declare."""
        return self._inferred({})

    def _inferred(self, inputs: Mapping[Key, Any]) -> Inferred:
        inferred = Inference(self).graph(self.root, self.signature.facts(inputs))
        inferred.structural = self.structural_findings
        return inferred

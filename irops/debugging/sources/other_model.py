"""Another model as a source: its layers are matched as irops diff matches them."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping

from irops.analysis.model_analysis import ModelAnalysis, analyse
from irops.analysis.signature import MatchedPorts, matched_ports
from irops.backends.backend import Backend
from irops.debugging.sources.layerwise import Layerwise
from irops.debugging.sources.source import Context, Failure, Inputs, LayerValue, Source, Values
from irops.debugging.sources.stored import SourceError
from irops.diagnostics.suggestions import did_you_mean
from irops.editing.diff.matching import Matching
from irops.editing.diff.side import Side
from irops.editing.translation.translate import translated
from irops.files.urls import without_credentials
from irops.ir.model import Model
from irops.spec.types import OPENVINO


class OtherModel(Source):
    """The values of another model for the same inputs, under the layers of the model that is compared.

    computed_by: the source that computes it; mapping: the ids of layers of the compared
    model with those of their partners, as a person sets them
    """

    judges_layers = True

    def __init__(self, model: Model | ModelAnalysis | str | os.PathLike[str], computed_by: Layerwise) -> None:
        self.mapping: Mapping[int, int] = {}
        self._given, self._computed_by = model, computed_by
        self._analysis: ModelAnalysis | None = None
        self._matching: Matching | None = None
        self.name = f"model:{_label(model)}"
        self.arithmetic = computed_by.arithmetic

    def with_model(self, analysis: ModelAnalysis, leaving: Collection[int] = ()) -> OtherModel:
        """The same source with a changed form of the other model. leaving: layers that are mapped no more"""
        changed = OtherModel(analysis, self._computed_by)
        changed.name = self.name
        changed.mapping = {one: other for one, other in self.mapping.items() if one not in leaving}
        return changed

    def analysis(self, like: ModelAnalysis) -> ModelAnalysis:
        """The analysis of the other model, in the dialect of the one that it is compared with."""
        if self._analysis is None:
            other = (
                self._given
                if isinstance(self._given, ModelAnalysis)
                else analyse(self._given, like.registry, like.limits)
            )
            if other.dialect is not like.dialect and like.dialect.name == OPENVINO:
                other = translated(other, OPENVINO, None)
            self._analysis = other
        return self._analysis

    def matching(self, like: ModelAnalysis) -> Matching:
        """Which layer of the compared model is which of the other one."""
        if self._matching is None or self._matching.a.analysis is not like:
            other = self.analysis(like)
            sides = Side(like, like.root, like.infer()), Side(other, other.root, other.infer())
            self._matching = Matching(*sides)
        return self._matching

    @property
    def backend(self) -> Backend:
        """What computes the layers of the other model."""
        return self._computed_by.backend

    def inputs(self, context: Context) -> Inputs:
        """The inputs of the other model, by its layer ids."""
        return self._context(context).inputs

    def walk(self, context: Context) -> Iterator[LayerValue]:
        matching = self.matching(context.analysis)
        for value in self._computed_by.walk(self._context(context)):
            number = matching.back.get(value.layer)
            if number is not None:
                yield LayerValue(number, value.outputs, value.failure)

    def results(self, context: Context) -> Values | Failure:
        inner = self._context(context)
        found = self._computed_by.results(inner)
        if isinstance(found, Failure):
            return found
        pairs = self.matched_results(context).pairs
        return {
            port.name: found[pairs[port.position][0].name]
            for port in context.analysis.signature.results
            if port.position in pairs and pairs[port.position][0].name in found
        }

    def matched_results(self, context: Context) -> MatchedPorts:
        other = self.analysis(context.analysis)
        return matched_ports(context.analysis.signature.results, other.signature.results)

    def close(self) -> None:
        self._computed_by.close()

    def _context(self, context: Context) -> Context:
        """The other model with the same inputs, matched by name, then by position."""
        other = self.analysis(context.analysis)
        ports = context.analysis.signature.inputs
        pairs = matched_ports(ports, other.signature.inputs).pairs
        inputs = {
            pairs[port.position][0].layer.id: context.inputs[port.layer.id]
            for port in ports
            if port.position in pairs and port.layer.id in context.inputs
        }
        return Context(other, inputs)


def _label(model: Model | ModelAnalysis | str | os.PathLike[str]) -> str:
    if isinstance(model, ModelAnalysis):
        model = model.model
    return model.name if isinstance(model, Model) else without_credentials(model)


def set_partners(source: Source, like: ModelAnalysis, names: Mapping[str, str]) -> None:
    """Let a person set partners: of layers or tensors of the compared model, those of the other one.

    Raises:  SourceError for a name that is in no model, and for a source that is no model
    """
    if not names:
        return
    if not isinstance(source, OtherModel):
        raise SourceError(f"map sets partners in another model (model:FILE); {source.name} is none")
    other = source.analysis(like)
    source.mapping = {
        _layer_named(like, one, "the model"): _layer_named(other, partner, source.name)
        for one, partner in names.items()
    }


def _layer_named(analysis: ModelAnalysis, name: str, of: str) -> int:
    for node in analysis.root.order:
        if node.layer.name == name or any(name in output.names for output in node.layer.outputs):
            return node.layer.id
    meant = did_you_mean(name, (node.layer.name for node in analysis.root.order))
    raise SourceError(f"{of} has no layer or tensor {name!r}{meant}")

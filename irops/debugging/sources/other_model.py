"""Another model as a source: its layers are matched as irops diff matches them."""

from __future__ import annotations

import os
from collections.abc import Iterator

from irops.analysis.infer import analyse
from irops.analysis.model_analysis import ModelAnalysis
from irops.debugging.sources.source import Context, Failure, LayerValue, Source, Values
from irops.editing.diff.matching import Matching
from irops.editing.diff.side import Side
from irops.editing.translation.translate import translated
from irops.ir.model import Model
from irops.spec.types import OPENVINO
from irops.urls import without_credentials


class OtherModel(Source):
    """The values of another model for the same inputs, under the layers of the model that is compared.

    computed_by: the source that computes it
    """

    def __init__(self, model: Model | ModelAnalysis | str | os.PathLike[str], computed_by: Source) -> None:
        self._given, self._computed_by = model, computed_by
        self._analysis: ModelAnalysis | None = None
        self.name = f"model:{_label(model)}"
        self.arithmetic = computed_by.arithmetic

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
        other = self.analysis(like)
        return Matching(Side(like, like.root, like.infer()), Side(other, other.root, other.infer()))

    def walk(self, context: Context) -> Iterator[LayerValue]:
        matching = self.matching(context.analysis)
        for value in self._computed_by.walk(self._context(context, matching)):
            number = matching.back.get(value.layer)
            if number is not None:
                yield LayerValue(number, value.outputs, value.failure)

    def results(self, context: Context) -> Values | Failure:
        matching = self.matching(context.analysis)
        inner = self._context(context, matching)
        found = self._computed_by.results(inner)
        if isinstance(found, Failure):
            return found
        names = {port.layer.id: port.name for port in inner.analysis.signature.results}
        return {
            port.name: found[names[matching.to[port.layer.id]]]
            for port in context.analysis.signature.results
            if port.layer.id in matching.to and matching.to[port.layer.id] in names
        }

    def close(self) -> None:
        self._computed_by.close()

    def _context(self, context: Context, matching: Matching) -> Context:
        """The other model with the same inputs."""
        other = self.analysis(context.analysis)
        arrays = {matching.to.get(number, number): array for number, array in context.inputs.items()}
        inputs = {
            port.layer.id: arrays[port.layer.id] for port in other.signature.inputs if port.layer.id in arrays
        }
        return Context(other, inputs)


def _label(model: Model | ModelAnalysis | str | os.PathLike[str]) -> str:
    if isinstance(model, ModelAnalysis):
        model = model.model
    return model.name if isinstance(model, Model) else without_credentials(model)

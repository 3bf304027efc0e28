"""Another model as a source: its layers are matched as irops diff matches them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from irops.analysis.infer import analyse
from irops.analysis.model_analysis import ModelAnalysis
from irops.analysis.signature import Port
from irops.debugging.sources.source import Context, Failure, LayerValue, Source, SourceFailed, Values
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
        for value in self._computed_by.walk(self._context(context)):
            number = matching.back.get(value.layer)
            if number is not None:
                yield LayerValue(number, value.outputs, value.failure)

    def results(self, context: Context) -> Values | Failure:
        try:
            inner = self._context(context)
        except SourceFailed as failed:
            return failed.failure
        found = self._computed_by.results(inner)
        if isinstance(found, Failure):
            return found
        partners = paired(context.analysis.signature.results, inner.analysis.signature.results)
        names = {other.name: port.name for port, other in partners}
        return {names.get(name, name): array for name, array in found.items()}

    def close(self) -> None:
        self._computed_by.close()

    def _context(self, context: Context) -> Context:
        """The other model with the same inputs. Raises: SourceFailed where it has a further one"""
        other = self.analysis(context.analysis)
        partners = paired(context.analysis.signature.inputs, other.signature.inputs)
        inputs = {theirs.layer.id: context.inputs[port.layer.id] for port, theirs in partners}
        for port in other.signature.inputs:
            if port.layer.id not in inputs:
                reason = f"nothing gives the input {port.name!r} of {self.name} a value"
                raise SourceFailed(Failure("declined", reason))
        return Context(other, inputs)


def paired(ours: Sequence[Port], theirs: Sequence[Port]) -> list[tuple[Port, Port]]:
    """Inputs or results of two models that are the same: by a name, then by position."""
    named = {name: port for port in reversed(theirs) for name in reversed(port.names)}
    pairs: dict[int, Port] = {}
    for port in ours:
        partner = next((named[name] for name in port.names if name in named), None)
        if partner is not None and partner not in pairs.values():
            pairs[port.position] = partner
    for port, partner in zip(ours, theirs):
        if port.position not in pairs and partner not in pairs.values():
            pairs[port.position] = partner
    return [(port, pairs[port.position]) for port in ours if port.position in pairs]


def _label(model: Model | ModelAnalysis | str | os.PathLike[str]) -> str:
    if isinstance(model, ModelAnalysis):
        model = model.model
    return model.name if isinstance(model, Model) else without_credentials(model)

"""The comparison of one layer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from irops.analysis.model_analysis import ModelAnalysis
from irops.analysis.structure import LayerNode
from irops.diagnostics.diagnostic import Location
from irops.diagnostics.printable import shortened
from irops.values.element import STRING, Array, element_type_of
from irops.values.shape import Shape
from irops.verdicts.metrics import Metrics
from irops.verdicts.question import Judgement, Verdict, noted, worst


class Judged:
    """The subject of a judgement."""

    __slots__ = ()
    judgement: Judgement

    @property
    def verdict(self) -> Verdict:
        return self.judgement.verdict

    @property
    def reason(self) -> str:
        return self.judgement.reason

    @property
    def metrics(self) -> Metrics | None:
        return self.judgement.metrics

    @property
    def is_fault(self) -> bool:
        return self.verdict.is_fault


@dataclass(frozen=True, slots=True)
class ComparedLayer(Judged):
    """A layer with the verdict on its outputs.

    name, id: of the layer; op: its id ("Convolution-1"); path: the layers and bodies down to its graph;
    location: in the file; judgements: one for each output that was compared, or one for the layer; inputs:
    short descriptions of what it was computed from, where it is wrong; times: how often it was compared, more
    than once in the body of a loop; cause: what another model has otherwise, where the layer is wrong, or if
    is_known, what the definition of its op says of a runtime;
    is_masked: it differs, and nothing computed from it does; has_other_form: it has another shape or type, or
    other integers, than that of another model, and some other fault does not follow from it.
    """

    name: str
    id: int
    op: str
    path: tuple[str, ...]
    location: Location
    judgements: tuple[Judgement, ...]
    inputs: tuple[str, ...] = ()
    times: int = 1
    cause: str = ""
    is_known: bool = False
    is_masked: bool = False
    has_other_form: bool = False

    @property
    def judgement(self) -> Judgement:  # type: ignore[override]
        """The judgement that decides."""
        return worst(self.judgements)

    def rank(self) -> tuple[bool, bool]:
        """The least is the first fault: one that goes on, and of these one that computes something else."""
        return self.is_masked, self.has_other_form

    def judged_as(self, verdict: Verdict, reason: str) -> ComparedLayer:
        """The layer, with another verdict in place of faults."""
        judgements = tuple(
            replace(one, verdict=verdict, reason=reason) if one.is_fault else one for one in self.judgements
        )
        return replace(self, judgements=judgements, inputs=())

    def refused(self, reason: str) -> ComparedLayer:
        """The layer, as wrong where it was taken for rounding."""
        judgements = tuple(
            replace(one, verdict=Verdict.WRONG, reason=f"{one.reason}, but {reason}")
            if one.verdict is Verdict.ROUNDING
            else one
            for one in self.judgements
        )
        return replace(self, judgements=judgements)

    def noted(self, note: str) -> ComparedLayer:
        """The layer, with a note behind the reasons of faults."""
        return replace(self, judgements=tuple(noted(j, note) if j.is_fault else j for j in self.judgements))

    def to_json(self) -> dict[str, Any]:
        """The layer for machines."""
        place = self.location
        return {
            "name": self.name,
            "id": self.id,
            "op": self.op,
            "path": list(self.path),
            "location": {"file": place.file, "line": place.line, "column": place.column},
            "verdict": str(self.verdict),
            "reason": self.reason,
            "cause": self.cause,
            "inputs": list(self.inputs),
            "times": self.times,
            "outputs": [judgement.to_json() for judgement in self.judgements],
        }

    def __repr__(self) -> str:
        return f"<{self.verdict}: {shortened(self.name)} ({self.op})>"


def first_fault(layers: Iterable[ComparedLayer]) -> ComparedLayer | None:
    """The first layer that is wrong or failed, by its rank; None for none."""
    return min((layer for layer in layers if layer.is_fault), key=ComparedLayer.rank, default=None)


def compared_layer(
    analysis: ModelAnalysis,
    node: LayerNode,
    judgements: Sequence[Judgement],
    inputs: Iterable[Array | None] = (),
) -> ComparedLayer:
    """The report on a layer. inputs: described where the layer is wrong"""
    layer = node.layer
    op = f"{layer.type}-{layer.version.removeprefix('opset')}" if node.op is None else node.op.id
    decisive = worst(tuple(judgements))
    described: tuple[str, ...] = ()
    if decisive.is_fault:
        place = None if decisive.metrics is None else decisive.metrics.worst
        described = tuple(
            f"input {index}: {_described(array, place)}"
            for index, array in enumerate(inputs)
            if array is not None
        )
    location = analysis.location(layer, node.path)
    return ComparedLayer(layer.name, layer.id, op, node.path, location, tuple(judgements), described)


def _described(array: Array, place: tuple[int, ...] | None) -> str:
    """The type and shape of an input, its range, and its element at a place, where it has one there."""
    kind = element_type_of(array)
    text = f"{kind}{Shape(array.shape)}"
    if kind is STRING or not array.size:
        return text
    with np.errstate(all="ignore"):
        numbers = array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)
        if numbers.size == 1:
            return f"{text} = {_number(numbers.reshape(-1)[0])}"
        if array.dtype.kind != "c":
            text += _range(numbers)
        if place is not None and len(place) >= array.ndim:
            inner = place[len(place) - array.ndim :]
            if all(size in (1,) or index < size for index, size in zip(inner, array.shape)):
                inner = tuple(0 if size == 1 else index for index, size in zip(inner, array.shape))
                text += f", at {list(inner)} {_number(numbers[inner])}"
    return text


def _range(numbers: Array) -> str:
    """The range of the finite elements, and how many others there are."""
    finite = numbers[np.isfinite(numbers)]
    text = f", from {_number(finite.min())} to {_number(finite.max())}" if finite.size else ""
    counts = ((np.isnan(numbers), "NaN"), (numbers == np.inf, "inf"), (numbers == -np.inf, "-inf"))
    return text + "".join(f", {int(where.sum()):,} {what}" for where, what in counts if where.any())


def _number(item: Any) -> str:
    return f"{item:.6g}"

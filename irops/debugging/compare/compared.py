"""What a comparison says of a layer and of a result, how much it covers, and how far a fault reaches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np

from irops.analysis.model_analysis import ModelAnalysis
from irops.analysis.structure import LayerNode
from irops.debugging.compare.agreement import QUIET_KINDS
from irops.diagnostics.diagnostic import Location
from irops.diagnostics.printable import OwnText, plural, shortened
from irops.values.element import STRING, Array, element_type_of
from irops.values.shape import Shape
from irops.verdicts.verdict import Judged, Judgement, Verdict, worst

# What a comparison says of one layer.


@dataclass(frozen=True, slots=True)
class ComparedLayer(Judged):
    """A layer with the verdict on its outputs.

    name, id: of the layer; op: its id ("Convolution-1"); path: the layers and bodies down to its graph;
    location: in the file; judgements: one for each output that was compared, or one for the layer; inputs:
    short descriptions of what it was computed from, where it is wrong; times: how often it was compared, more
    than once in the body of a loop; wrong_in: in how many sets of inputs it is wrong; cause: what differs
    between the models at this layer, such as "eps 1e-12 → 1e-05", "" where that is not known; note: why a
    difference is no fault, such as "i32, not i64, with equal values".
    """

    name: str
    id: int
    op: str
    path: tuple[str, ...]
    location: Location
    judgements: tuple[Judgement, ...]
    inputs: tuple[str, ...] = ()
    times: int = 1
    wrong_in: int = 0
    cause: str = ""
    note: str = ""

    @property
    def judgement(self) -> Judgement:
        """The judgement that decides."""
        return worst(self.judgements)

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
            "inputs": list(self.inputs),
            "times": self.times,
            "wrong_in": self.wrong_in,
            "cause": self.cause,
            "note": self.note,
            "outputs": [judgement.to_json() for judgement in self.judgements],
        }

    def __repr__(self) -> str:
        return f"<{self.verdict}: {shortened(self.name)} ({self.op})>"


def compared_layer(
    analysis: ModelAnalysis,
    node: LayerNode,
    judgements: Sequence[Judgement],
    inputs: Iterable[Array | None] = (),
    times: int = 1,
) -> ComparedLayer:
    """What is said of a layer. inputs: described where the layer is wrong"""
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
    return ComparedLayer(layer.name, layer.id, op, node.path, location, tuple(judgements), described, times)


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
            text += f", from {_number(np.min(numbers))} to {_number(np.max(numbers))}"
        if place is not None and len(place) >= array.ndim:
            inner = place[len(place) - array.ndim :]
            if all(size in (1,) or index < size for index, size in zip(inner, array.shape)):
                inner = tuple(0 if size == 1 else index for index, size in zip(inner, array.shape))
                text += f", at {list(inner)} {_number(numbers[inner])}"
    return text


def _number(item: Any) -> str:
    return f"{item:.6g}"


# How much of a model was compared, and why the rest was not.

Reason: TypeAlias = Literal[
    "constants alone",
    "not in A",
    "not in B",
    "random",
    "declined",
    "state",
    "bodies",
    "no kernel",
    "after the end",
    "within a whole",
    "no values",
]
"""Why a layer or a Result was not compared. bodies: its layers are compared in its place; after the end: the
run of b ended before; within a whole: only what leaves the compiled part is compared; no values: on both
sides no Result has a finite element, so that their being equal shows nothing."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """What was compared.

    layers, results: how many were compared; all_layers, all_results: of how many, layers that compute nothing
    (Parameter, Constant, Result) apart; left_out, results_left_out: how many were not, by reason.
    """

    layers: int = 0
    all_layers: int = 0
    results: int = 0
    all_results: int = 0
    left_out: Mapping[Reason, int] = field(default_factory=dict)
    results_left_out: Mapping[Reason, int] = field(default_factory=dict)

    @property
    def is_nothing(self) -> bool:
        """Whether neither a layer nor a Result was compared."""
        return not self.layers and not self.results

    @property
    def has_all_results(self) -> bool:
        """Whether every Result was compared."""
        return self.results == self.all_results

    def to_json(self) -> dict[str, Any]:
        """The coverage for machines."""
        return {
            "layers": self.layers,
            "all_layers": self.all_layers,
            "results": self.results,
            "all_results": self.all_results,
            "left_out": dict(self.left_out),
            "results_left_out": dict(self.results_left_out),
        }

    def __str__(self) -> str:
        """Such as "31 of 47 layers (12 constants alone, 4 not in B), 2 of 2 results"."""
        layers = _of(self.layers, self.all_layers, "layer", self.left_out)
        return f"{layers}, {_of(self.results, self.all_results, 'result', self.results_left_out)}"


NOTHING = Coverage()
"""Nothing was compared."""


def _of(count: int, total: int, noun: OwnText, left_out: Mapping[Reason, int]) -> str:
    reasons = ", ".join(f"{number} {reason}" for reason, number in left_out.items() if number)
    return f"{count} of {plural(total, noun)}{f' ({reasons})' if reasons else ''}"


# What a comparison says of one result of a model.


@dataclass(frozen=True, slots=True)
class ComparedResult(Judged):
    """A result with the verdict on it, of the unmodified models.

    name, position: of the Result; other: its name in b; matched_by: "tensor name", "layer name" or
    "position"; left_out: why it was not compared, "" where it was; wrong_in: in how many sets of inputs it is
    wrong.
    """

    name: str
    position: int
    judgement: Judgement
    other: str = ""
    matched_by: str = ""
    left_out: Reason | None = None
    wrong_in: int = 0

    @property
    def names(self) -> tuple[str, str]:
        """Its name in a and in b."""
        return self.name, self.other or self.name

    @property
    def is_compared(self) -> bool:
        return self.left_out is None

    def to_json(self) -> dict[str, Any]:
        """The result for machines."""
        document = self.judgement.to_json()
        del document["output"]
        return {
            "name": self.name,
            "position": self.position,
            "other": self.names[1],
            "matched_by": self.matched_by,
            "left_out": self.left_out,
            "wrong_in": self.wrong_in,
            **document,
        }

    def __repr__(self) -> str:
        return f"<{self.verdict}: result {shortened(self.name)}>"


# How far a comparison reaches: which layers were not compared, why, and where they lie.

SKIPPED: tuple[tuple[str, Reason], ...] = (
    ("has a state", "state"),
    ("has bodies", "bodies"),
    ("has no reference kernel", "no kernel"),
    ("declined", "declined"),
)
"""Reasons by how the judgement of a skipped layer begins."""


@dataclass(frozen=True)
class Extent:
    """The layers that were compared, of all layers of a model.

    in_a: the ids of the layers that a has values of, None where it has all; is_cut: only what leaves a part
    was compared; is_isolated: a layer is named only if it is wrong itself; complete: whether b ran to the end
    """

    analysis: ModelAnalysis
    layers: Sequence[ComparedLayer]
    in_a: Collection[int] | None = None
    is_cut: bool = False
    is_isolated: bool = False
    complete: bool = True

    def coverage(self, results: Sequence[ComparedResult]) -> Coverage:
        """How many layers and results were compared; of the rest, how many by reason."""
        reasons: Counter[Reason] = Counter()
        compared = 0
        for layer in self.layers:
            reason = _left_out(layer)
            if reason is None:
                compared += 1
            else:
                reasons[reason] += 1
        listed = {layer.id for layer in self.layers if not layer.path}
        for node in self._computing:
            if node.layer.id not in listed:
                reasons[self._why_missing(node)] += 1
        of_layers = Coverage(compared, compared + reasons.total(), left_out=dict(reasons.most_common()))
        return with_results(of_layers, results)

    def between(self, results: Sequence[ComparedResult]) -> tuple[str, ...]:
        """The layers that were not compared between what is equal and the first difference, in order."""
        root = self.analysis.root
        first = next((layer for layer in self.layers if layer.is_fault and not layer.path), None)
        if self.is_cut or (first is not None and self.is_isolated):
            return ()
        if first is not None:
            ends = [first.id]
        else:
            wrong = {result.position for result in results if result.is_fault}
            ends = [layer.id for position, layer in enumerate(root.results) if position in wrong]
        compared = {layer.id for layer in self.layers if not layer.path and _left_out(layer) is None}
        passed = compared | self._constant
        found = root.preceding(
            ends,
            lambda source: source[0].id not in passed and source[0].kind not in QUIET_KINDS,
        ).difference(ends)
        return tuple(node.layer.name for node in root.order if node.layer.id in found)

    @cached_property
    def _constant(self) -> set[int]:
        return set(self.analysis.root.constants)

    @property
    def _computing(self) -> Iterable[LayerNode]:
        return (node for node in self.analysis.root.layers.values() if node.layer.kind not in QUIET_KINDS)

    def _why_missing(self, node: LayerNode) -> Reason:
        number = node.layer.id
        if number in self._constant:
            return "constants alone"
        if self.is_cut:
            return "within a whole"
        if node.op is not None and node.op.definition.stateful:
            return "state"
        if self.in_a is not None and number not in self.in_a:
            return "not in A"
        return "not in B" if self.complete else "after the end"


def with_results(coverage: Coverage, results: Sequence[ComparedResult]) -> Coverage:
    """The same layers, with the coverage of these results."""
    left_out = Counter(result.left_out for result in results if result.left_out is not None)
    return replace(
        coverage,
        results=sum(result.is_compared for result in results),
        all_results=len(results),
        results_left_out=dict(left_out.most_common()),
    )


def _left_out(layer: ComparedLayer) -> Reason | None:
    """Why a layer that is listed was not compared; None where it was."""
    if layer.verdict is Verdict.RANDOM:
        return "random"
    if layer.verdict is not Verdict.SKIPPED:
        return None
    return next((reason for start, reason in SKIPPED if layer.reason.startswith(start)), "not in B")

"""Comparison by cuts: the smallest part of a model that, compiled as a whole, gives other results.

Looking at values within a compiled model needs further results, which keep layers from being fused, so that
the fault may vanish. Here each part is compiled without them: it gets the values of a at its cut, and only
what leaves the part is compared. A part has the fault if it fails as the whole model does: a part that cannot
be compiled, or whose difference is far smaller, shows another one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf

from irops.analysis.model_analysis import ModelAnalysis
from irops.analysis.structure import LayerNode
from irops.debugging.compare.agreement import QUIET_KINDS
from irops.debugging.compare.compared import ComparedLayer, compared_layer
from irops.debugging.compare.given_tolerances import NONE_GIVEN, GivenTolerances
from irops.debugging.compare.results import Computed, judged_values
from irops.debugging.sources.source import Context, Failure, Source, Values, tappable, with_taps
from irops.diagnostics.diagnostic import DiagnosticError
from irops.diagnostics.printable import abridged, plural
from irops.editing.constant_layers import with_constants
from irops.editing.extraction import Boundary, cut_values, extracted
from irops.ir.model import Model
from irops.runtime.evaluator import Progress
from irops.values.element import Array
from irops.verdicts.metrics import differs
from irops.verdicts.verdict import Judgement, Verdict, is_as_large

MAX_DROPPED = 24
"""Up to this many layers of a part are left out one by one."""


@dataclass(slots=True)
class Cuts:
    """Tries parts of a model; a part is a run of layers in topological order, or a subset of one.

    a: gives the right results of a part; b: compiles it; whole: what is wrong with the whole model
    """

    context: Context
    a: Source
    b: Source
    whole: Judgement
    progress: Progress | None = None
    tolerances: GivenTolerances = NONE_GIVEN
    tries: int = 0
    _tried: dict[tuple[int, ...], Judgement | None] = field(default_factory=dict)

    def smallest(self, layers: Sequence[LayerNode]) -> list[LayerNode]:
        """A part of layers that differs, none of which can be left out at either end."""
        part = list(layers)
        while len(part) > 1:
            middle = len(part) // 2
            half = next((half for half in (part[:middle], part[middle:]) if self.fault(half)), None)
            if half is None:
                break
            part = half
        part = self._without_front(part)
        part = self._without_end(part)
        return self._without_single_layers(part) if len(part) <= MAX_DROPPED else part

    def fault(self, layers: Sequence[LayerNode]) -> Judgement | None:
        """What is wrong with a part that has the fault of the whole; None for any other part."""
        key = tuple(node.layer.id for node in layers)
        if key not in self._tried:
            self.tries += 1
            self._tried[key] = self._judged(layers)
            if self.progress is not None:
                self.progress(self.tries, self.tries + 1, layers[0].layer)
        return self._tried[key]

    def _without_front(self, part: list[LayerNode]) -> list[LayerNode]:
        """The part without the layers at its front that the fault does not need, by bisection."""
        low, high = 0, len(part) - 1
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if self.fault(part[middle:]) else (low, middle - 1)
        return part[low:]

    def _without_end(self, part: list[LayerNode]) -> list[LayerNode]:
        low, high = 1, len(part)
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if self.fault(part[:middle]) else (middle + 1, high)
        return part[:low]

    def _without_single_layers(self, part: list[LayerNode]) -> list[LayerNode]:
        for node in list(part):
            rest = [other for other in part if other is not node]
            if rest and self.fault(rest):
                part = rest
        return part

    def _judged(self, layers: Sequence[LayerNode]) -> Judgement | None:
        for inner in self.contexts_of(layers):
            try:
                right = self.a.results(inner)
            except DiagnosticError:  # the values at the cut are not those of a run
                continue
            if isinstance(right, Failure):
                continue
            found = first_fault(inner, right, self.b, self.tolerances)
            if found is None or self._is_the_fault(found):
                return found
        return None

    def _is_the_fault(self, found: Judgement) -> bool:
        """Whether a part fails as the whole does: it fails for the same reason, or differs as much."""
        if Verdict.FAILED in (found.verdict, self.whole.verdict):
            return found.verdict is self.whole.verdict and _kind(found) == _kind(self.whole)
        return is_as_large(found.excess, self.whole.excess)

    def contexts_of(self, layers: Sequence[LayerNode]) -> Iterator[Context]:
        """The part as a model, with the values of the whole one at its cut as inputs.

        Then the part with those that depend on shapes alone as constants: a runtime that compiles the whole
        for given shapes may know them, and some kernels need them. Nothing for a part that cannot be cut out,
        such as one between a variable and its use.
        """
        analysis = self.context.analysis
        root = analysis.root
        numbers = {node.layer.id for node in layers}
        constant = root.constants
        cuts: dict[tuple[int, int], None] = {}
        ends: dict[tuple[int, int], None] = {}
        for node in layers:
            for source in root.wiring.inputs[node.layer.id]:
                if source is not None and source[0].id not in numbers | constant:
                    cuts[source[0].id, source[1]] = None
            for index in range(len(node.layer.outputs)):
                users = root.wiring.consumers.get((node.layer.id, index), ())
                if any(user.id not in numbers for user, _ in users):
                    ends[node.layer.id, index] = None
        inputs: dict[str | int, Array] = {
            root.layers[number].layer.name: array for number, array in self.context.inputs.items()
        }
        try:
            part = extracted(analysis, Boundary(tuple(cuts), tuple(ends)))
            arrays = cut_values(part, analysis, inputs, backends="reference")
        except DiagnosticError:
            return
        known = {name: arrays.pop(name) for name, value in part.cuts.items() if value[0] in root.of_shapes}
        if known:
            yield self._context_of(part.model, arrays | known)
        yield self._context_of(with_constants(part.model, known), arrays)

    def _context_of(self, model: Model, arrays: Mapping[str, Array]) -> Context:
        inner = ModelAnalysis(model, self.context.analysis.registry, self.context.analysis.limits)
        return Context(inner, inner.signature.arrays(arrays))


def _kind(judgement: Judgement) -> str:
    """How a source fails: crashed, refused …"""
    return judgement.reason.partition(":")[0]


def first_fault(
    context: Context,
    right: Values,
    b: Source,
    tolerances: GivenTolerances,
    answer: Values | Failure | None = None,
) -> Judgement | None:
    """What is wrong with the results of a source; None where they agree but for rounding.

    answer: the results, if they are computed already
    """
    answer = b.results(context) if answer is None else answer
    if isinstance(answer, Failure):
        return Judgement(Verdict.FAILED, str(answer), excess=inf) if answer.is_fault else None
    found = judged_values(context, right, answer, b.arithmetic, tolerances)
    return next((judgement for judgement in found.values() if judgement.is_fault), None)


def cuts(
    context: Context,
    a: Source,
    b: Source,
    computed: Computed,
    progress: Progress | None = None,
    tolerances: GivenTolerances = NONE_GIVEN,
) -> tuple[tuple[ComparedLayer, ...], tuple[str, ...]]:
    """The layers of the smallest part that differs when b compiles it as a whole, and notes about the model.

    computed: the results of the whole model
    Raises:  EvaluationError, SourceFailed
    """
    constant = context.analysis.root.constants
    layers = [
        node
        for node in context.analysis.root.order
        if node.layer.kind not in QUIET_KINDS and node.layer.id not in constant
    ]
    right, whole = computed.right, computed.ours
    if isinstance(right, Failure):
        return (), (f"{a.name} gives no results: {right}",)
    notes = [_effect_of_taps(context, b, whole)] if not isinstance(whole, Failure) else []
    fault = first_fault(context, right, b, tolerances, whole)
    if fault is None or not layers:
        return (), (f"the results of {b.name}, compiled as a whole, are those of {a.name}", *notes)
    search = Cuts(context, a, b, fault, progress, tolerances)
    part = search.smallest(layers)
    judgement = search.fault(part)
    if judgement is None:
        return (), ("the results of the whole model differ, but those of no part that can be cut out", *notes)
    names = ", ".join(abridged(node.layer.name, 60) for node in part[:8])
    more = f" and {len(part) - 8} more" if len(part) > 8 else ""
    size = f"{plural(len(part), 'layer')} of {len(layers)} after {plural(search.tries, 'cut')}"
    notes.insert(
        0, f"the smallest part that differs when it is compiled as a whole has {size}: {names}{more}"
    )
    compared = tuple(compared_layer(context.analysis, node, (judgement,)) for node in part)
    return compared, tuple(notes)


def _effect_of_taps(context: Context, b: Source, whole: Values) -> str:
    """Whether the results change when the values of all layers are results too."""
    tapped, _ = with_taps(context.analysis, tappable(context.analysis))
    analysis = ModelAnalysis(tapped, context.analysis.registry, context.analysis.limits)
    inner = Context(analysis, context.inputs)
    values = b.results(inner)
    if isinstance(values, Failure):
        return f"with the values of all layers as results, {b.name} fails: {values}"
    changed = [name for name, array in whole.items() if name in values and _changed(array, values[name])]
    if not changed:
        return "adding outputs does not change the results"
    return f"adding outputs changes {plural(len(changed), 'result')}: {', '.join(changed[:4])}"


def _changed(one: Array, other: Array) -> bool:
    return one.shape != other.shape or bool(differs(one, other).any())

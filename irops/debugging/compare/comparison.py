"""irops.compare: which layer of a model gives other values than it should.

Looking at values within a compiled model needs further results, which keep layers from being fused, so that
the fault may vanish. By cuts, each part is compiled without them: it gets the values of a at its cut, and
only what leaves the part is compared.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal, TypeVar

from irops.analysis.model_analysis import AnyModel, ModelAnalysis, analyse
from irops.analysis.signature import Key
from irops.analysis.structure import LayerNode
from irops.analysis.synthetic import axes_of_one
from irops.backends.backend import Reference
from irops.debugging.compare.causes import AGREES, with_causes
from irops.debugging.compare.compared_layer import ComparedLayer, compared_layer, first_fault
from irops.debugging.compare.isolated import isolated
from irops.debugging.compare.propagated import propagated
from irops.debugging.compare.report import NOT_ALONE, Comparison, worst_of
from irops.debugging.compare.results import (
    ComparedResult,
    changed,
    compared_results,
    consequences,
    coverage_of,
    following,
    judged_results,
    masked,
    of_other_form,
    of_used_outputs,
)
from irops.debugging.compare.tolerances import Tolerance, Tolerances
from irops.debugging.sources.openvino_device import tappable, with_taps
from irops.debugging.sources.parse import AnySource, source_of
from irops.debugging.sources.source import Context, Failure, Source, Values, is_small, symptom_of
from irops.debugging.sources.stored import OtherModel, SourceError
from irops.debugging.sources.workers import SourceWorkers
from irops.diagnostics.diagnostic import DiagnosticError, EvaluationError
from irops.diagnostics.printable import abridged, plural, printable
from irops.diagnostics.suggestions import did_you_mean
from irops.dialects.registry import Registry
from irops.editing.extraction import (
    Scope,
    Selection,
    cut_values,
    part_of,
    with_constants,
    with_inputs,
    with_variables,
)
from irops.files.limits import Limits
from irops.ir.model import LayerKind
from irops.runtime.evaluator import Evaluator, Progress, Variables
from irops.runtime.run import run_model
from irops.spec.definition import OPENVINO
from irops.values.element import Array
from irops.values.shape import Shape
from irops.verdicts.question import ROUNDOFF, Judgement, Verdict

T = TypeVar("T")
Fails = Callable[[Sequence[T]], bool]


def narrowed(items: Sequence[T], fails: Fails[T]) -> Sequence[T]:
    """A run of neighbours that fails. items must fail.

    Halves are tried first, then a window around the border of halves that fail only together.
    """
    while len(items) > 1:
        middle = len(items) // 2
        if fails(items[:middle]):
            items = items[:middle]
        elif fails(items[middle:]):
            items = items[middle:]
        else:
            return _around(items, middle, fails)
    return items


def _around(items: Sequence[T], middle: int, fails: Fails[T]) -> Sequence[T]:
    """The shortest run of neighbours around a border that is seen to fail."""
    width = 1
    while width < middle:
        window = items[middle - width : middle + width]
        if fails(window):
            items, middle = window, width
            break
        width *= 2
    items = items[: _first(middle + 1, len(items), lambda end: fails(items[:end]))]
    back = _first(1, middle, lambda count: fails(items[middle - count :]))
    return items[middle - back :]


def _first(low: int, high: int, holds: Callable[[int], bool]) -> int:
    """The first number for which a statement holds, if it holds for all after it too; it holds for high."""
    return low + bisect_left(range(low, high), True, key=holds)


def without_each(items: Sequence[T], fails: Fails[T]) -> Sequence[T]:
    """The items without those that can be left out: long runs first, then shorter ones, at last each
    alone, until none can be left out.
    """
    size = max(len(items) // 2, 1)
    while items:
        before, start = len(items), 0
        while start < len(items):
            fewer = [*items[:start], *items[start + size :]]
            if fewer and fails(fewer):
                items = fewer
            else:
                start += size
        if size == 1 and len(items) == before:
            break
        size = max(size // 2, 1)
    return items


MAX_DROPPED = 24
"""Up to this many layers of a part are left out one by one."""


@dataclass(frozen=True, slots=True)
class CutFault:
    """A fault of a result of a model or a part. layer: the name of the layer whose output it is"""

    layer: str
    judgement: Judgement

    @property
    def symptom(self) -> str:
        """How and why a source fails; "" where it gives other results."""
        return symptom_of(self.judgement.reason) if self.judgement.verdict is Verdict.FAILED else ""


@dataclass(slots=True)
class Cuts:
    """Tries parts of a model; a part is a run of layers in topological order, or a subset of one.

    a: gives the right results of a part; b: compiles it; whole: what is wrong with the whole model
    """

    context: Context
    a: Source
    b: Source
    whole: CutFault
    progress: Progress | None = None
    tries: int = 0
    _tried: dict[tuple[int, ...], CutFault | None] = field(default_factory=dict)

    def smallest(self, layers: Sequence[LayerNode]) -> Sequence[LayerNode]:
        """A part of layers that differs; of a short one, no layer can be left out."""

        def differs(part: Sequence[LayerNode]) -> bool:
            return self.fault(part) is not None

        part = narrowed(layers, differs)
        return without_each(part, differs) if len(part) <= MAX_DROPPED else part

    def fault(self, layers: Sequence[LayerNode]) -> CutFault | None:
        """The fault of a part; None where it agrees, cannot be cut out, or fails otherwise."""
        key = tuple(node.layer.id for node in layers)
        if key not in self._tried:
            self.tries += 1
            self._tried[key] = self._judged(layers)
            if self.progress is not None:
                self.progress(self.tries, self.tries + 1, layers[0].layer)
        return self._tried[key]

    def _judged(self, layers: Sequence[LayerNode]) -> CutFault | None:
        try:
            inner = self._context_of(layers)
            right = self.a.results(inner)
        except DiagnosticError:  # a part that cannot be cut out, such as one between a variable and its use
            return None
        if isinstance(right, Failure):
            return None
        found = _first_fault(inner, self.a, right, self.b, self.b.results(inner))
        return found if found is not None and found.symptom == self.whole.symptom else None

    def _context_of(self, layers: Sequence[LayerNode]) -> Context:
        """The part as a model, with the values of the whole one at its cut; those that do not change from run
        to run are constants, which the source folds in the whole one.
        """
        analysis, scope = self.context.analysis, Scope.of(self.context.analysis, ())
        wiring = analysis.root.wiring
        numbers = with_variables(wiring, {node.layer.id for node in layers})
        sources = [source[0] for n in numbers for source in wiring.inputs[n] if source is not None]
        numbers |= {layer.id for layer in sources if layer.kind is LayerKind.PARAMETER}
        part = part_of(Selection.of_layers(scope, numbers))
        inputs: dict[str | int, Array] = {
            wiring.layers[number].name: array for number, array in self.context.inputs.items()
        }
        arrays = cut_values(part, analysis, inputs, backends="reference")
        small = {name: value for name, value in part.cuts.items() if is_small(arrays[name])}
        fixed = [name for name, value in small.items() if scope.fact(value).value is not None]
        model = with_constants(part.model, {name: arrays.pop(name) for name in fixed})
        inner = ModelAnalysis(model, analysis.registry, analysis.limits)
        return Context(inner, inner.signature.arrays(arrays), tolerances=self.context.tolerances)


def _first_fault(
    context: Context, a: Source, right: Values, b: Source, answer: Values | Failure
) -> CutFault | None:
    """The fault of the results of b; None where they agree but for rounding and ties.

    A failure, which is of no result, counts as one of the layer that its reason names, else of the last one.
    """
    root = context.analysis.root
    judged = judged_results(context, a, right, b, answer)
    for port in context.analysis.signature.results:
        source = root.wiring.source(port.layer.id)
        if judged[port.name].is_fault and source is not None:
            computing = [node.layer for node in root.order if node.layer.kind is LayerKind.OPERATION]
            name = source[0].name
            if isinstance(answer, Failure) and computing:
                words = set(re.split(r"[\s'\",;:()]+", answer.reason))
                name = next((layer.name for layer in computing if layer.name in words), computing[-1].name)
            return CutFault(name, judged[port.name])
    return None


def cuts(
    context: Context,
    a: Source,
    right: Values | Failure,
    b: Source,
    whole: Values | Failure,
    progress: Progress | None = None,
) -> tuple[tuple[ComparedLayer, ...], tuple[str, ...]]:
    """The layers of the smallest part that differs when b compiles it as a whole, and notes about the model.

    right, whole: the results of the whole model by a and by b
    Raises:  EvaluationError, SourceFailed
    """
    constant = context.analysis.root.constants
    layers = [
        node
        for node in context.analysis.root.order
        if node.layer.kind is LayerKind.OPERATION and node.layer.id not in constant
    ]
    if isinstance(right, Failure):
        return (), (f"{a.name} gives no results: {right}",)
    notes = [_effect_of_taps(context, b, whole)] if not isinstance(whole, Failure) else []
    fault = _first_fault(context, a, right, b, whole)
    if fault is None or not layers:
        return (), tuple(notes)
    search = Cuts(context, a, b, fault, progress)
    part = search.smallest(layers)
    found = search.fault(part)
    if found is None:
        whole_only = "the results of the whole model differ, but those of no part that can be cut out"
        if fault.symptom:
            whole_only = f"{b.name} fails with the whole model, and with no part of it for the same reason"
        return (), (whole_only, *notes)
    names = ", ".join(abridged(node.layer.name, 60) for node in part[:8])
    more = f" and {len(part) - 8} more" if len(part) > 8 else ""
    size = f"{plural(len(part), 'layer')} of {len(layers)} after {plural(search.tries, 'cut')}"
    notes.insert(
        0, f"the smallest part that differs when it is compiled as a whole has {size}: {names}{more}"
    )
    return tuple(_of_part(context.analysis, part, found)), tuple(notes)


def _of_part(analysis: ModelAnalysis, part: Sequence[LayerNode], fault: CutFault) -> Iterator[ComparedLayer]:
    """The layers of a part: the fault is that of the layer whose output it is, and of no other."""
    names = [node.layer.name for node in part]
    end = fault.layer if fault.layer in names else names[-1]
    for name, node in zip(names, part):
        within = Judgement(Verdict.SKIPPED, f"within the part: it is compiled with {end}")
        yield compared_layer(analysis, node, (fault.judgement if name == end else within,))


def _effect_of_taps(context: Context, b: Source, whole: Values) -> str:
    """Whether the results change when the values of all layers are results too."""
    tapped, _ = with_taps(context.analysis, tappable(context.analysis))
    analysis = ModelAnalysis(tapped, context.analysis.registry, context.analysis.limits)
    inner = Context(analysis, context.inputs)
    values = b.results(inner)
    if isinstance(values, Failure):
        return f"with the values of all layers as results, {b.name} fails: {values}"
    others = [name for name, array in whole.items() if name in values and changed(array, values[name])]
    if not others:
        return "adding outputs does not change the results"
    return f"adding outputs changes {plural(len(others), 'result')}: {', '.join(others[:4])}"


Mode = Literal["isolated", "propagated", "cuts"]
MODES = ("isolated", "propagated", "cuts")
MAX_INPUTS = 12
"""Of how many inputs the notes say the sizes."""


class UnsuitableMode(ValueError):
    """A mode that does not exist, or in which a source cannot be compared."""


def compare(
    model: AnyModel,
    inputs: Mapping[Key, Any] | Iterable[Any] = (),
    a: AnySource = "reference",
    b: AnySource = "openvino",
    *,
    mode: Mode | None = None,
    registry: Registry | None = None,
    limits: Limits | None = None,
    progress: Progress | None = None,
    rtol: Tolerance = None,
    atol: Tolerance = None,
    map: Mapping[str, str] | None = None,
    repeat: Iterable[Mapping[Key, Any] | Iterable[Any]] = (),
) -> Comparison:
    """Compare the results that two sources give for a model, and then the values of its layers.

    inputs: arrays by tensor name, layer name or position; a, b: names of sources ("reference", "numba",
    "openvino", "openvino:CPU,INFERENCE_PRECISION_HINT=f32", "model:other.xml", "values.npz"; irops compare
    --help lists all) or objects: a backend, which runs in a process of its own where it can be pickled and
    imported there, a Session, a mapping of stored tensors, a model.
    mode: isolated (every layer of b is computed from a's inputs: names the layers that are wrong themselves),
    propagated (both run through: shows where a difference appears and how it grows) or cuts (for a whole
    runtime: the smallest part of the graph that, compiled as a whole, differs); by default isolated where b
    computes layers, else propagated.
    rtol, atol: in place of error bounds, elements of b may differ from those of a by atol + rtol * |a|; one
    number each, or numbers by the name of a layer, a tensor or a result, with "" for all others.
    map: the layers or tensors of another model by those of this one, by name, where irops finds others.
    repeat: further sets of inputs; of each layer and result the worst is reported, and how often it is wrong.
    Raises:  ValueError for a text that is no source or mode, and for a tolerance of what the model lacks;
        EvaluationError where a cannot compute the model
    """
    analysis = analyse(model, registry, limits)
    with ExitStack() as opened:
        workers = SourceWorkers.of(analysis.registry, analysis.limits)
        first, second = (source_of(item, workers) for item in (a, b))
        opened.callback(first.close)
        opened.callback(second.close)
        require_partners(second, map or {})
        tolerances = Tolerances.of(analysis, rtol, atol)
        contexts = [
            Context(analysis, analysis.signature.arrays(arrays), tolerances=tolerances)
            for arrays in (inputs, *repeat)
        ]
        return worst_of([compared(context, first, second, mode, progress) for context in contexts])


def require_partners(b: Source, partners: Mapping[str, str]) -> None:
    """Set which layers of another model are certain. Raises: SourceError where b is no model"""
    if isinstance(b, OtherModel):
        b.partners = partners
    elif partners:
        raise SourceError(f"{b.name} is no other model, so that its layers need no partners")


def mode_of(mode: str | None, a: Source, b: Source, dialect: str = OPENVINO) -> str:
    """The mode, by default what b allows: devices compute layers of IR alone. Raises: UnsuitableMode"""
    computes_layers = b.computes_layers and (not b.is_whole or dialect == OPENVINO)
    chosen = mode or ("isolated" if computes_layers else "propagated")
    if chosen not in MODES:
        raise UnsuitableMode(
            f"mode is {chosen!r}, must be one of {', '.join(MODES)}{did_you_mean(chosen, MODES)}"
        )
    if chosen == "isolated" and not computes_layers and (b.is_whole or not a.computes_layers):
        raise UnsuitableMode(f"{b.name} cannot compute single layers; compare in mode propagated")
    return chosen


def compared(
    context: Context,
    a: Source,
    b: Source,
    mode: str | None = None,
    progress: Progress | None = None,
    *,
    with_results: bool = True,
) -> Comparison:
    """As compare, for sources that the caller closes. with_results: false where layers alone are asked for"""
    chosen = mode_of(mode, a, b, context.model.dialect)
    results: tuple[ComparedResult, ...] = ()
    drawn = _with_equal_draws(context, a, b)
    if with_results or chosen == "cuts":
        right, ours = a.results(drawn), b.results(drawn)
        results = compared_results(drawn, a, right, b, ours)
    sizes = (*_sizes(context), *_draws(context, drawn), *_narrowed(context, b))
    if chosen == "cuts" or not b.computes_layers:
        context = drawn
    notes, complete = (), True  # type: tuple[str, ...], bool
    match chosen:
        case "isolated":
            layers = tuple(_accused(b, isolated(context, a, b, progress), results))
        case "propagated":
            layers, notes, complete = propagated(context, a, b, progress)
            layers = layers if b.is_matched else tuple(_as_shown(context, b, layers))
        case _:
            layers, notes = cuts(context, a, right, b, ours, progress)
    layers, further = _weighed(context, a, b, chosen, layers, results)
    if b.is_cpu_plugin and results:
        compiled = "alone" if chosen == "isolated" else "whole"
        effect_of = partial(_effect_of_property, drawn, a, right, b, results)
        layers, ending = with_causes(context, layers, compiled, effect_of)
        if ending:  # the layers that overflow do so with the property, too
            layers = tuple(_without_overflow(layers, ending[0]))
        notes = (*ending, *notes)
    notes = (*further, *notes, *_unguarded(a, b))
    if not b.computes_layers and not b.is_whole:
        results = tuple(following(context, layers, results))
    source = context.model.source
    name = (source.path if source is not None else None) or context.model.name
    return Comparison(
        name,
        a.name,
        b.name,
        chosen,
        layers,
        b.arithmetic.precision,
        (*context.tolerances.notes(), *sizes, *_without_partner(context, b), *notes),
        complete or _works(b, results),
        results,
        coverage_of(context.analysis, layers, results, _why_missing(chosen, a, b, complete=complete)),
        b.is_whole,
    )


def _without_overflow(layers: Iterable[ComparedLayer], effect: str) -> Iterator[ComparedLayer]:
    """The layers; overflows from which nothing follows are no faults. effect: which shows that"""
    for layer in layers:
        has_overflow = layer.verdict is Verdict.OVERFLOW
        yield layer.judged_as(Verdict.MASKED, f"{layer.reason}; {effect}") if has_overflow else layer


def _effect_of_property(
    context: Context,
    a: Source,
    right: Values | Failure,
    b: Source,
    results: Sequence[ComparedResult],
    switch: str,
) -> str:
    """The effect on wrong results of a property of b, name=value; "" for none."""
    other = b.with_property(*switch.split("=", 1))
    if other is None or not any(result.is_fault for result in results):
        return ""
    with closing(other):
        again = compared_results(context, a, right, other, other.results(context))
    if again == results or any(result.verdict is Verdict.FAILED for result in again):
        return ""
    if compared_results(context, a, right, b, b.results(context)) != results:  # each run differs
        return ""
    is_ended = all(result.is_compared and not result.is_fault for result in again)
    return f"with {switch}, {AGREES if is_ended else 'the results differ otherwise'}"


def _weighed(
    context: Context,
    a: Source,
    b: Source,
    mode: str,
    layers: Sequence[ComparedLayer],
    results: Sequence[ComparedResult],
) -> tuple[tuple[ComparedLayer, ...], tuple[str, ...]]:
    """The layers with the causes of faults, those from which nothing follows as masked, and notes."""
    notes = list[str]()
    agree = bool(results) and all(result.is_compared and not result.is_fault for result in results)
    forms, later, without_effect = frozenset[int](), frozenset[int](), frozenset[int]()
    if b.is_matched:
        layers = tuple(of_used_outputs(context.analysis, layer) for layer in layers)
        forms = later = of_other_form(context.analysis, layers)
    effect = "no result differs"
    if mode == "propagated":
        effect = "nothing computed from it differs"
        without_effect = masked(context.analysis, layers, results, forms)
        faults = _faulty(layers) - forms - without_effect
        following = consequences(context.analysis, layers, forms, faults)
        later = frozenset(form for form, those in following.items() if those != faults)
        if agree:
            without_effect |= {form for form, those in following.items() if not those}
    elif agree:
        without_effect = forms | {layer.id for layer in layers if layer.verdict is Verdict.OVERFLOW}
    elif mode == "isolated" and b.is_matched and results and forms.issuperset(_faulty(layers)):
        whole = _first_of_run(context, a, b, results)
        if whole is not None:
            cause = f": {printable(whole.cause)}" if whole.cause else ""
            notes = [f"in a whole run, {abridged(whole.name, 100)} is the first layer that differs{cause}"]
            without_effect = forms - {whole.id}
            effect = "the results differ for another reason"
    weighed = (_explained(context, b, layer, without_effect, effect) for layer in layers)
    return tuple(replace(layer, has_other_form=layer.id in later) for layer in weighed), tuple(notes)


def _works(b: Source, results: Sequence[ComparedResult]) -> bool:
    """Whether a runtime computes the model as the user runs it."""
    return b.is_whole and bool(results) and all(result.verdict is not Verdict.FAILED for result in results)


def _accused(
    b: Source, layers: Sequence[ComparedLayer], results: Sequence[ComparedResult]
) -> Iterator[ComparedLayer]:
    """The layers. Where a runtime fails with a layer alone, but not with the model, or with that for another
    reason, nothing is wrong with the layer as the model has it.
    """
    alone = {layer.id: symptom_of(layer.reason) for layer in layers if layer.verdict is Verdict.FAILED}
    whole = {symptom_of(result.reason) for result in results if result.verdict is Verdict.FAILED}
    if whole.isdisjoint(alone.values()):
        kinds = {symptom.partition(":")[0] for symptom in whole}
        whole = {symptom for symptom in alone.values() if symptom.partition(":")[0] in kinds}
    for layer in layers:
        is_accused = not b.is_whole or not results or alone.get(layer.id, "") in {"", *whole}
        yield layer if is_accused else layer.judged_as(Verdict.SKIPPED, f"{NOT_ALONE}: {layer.reason}")


def _faulty(layers: Iterable[ComparedLayer]) -> set[int]:
    return {layer.id for layer in layers if layer.is_fault}


def _first_of_run(
    context: Context, a: Source, b: Source, results: Sequence[ComparedResult]
) -> ComparedLayer | None:
    """The first layer that differs where another model runs as a whole, of which each layer is right."""
    layers, _, _ = propagated(context, a, b)
    return first_fault(_weighed(context, a, b, "propagated", layers, results)[0])


def _with_equal_draws(context: Context, a: Source, b: Source) -> Context:
    """The model with random layers as inputs, for which both sources get the numbers of one run.

    Layers in bodies stay, and those that give a result: it would be compared with itself.
    """
    analysis, wiring = context.analysis, context.analysis.root.wiring
    sources = [wiring.source(port.layer.id) for port in analysis.signature.results]
    given = {source[0].id for source in sources if source is not None}
    drawing = {node.layer.id for node in analysis.root.order if node.layer.type == "RandomUniform"}
    layers = drawing - given
    if not layers:
        return context
    try:
        values = run_model(Evaluator(analysis, (Reference(),)), context.inputs, layers, Variables())
    except EvaluationError:  # which the comparison reports
        return context
    numbers = b.draws(context, a.draws(context, {number: values[number, 0] for number in layers}))
    own = a.draws(context, numbers)
    numbers = {n: array for n, array in numbers.items() if n in own and not changed(own[n], array)}
    inputs = {**context.inputs, **numbers}
    return replace(context, analysis=with_inputs(analysis, numbers), inputs=inputs) if numbers else context


def _draws(context: Context, drawn: Context) -> Iterator[str]:
    """Which layers are random and were not computed, for the notes."""
    layers = [context.analysis.root.layers[n].layer for n in drawn.inputs if n not in context.inputs]
    if layers:
        names = [f"{abridged(layer.name, 60)} ({layer.type})" for layer in layers]
        yield f"the same random numbers for both: {_first_of(names)}"


def _as_shown(context: Context, b: Source, layers: Sequence[ComparedLayer]) -> Iterator[ComparedLayer]:
    """The layers; one that a device fuses may show a tensor of another shape, or store it, with which what is
    computed from it could not agree. It was not compared.
    """
    agreeing = {layer.id for layer in layers if layer.verdict in (Verdict.EQUAL, Verdict.ROUNDING)}
    consumers = context.analysis.root.wiring.consumers
    for layer in layers:
        users = {
            user.id for k in range(len(layer.judgements)) for user, _ in consumers.get((layer.id, k), ())
        }
        is_shaped = layer.verdict is Verdict.WRONG and all(one.metrics is None for one in layer.judgements)
        if is_shaped and users and users <= agreeing:
            yield layer.judged_as(Verdict.SKIPPED, f"{b.name} shows another tensor: {layer.reason}")
        else:
            yield layer


def _explained(
    context: Context, b: Source, layer: ComparedLayer, without_effect: frozenset[int], effect: str
) -> ComparedLayer:
    """A wrong layer with its cause. Of another model, whose layers are matched by what surrounds them, one
    from which nothing follows is no fault; nor are integers that a narrower type cannot hold.

    without_effect: the layers from which nothing follows; effect: what was seen not to differ
    """
    if not layer.is_fault or layer.path:
        return layer
    is_masked = layer.id in without_effect
    if is_masked and (b.is_matched or layer.verdict is Verdict.OVERFLOW):
        layer = layer.judged_as(Verdict.MASKED, f"{layer.reason}; {effect}")
    return replace(layer, cause=b.cause(context, layer.id), is_masked=is_masked)


def _without_partner(context: Context, b: Source) -> Iterator[str]:
    """Which layers one of two models lacks, of which nothing is said; how many were found by values."""
    for layers, where in zip(b.without_partner(context), (f"not in {b.name}", f"in {b.name} alone")):
        if names := [f"{abridged(layer.name, 60)} ({layer.type})" for layer in layers]:
            yield f"{plural(len(names), 'layer')} {where}: {_first_of(names)}"
    if b.by_value:
        yield f"{plural(b.by_value, 'layer')} found in {b.name} by equal values for two sets of inputs"


def _narrowed(context: Context, b: Source) -> Iterator[str]:
    """Which floating types of the model are computed in narrower ones, whatever the precision."""
    graph, facts = context.analysis.root, context.analysis.infer()
    types = {fact.element_type.name for number in graph.layers for fact in facts.of(number).outputs}
    for name, narrow in b.arithmetic.converted:
        if name in types and name in ROUNDOFF:
            yield f"{b.name} computes {name} in {narrow}; errors within that precision count as rounding"


def _unguarded(*sources: Source) -> Iterator[str]:
    """Which sources are objects that could not be sent to a process of their own."""
    for source in sources:
        if source.ends_caller:
            yield f"{source.name} cannot be sent to another process; its crash would end this one"


def _sizes(context: Context) -> Iterator[str]:
    """Which sizes this run has where the model has any, and which of these are 1."""
    ports = [port for port in context.analysis.signature.inputs if not port.fact.shape.static]
    dynamic = [(abridged(port.name, 60), port, context.inputs[port.layer.id]) for port in ports]
    if dynamic:
        sizes = [f"{name} {Shape(array.shape)}" for name, _, array in dynamic]
        yield f"dynamic inputs in this run: {_first_of(sizes)}"
    ones = [f"{name} in axis {axis}" for name, port, array in dynamic for axis in axes_of_one(port, array)]
    if ones:
        yield f"  size 1: {_first_of(ones)}; faults along such axes may not show"


def _first_of(texts: Sequence[str]) -> str:
    more = f" and {len(texts) - MAX_INPUTS} more" if len(texts) > MAX_INPUTS else ""
    return f"{', '.join(texts[:MAX_INPUTS])}{more}"


def _why_missing(mode: str, a: Source, b: Source, *, complete: bool) -> str:
    """Why layers that a comparison does not list were not compared."""
    if mode == "cuts":
        return "not looked at within the whole"
    return f"{a.name} or {b.name} has no value" if complete else f"{b.name} ended before"

"""irops.compare: which layer of a model gives other values than it should."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

from irops.analysis.model_analysis import ModelAnalysis, analyse
from irops.analysis.signature import Key
from irops.analysis.structure import LayerNode
from irops.analysis.synthetic_inputs.generate import ChosenInputs, synthetic_inputs
from irops.debugging.compare.agreement import NONE_IDENTICAL
from irops.debugging.compare.compared import (
    NOTHING,
    ComparedLayer,
    ComparedResult,
    Coverage,
    Extent,
    compared_layer,
    with_results,
)
from irops.debugging.compare.cuts import cuts
from irops.debugging.compare.given_tolerances import NONE_GIVEN, GivenTolerances, Tolerance, output_names
from irops.debugging.compare.isolated import isolated, isolated_values, with_stored_causes
from irops.debugging.compare.propagated import propagated, without_passing_differences
from irops.debugging.compare.randomness import with_random_values
from irops.debugging.compare.report import report_text, results_summary
from irops.debugging.compare.results import (
    Computed,
    compared_results,
    results_behind_faults,
    results_behind_identical_values,
)
from irops.debugging.compare.two_models import isolated_models, propagated_models
from irops.debugging.sources.other_model import OtherModel, set_partners
from irops.debugging.sources.parse import AnySource, source_of
from irops.debugging.sources.processes import Workers
from irops.debugging.sources.source import Context, Source
from irops.debugging.sources.stored import Stored
from irops.diagnostics.printable import Markup, html_table, plural, shortened
from irops.diagnostics.suggestions import did_you_mean
from irops.files.limits import Limits
from irops.ir.model import Model
from irops.registry import Registry
from irops.runtime.evaluator import Progress
from irops.verdicts.tolerances import EQUAL_AGAIN
from irops.verdicts.verdict import Judgement, Verdict

Mode = Literal["isolated", "propagated", "cuts"]
MODES = ("isolated", "propagated", "cuts")
SCHEMA = 1
"""The version of the JSON form."""


class UnsuitableMode(ValueError):
    """A mode that does not exist, or in which a source cannot be compared."""


@dataclass(frozen=True)
class Comparison:
    """The values of two sources, compared: first the results of the unmodified models, then layer by layer.

    a, b: the names of the sources; layers: in the order in which they were computed; precision: the type that
    b computes f32 in, where that is another one; notes: sentences about the comparison as a whole; complete:
    whether b ran to the end; results: one for each Result of the model; coverage: how much was compared;
    sets: how many sets of inputs were compared; between: the layers that were not compared and that lie
    between what is equal and the first wrong layer, or the first result that differs; whole: whether b
    optimises a model as a whole; inputs: what was chosen for the inputs that were generated, for each set;
    compressed: how b rounds weights, one phrase for each type, where layers are compared without that.
    """

    model: str
    a: str
    b: str
    mode: str
    layers: tuple[ComparedLayer, ...]
    precision: str = ""
    notes: tuple[str, ...] = ()
    complete: bool = True
    results: tuple[ComparedResult, ...] = ()
    coverage: Coverage = NOTHING
    sets: int = 1
    between: tuple[str, ...] = ()
    whole: bool = False
    inputs: tuple[ChosenInputs, ...] = ()
    compressed: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether all results were compared and agree, no layer is wrong, and b ran to the end."""
        return (
            self.first is None
            and self.complete
            and not self.coverage.is_nothing
            and self.coverage.has_all_results
            and not any(result.is_fault for result in self.results)
        )

    @cached_property
    def first(self) -> ComparedLayer | None:
        """The first layer that is wrong or failed; None where there is none."""
        return next((layer for layer in self.layers if layer.is_fault), None)

    @property
    def counts(self) -> Mapping[Verdict, int]:
        """How many layers have each verdict."""
        return Counter(layer.verdict for layer in self.layers)

    def to_json(self) -> dict[str, Any]:
        """The comparison for machines."""
        return {
            "schema": SCHEMA,
            "model": self.model,
            "a": self.a,
            "b": self.b,
            "mode": self.mode,
            "precision": self.precision,
            "ok": self.ok,
            "first": None if self.first is None else self.first.name,
            "between": list(self.between),
            "counts": {str(verdict): count for verdict, count in self.counts.items()},
            "notes": list(self.notes),
            "results": [result.to_json() for result in self.results],
            "coverage": self.coverage.to_json(),
            "sets": self.sets,
            "inputs": [chosen.to_json() for chosen in self.inputs],
            "compressed": list(self.compressed),
            "layers": [layer.to_json() for layer in self.layers],
        }

    def __str__(self) -> str:
        return report_text(self)

    def __repr__(self) -> str:
        layers = plural(len(self.layers), "layer")
        outcome = "none wrong" if self.first is None else f"first wrong {shortened(self.first.name)}"
        sources = f"{shortened(self.a)} and {shortened(self.b)}"
        return f"<Comparison of {sources}: {results_summary(self)}; {layers}, {outcome}>"

    def _repr_html_(self) -> Markup:
        """What notebooks show: the results, and the layers that differ, the worst first."""
        order = sorted(self.layers, key=lambda layer: -layer.verdict.severity)
        rows = [(result.name, "Result", str(result.verdict), result.reason) for result in self.results]
        rows += [
            (layer.name, layer.op, str(layer.verdict), layer.cause or layer.reason)
            for layer in order[:20]
            if layer.verdict is not Verdict.EQUAL
        ]
        title = f"{repr(self)[1:-1]}; compared {self.coverage}"
        return html_table(title, ("name", "op", "verdict", "reason"), rows)


def compare(
    model: Model | ModelAnalysis | str | os.PathLike[str],
    inputs: Mapping[Key, Any] | Iterable[Any] = (),
    a: AnySource = "reference",
    b: AnySource = "openvino",
    *,
    mode: Mode | None = None,
    rtol: Tolerance = None,
    atol: Tolerance = None,
    map: Mapping[str, str] | None = None,
    repeat: int = 0,
    registry: Registry | None = None,
    limits: Limits | None = None,
    progress: Progress | None = None,
) -> Comparison:
    """Compare the results that two sources give for a model, and then the values of its layers.

    inputs: arrays by tensor name, layer name or position; a list of such mappings compares each of them, and
    the comparison has the worst of each layer. a, b: names of sources ("reference", "numba",
    "openvino", "openvino:CPU,INFERENCE_PRECISION_HINT=f32", "model:other.xml", "values.npz"; irops compare
    --help lists all) or objects: a backend, a Session, a mapping of stored tensors, a model.
    mode: isolated (every layer of b is computed from a's inputs: names the layers that are wrong themselves),
    propagated (both run through: shows where a difference appears and how it grows) or cuts (for a whole
    runtime: the smallest part of the graph that, compiled as a whole, differs); by default isolated where b
    computes layers, else propagated.
    rtol, atol: in place of what rounding explains; a number, or numbers by the name of a layer, a tensor or a
    result, with "" for all others. Elements agree where |a - b| <= atol + rtol * |a|.
    map: partners in another model by the names of layers or tensors, where they are not found or not right.
    repeat: draw random values for the inputs that are not given, this many times.
    Raises:  ValueError for a text that is no source or mode, and for an unknown name in tolerances or map;
        EvaluationError where a cannot compute the model
    """
    analysis = model if isinstance(model, ModelAnalysis) else analyse(model, registry, limits)
    tolerances = GivenTolerances.of(rtol, atol)
    require_known_names(analysis, tolerances)
    with ExitStack() as opened:
        workers = Workers.of(analysis.registry, analysis.limits)
        first, second = (source_of(item, workers) for item in (a, b))
        opened.callback(first.close)
        opened.callback(second.close)
        set_partners(second, analysis, map or {})
        sets = _sets(inputs)
        chosen: list[ChosenInputs] = []
        if repeat:
            filled = [_filled(analysis, one, seed) for one in sets for seed in range(repeat)]
            sets, chosen = [one for one, _ in filled], [one for _, one in filled]
        contexts = [Context(analysis, analysis.signature.arrays(one)) for one in sets]
        found = compared_sets(contexts, first, second, mode, progress, tolerances)
        return replace(found, inputs=tuple(chosen))


def _sets(inputs: Mapping[Key, Any] | Iterable[Any]) -> Sequence[Mapping[Key, Any] | Iterable[Any]]:
    """The sets of inputs: one, or the items of a list of mappings."""
    if isinstance(inputs, Mapping):
        return [inputs]
    items = list(inputs)
    return items if items and all(isinstance(item, Mapping) for item in items) else [items]


def _filled(
    analysis: ModelAnalysis, inputs: Mapping[Key, Any] | Iterable[Any], seed: int
) -> tuple[Mapping[Key, Any], ChosenInputs]:
    """Inputs with random values for those that are not given, and what was chosen for these."""
    signature = analysis.signature
    named: Mapping[Key, Any] = inputs if isinstance(inputs, Mapping) else dict(enumerate(inputs))
    ports = [(signature.input(key), value) for key, value in named.items()]
    given = {port.position: signature.fit(port.layer, value) for port, value in ports}
    chosen = synthetic_inputs(analysis, "random", seed, given=given)
    arrays = {**chosen.arrays, **given}
    return {port.position: arrays.get(port.position) for port in signature.inputs}, chosen


def require_known_names(analysis: ModelAnalysis, tolerances: GivenTolerances) -> None:
    """Raises: ValueError, with a suggestion, for a tolerance of a name that nothing has"""
    names = {name for port in analysis.signature.results for name in port.names}
    for node in analysis.root.order:
        for index in range(len(node.layer.outputs)):
            names.update(output_names(node.layer, index))
    for name in tolerances.unknown(names):
        meant = did_you_mean(name, names)
        raise ValueError(f"a tolerance is given for {name!r}, which no layer, tensor or result has{meant}")


def mode_of(mode: str | None, b: Source) -> str:
    """The mode, by default what b allows. Raises: UnsuitableMode"""
    chosen = mode or ("isolated" if b.computes_layers else "propagated")
    if chosen not in MODES:
        raise UnsuitableMode(
            f"mode is {chosen!r}, must be one of {', '.join(MODES)}{did_you_mean(chosen, MODES)}"
        )
    if chosen == "cuts" and isinstance(b, OtherModel | Stored):
        raise UnsuitableMode(f"{b.name} compiles no parts of the model; compare in mode propagated")
    if chosen == "isolated" and not b.isolates:
        raise UnsuitableMode(f"{b.name} cannot compute single layers; compare in mode propagated")
    return chosen


def compared(
    context: Context,
    a: Source,
    b: Source,
    mode: str | None = None,
    progress: Progress | None = None,
    tolerances: GivenTolerances = NONE_GIVEN,
    *,
    with_results: bool = True,
) -> Comparison:
    """As compare, for sources that the caller closes. with_results: compare the results of the models"""
    chosen = mode_of(mode, b)
    given = with_random_values(context, a, b)
    b = given.b
    results: tuple[ComparedResult, ...] = ()
    further: tuple[str, ...] = ()
    computed = Computed({}, {})
    if with_results or chosen == "cuts":
        computed = Computed.of(given.context, a, b)
    if with_results:
        results, further = compared_results(given.context, a, b, computed, tolerances, given.left)
    notes, complete, in_a = (), True, None  # type: tuple[str, ...], bool, frozenset[int] | None
    compressed: tuple[str, ...] = ()
    identical = NONE_IDENTICAL
    further_judging = given.context, a, b, computed, tolerances
    match chosen:
        case "isolated" if isinstance(b, OtherModel):
            layers, notes, compressed, identical = isolated_models(given.context, a, b, tolerances)
            results = results_behind_identical_values(*further_judging, results, identical)
            layers = (*(_given_layer(context, node) for node in given.random), *layers)
        case "isolated" if isinstance(b, Stored):
            layers, notes = isolated_values(given.context, b, progress, tolerances)
            layers = (*(_given_layer(context, node) for node in given.random), *layers)
        case "isolated":
            layers = isolated(context, a, b, progress, tolerances)
        case "propagated":
            if isinstance(b, OtherModel):
                outcome = propagated_models(given.context, a, b, progress, tolerances)
            else:
                outcome = propagated(given.context, a, b, progress, tolerances)
            if isinstance(b, Stored):
                layers = with_stored_causes(given.context, b, outcome.layers, tolerances)
                outcome = replace(outcome, layers=layers)
            identical = outcome.identical
            results = results_behind_identical_values(*further_judging, results, identical)
            root = given.context.analysis.root
            of_results = _agreeing(given.context, results), _differing(given.context, results)
            layers = without_passing_differences(root, outcome.layers, *of_results)
            notes, complete, in_a = outcome.notes, outcome.complete, outcome.in_a
            compressed = outcome.compressed
            layers = (*(_given_layer(context, node) for node in given.random), *layers)
        case _:
            layers, notes = cuts(given.context, a, b, computed, progress, tolerances)
    notes = (*notes, *given.notes(), *further)
    results = results_behind_faults(*further_judging, results, identical, layers)
    source = context.model.source
    name = (source.path if source is not None else None) or context.model.name
    extent = Extent(context.analysis, layers, in_a, chosen == "cuts", chosen == "isolated", complete)
    return Comparison(
        name,
        a.name,
        b.name,
        chosen,
        layers,
        b.arithmetic.precision,
        notes,
        complete,
        results,
        extent.coverage(results),
        between=extent.between(results),
        whole=b.is_whole,
        compressed=compressed,
    )


def _agreeing(context: Context, results: Iterable[ComparedResult]) -> list[int]:
    """The ids of the Results that agree as well as rounding alone lets them."""
    ports = context.analysis.signature.results
    return [
        ports[result.position].layer.id
        for result in results
        if result.is_compared and not result.is_fault and result.judgement.excess <= EQUAL_AGAIN
    ]


def _differing(context: Context, results: Iterable[ComparedResult]) -> list[int]:
    """The ids of the Results that differ."""
    ports = context.analysis.signature.results
    return [ports[result.position].layer.id for result in results if result.is_fault]


def _given_layer(context: Context, node: LayerNode) -> ComparedLayer:
    judgement = Judgement(Verdict.RANDOM, "random; both sides get the same values")
    return compared_layer(context.analysis, node, (judgement,))


def compared_sets(
    contexts: Sequence[Context],
    a: Source,
    b: Source,
    mode: str | None = None,
    progress: Progress | None = None,
    tolerances: GivenTolerances = NONE_GIVEN,
) -> Comparison:
    """As compared, for several sets of inputs: the worst of each layer and of each result."""
    return merged([compared(context, a, b, mode, progress, tolerances) for context in contexts])


def merged(comparisons: Sequence[Comparison]) -> Comparison:
    """One comparison of several sets of inputs: the worst of each layer and result, and how often."""
    first = comparisons[0]
    if len(comparisons) == 1:
        return first
    layers: dict[tuple[tuple[str, ...], int], list[ComparedLayer]] = {}
    for comparison in comparisons:
        for layer in comparison.layers:
            layers.setdefault((layer.path, layer.id), []).append(layer)
    leading = next((one for one in comparisons if one.first is not None), None)
    leading = leading or next((one for one in comparisons if not one.ok), first)
    results = tuple(_worst_result(found) for found in zip(*(one.results for one in comparisons)))
    coverages = [comparison.coverage for comparison in comparisons]
    smallest = min(coverages, key=lambda coverage: (coverage.results, coverage.layers))
    return replace(
        first,
        layers=tuple(_worst_layer(found) for found in layers.values()),
        results=results,
        notes=tuple(dict.fromkeys(note for one in comparisons for note in one.notes)),
        compressed=tuple(dict.fromkeys(text for one in comparisons for text in one.compressed)),
        complete=all(one.complete for one in comparisons),
        coverage=with_results(smallest, results),
        between=leading.between,
        sets=len(comparisons),
    )


def _worst_layer(found: Sequence[ComparedLayer]) -> ComparedLayer:
    worst_of = max(found, key=lambda layer: (layer.verdict.severity, layer.judgement.excess))
    return replace(worst_of, wrong_in=sum(layer.is_fault for layer in found))


def _worst_result(found: Sequence[ComparedResult]) -> ComparedResult:
    with_values = [result for result in found if result.left_out != "no values"] or found
    worst_of = max(with_values, key=lambda result: (result.verdict.severity, result.judgement.excess))
    return replace(worst_of, wrong_in=sum(result.is_fault for result in found))

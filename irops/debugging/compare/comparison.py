"""irops.compare: which layer of a model gives other values than it should."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from irops.analysis.made_up import axes_of_one
from irops.analysis.model_analysis import ModelAnalysis, analyse
from irops.analysis.signature import Key
from irops.debugging.compare.compared_layer import ComparedLayer
from irops.debugging.compare.cuts import cuts
from irops.debugging.compare.isolated import isolated
from irops.debugging.compare.propagated import propagated
from irops.debugging.compare.report import report_text, results_summary
from irops.debugging.compare.results import ComparedResult, Coverage, compared_results, coverage_of
from irops.debugging.sources.parse import AnySource, source_of
from irops.debugging.sources.source import Context, Source
from irops.debugging.sources.workers import SourceWorkers
from irops.diagnostics.printable import abridged, plural, shortened
from irops.diagnostics.suggestions import did_you_mean
from irops.html_table import html_table
from irops.ir.model import Model
from irops.limits import Limits
from irops.registry import Registry
from irops.runtime.evaluator import Progress
from irops.values.shape import Shape
from irops.verdicts.question import Verdict

Mode = Literal["isolated", "propagated", "cuts"]
MODES = ("isolated", "propagated", "cuts")
SCHEMA = 1
"""The version of the JSON form."""
NOTHING = Coverage()
MAX_INPUTS = 12
"""Of how many inputs the notes say the sizes."""


class UnsuitableMode(ValueError):
    """A mode that does not exist, or in which a source cannot be compared."""


@dataclass(frozen=True)
class Comparison:
    """The results of two sources, compared, and the values of layers.

    a, b: the names of the sources; layers: in the order in which they were computed; precision: the type that
    b computes f32 in, where that is another one; notes: sentences about the comparison as a whole; complete:
    whether b ran to the end; results: of the model as it is; coverage: how much was compared; is_whole:
    whether b optimises a model as a whole, so that layers may be right alone and wrong together.
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
    is_whole: bool = False

    @property
    def ok(self) -> bool:
        """Whether all results were compared, none and no layer is wrong, and b ran to the end.

        Results that follow from random values need not be compared, as long as anything is.
        """
        return (
            self.first is None
            and self.complete
            and not self.coverage.is_nothing
            and all(result.is_compared or result.verdict is Verdict.RANDOM for result in self.results)
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
            "counts": {str(verdict): count for verdict, count in self.counts.items()},
            "notes": list(self.notes),
            "coverage": self.coverage.to_json(),
            "results": [result.to_json() for result in self.results],
            "layers": [layer.to_json() for layer in self.layers],
        }

    def __str__(self) -> str:
        return report_text(self)

    def __repr__(self) -> str:
        layers = plural(len(self.layers), "layer")
        outcome = "none wrong" if self.first is None else f"first wrong {shortened(self.first.name)}"
        sources = f"{shortened(self.a)} and {shortened(self.b)}"
        return f"<Comparison of {sources}: {results_summary(self)}; {layers}, {outcome}>"

    def _repr_html_(self) -> str:
        """A table for notebooks: the results, and the layers that differ, the worst first."""
        order = sorted(self.layers, key=lambda layer: -layer.verdict.severity)
        rows = [(result.name, "Result", str(result.verdict), result.reason) for result in self.results]
        rows += [
            (layer.name, layer.op, str(layer.verdict), layer.reason)
            for layer in order[:20]
            if layer.verdict is not Verdict.EQUAL or layer.reason
        ]
        return html_table(f"{repr(self)[1:-1]}; {self.coverage}", ("layer", "op", "verdict", "reason"), rows)


def compare(
    model: Model | ModelAnalysis | str | os.PathLike[str],
    inputs: Mapping[Key, Any] | Iterable[Any] = (),
    a: AnySource = "reference",
    b: AnySource = "openvino",
    *,
    mode: Mode | None = None,
    registry: Registry | None = None,
    limits: Limits | None = None,
    progress: Progress | None = None,
) -> Comparison:
    """Compare the results that two sources give for a model, and then the values of its layers.

    inputs: arrays by tensor name, layer name or position; a, b: names of sources ("reference", "numba",
    "openvino", "openvino:CPU,INFERENCE_PRECISION_HINT=f32", "model:other.xml", "values.npz"; irops compare
    --help lists all) or objects: a backend, a Session, a mapping of stored tensors, a model.
    mode: isolated (every layer of b is computed from a's inputs: names the layers that are wrong themselves),
    propagated (both run through: shows where a difference appears and how it grows) or cuts (for a whole
    runtime: the smallest part of the graph that, compiled as a whole, differs); by default isolated where b
    computes layers, else propagated.
    Raises:  ValueError for a text that is no source or mode; EvaluationError where a cannot compute the model
    """
    analysis = model if isinstance(model, ModelAnalysis) else analyse(model, registry, limits)
    with ExitStack() as opened:
        workers = SourceWorkers.of(analysis.registry, analysis.limits)
        first, second = (source_of(item, workers) for item in (a, b))
        opened.callback(first.close)
        opened.callback(second.close)
        context = Context(analysis, analysis.signature.arrays(inputs))
        return compared(context, first, second, mode, progress)


def mode_of(mode: str | None, b: Source) -> str:
    """The mode, by default what b allows. Raises: UnsuitableMode"""
    chosen = mode or ("isolated" if b.computes_layers else "propagated")
    if chosen not in MODES:
        raise UnsuitableMode(
            f"mode is {chosen!r}, must be one of {', '.join(MODES)}{did_you_mean(chosen, MODES)}"
        )
    if chosen == "isolated" and not b.computes_layers:
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
    chosen = mode_of(mode, b)
    results: tuple[ComparedResult, ...] = ()
    if with_results or chosen == "cuts":
        right, ours = a.results(context), b.results(context)
        results = compared_results(context, a, right, b, ours)
    notes, complete = (), True  # type: tuple[str, ...], bool
    match chosen:
        case "isolated":
            layers = isolated(context, a, b, progress)
        case "propagated":
            layers, notes, complete = propagated(context, a, b, progress)
        case _:
            layers, notes = cuts(context, a, right, b, ours, progress)
    source = context.model.source
    name = (source.path if source is not None else None) or context.model.name
    return Comparison(
        name,
        a.name,
        b.name,
        chosen,
        layers,
        b.arithmetic.precision,
        (*_sizes(context), *notes),
        complete,
        results,
        coverage_of(context.analysis, layers, results, _why_missing(chosen, a, b, complete=complete)),
        b.is_whole,
    )


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

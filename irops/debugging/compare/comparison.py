"""irops.compare: which layer of a model gives other values than it should."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Any, Literal

from irops.analysis.made_up import axes_of_one
from irops.analysis.model_analysis import AnyModel, analyse
from irops.analysis.signature import Key
from irops.debugging.compare.compared_layer import ComparedLayer
from irops.debugging.compare.cuts import cuts
from irops.debugging.compare.isolated import isolated
from irops.debugging.compare.propagated import propagated
from irops.debugging.compare.report import Comparison
from irops.debugging.compare.results import (
    ComparedResult,
    compared_results,
    coverage_of,
    masked,
)
from irops.debugging.sources.parse import AnySource, source_of
from irops.debugging.sources.source import Context, Source
from irops.debugging.sources.workers import SourceWorkers
from irops.diagnostics.printable import abridged
from irops.diagnostics.suggestions import did_you_mean
from irops.dialects.registry import Registry
from irops.files.limits import Limits
from irops.runtime.evaluator import Progress
from irops.values.shape import Shape
from irops.verdicts.question import Verdict

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
    analysis = analyse(model, registry, limits)
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
    notes, complete, without_effect = (), True, frozenset()  # type: tuple[str, ...], bool, frozenset[int]
    match chosen:
        case "isolated":
            layers = isolated(context, a, b, progress)
        case "propagated":
            layers, notes, complete = propagated(context, a, b, progress)
            without_effect = masked(context.analysis, layers, results)
        case _:
            layers, notes = cuts(context, a, right, b, ours, progress)
    layers = tuple(_explained(context, b, layer, without_effect) for layer in layers)
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


def _explained(
    context: Context, b: Source, layer: ComparedLayer, without_effect: frozenset[int]
) -> ComparedLayer:
    """A wrong layer with its cause. Of another model, whose layers are matched by what surrounds them, one
    from which nothing follows is no fault.
    """
    if not layer.is_fault or layer.path:
        return layer
    is_masked = layer.id in without_effect
    if is_masked and b.is_matched:
        layer = layer.judged_as(Verdict.MASKED, f"{layer.reason}; nothing computed from it differs")
    return replace(layer, cause=b.cause(context, layer.id), is_masked=is_masked)


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

"""Judge a case by sources of values: whether two differ, or whether one fails."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from irops.debugging.compare.comparison import compared
from irops.debugging.compare.results import follows_from_ties
from irops.debugging.reduce.case import Case
from irops.debugging.reduce.oracle import InvalidQuestion, Judge, Unjudged
from irops.debugging.reduce.reproduction import Target
from irops.debugging.sources.layerwise import Layerwise
from irops.debugging.sources.openvino_device import OpenVINODevice
from irops.debugging.sources.parse import AnySource, source_of
from irops.debugging.sources.source import Context, Failure, Source, SourceFailed, Values
from irops.debugging.sources.stored import SourceError
from irops.debugging.sources.workers import Workers
from irops.limits import Limits
from irops.registry import Registry
from irops.values.element import Array
from irops.verdicts.metrics import differs
from irops.verdicts.verdict import Verdict

LIMITED = ("stalled", "oversized")
"""Kinds of failures that are the excess of a limit, whose value does not matter."""
_CHANGING = re.compile(r"0x[0-9a-f]+|[0-9]+|'[^']*'|\"[^\"]*\"")
"""What may change in a message about a smaller model: numbers, and names in quotes."""


class DifferJudge(Judge):
    """Whether two sources give different results, beyond rounding, ties and randomness.

    The reason is the verdict. seconds: that a source in another process may take for a case
    """

    has_symptoms = True
    compares_results = True

    def __init__(
        self,
        sources: Sequence[AnySource],
        seconds: float,
        registry: Registry | None = None,
        limits: Limits | None = None,
    ) -> None:
        if len(sources) != 2:
            raise InvalidQuestion(f"{len(sources)} sources differ, must be 2")
        workers = Workers.of(registry, limits, seconds)
        self.a, self.b = (_computing(item, workers) for item in sources)
        if isinstance(self.b, Layerwise) and self.b.is_reference:
            self.a, self.b = self.b, self.a
        self.opened = (self.a, self.b)
        self.description = f"{self.a.name} and {self.b.name} differ"
        self.absence = f"{self.a.name} and {self.b.name} give the same results"
        self.target = _target(self.b)
        self._registry, self._limits = registry, limits

    def reason(self, case: Case) -> str | None:
        context = _context(case, self._registry, self._limits)
        truth, ours = _judged(self.a, context), _judged(self.b, context)
        if isinstance(truth, Failure):
            return None
        if isinstance(ours, Failure):
            return f"{self.description}: {ours.kind}" if ours.is_fault else None
        if all(_same(truth[name], ours[name]) for name in truth):
            return None
        verdict = self._verdict(context, case)
        if not verdict.is_fault or follows_from_ties(replace(context, taps=None), self.a, self.b, ours):
            return None
        return f"{self.description}: {verdict}"

    def suspects(self, case: Case) -> Sequence[int]:
        """The layers that are wrong when they are computed from the values of the first source."""
        if not self.b.computes_layers:
            return ()
        try:
            context = _context(case, self._registry, self._limits)
            layers = compared(context, self.a, self.b, "isolated", with_results=False).layers
        except SourceFailed:
            return ()
        return [layer.id for layer in layers if layer.is_fault and not layer.path]

    def _verdict(self, context: Context, case: Case) -> Verdict:
        """The verdict on the layers that give the results."""
        if case.operations == 1 and self.b.computes_layers:
            layers = compared(context, self.a, self.b, "isolated", with_results=False).layers
        else:
            wiring = context.analysis.root.wiring
            sources = [wiring.inputs[layer.id][0] for layer in context.analysis.root.results]
            context.taps = {source[0].id for source in sources if source is not None}
            try:
                layers = compared(context, self.a, self.b, "propagated", with_results=False).layers
            except SourceFailed:
                return Verdict.FAILED
        faults = [layer.verdict for layer in layers if layer.is_fault]
        return max(faults, key=lambda verdict: verdict.severity, default=Verdict.EQUAL)


class CrashJudge(Judge):
    """Whether a source fails: it reports an error, crashes, uses too much memory, or does not answer in time.

    The reason is what it reports, without numbers and names.
    """

    def __init__(
        self, source: str, seconds: float, registry: Registry | None = None, limits: Limits | None = None
    ) -> None:
        self.source = _computing(_WHOLE.get(source, source), Workers.of(registry, limits, seconds))
        self.opened = (self.source,)
        self.description = f"{self.source.name} fails"
        self.absence = f"{self.source.name} computes it"
        self.target = _target(self.source)
        self._registry, self._limits = registry, limits

    def reason(self, case: Case) -> str | None:
        results = _results(self.source, _context(case, self._registry, self._limits))
        if not isinstance(results, Failure) or not results.is_fault:
            return None
        text = results.kind if results.kind in LIMITED else f"{results.kind}: {results.reason}"
        return f"{self.source.name} {_CHANGING.sub('#', text)}"


_WHOLE = {"openvino": "openvino:CPU"}
"""The source that runs a whole model, where the name alone computes layer by layer."""


def _computing(item: AnySource, workers: Workers) -> Source:
    """A source that computes any model. Raises: InvalidQuestion; DiagnosticError"""
    try:
        source = source_of(item, workers)
    except SourceError as error:
        raise InvalidQuestion(str(error)) from None
    if not isinstance(source, (Layerwise, OpenVINODevice)):
        source.close()
        raise InvalidQuestion(f"{source.name} gives the values of one model; a reduction runs smaller ones")
    if isinstance(source, OpenVINODevice):
        _require_available(source)
    return source


def _judged(source: Source, context: Context) -> Values | Failure:
    """The results of a source. Raises: Unjudged where it declines the model or uses too much memory"""
    results = _results(source, context)
    if isinstance(results, Failure) and results.kind == "oversized":
        raise Unjudged(f"{source.name}: {results.reason}")
    return results


def _results(source: Source, context: Context) -> Values | Failure:
    """The results of a source. Raises: Unjudged where it does not compute such a model"""
    results = source.results(context)
    if isinstance(results, Failure) and results.kind == "declined":
        raise Unjudged(f"{source.name}: {results.reason}")
    return results


def _require_available(source: OpenVINODevice) -> None:
    """Ask a device for its precision. Raises: InvalidQuestion where there is no such device or property"""
    try:
        _ = source.arithmetic
    except SourceFailed as failed:
        source.close()
        raise InvalidQuestion(f"{source.name} is not available: {failed.failure.reason}") from None


def _context(case: Case, registry: Registry | None, limits: Limits | None) -> Context:
    analysis = case.analysis(registry, limits)
    return Context(analysis, analysis.signature.arrays(case.inputs))


def _same(one: Array, other: Array) -> bool:
    return one.shape == other.shape and one.dtype == other.dtype and not differs(one, other).any()


def _target(source: Source) -> Target:
    """What a program runs that shows a fault of a source."""
    if isinstance(source, OpenVINODevice):
        return Target("openvino", source.device, source.properties)
    if source.name == "openvino":
        return Target("openvino", "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    return Target("irops", source.name)

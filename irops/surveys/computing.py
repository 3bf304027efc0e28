"""The tasks that compute values, of inputs that are made up: run and compare."""

from collections import Counter
from collections.abc import Iterable, Mapping

from irops.analysis.model_analysis import ModelAnalysis
from irops.analysis.synthetic import synthetic_inputs
from irops.backends.catalogue import backend_names
from irops.debugging.compare.comparison import compared
from irops.debugging.compare.report import Comparison
from irops.debugging.sources.parse import source_of_text
from irops.debugging.sources.source import Context, Failure, Source, SourceFailed
from irops.debugging.sources.stored import SourceError
from irops.debugging.sources.workers import SourceWorkers
from irops.diagnostics.diagnostic import DiagnosticError
from irops.diagnostics.printable import abridged
from irops.diagnostics.suggestions import did_you_mean_word
from irops.dialects.registry import Registry
from irops.environment import missing_libraries
from irops.runtime.session import Session
from irops.surveys import tasks
from irops.values.element import Array, element_type_of
from irops.values.shape import Shape


def require_sources(texts: Iterable[str]) -> None:
    """Raises: SurveyError for a text that is no source of many models, or one that is not available"""
    for text in texts:
        _require_source(text)


def _require_source(text: str) -> None:
    if not text.startswith(tasks.DEVICE) and text not in backend_names():
        meant = did_you_mean_word(text, (*backend_names(), "openvino:CPU"))
        raise tasks.SurveyError(
            f"{text!r} is no source of a survey{f'{meant} A' if meant else '; a'} source is a backend"
            f" ({', '.join(backend_names())}) or openvino:DEVICE[,PROPERTY=VALUE…]"
        )
    try:
        source_of_text(text).close()
    except (SourceError, DiagnosticError) as error:
        raise tasks.SurveyError(str(error)) from None
    lacking = missing_libraries("openvino", "openvino") if text.startswith(tasks.DEVICE) else None
    if lacking is not None:
        raise tasks.SurveyError(f"the source {text} is not available: {lacking}")


Arrays = dict[str | int, Array]
"""Values of inputs by position."""
FAILURES = {
    "crashed": "crash",
    "stalled": "timeout",
    "oversized": "memory",
    "refused": "fail",
    "declined": "unsupported",
}
"""The status for each kind of Failure."""


class _Computing(tasks.Examining):
    """The common part of run and compare. The processes of sources stay open from model to model."""

    def __init__(self, settings: tasks.SurveySettings, registry: Registry | None) -> None:
        super().__init__(settings, registry)
        self._workers = SourceWorkers.of(registry, settings.limits, settings.seconds)
        self._sources: dict[str, Source] = {}

    def __call__(self, path: str, *sources: str) -> tasks.Examined:
        """Raises: DiagnosticError"""
        analysis = self.analysed(path)
        arrays = self._inputs(analysis)
        try:
            status, detail, transient = self.computed(analysis, arrays, *sources)
            dynamic = [port for port in analysis.signature.inputs if not port.fact.shape.static]
            sizes = {port.name: arrays[port.position] for port in dynamic}
            return status, {**detail, **({"inputs": _described(sizes)} if sizes else {})}, transient
        except SourceFailed as failed:
            return of_failure(failed.failure)

    def computed(self, analysis: ModelAnalysis, arrays: Arrays, *sources: str) -> tasks.Examined:
        """The result for a model with some inputs. Raises: DiagnosticError, SourceFailed"""
        raise NotImplementedError

    def source(self, text: str) -> Source:
        """The source of a text, which is closed with this process."""
        if text not in self._sources:
            self._sources[text] = source_of_text(text, self._workers)
        return self._sources[text]

    def _inputs(self, analysis: ModelAnalysis) -> Arrays:
        """An array for each input, by position; its values depend on its name, its shape and the seed."""
        filled = synthetic_inputs(analysis, "random", self.settings.seed, limits=self.settings.limits)
        return {tensor.port.position: tensor.array for tensor in filled}


class Running(_Computing):
    """Whether a source computes a model."""

    def computed(self, analysis: ModelAnalysis, arrays: Arrays, *sources: str) -> tasks.Examined:
        (source,) = sources
        if source == tasks.REFERENCE:  # by the fast kernels, whose results are bit-identical
            session = Session(analysis)
            session.evaluator.run_once()
            results = session.run(arrays)
            detail = {"outputs": _described(results), **tasks.findings_detail(results.warnings, analysis)}
            return "warn" if results.warnings else "pass", detail, False
        values = self.source(source).results(Context(analysis, analysis.signature.arrays(arrays)))
        if isinstance(values, Failure):
            return of_failure(values)
        return "pass", {"outputs": _described(values)}, False


class Comparing(_Computing):
    """Whether two sources give the same values."""

    def computed(self, analysis: ModelAnalysis, arrays: Arrays, *sources: str) -> tasks.Examined:
        a, b = map(self.source, sources)
        return _of_comparison(compared(Context(analysis, analysis.signature.arrays(arrays)), a, b))


COMPUTING = {"run": Running, "compare": Comparing}
"""The class that carries out the tasks of a kind."""


def of_failure(failure: Failure) -> tasks.Examined:
    """The result where a source gives no values."""
    transient = failure.kind in ("stalled", "oversized")
    return FAILURES[failure.kind], {"message": abridged(failure.reason, tasks.MAX_TEXT)}, transient


def _of_comparison(comparison: Comparison) -> tasks.Examined:
    counts = {str(verdict): count for verdict, count in comparison.counts.items()}
    detail: tasks.Detail = {"verdicts": counts, "compared": str(comparison.coverage)}
    wrong = next((result for result in comparison.results if result.is_fault), None)
    if wrong is not None:
        judged = {"verdict": str(wrong.verdict), "reason": abridged(wrong.reason, tasks.MAX_TEXT)}
        detail["result"] = {"name": abridged(wrong.name, tasks.MAX_NAME), **judged}
    first = comparison.first
    if first is not None:
        judged = {"verdict": str(first.verdict), "reason": abridged(first.reason, tasks.MAX_TEXT)}
        layer = abridged("/".join((*first.path, first.name)), tasks.MAX_NAME)
        detail["first"] = {"layer": layer, "op": first.op, **judged}
    if first is not None or wrong is not None:
        return "fail", detail, False
    if comparison.coverage.is_nothing:
        skipped = Counter(layer.reason for layer in comparison.layers)
        skipped.update(result.reason for result in comparison.results)
        reason, _ = max(skipped.items(), key=lambda item: (item[1], item[0]), default=("it has no layers", 0))
        return "unsupported", {**detail, "message": abridged(reason, tasks.MAX_TEXT)}, False
    if not comparison.complete:
        why = "; ".join(comparison.notes) or f"{comparison.b} did not run to the end"
        return "fail", {**detail, "message": abridged(why, tasks.MAX_TEXT)}, False
    if not comparison.ok:
        reason = next(result.reason for result in comparison.results if not result.is_compared)
        return "unsupported", {**detail, "message": abridged(reason, tasks.MAX_TEXT)}, False
    return "pass", detail, False


def _described(values: Mapping[str, Array]) -> dict[str, str]:
    """Type and shape of arrays, by name."""
    return {
        abridged(name, tasks.MAX_NAME): f"{element_type_of(array)}{Shape(array.shape)}"
        for name, array in list(values.items())[: tasks.MAX_OUTPUTS]
    }

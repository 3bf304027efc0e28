"""The tasks that compute values: run and compare. Inputs are loaded or generated."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from irops.analysis.model_analysis import ModelAnalysis
from irops.analysis.synthetic_inputs.generate import ChosenInputs, synthetic_inputs
from irops.debugging.compare.comparison import Comparison, compared
from irops.debugging.compare.report import result_name
from irops.debugging.sources.parse import source_of_text
from irops.debugging.sources.processes import Workers
from irops.debugging.sources.source import Context, Failure, Source, SourceFailed
from irops.diagnostics.diagnostic import EvaluationError
from irops.diagnostics.printable import abridged
from irops.files.limits import Limits
from irops.ir.numpy_files import UnreadableFileError, load_all
from irops.ir.tensor_files import as_declared
from irops.registry import Registry
from irops.runtime.session import Session
from irops.spec.types import OPENVINO
from irops.surveys.describing import MAX_NAME, MAX_OUTPUTS, MAX_TEXT, Detail, findings_detail
from irops.surveys.examining import Examined, Examining
from irops.surveys.inputs import inputs_of_model
from irops.surveys.settings import Settings
from irops.surveys.tasks import DEVICE, REFERENCE
from irops.values.element import Array, element_type_of
from irops.values.shape import Shape
from irops.verdicts.verdict import Verdict

Arrays = dict[str | int, Array]
"""Values of inputs by position."""
MAX_INPUTS = 16
"""How many inputs the detail of a row names."""
FAILURES = {
    "crashed": "crash",
    "stalled": "timeout",
    "oversized": "memory",
    "refused": "fail",
    "declined": "unsupported",
}
"""The status for each kind of Failure."""


class InputsError(Exception):
    """Inputs that were given for a model and cannot be used."""


class _Computing(Examining):
    """What run and compare have in common. The processes of sources stay open from model to model."""

    def __init__(self, settings: Settings, registry: Registry | None) -> None:
        super().__init__(settings, registry)
        self._workers = Workers.of(registry, settings.limits, settings.seconds)
        self._sources: dict[str, Source] = {}

    def __call__(self, path: str, *sources: str) -> Examined:
        """Raises: DiagnosticError"""
        analysis = self.analysed(path)
        for source in sources:
            if source.startswith(DEVICE) and analysis.dialect.name != OPENVINO:
                message = f"{source} reads models of OpenVINO; this one is of {analysis.dialect.title}"
                return "unsupported", {"message": message}, False
        try:
            arrays, chosen, file = self._inputs(analysis, path)
        except InputsError as error:
            return "error", {"message": abridged(f"inputs: {error}", MAX_TEXT)}, False
        if chosen.errors:
            message = f"inputs: inference finds errors for all that was tried: {chosen.errors[0].message}"
            return "error", {"message": abridged(message, MAX_TEXT), **_inputs_detail(chosen, file)}, False
        try:
            status, detail, transient = self.computed(analysis, arrays, *sources)
        except SourceFailed as failed:
            status, detail, transient = of_failure(failed.failure)
        except EvaluationError as error:
            if not chosen.inputs or not _may_be_of_values(analysis, error):
                raise
            message = f"inputs: the generated values violate a constraint: {error.diagnostics[0].message}"
            status, detail, transient = "error", {"message": abridged(message, MAX_TEXT)}, False
        return status, {**detail, **_inputs_detail(chosen, file)}, transient

    def computed(self, analysis: ModelAnalysis, arrays: Arrays, *sources: str) -> Examined:
        """The result for a model with some inputs. Raises: DiagnosticError, SourceFailed"""
        raise NotImplementedError

    def source(self, text: str) -> Source:
        """The source of a text, which is closed with this process."""
        if text not in self._sources:
            self._sources[text] = source_of_text(text, self._workers)
        return self._sources[text]

    def _inputs(self, analysis: ModelAnalysis, path: str) -> tuple[Arrays, ChosenInputs, str]:
        """An array for each input by position, what was chosen for generated ones, and the file of others.

        Raises:  InputsError, DiagnosticError
        """
        settings = self.settings
        own = inputs_of_model(path, settings.inputs)
        given = _loaded(analysis, own.file, settings.limits) if own.file else {}
        shapes = _shapes(analysis, (*settings.shapes, *own.shapes))
        shapes = {position: shape for position, shape in shapes.items() if position not in given}
        if len(given) == len(analysis.signature.inputs):
            return dict(given.items()), ChosenInputs(), own.file
        chosen = synthetic_inputs(analysis, "random", settings.seed, shapes, given, settings.limits)
        arrays: Arrays = dict(given.items())
        arrays.update(chosen.arrays.items())
        return arrays, chosen, own.file


def _inputs_detail(chosen: ChosenInputs, file: str) -> Detail:
    """The file of inputs, and what was chosen for those that were generated."""
    lines = [f"loaded from {file}"] if file else []
    lines += chosen.lines
    return {"inputs": [abridged(line, MAX_NAME) for line in lines[:MAX_INPUTS]]} if lines else {}


def _may_be_of_values(analysis: ModelAnalysis, error: EvaluationError) -> bool:
    """Whether a run failed at a constraint, although inference finds no error in the model itself."""
    return error.diagnostics[0].constraint is not None and not analysis.declared.has_errors


def _loaded(analysis: ModelAnalysis, file: str, limits: Limits) -> dict[int, Array]:
    """The arrays of a file by position of the input. Raises: InputsError"""
    signature = analysis.signature
    try:
        arrays = load_all(file, limits)
    except UnreadableFileError as error:
        raise InputsError(str(error)) from None
    names = {name: port for port in signature.inputs for name in (str(port.position), *port.names)}
    ports = [names.get(name) for name in arrays]
    if not any(ports) and len(arrays) == len(signature.inputs):
        ports = list(signature.inputs)
    unknown = [name for name, port in zip(arrays, ports) if port is None]
    if unknown:
        expected = ", ".join(repr(port.name) for port in signature.inputs)
        raise InputsError(f"{file}: {unknown[0]!r} is not an input; the inputs are {expected}")
    values: dict[int, Array] = {}
    for port, array in zip(ports, arrays.values()):
        assert port is not None
        try:
            values[port.position] = signature.fit(port.layer, as_declared(array, port.fact.element_type))
        except EvaluationError as error:
            raise InputsError(f"{file}: {error.diagnostics[0].message}") from None
    return values


def _shapes(analysis: ModelAnalysis, shapes: Iterable[tuple[str, str]]) -> Mapping[int, str]:
    """Shapes by position, of the inputs that the model has."""
    names = {
        name: port.position
        for port in analysis.signature.inputs
        for name in (str(port.position), *port.names)
    }
    return {names[name]: shape for name, shape in shapes if name in names}


class Running(_Computing):
    """Whether a source computes a model."""

    def computed(self, analysis: ModelAnalysis, arrays: Arrays, *sources: str) -> Examined:
        (source,) = sources
        if source == REFERENCE:  # by the fast kernels, whose results are bit-identical
            session = Session(analysis)
            session.evaluator.run_once()
            results = session.run(arrays)
            detail = {"outputs": _described(results), **findings_detail(results.warnings, analysis)}
            return "warn" if results.warnings else "pass", detail, False
        values = self.source(source).results(Context(analysis, analysis.signature.arrays(arrays)))
        if isinstance(values, Failure):
            return of_failure(values)
        return "pass", {"outputs": _described(values)}, False


class Comparing(_Computing):
    """Whether two sources give the same values."""

    def computed(self, analysis: ModelAnalysis, arrays: Arrays, *sources: str) -> Examined:
        a, b = map(self.source, sources)
        return _of_comparison(compared(Context(analysis, analysis.signature.arrays(arrays)), a, b))


def of_failure(failure: Failure) -> Examined:
    """The result where a source gives no values."""
    transient = failure.kind in ("stalled", "oversized")
    return FAILURES[failure.kind], {"message": abridged(failure.reason, MAX_TEXT)}, transient


def _of_comparison(comparison: Comparison) -> Examined:
    counts = {str(verdict): count for verdict, count in comparison.counts.items()}
    detail: Detail = {"verdicts": counts, "coverage": str(comparison.coverage)}
    first = comparison.first
    wrong = next((result for result in comparison.results if result.is_fault), None)
    if wrong is not None:
        detail["message"] = abridged(f"result {result_name(wrong)}: {wrong.reason}", MAX_TEXT)
    if first is not None:
        detail["first"] = {
            "layer": abridged("/".join((*first.path, first.name)), MAX_NAME),
            "op": first.op,
            "verdict": str(first.verdict),
            "reason": abridged(first.reason, MAX_TEXT),
        }
    if first is not None or wrong is not None:
        return "fail", detail, False
    if comparison.ok:
        return "pass", detail, False
    skipped = Counter(layer.reason for layer in comparison.layers if layer.verdict is Verdict.SKIPPED)
    if skipped and skipped.total() == len(comparison.layers):
        reason, _ = max(skipped.items(), key=lambda item: (item[1], item[0]))
        return "unsupported", {**detail, "message": abridged(reason, MAX_TEXT)}, False
    left = next((result for result in comparison.results if not result.is_compared), None)
    message = "; ".join(comparison.notes) or "nothing was compared"
    if left is not None:
        message = f"result {result_name(left)} was not compared: {left.reason}"
    return "fail", {**detail, "message": abridged(message, MAX_TEXT)}, False


def _described(values: Mapping[str, Array]) -> dict[str, str]:
    """Type and shape of arrays, by name."""
    return {
        abridged(name, MAX_NAME): f"{element_type_of(array)}{Shape(array.shape)}"
        for name, array in list(values.items())[:MAX_OUTPUTS]
    }

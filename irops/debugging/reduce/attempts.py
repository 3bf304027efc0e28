"""Candidates judged by an oracle, within tries and time, each once; and the judges."""

import os
import signal
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from math import inf
from pathlib import Path
from subprocess import Popen
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Any

from irops.analysis.checks.run import check
from irops.analysis.model_analysis import Buildable, ModelAnalysis
from irops.debugging.compare.comparison import compared
from irops.debugging.compare.results import changed, follows_from_ties
from irops.debugging.reduce.case import Case, ReproductionTarget, write_case
from irops.debugging.sources.layerwise import Layerwise
from irops.debugging.sources.openvino_device import OpenVINODevice
from irops.debugging.sources.parse import AnySource, source_of
from irops.debugging.sources.source import Context, Failure, Source, SourceFailed, Values, symptom_of
from irops.debugging.sources.stored import OtherModel, SourceError
from irops.debugging.sources.workers import SourceWorkers
from irops.diagnostics.diagnostic import Diagnostic, EvaluationError, Severity
from irops.diagnostics.rules import all_rules, closest_rules
from irops.dialects.registry import Registry
from irops.files.limits import Limits
from irops.ir.model import Model
from irops.runtime.session import run
from irops.values.element import Array
from irops.verdicts.policy import LEAST_SHARE, SAME_SIZE
from irops.verdicts.question import FAULTS, Verdict
from irops.work.child import Watch, session_bytes
from irops.work.python import start_command

Oracle = Callable[[Model, Mapping[str, Array]], object]
"""A function of a model and its inputs: true, or a text that names the reason, if the fault shows. With
texts, a smaller model counts only if its reason is that of the whole model.
"""


class Unjudged(Exception):
    """A case cannot be judged: a process exceeds a limit, or a source declines it; the message says which."""


class InvalidQuestion(ValueError):
    """The property that a reduction shall preserve is not given, given twice, or cannot be preserved."""


class Judge(ABC):
    """Judges cases. absence: what is the case if the fault does not show"""

    needs_values = True
    """Whether cases have values for all inputs, so that they can be run."""
    has_symptoms = False
    """Whether a reason is a symptom, such as NaN, which a smaller model with the same fault may not have."""
    error = 0.0
    """How far the results of the last case were off, as noise to signal; 0 where that is not the question."""
    compares_results = False
    """Whether wrong results are the fault."""
    target: ReproductionTarget | None = None
    """The target of a program that shows the fault; None for the runtime of the model's dialect."""
    allowed: frozenset[str] = frozenset()
    """Codes of errors that irops.check may find in a case."""
    opened: Sequence[Source] = ()
    """The sources that are closed with the judge."""
    absence: str

    @abstractmethod
    def reason(self, case: Case) -> str | None:
        """Why a case fails; None if it does not.

        Raises:  Unjudged
        """

    def shows(self, reason: str) -> bool:  # noqa: ARG002 - as for suspects
        """Whether a reason is a symptom of wrong values, for which another one may stand."""
        return False

    def suspects(self, case: Case) -> Sequence[int]:  # noqa: ARG002 - a source that computes layers knows more
        """The ids of layers that are likely to fail alone, bodies apart; they are tried first."""
        return ()

    def close(self) -> None:
        """End what was opened."""
        for source in self.opened:
            source.close()


class FunctionJudge(Judge):
    """A function of a model and its inputs; it runs in this process."""

    absence = "the oracle returns a false value"

    def __init__(self, oracle: Oracle) -> None:
        self._oracle = oracle

    def reason(self, case: Case) -> str | None:
        answer = self._oracle(case.model, dict(case.inputs))
        if isinstance(answer, str):
            return answer or None
        return "the oracle shows a fault" if answer else None


Progress = Callable[[int, int, str], None]
"""Called with the number of tries, their limit, and what the smallest model is so far."""


class OutOfTries(Exception):
    """The tries or the time are used up; the message says which."""


class Attempts:
    """The search so far, within a number of tries and of seconds.

    best: the smallest case that fails; tries: how many cases were judged; reason: why the whole model fails,
    which smaller ones must share; unjudged: how many cases exceeded a limit; note: of the last of them
    """

    def __init__(
        self, judge: Judge, tries: int = 150, seconds: float = inf, progress: Progress | None = None
    ) -> None:
        self.judge = judge
        self.tries = self.unjudged = 0
        self.note = ""
        self.reason: str | None = None
        self.error = 0.0
        self.best: Case | None = None
        self._most, self._seconds, self._progress = tries, seconds, progress
        self._end = monotonic() + seconds
        self._findings: frozenset[str] = frozenset()
        self._reasons: dict[str, tuple[str | None, float]] = {}
        self._any_symptom = False
        self._best_runs: bool | None = None

    def begin(self, case: Case) -> bool:
        """Judge the whole model; whether it fails."""
        self.reason, self.error = self._reasons[case.key] = self._reason(case)
        self._findings = frozenset(self._found(case))
        if self.reason is not None:
            self.best = case
        return self.reason is not None

    def fails(self, case: Case, *, of_recording: bool = False, keeps_size: bool = False) -> bool:
        """Whether a case is valid and fails as the whole model does; it is then the best.

        of_recording: its values come from a run, so that it need not be run to be valid; keeps_size: the
        results are as far off as those of the best one: attributes, axes or ranges are others, and with
        these the fault may be another one
        Raises:  OutOfTries
        """
        key = case.key
        if key not in self._reasons:
            valid = self._is_valid(case, of_recording)
            self._reasons[key] = self._reason(case) if valid else (None, 0.0)
        reason, error = self._reasons[key]
        if reason is None or (reason != self.reason and not (self._any_symptom and self.judge.shows(reason))):
            return False
        if keeps_size and not self.error / SAME_SIZE <= error <= self.error * SAME_SIZE:
            return False
        self.best, self.reason, self.error = case, reason, error
        return True

    @contextmanager
    def any_symptom(self) -> Iterator[None]:
        """Within the block, a case may fail for another reason, which then stays: the cause of the symptom
        in a model from which nothing can be left out is in this model.
        """
        self._any_symptom = self.judge.has_symptoms
        try:
            yield
        finally:
            self._any_symptom = False

    def _reason(self, case: Case) -> tuple[str | None, float]:
        """Why a case fails, and how far its results are off."""
        if self.tries >= max(self._most, 1):  # the whole model is judged in any case
            raise OutOfTries(f"the limit of {self._most} tries is reached")
        if self.tries and monotonic() > self._end:
            raise OutOfTries(f"the limit of {self._seconds:g} seconds is reached")
        self.tries += 1
        try:
            reason = self.judge.reason(case)
        except Unjudged as exceeded:
            self.unjudged += 1
            self.note, reason = str(exceeded), None
        if self._progress is not None:
            best = self.best or case
            self._progress(self.tries, self._most, f"{best.operations} layers")
        return reason, self.judge.error

    def _is_valid(self, case: Case, of_recording: bool) -> bool:
        """Whether irops accepts a case: it finds nothing beside what it finds in the whole model, and the
        inputs fit.
        """
        if not self._findings.issuperset(self._found(case)):
            return False
        if of_recording or not self.judge.needs_values:
            return True
        if self._best_runs is None:
            self._best_runs = self.best is not None and self._runs(self.best)
        return not self._best_runs or self._runs(case)

    def _runs(self, case: Case) -> bool:
        """Whether irops computes a case."""
        try:
            run(case.analysis, case.inputs)
        except EvaluationError:
            return False
        return True

    def _found(self, case: Case) -> set[str]:
        """The errors, and the warnings of constraints, which name what runtimes compute otherwise."""
        return {
            _reason(finding, case.model)
            for finding in check(case.analysis)
            if finding.code not in self.judge.allowed
            and (finding.severity is Severity.ERROR or finding.constraint)
        }


BANDS = ("IR2", "IR3", "IR4")
"""The rules about what a model says. Rules about its text and its files are those of the whole file."""


def judge_of(
    questions: Mapping[str, Any], seconds: float, registry: Registry | None, limits: Limits
) -> Judge:
    """The judge for the one question that is given, of those that irops.reduce takes.

    questions: by the name of the parameter, None for those that are not asked; seconds: that a case may take
    in another process
    Raises:  InvalidQuestion; DiagnosticError for a source that does not exist
    """
    given = [name for name, question in questions.items() if question is not None]
    if len(given) != 1:
        asked = ", ".join(given) or "nothing"
        raise InvalidQuestion(f"what to preserve is {asked}; give one of {', '.join(questions)}")
    (name,) = given
    question, workers = questions[name], SourceWorkers.of(registry, limits, seconds)
    match name:
        case "rule":
            return RuleJudge(_preservable(question))
        case "differs":
            return DifferJudge(question, workers)
        case "crashes":
            return CrashJudge(question, workers)
        case "command":
            return CommandJudge(question, seconds, limits.process_memory)
    return FunctionJudge(question)


def _preservable(code: str) -> str:
    """The code of a rule about models. Raises: InvalidQuestion"""
    codes = [rule.code for rule in all_rules()]
    if code.upper() not in codes:
        meant = closest_rules(code, all_rules())
        hint = f"; did you mean {meant[0]}?" if meant else ""
        raise InvalidQuestion(f"unknown rule {code!r}{hint}")
    if code.upper().startswith(("IR", "OD")) and not code.upper().startswith(BANDS):
        can = f"a reduction can preserve rules whose codes begin with {', '.join(BANDS)}"
        raise InvalidQuestion(f"{code} is not a rule about the layers of a model; {can}")
    return code.upper()


# Judge a case by a command, as C-Reduce does: the exit code 0 says that it still fails.

MODEL, INPUTS = "IROPS_MODEL", "IROPS_INPUTS"
"""Environment variables with the paths of the model and of its inputs."""


class CommandFailed(InvalidQuestion):
    """The command cannot be started."""


class CommandJudge(Judge):
    """Whether a command exits with 0. It gets the paths of the model and of the inputs as its last two
    arguments and in the environment, and runs in a folder of its own, which is then deleted.

    seconds, memory: beyond which the command is killed, and the case does not fail
    """

    absence = "the command does not exit with 0"

    def __init__(self, words: Sequence[str], seconds: float, memory: float) -> None:
        self.words, self.seconds, self.memory = list(words), seconds, memory

    def reason(self, case: Case) -> str | None:
        with TemporaryDirectory(prefix="irops-reduce-") as folder:
            model, inputs = write_case(case, Path(folder), link=True)
            return "the command exits with 0" if self._status(folder, model, inputs) == 0 else None

    def _status(self, folder: str, model: Path, inputs: Path) -> int:
        """The exit code of the command. Raises: CommandFailed; Unjudged if it exceeds a limit"""
        try:
            environment = {**os.environ, MODEL: str(model), INPUTS: str(inputs)}
            process = start_command([*self.words, str(model), str(inputs)], cwd=folder, env=environment)
        except OSError as error:
            raise CommandFailed(f"the command {self.words[0]!r} cannot be run: {error.strerror}") from None
        watch = Watch(self.seconds, self.memory, lambda: session_bytes(process.pid), lambda: _kill(process))
        with process:
            try:
                status = process.wait()
            finally:
                watch.stop()
                _kill(process)
        if watch.exceeded == "memory":
            raise Unjudged(f"the command uses more than {self.memory:,.0f} bytes of memory (process_bytes)")
        if watch.exceeded:
            raise Unjudged(f"the command takes more than {self.seconds:g} seconds")
        return status


def _kill(process: Popen[bytes]) -> None:
    """Kill a command with all that it started."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


# Judge a model by a rule of irops.check.


class RuleJudge(Judge):
    """Whether irops.check reports a rule: its code, or the beginning of a code. Values do not matter.

    The reason is the rule, the type of the layer, and the constraint of its definition. Of several findings
    in the whole model, the first one counts.
    """

    needs_values = False

    def __init__(self, rule: str) -> None:
        self.rule = rule
        self.absence = f"irops check does not report {rule}"
        self._reason: str | None = None

    def reason(self, case: Case) -> str | None:
        report = check(case.analysis, select=(self.rule,))
        reasons = [_reason(finding, case.model) for finding in report]
        if self._reason is None and reasons:
            self._reason = reasons[0]
            self.allowed = frozenset(finding.code for finding in report)
        return self._reason if self._reason in reasons else None


def _reason(finding: Diagnostic, model: Model) -> str:
    """The part of a finding that stays the same in a smaller model."""
    types = {layer.name: layer.type for _, layer in model.walk()}
    layer = types.get(finding.location.layer_name or "", "")
    return " ".join(filter(None, (finding.code, layer, finding.constraint)))


# Judge a case by sources of values: whether two differ, or whether one fails.

LIMITED = ("stalled", "oversized")
"""Kinds of failures that are the excess of a limit, whose value does not matter."""


class DifferJudge(Judge):
    """Whether two sources give different results, beyond rounding, ties and randomness.

    The reason is the verdict; what differs far less than the whole model does is another fault.
    """

    has_symptoms = True
    compares_results = True

    def __init__(self, sources: Sequence[AnySource], workers: SourceWorkers) -> None:
        if len(sources) != 2:
            raise InvalidQuestion(f"{len(sources)} sources differ, must be 2")
        self.a, self.b = (_computing(item, workers) for item in sources)
        if isinstance(self.b, Layerwise) and self.b.is_reference:
            self.a, self.b = self.b, self.a
        self.opened = (self.a, self.b)
        self._difference = f"{self.a.name} and {self.b.name} differ"
        self.absence = f"{self.a.name} and {self.b.name} give the same results"
        self.target = _target(self.b)
        self._least = 0.0

    def shows(self, reason: str) -> bool:
        return reason.removeprefix(f"{self._difference}: ") in FAULTS - {Verdict.FAILED}

    def reason(self, case: Case) -> str | None:
        self.error = 0.0
        context = _context(case)
        truth, ours = (_results(source, context, "declined", "oversized") for source in self.opened)
        if isinstance(truth, Failure):
            return None
        if isinstance(ours, Failure):
            return f"{self._difference}: {ours.kind}" if ours.is_fault else None
        pairs = [(array, ours[name]) for name, array in truth.items()]
        if not any(one.dtype != other.dtype or changed(one, other) for one, other in pairs):
            return None
        verdict, error = self._verdict(context, case)
        if not verdict.is_fault or follows_from_ties(replace(context, taps=None), self.a, self.b, ours):
            return None
        self.error, self._least = error, self._least or error * LEAST_SHARE
        return f"{self._difference}: {verdict}" if error >= self._least else None

    def suspects(self, case: Case) -> Sequence[int]:
        """The layers that are wrong when they are computed from the values of the first source."""
        if not self.b.computes_layers:
            return ()
        try:
            context = _context(case)
            layers = compared(context, self.a, self.b, "isolated", with_results=False).layers
        except SourceFailed:
            return ()
        return [layer.id for layer in layers if layer.is_fault and not layer.path]

    def _verdict(self, context: Context, case: Case) -> tuple[Verdict, float]:
        """The verdict on the layers that give the results, and the greatest noise to signal of them."""
        if case.operations == 1 and self.b.computes_layers:
            layers = compared(context, self.a, self.b, "isolated", with_results=False).layers
        else:
            wiring = context.analysis.root.wiring
            sources = [wiring.source(layer.id) for layer in context.analysis.root.results]
            context.taps = {source[0].id for source in sources if source is not None}
            try:
                layers = compared(context, self.a, self.b, "propagated", with_results=False).layers
            except SourceFailed:
                return Verdict.FAILED, 1.0
        faults = [layer for layer in layers if layer.is_fault]
        errors = [1.0 if layer.metrics is None else layer.metrics.relative_error for layer in faults]
        verdict = max((one.verdict for one in faults), key=lambda one: one.severity, default=Verdict.EQUAL)
        return verdict, min(max(errors, default=0.0), 1.0)


class CrashJudge(Judge):
    """Whether a source fails: it reports an error, crashes, uses too much memory, or does not answer in time.

    The reason is what it reports, without numbers and names.
    """

    def __init__(self, source: AnySource, workers: SourceWorkers) -> None:
        self.source = _computing(_WHOLE.get(source, source) if isinstance(source, str) else source, workers)
        self.opened = (self.source,)
        self.absence = f"{self.source.name} computes it"
        self.target = _target(self.source)

    def reason(self, case: Case) -> str | None:
        results = _results(self.source, _context(case), "declined")
        if not isinstance(results, Failure) or not results.is_fault:
            return None
        text = results.kind if results.kind in LIMITED else f"{results.kind}: {results.reason}"
        return f"{self.source.name} {symptom_of(text)}"


_WHOLE = {"openvino": "openvino:CPU"}
"""The source that runs a whole model, where the name alone computes layer by layer."""


def _computing(item: AnySource, workers: SourceWorkers) -> Source:
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


def another_model(
    sources: Sequence[AnySource] | None, workers: SourceWorkers
) -> tuple[Source, OtherModel] | None:
    """A source and another model, where one of two is that. Raises: InvalidQuestion; DiagnosticError"""
    given = [item for item in sources or () if not isinstance(item, Mapping)]
    is_other = [
        isinstance(item, Model | ModelAnalysis | Buildable) or str(item).startswith("model:")
        for item in given
    ]
    if len(given) != 2 or not any(is_other):
        return None
    one, other = given if is_other[1] else reversed(given)
    try:
        b = source_of(other, workers)
    except SourceError as error:
        raise InvalidQuestion(str(error)) from None
    assert isinstance(b, OtherModel)
    if all(is_other):
        raise InvalidQuestion(f"{b.name} and another model differ; one source must compute the model itself")
    return _computing(one, workers), b


def _results(source: Source, context: Context, *unjudged: str) -> Values | Failure:
    """The results of a source. unjudged: kinds of failures that say nothing of a case. Raises: Unjudged"""
    results = source.results(context)
    if isinstance(results, Failure) and results.kind in unjudged:
        raise Unjudged(f"{source.name}: {results.reason}")
    return results


def _require_available(source: OpenVINODevice) -> None:
    """Ask a device for its precision. Raises: InvalidQuestion where there is no such device or property"""
    try:
        _ = source.arithmetic
    except SourceFailed as failed:
        source.close()
        raise InvalidQuestion(f"{source.name} is not available: {failed.failure.reason}") from None


def _context(case: Case) -> Context:
    return Context(case.analysis, case.analysis.signature.arrays(case.inputs))


def _target(source: Source) -> ReproductionTarget:
    """The target of a program that shows a fault of a source."""
    if isinstance(source, OpenVINODevice):
        return ReproductionTarget("openvino", source.device, source.properties)
    if source.name == "openvino":
        return ReproductionTarget("openvino", "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    return ReproductionTarget("irops", source.name)

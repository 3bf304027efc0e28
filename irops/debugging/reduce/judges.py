"""The judge that a call of irops.reduce, or a command line, asks for."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from math import inf
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from irops.analysis.checks.run import check
from irops.debugging.compare.comparison import compared
from irops.debugging.compare.results import follows_from_ties
from irops.debugging.reduce.attempts import FunctionJudge, InvalidQuestion, Judge, Oracle, Unjudged
from irops.debugging.reduce.case import Case, write_case
from irops.debugging.reduce.reproduction import ReproductionTarget
from irops.debugging.sources.layerwise import Layerwise
from irops.debugging.sources.openvino_device import OpenVINODevice
from irops.debugging.sources.parse import AnySource, source_of
from irops.debugging.sources.source import Context, Failure, Source, SourceFailed, Values
from irops.debugging.sources.stored import SourceError
from irops.debugging.sources.workers import SourceWorkers
from irops.diagnostics.diagnostic import Diagnostic
from irops.diagnostics.rules import all_rules, closest_rules
from irops.dialects.registry import Registry
from irops.files.limits import Limits
from irops.ir.model import Model
from irops.values.element import Array
from irops.verdicts.metrics import differs
from irops.verdicts.question import Verdict
from irops.work.child import Watch, session_bytes

BANDS = ("IR2", "IR3", "IR4")
"""The rules about what a model says. Rules about its text and its files are those of the whole file."""


@dataclass(frozen=True, slots=True)
class Preserved:
    """The property that a reduction preserves: exactly one of these is given; see irops.reduce."""

    oracle: Oracle | None = None
    differs: Sequence[Any] | None = None
    crashes: str | None = None
    rule: str | None = None
    command: Sequence[str] | None = None

    def judge(self, seconds: float, registry: Registry | None, limits: Limits | None) -> Judge:
        """The judge of cases. seconds: that a case may take in another process

        Raises:  InvalidQuestion; DiagnosticError for a source that does not exist
        """
        questions = [field.name for field in fields(self) if getattr(self, field.name) is not None]
        if len(questions) != 1:
            asked = ", ".join(questions) or "nothing"
            one_of = ", ".join(field.name for field in fields(self))
            raise InvalidQuestion(f"what to preserve is {asked}; give one of {one_of}")
        if self.rule is not None:
            return RuleJudge(_preservable(self.rule), registry, limits)
        if self.differs is not None:
            return DifferJudge(self.differs, seconds, registry, limits)
        if self.crashes is not None:
            return CrashJudge(self.crashes, seconds, registry, limits)
        if self.command is not None:
            return CommandJudge(self.command, seconds, (limits or Limits()).process_memory, registry)
        assert self.oracle is not None
        return FunctionJudge(self.oracle)


def _preservable(code: str) -> str:
    """The code of a rule about models. Raises: InvalidQuestion"""
    codes = [rule.code for rule in all_rules()]
    if code.upper() not in codes:
        meant = closest_rules(code, all_rules())
        hint = f"; did you mean {meant[0]}?" if meant else ""
        raise InvalidQuestion(f"unknown rule {code!r}{hint}")
    if code.upper().startswith(("IR", "OD")) and not code.upper().startswith(BANDS):
        raise InvalidQuestion(
            f"{code} is not a rule about the layers of a model; a reduction can preserve rules whose codes"
            f" begin with {', '.join(BANDS)}"
        )
    return code.upper()


# Judge a case by a command, as C-Reduce does: the exit code 0 says that it still fails.

MODEL, INPUTS = "IROPS_MODEL", "IROPS_INPUTS"
"""Environment variables with the paths of the model and of its inputs."""


class CommandFailed(InvalidQuestion):
    """The command cannot be started."""


class CommandJudge(Judge):
    """Whether a command exits with 0. It gets the paths of the model and of the inputs as its last two
    arguments and in the environment, and runs in a folder of its own, which is then deleted.

    seconds, memory: beyond which the command is killed, and the case does not fail; registry: of the ops
    """

    absence = "the command does not exit with 0"

    def __init__(
        self, words: Sequence[str], seconds: float, memory: float = inf, registry: Registry | None = None
    ) -> None:
        self.words, self.seconds, self.memory = list(words), seconds, memory
        self._registry = registry
        self.description = f"command {self.words!r}"

    def reason(self, case: Case) -> str | None:
        with TemporaryDirectory(prefix="irops-reduce-") as folder:
            model, inputs = write_case(case, Path(folder), self._registry, link=True)
            return "the command exits with 0" if self._status(folder, model, inputs) == 0 else None

    def _status(self, folder: str, model: Path, inputs: Path) -> int:
        """The exit code of the command. Raises: CommandFailed; Unjudged if it exceeds a limit"""
        try:
            process = subprocess.Popen(
                [*self.words, str(model), str(inputs)],
                cwd=folder,
                env={**os.environ, MODEL: str(model), INPUTS: str(inputs)},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except OSError as error:
            raise CommandFailed(f"the command {self.words[0]!r} cannot be run: {error.strerror}") from None
        watch = Watch(self.seconds, self.memory, lambda: session_bytes(process.pid), lambda: _kill(process))
        try:
            status = process.wait()
        finally:
            watch.stop()
            _kill(process)
            process.wait()
        if watch.exceeded == "memory":
            raise Unjudged(f"the command uses more than {self.memory:,.0f} bytes of memory (process_bytes)")
        if watch.exceeded:
            raise Unjudged(f"the command takes more than {self.seconds:g} seconds")
        return status


def _kill(process: subprocess.Popen[bytes]) -> None:
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

    def __init__(self, rule: str, registry: Registry | None = None, limits: Limits | None = None) -> None:
        self.rule, self._registry, self._limits = rule, registry, limits
        self.description, self.absence = f"rule {rule}", f"irops check does not report {rule}"
        self._reason: str | None = None

    def reason(self, case: Case) -> str | None:
        report = check(case.analysis(self._registry, self._limits), select=(self.rule,), limits=self._limits)
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

LEAST_SHARE = 0.01
"""Of the noise to signal of the whole model, up to 1: what a smaller model has at least."""
LIMITED = ("stalled", "oversized")
"""Kinds of failures that are the excess of a limit, whose value does not matter."""
_CHANGING = re.compile(r"0x[0-9a-f]+|[0-9]+|'[^']*'|\"[^\"]*\"")
"""The parts of a message that may change in a smaller model: numbers, and names in quotes."""


class DifferJudge(Judge):
    """Whether two sources give different results, beyond rounding, ties and randomness.

    The reason is the verdict; what differs far less than the whole model does is another fault. seconds: that
    a source in another process may take for a case
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
        workers = SourceWorkers.of(registry, limits, seconds)
        self.a, self.b = (_computing(item, workers) for item in sources)
        if isinstance(self.b, Layerwise) and self.b.is_reference:
            self.a, self.b = self.b, self.a
        self.opened = (self.a, self.b)
        self.description = f"{self.a.name} and {self.b.name} differ"
        self.absence = f"{self.a.name} and {self.b.name} give the same results"
        self.target = _target(self.b)
        self._registry, self._limits = registry, limits
        self._least = 0.0

    def reason(self, case: Case) -> str | None:
        context = _context(case, self._registry, self._limits)
        truth, ours = _judged(self.a, context), _judged(self.b, context)
        if isinstance(truth, Failure):
            return None
        if isinstance(ours, Failure):
            return f"{self.description}: {ours.kind}" if ours.is_fault else None
        if all(_same(truth[name], ours[name]) for name in truth):
            return None
        verdict, error = self._verdict(context, case)
        if not verdict.is_fault or follows_from_ties(replace(context, taps=None), self.a, self.b, ours):
            return None
        self._least = self._least or error * LEAST_SHARE
        return f"{self.description}: {verdict}" if error >= self._least else None

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

    def _verdict(self, context: Context, case: Case) -> tuple[Verdict, float]:
        """The verdict on the layers that give the results, and the greatest noise to signal of them."""
        if case.operations == 1 and self.b.computes_layers:
            layers = compared(context, self.a, self.b, "isolated", with_results=False).layers
        else:
            wiring = context.analysis.root.wiring
            sources = [wiring.inputs[layer.id][0] for layer in context.analysis.root.results]
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

    def __init__(
        self, source: str, seconds: float, registry: Registry | None = None, limits: Limits | None = None
    ) -> None:
        self.source = _computing(_WHOLE.get(source, source), SourceWorkers.of(registry, limits, seconds))
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


def _target(source: Source) -> ReproductionTarget:
    """The target of a program that shows a fault of a source."""
    if isinstance(source, OpenVINODevice):
        return ReproductionTarget("openvino", source.device, source.properties)
    if source.name == "openvino":
        return ReproductionTarget("openvino", "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    return ReproductionTarget("irops", source.name)

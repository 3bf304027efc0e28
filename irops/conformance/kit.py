"""The conformance kit: test a backend against the definitions of ops, in processes or on workers.

A case on which it fails is searched for, shrunk by Hypothesis and further than it does, and written as a
program of its own.
"""

from __future__ import annotations

import operator
import os
import re
import textwrap
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, field, replace
from functools import cache, partial
from getpass import getuser
from math import inf
from pathlib import Path
from tempfile import gettempdir
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from irops.analysis.invocation import Invocation, OpFault
from irops.backends import isolated
from irops.backends.backend import Backend, Declined
from irops.backends.one_op import MOVING
from irops.conformance import cases
from irops.conformance.verdict import CaseOutcome, CaseVerdict, ConformanceReport, OpReport, Status
from irops.debugging.reduce import case as reductions
from irops.diagnostics.diagnostic import DefinitionError, Diagnostic, DiagnosticError, Severity, errors_of
from irops.dialects import dialects
from irops.dialects.registry import Registry, registry_with
from irops.environment import naming_arguments, require_above_zero, require_extra
from irops.spec.binding import Function, definition_fault
from irops.spec.load import untested_constraints
from irops.spec.op import Op
from irops.values.arrays import array_literal, literal
from irops.values.element import CODED, STRING, Array, codes, element_type_of
from irops.values.violation import LimitExceeded, Violation
from irops.verdicts.metrics import TOLERANCES
from irops.work.outcomes import Died
from irops.work.worker import ProcessDied
from irops.work.workers import Workers

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy


@dataclass(frozen=True, slots=True)
class Answer:
    """kind: computed, declined, refused, raised, changed (its inputs), absent (no kernel) or wrong out; in
    another process also crashed or stalled.
    """

    kind: str
    text: str = ""
    outputs: tuple[Array, ...] = ()


def answer_of(backend: Backend, trial: cases.Trial) -> Answer:
    """Run a trial on a backend, in this process."""
    kernel = backend.kernel(trial.op)
    if kernel is None:
        return Answer("absent")
    arrays = trial.arrays
    try:
        outputs = cases.compute(kernel, trial, arrays)
    except Declined as declined:
        return Answer("declined", declined.reason)
    except (Violation, OpFault, LimitExceeded, DiagnosticError) as refusal:
        return Answer("refused", str(refusal))
    except Exception as error:
        return Answer("raised", f"{type(error).__name__}: {error}".rstrip(": "))
    changed = _changed(arrays, trial.arrays)
    if changed is not None:
        return Answer(
            "changed", trial.op.definition.inputs[min(changed, len(trial.op.definition.inputs) - 1)].name
        )
    if len(outputs) == 1 and getattr(kernel, "takes_out", False):
        reason = _out_mismatch(kernel, trial, outputs[0])
        if reason:
            return Answer("wrong out", reason)
    return Answer("computed", "", tuple(outputs))


def _out_mismatch(kernel: Function, trial: cases.Trial, result: Array) -> str:
    """The error in the array that a kernel fills through `out`, or ''."""
    first_input = next(trial_input for trial_input in trial.inputs if trial_input is not None)
    layout = first_input.layout if first_input.layout in cases.WRITEABLE else "plain"
    out = cases.in_layout(np.zeros_like(result), layout)
    try:
        returned = cases.compute(
            lambda *inputs, **attributes: kernel(*inputs, **attributes, out=out), trial, trial.arrays
        )[0]
    except Exception as error:
        return f"with the argument out: {type(error).__name__}: {error}"
    if returned is not out and out.size and not np.shares_memory(returned, out):
        return "it returns another array than the argument out"
    reason = cases.mismatch(trial.op, out, result)
    return f"in the array out, {reason}" if reason else ""


def _changed(after: Sequence[Array | None], before: Sequence[Array | None]) -> int | None:
    """The index of the input that a kernel has written to, if any."""
    for place, (after_array, trial_input) in enumerate(zip(after, before)):
        if (
            after_array is not None
            and trial_input is not None
            and not np.array_equal(codes(after_array), codes(trial_input))
        ):
            return place
    return None


class BackendClient(Protocol):
    """Runs trials on a backend. unreproduced_crashes: crashes that no single case reproduces."""

    unreproduced_crashes: list[str]

    def has(self, op: Op) -> bool: ...
    def answer(self, trial: cases.Trial) -> Answer: ...
    def close(self) -> None: ...


class LocalBackend:
    """Runs a backend in this process."""

    def __init__(self, backend: Backend) -> None:
        self.backend = backend
        self.unreproduced_crashes: list[str] = []

    def has(self, op: Op) -> bool:
        return self.backend.kernel(op) is not None

    def answer(self, trial: cases.Trial) -> Answer:
        return answer_of(self.backend, trial)

    def close(self) -> None:
        pass


class IsolatedClient:
    """Runs a backend by its name in a process, which is started on first use and restarted after it died."""

    def __init__(self, backend: isolated.IsolatedBackend) -> None:
        self.unreproduced_crashes: list[str] = []
        self._backend = backend
        self._answered_trials = 0

    def has(self, op: Op) -> bool:
        """Whether the backend has a kernel.

        Raises:  DiagnosticError if the backend does not exist or is unavailable; ProcessDied
        """
        return bool(self._backend.ask(isolated.has_kernel, op))

    def answer(self, trial: cases.Trial) -> Answer:
        """The backend's answer. A crash counts as a failure of a case only if the case alone reproduces it in
        a new process.
        """
        try:
            answer: Answer = self._backend.ask(
                _answer, trial.op, trial.inputs, dict(trial.attributes), died=self._note_crash
            )
        except ProcessDied as error:
            self._answered_trials = 0
            return Answer("stalled" if error.stalled else "crashed", str(error))
        self._answered_trials += 1
        return answer

    def _note_crash(self, death: ProcessDied) -> None:
        self.unreproduced_crashes.append(
            f"{death} after {self._answered_trials} cases; the last case alone does not reproduce it"
        )
        self._answered_trials = 0

    def close(self) -> None:
        """End the process; the next request starts a new one."""
        self._backend.close()
        self._answered_trials = 0


def _answer(
    backend: Backend, op: Op, inputs: tuple[cases.TrialInput | None, ...], attributes: dict[str, str]
) -> Answer:
    return answer_of(backend, cases.Trial(op, inputs, attributes))


PASSED = CaseVerdict(Status.PASSED)
CHANGED, WRONG_OUT, WRONG = "changed input", "wrong out", "wrong definition"


def judge(backend: BackendClient, trial: cases.Trial, expected: cases.Expected) -> CaseVerdict:
    """Run a trial on a backend and return the verdict."""
    if expected.reference_error:
        return CaseVerdict(
            Status.FAILED, f"the reference itself fails: {expected.reference_error}", "failed reference"
        )
    answer = backend.answer(trial)
    if answer.kind == "declined":
        return CaseVerdict(Status.DECLINED, answer.text)
    fault = _fault(trial, expected, answer)
    return PASSED if fault is None else CaseVerdict(Status.FAILED, fault[1], fault[0])


def _fault(trial: cases.Trial, expected: cases.Expected, answer: Answer) -> tuple[str, str] | None:
    """The kind of failure of an answer and its description; None if there is none."""
    if answer.kind == "absent":
        return "no kernel", "the backend has no kernel"
    if answer.kind in ("crashed", "stalled"):
        return f"backend {answer.kind}", answer.text
    if answer.kind == "changed":
        return CHANGED, f"writes to its input {answer.text}, which must not change"
    if expected.violated is not None:
        return None if answer.kind == "refused" else _not_refused(trial.op, expected.violated, answer)
    if answer.kind == "refused":
        return "refused valid inputs", f"refuses valid inputs: {answer.text}"
    if answer.kind == "raised":
        return "failed kernel", f"fails on valid inputs: {answer.text}"
    if answer.kind == "wrong out":
        return WRONG_OUT, answer.text
    arrays = answer.outputs
    if len(arrays) != len(expected.outputs):
        return "wrong number of outputs", f"computes {len(arrays)} outputs, expected {len(expected.outputs)}"
    for index, (ours, wanted) in enumerate(zip(arrays, expected.outputs)):
        why = "" if wanted is None else cases.mismatch(trial.op, ours, wanted, expected.tolerance)
        if why:
            return "wrong result", f"output {index}: {why}" if len(arrays) > 1 else why
    return None


def _not_refused(op: Op, violated: str, answer: Answer) -> tuple[str, str]:
    constraint = op.definition.constraints.get(violated)
    why = f"{op.id}:{violated} ({constraint.text})" if constraint else violated
    if answer.kind == "raised":
        return "failed instead of refusing", f"fails with {answer.text}, must raise a Violation of {why}"
    return "computed invalid inputs", f"computes a case that violates {why}"


def reduced(trial: cases.Trial, fails: Callable[[cases.Trial], bool]) -> cases.Trial:
    """The smallest trial reachable in steps that all fail."""
    step: cases.Trial | None = trial
    while step is not None:
        trial = step
        step = next((smaller for smaller in _smaller(trial) if fails(smaller)), None)
    return trial


def _smaller(trial: cases.Trial) -> Iterator[cases.Trial]:
    """Smaller trials, the largest reductions first."""
    present = {k: item for k, item in enumerate(trial.inputs) if item is not None}
    sizes = {size for trial_input in present.values() for size in trial_input.array.shape if size}
    for size in sorted(sizes, reverse=True):
        for cut in reductions.shorter(size):
            cuts = (item and _cut(item, reductions.axes_of(item.array, size), cut) for item in trial.inputs)
            yield replace(trial, inputs=tuple(cuts))
    for index, trial_input in present.items():
        for axis, size in enumerate(trial_input.array.shape):
            for cut in reductions.shorter(size):
                yield _at(trial, index, _cut(trial_input, {axis}, cut))
    for index, trial_input in present.items():
        if trial_input.layout != "plain":
            yield _at(trial, index, cases.TrialInput(trial_input.array))
        for array in _simpler(trial_input.array):
            yield _at(trial, index, replace(trial_input, array=array))


def _cut(trial_input: cases.TrialInput, axes: set[int], cut: slice) -> cases.TrialInput:
    array = reductions.sliced(trial_input.array, axes, cut)
    return replace(trial_input, array=array) if axes else trial_input


def _simpler(array: Array) -> Iterator[Array]:
    """The same numbers in a plain type, consecutive numbers in place of many elements, lower numbers."""
    kind = element_type_of(array)
    yield from reductions.in_plain_types(array)
    if kind is not STRING and not reductions.may_be_parameters(array):
        consecutive = reductions.counting(array.shape, kind)
        if consecutive.tobytes() != array.tobytes():
            yield consecutive
    yield from reductions.lower_numbers(array)


def _at(trial: cases.Trial, index: int, trial_input: cases.TrialInput) -> cases.Trial:
    return replace(trial, inputs=(*trial.inputs[:index], trial_input, *trial.inputs[index + 1 :]))


Check = Callable[[cases.Trial], CaseVerdict]
"""Raises InvalidTrial for a trial that cannot be judged."""


class FailedTrial(Exception):
    """A backend fails on a trial. Each kind of fault has a subclass, so that they are shrunk separately."""


class OutOfTime(BaseException):
    """The time limit is reached. Not an Exception, so that Hypothesis does not treat it as a failure."""


@dataclass(slots=True)
class Search:
    """The state of a search.

    smallest: the smallest failing trial and its verdict, by kind of fault; tally: the verdicts of the other
    trials before the first failure.
    """

    check: Check
    seconds: float
    tally: Counter[CaseVerdict] = field(default_factory=Counter)
    smallest: dict[str, tuple[cases.Trial, CaseVerdict]] = field(default_factory=dict)
    limit: float = inf
    shrinking: bool = False

    def run(
        self, sweep: Iterable[cases.Trial], strategy: SearchStrategy[cases.Trial], examples: int, seed: int
    ) -> None:
        """Run trials until `examples` or the time limit is reached; after a failure, shrink for as long
        again.
        """
        import hypothesis
        from hypothesis.errors import Flaky

        settings = hypothesis.settings(
            max_examples=examples,
            database=None,
            deadline=None,
            derandomize=False,
            print_blob=False,
            report_multiple_bugs=True,
            phases=(hypothesis.Phase.generate, hypothesis.Phase.shrink),
            suppress_health_check=list(hypothesis.HealthCheck),
        )
        self.limit = monotonic() + self.seconds

        def attempt(trial: cases.Trial) -> None:
            try:
                self._try(trial)
            except cases.InvalidTrial:
                hypothesis.reject()

        with suppress(FailedTrial, OutOfTime):  # the failures are recorded in self.smallest
            for trial in sweep:
                with suppress(FailedTrial, cases.InvalidTrial):
                    self._try(trial)
            self.shrinking = False
            try:
                settings(hypothesis.seed(seed)(hypothesis.given(strategy)(attempt)))()
            except BaseExceptionGroup as group:
                if group.split((FailedTrial, Flaky))[1] is not None:
                    raise

    def reduce(self) -> None:
        """Reduce the failing trials further, within the time limit."""
        self.limit, self.shrinking = monotonic() + self.seconds, True
        for fault, (trial, _) in list(self.smallest.items()):

            def fails(trial: cases.Trial, fault: str = fault) -> bool:
                with suppress(cases.InvalidTrial, FailedTrial):
                    self._try(trial)
                return self.smallest[fault][0] is trial

            with suppress(OutOfTime):
                reduced(trial, fails)

    def _try(self, trial: cases.Trial) -> None:
        if monotonic() > self.limit:
            raise OutOfTime
        verdict = self.check(trial)
        if verdict.status is Status.FAILED:
            self._record(trial, verdict)
            raise _failed_trial_type(verdict.fault)(verdict.reason)
        if not self.shrinking:
            self.tally[verdict] += 1

    def _record(self, trial: cases.Trial, verdict: CaseVerdict) -> None:
        if not self.shrinking:
            self.limit, self.shrinking = monotonic() + self.seconds, True
        smallest_so_far = self.smallest.get(verdict.fault)
        if smallest_so_far is None or trial.size <= smallest_so_far[0].size:
            self.smallest[verdict.fault] = (trial, verdict)


@cache
def _failed_trial_type(fault: str) -> type[FailedTrial]:
    return type(f"FailedTrial: {fault}", (FailedTrial,), {})


WIDTH = 120
IMPORTS = {
    "base64.": "import base64",
    "zlib.": "import zlib",
    "suppress(": "from contextlib import suppress",
    "ml_dtypes.": "import ml_dtypes",
    "np.": "import numpy as np",
    "irops.": "import irops",
    "chain(": "from irops.backends.catalogue import chain",
    "default_registry(": "from irops.dialects.registry import default_registry",
    "element_type(": "from irops.values.element import element_type",
    "Violation)": "from irops.values.violation import Violation",
}
"""The import that a program needs if it contains a text."""


def snippet(trial: cases.Trial, expected: cases.Expected, verdict: CaseVerdict, backend: str) -> str:
    """The program. Invalid inputs are passed to the kernel directly, since irops.call would refuse them."""
    names = _names(trial)
    present = [name for name, trial_input in zip(names, trial.inputs) if trial_input is not None]
    named = [(name, given) for name, given in zip(names, trial.inputs) if given is not None]
    lines = [line for name, given in named for line in _array(name, given)]
    arguments = ", ".join([name if name in present else "None" for name in names])
    if expected.violated is not None:
        lines += _refusal(trial, expected.violated, backend, arguments)
    elif verdict.fault == CHANGED:
        lines += [
            f"before = [{', '.join(f'{name}.tolist()' for name in present)}]",
            f'{_call(trial, arguments)}["{backend}"])',
            f"assert [{', '.join(f'{name}.tolist()' for name in present)}] == before",
        ]
    elif verdict.fault == WRONG_OUT:
        lines += _filling(trial, expected, backend, arguments)
    else:
        lines += _comparison(trial, expected, backend, arguments)
    text = "\n".join(lines)
    return "\n".join((*(line for word, line in IMPORTS.items() if word in text), "", text))


def _names(trial: cases.Trial) -> list[str]:
    """The names of the inputs in the definition; those of a variadic input are numbered."""
    ports = trial.op.definition.inputs
    last = len(ports) - 1
    return [
        f"{ports[last].name}_{k - last}" if k >= last and ports[last].variadic else ports[k].name
        for k in range(len(trial.inputs))
    ]


def _array(name: str, trial_input: cases.TrialInput) -> Iterator[str]:
    array, kind = trial_input.array, element_type_of(trial_input.array)
    yield from _wrapped(f"{name} = {array_literal(array)}")
    if cases.fits(array, trial_input.layout) and trial_input.layout != "plain":
        yield re.sub(r"\bx\b", name, cases.LAYOUTS[trial_input.layout].statement)
    if kind.name in CODED:
        yield f'{name} = irops.tagged({name}, element_type("{kind.name}"))'


def _wrapped(line: str) -> list[str]:
    """Wrap a long line of numbers; lines with strings are not wrapped."""
    if len(line) <= WIDTH or "'" in line or '"' in line:
        return [line]
    return textwrap.wrap(
        line, WIDTH, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False
    )


def _call(trial: cases.Trial, arguments: str) -> str:
    """The call of irops.call, up to the argument backends."""
    values = Invocation(trial.op, trial.attributes).attributes
    named = [name for name in trial.attributes if name in values]
    attributes = {trial.op.definition.attributes[name].parameter: values[name] for name in named}
    registry = f", registry={_registry(trial.op)}" if cases.registry_of(trial.op) else ""
    return f'irops.call("{trial.op.id}", {arguments}{_keywords(attributes)}{registry}, backends='


def _comparison(trial: cases.Trial, expected: cases.Expected, backend: str, arguments: str) -> list[str]:
    call = _call(trial, arguments)
    lines, source = [f'ours = {call}["{backend}"])'], f'{call}["reference"])'
    if expected.tolerance is not None:  # an example states the outputs
        source = ", ".join("None" if array is None else array_literal(array) for array in expected.outputs)
    lines += _wrapped(f"expected = {source}")
    if len(expected.outputs) == 1:
        return [*lines, *_assertions(trial, expected.outputs[0], "ours", "expected")]
    for k, output in enumerate(expected.outputs):
        lines += _assertions(trial, output, f"ours[{k}]", f"expected[{k}]")
    return lines


def _assertions(trial: cases.Trial, output: Array | None, ours: str, expected: str) -> list[str]:
    """Assertions that compare two arrays: bit for bit, unless the op computes floating-point numbers."""
    if output is None:
        return []
    kind = element_type_of(output)
    same = f"assert {ours}.dtype == {expected}.dtype and {ours}.shape == {expected}.shape"
    if kind.floating and trial.op.definition.category not in MOVING and kind.name in TOLERANCES:
        relative, absolute = TOLERANCES[kind.name]
        arrays = f"{ours}.astype(float), {expected}.astype(float)"
        return [same, f"np.testing.assert_allclose({arrays}, rtol={relative}, atol={absolute})"]
    bits = "tobytes" if kind.bits >= 8 else "tolist"
    return [same, f"assert {ours}.{bits}() == {expected}.{bits}(), ({ours}, {expected})"]


def _refusal(trial: cases.Trial, violated: str, backend: str, arguments: str) -> list[str]:
    """Code that succeeds only if the kernel raises a Violation."""
    return [
        *_kernel(trial, backend),
        "with suppress(Violation):",
        f"    result = kernel({arguments}{_kernel_keywords(trial)})",
        f'    raise AssertionError(f"{violated} is violated, but there is a result: {{result}}")',
    ]


def _filling(trial: cases.Trial, expected: cases.Expected, backend: str, arguments: str) -> list[str]:
    """Code that succeeds only if the kernel fills the array `out` like the reference."""
    first = next(trial_input for trial_input in trial.inputs if trial_input is not None)
    layout, output = first.layout, expected.outputs[0]
    is_made = layout in cases.WRITEABLE and output is not None and cases.fits(output, layout)
    statement = cases.LAYOUTS[layout].statement if is_made else ""
    return [
        f'expected = {_call(trial, arguments)}["reference"])',
        "out = np.zeros_like(expected)",
        *([re.sub(r"\bx\b", "out", statement)] if statement else []),
        *_kernel(trial, backend),
        f"kernel({arguments}{_kernel_keywords(trial)}, out=out)",
        *_assertions(trial, output, "out", "expected"),
    ]


def _kernel(trial: cases.Trial, backend: str) -> list[str]:
    kernel = f'backend.kernel({_registry(trial.op)}.op("{trial.op.id}"))'
    return [f'(backend,) = chain(["{backend}"])', f"kernel = {kernel}"]


def _registry(op: Op) -> str:
    """The registry of an op, as Python code."""
    own = cases.registry_of(op)
    return f"irops.Registry({own.folders}, {own.modules}, plugins=False)" if own else "default_registry()"


def _kernel_keywords(trial: cases.Trial) -> str:
    """The attributes as keyword arguments of a kernel."""
    return _keywords(Invocation(trial.op, trial.attributes).keywords("kernel", trial.arrays))


def _keywords(attributes: dict[str, Any]) -> str:
    return "".join([f", {name}={literal(value)}" for name, value in sorted(attributes.items())])


STORAGE = "HYPOTHESIS_STORAGE_DIRECTORY"
Unusable = tuple[Diagnostic, ...] | str
"""Why no op can be tested: the diagnostics, or the message of an UnusableBackendError."""


def op_tester(
    backend: str, folders: tuple[str, ...], modules: tuple[str, ...], effort: Effort
) -> Callable[[str], OpReport | Unusable | None]:
    """The work of a process: a function that tests an op by its id."""
    os.environ.setdefault(STORAGE, str(Path(gettempdir()) / f"irops-hypothesis-{getuser()}"))
    client = IsolatedClient(isolated.IsolatedBackend(backend, folders, modules))
    return partial(_tested, client, registry_with(folders, modules), backend, effort)


def _tested(
    client: BackendClient, registry: Registry, backend: str, effort: Effort, op_id: str
) -> OpReport | Unusable | None:
    """The results for an op; None if the backend has no kernel."""
    try:
        return OpTest(client, registry.op(op_id), backend, effort).report()
    except DiagnosticError as error:
        return error.diagnostics
    except UnusableBackendError as error:
        return str(error)


def _report(op: str, result: OpReport | Unusable | Exception | None) -> OpReport | None:
    if result is None or isinstance(result, OpReport):
        return result
    if isinstance(result, str):
        raise UnusableBackendError(result)
    if isinstance(result, tuple):
        raise DiagnosticError(result)
    how = f"the process that tested it {result}" if isinstance(result, Died) else f"irops failed: {result}"
    return OpReport(
        op, (CaseOutcome("generated", "all cases", CaseVerdict(Status.FAILED, how, "not tested")),)
    )


EXAMPLES, SECONDS = 500, 30.0
Progress = Callable[[int, int, object], None]


class UnusableBackendError(RuntimeError):
    """A backend ends its process before it runs any case."""


@naming_arguments
def run_conformance(
    backend: str | Backend,
    ops: Iterable[str] | None = None,
    *,
    examples: int = EXAMPLES,
    seed: int = 0,
    seconds: float = SECONDS,
    definitions: Iterable[str] = (),
    modules: Iterable[str] = (),
    workers: Workers | None = None,
    progress: Progress | None = None,
) -> ConformanceReport:
    """Test a backend against the definitions of ops, by default of all ops that it has a kernel for.

    backend: a name, which is run in a separate process that may crash; or an object, which is run in this
    one.
    examples: number of generated cases per op.
    seconds: time limit per op for generating cases, and again for shrinking a failing case.
    seed: the same seed gives the same cases in a new process, unless a time limit is reached.
    definitions, modules: folders and Python modules of custom ops, as in Registry.
    workers: test the ops of a backend that is named, with the same results; progress: called with (ops done,
    ops to do, the last one)
    Raises:  DiagnosticError if the backend does not exist or its library is missing; KeyError for an unknown
             op; ValueError for numbers that are not above 0; MissingExtraError; UnusableBackendError;
             ClusterError
    """
    require_hypothesis()
    require_above_zero(examples=examples, seconds=seconds)
    folders, names, effort = (
        tuple(map(str, definitions)),
        tuple(modules),
        Effort(operator.index(examples), seed, seconds),
    )
    registry, name = registry_with(folders, names), backend if isinstance(backend, str) else backend.name
    ids = registry.ids() if ops is None else tuple(ops)
    reports: dict[int, OpReport | None] = {}
    with ExitStack() as opened:
        results: Iterable[tuple[int, OpReport | Unusable | Exception | None]]
        if workers is None:
            client = opened.enter_context(closing(_client(backend, folders, names)))
            results = enumerate(map(partial(_tested, client, registry, name, effort), ids))
        else:
            run = workers.run(op_tester, (backend, folders, names, effort), ids)
            results = opened.enter_context(closing(run))
        for number, result in results:
            reports[number] = _report(ids[number], result)
            if progress is not None:
                progress(len(reports), len(ids), ids[number])
    listed = [
        reports[number] or OpReport(op, note="no kernel")
        for number, op in enumerate(ids)
        if reports[number] is not None or ops is not None
    ]
    return ConformanceReport(name, tuple(listed))


def _client(backend: str | Backend, folders: tuple[str, ...], modules: tuple[str, ...]) -> BackendClient:
    if isinstance(backend, str):
        return IsolatedClient(isolated.IsolatedBackend(backend, folders, modules))
    return LocalBackend(backend)


def require_hypothesis() -> None:
    """Raises:  MissingExtraError that names the extra, if the library that makes cases is not installed"""
    require_extra("conformance", "hypothesis")


class Effort(NamedTuple):
    """How many cases are generated for an op; see run_conformance."""

    examples: int
    seed: int
    seconds: float


def definition_warnings(registry: Registry) -> list[Diagnostic]:
    """The constraints without counterexample, in definitions that are not of irops.

    Raises:  DefinitionError with the cases that are not as they say; for a definition that cannot be loaded
    """
    findings: list[Diagnostic] = []
    for op in (registry.op(op) for dialect in dialects() for op in registry.versions(dialect.name)):
        if not cases.is_own(op):
            finding = partial(definition_fault, "inconsistent-definition", file=op.definition.path)
            findings += [finding(f"{op.id}, {name}: {reason}") for name, reason in cases.faults(op)]
            untested = map(finding, untested_constraints(op.definition))
            findings += [replace(warning, level=Severity.WARNING) for warning in untested]
    if errors := errors_of(findings):
        raise DefinitionError(errors)
    return findings


class OpTest:
    """Tests one op of one backend."""

    def __init__(self, client: BackendClient, op: Op, backend: str, effort: Effort) -> None:
        self.client, self.op, self.backend, self.effort = client, op, backend, effort

    def report(self) -> OpReport | None:
        """The results of the cases of the definition, and of generated ones; None if the backend has no
        kernel. A definition that is not of irops is first held to the reference.

        Raises:  UnusableBackendError if the backend ends its process when asked for a kernel
        """
        faults, untested = {}, []
        if not cases.is_own(self.op):
            faults, untested = dict(cases.faults(self.op)), untested_constraints(self.op.definition)
        try:
            runs = self.client.has(self.op)
        except ProcessDied as death:
            message = f"the backend crashed when asked for a kernel of {self.op.id}: {death}"
            raise UnusableBackendError(message) from None
        if not runs and not faults:
            return None
        right = not faults
        results = [*self._definition_cases(faults)] if runs else []
        generated, note = self._generated() if runs and right else ([], WRONG if runs else "no kernel")
        results += [*generated, *self._unreproduced_crashes()]
        for name, reason in faults.items():
            results.append(CaseOutcome("definition", name, CaseVerdict(Status.FAILED, reason, WRONG)))
        return OpReport(self.op.id, tuple(results), "; ".join(filter(None, (*untested, note))))

    def _unreproduced_crashes(self) -> Iterator[CaseOutcome]:
        if self.client.unreproduced_crashes:
            crashes = self.client.unreproduced_crashes
            times = f", {len(crashes)} times" if len(crashes) > 1 else ""
            verdict = CaseVerdict(Status.FAILED, crashes[0] + times, "backend crashed")
            yield CaseOutcome("generated", "successive cases", verdict)
            self.client.unreproduced_crashes.clear()

    def _definition_cases(self, faults: dict[str, str]) -> Iterator[CaseOutcome]:
        """faults: of cases, by their names; those that are reported here are removed."""
        for case in cases.definition_cases(self.op):
            if case.name in faults and case.kind == "counterexample":
                continue  # no backend can be held to it
            with suppress(cases.InvalidTrial):  # a counterexample that types and shapes alone reveal
                trial = case.trial
                expected = case.expected(trial)
                verdict = judge(self.client, trial, expected)
                if case.name in faults:
                    verdict = CaseVerdict(Status.FAILED, faults.pop(case.name), WRONG)
                failed = verdict.status is Status.FAILED
                program = snippet(trial, expected, verdict, self.backend) if failed else ""
                yield CaseOutcome(case.kind, case.name, verdict, program)
                continue
            if not cases.is_own(self.op):  # the reference has run it
                yield CaseOutcome(case.kind, case.name, PASSED)

    def _generated(self) -> tuple[list[CaseOutcome], str]:
        from irops.conformance.strategies import source_of

        source = source_of(self.op)
        if source is None:
            return [], "the definition has no example to generate cases from"
        seconds, start = self.effort.seconds, monotonic()
        search = Search(self._check, seconds)
        search.run(source.sweep, source.strategy, self.effort.examples, self.effort.seed)
        timed_out = monotonic() - start > seconds and not search.smallest
        search.reduce()
        tally = search.tally.items()
        outcomes = [CaseOutcome("generated", "generated", verdict, count=count) for verdict, count in tally]
        for trial, verdict in search.smallest.values():
            text = snippet(trial, cases.expected_of(trial), verdict, self.backend)
            outcomes.append(CaseOutcome("generated", "generated, shrunk", verdict, text))
        return outcomes, f"stopped after {seconds:g} seconds" if timed_out else ""

    def _check(self, trial: cases.Trial) -> CaseVerdict:
        return judge(self.client, trial, cases.expected_of(trial))

"""The conformance kit: test a backend against the definitions of ops, in processes or on workers."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from getpass import getuser
from pathlib import Path
from tempfile import gettempdir
from time import monotonic
from typing import NamedTuple

from irops.backends.backend import Backend
from irops.backends.isolated import IsolatedBackend
from irops.cluster.workers import Workers
from irops.conformance.cases import DefinitionCase, definition_cases
from irops.conformance.client import BackendClient, IsolatedClient, LocalBackend, judge
from irops.conformance.search import Search
from irops.conformance.snippet import snippet
from irops.conformance.trial import InvalidTrial, Trial, expected_of
from irops.conformance.verdict import CaseOutcome, CaseVerdict, ConformanceReport, OpReport, Status
from irops.diagnostics.diagnostic import Diagnostic, DiagnosticError
from irops.extras import require_extra
from irops.processes.outcomes import Died
from irops.processes.worker import ProcessDied
from irops.registry import Registry, default_registry
from irops.spec.op import Op

STORAGE = "HYPOTHESIS_STORAGE_DIRECTORY"
Unusable = tuple[Diagnostic, ...] | str
"""Why no op can be tested: the diagnostics, or the message of an UnusableBackendError."""


def run_conformance_on(
    workers: Workers,
    backend: str,
    ops: Sequence[str] | None,
    effort: Effort,
    *,
    definitions: Sequence[str] = (),
    modules: Sequence[str] = (),
    progress: Progress | None = None,
) -> ConformanceReport:
    """The same report as run_conformance gives, with the ops distributed among workers.

    Raises:  as run_conformance; ClusterError
    """
    require_hypothesis()
    folders, names = tuple(map(str, definitions)), tuple(modules)
    ids = registry_with(folders, names).ids() if ops is None else tuple(ops)
    reports: dict[int, OpReport | None] = {}
    with closing(workers.run(op_tester, (backend, folders, names, effort), ids)) as run:
        for number, result in run:
            reports[number] = _report(ids[number], result)
            if progress is not None:
                progress(len(reports), len(ids), ids[number])
    listed = [
        report if report is not None else OpReport(op, note="no kernel")
        for op, report in ((op, reports[number]) for number, op in enumerate(ids))
        if report is not None or ops is not None
    ]
    return ConformanceReport(backend, tuple(listed))


def op_tester(
    backend: str, folders: tuple[str, ...], modules: tuple[str, ...], effort: Effort
) -> Callable[[str], OpReport | Unusable | None]:
    """A function that tests an op by its id. Its result is None if the backend has no kernel."""
    os.environ.setdefault(STORAGE, str(Path(gettempdir()) / f"irops-hypothesis-{getuser()}"))
    registry = registry_with(folders, modules)
    client = IsolatedClient(IsolatedBackend(backend, folders, modules))

    def test(op_id: str) -> OpReport | Unusable | None:
        op = registry.op(op_id)
        try:
            return OpTest(client, op, backend, effort).report() if has_kernel(client, op) else None
        except DiagnosticError as error:
            return error.diagnostics
        except UnusableBackendError as error:
            return str(error)

    return test


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


def run_conformance(
    backend: str | Backend,
    ops: Iterable[str] | None = None,
    *,
    examples: int = EXAMPLES,
    seed: int = 0,
    seconds: float = SECONDS,
    large: bool = False,
    definitions: Iterable[str] = (),
    modules: Iterable[str] = (),
    progress: Progress | None = None,
) -> ConformanceReport:
    """Test a backend against the definitions of ops, by default of all ops that it has a kernel for.

    backend: a name, which is run in a separate process that may crash; or an object, which is run in this
    one.
    examples: number of generated cases per op.
    seconds: time limit per op for generating cases, and again for shrinking a failing case.
    seed: the same seed gives the same cases in a new process, unless a time limit is reached.
    large: also run cases with tensors of about 40 MB, for ops that have them.
    definitions, modules: folders and Python modules of custom ops, as in Registry.
    Raises:  DiagnosticError if the backend does not exist or its library is missing; KeyError for an unknown
             op; MissingExtraError; UnusableBackendError
    """
    require_hypothesis()
    folders, names = tuple(map(str, definitions)), tuple(modules)
    registry = registry_with(folders, names)
    client: BackendClient = (
        IsolatedClient(IsolatedBackend(backend, folders, names))
        if isinstance(backend, str)
        else LocalBackend(backend)
    )
    ids = registry.ids() if ops is None else tuple(ops)
    reports = []
    try:
        for number, op_id in enumerate(ids):
            if progress is not None:
                progress(number, len(ids), op_id)
            op = registry.op(op_id)
            if has_kernel(client, op):
                reports.append(
                    OpTest(client, op, _name(backend), Effort(examples, seed, seconds, large)).report()
                )
            elif ops is not None:
                reports.append(OpReport(op_id, note="no kernel"))
    finally:
        client.close()
    return ConformanceReport(_name(backend), tuple(reports))


def outcome_of(client: BackendClient, case: DefinitionCase, backend: str) -> CaseOutcome:
    """The result of one case of a definition. backend: its name, for the program that reproduces a failure.

    Raises:  InvalidTrial; see DefinitionCase.expected
    """
    trial = case.trial
    expected = case.expected(trial)
    verdict = judge(client, trial, expected)
    failed = verdict.status is Status.FAILED
    program = snippet(trial, expected, verdict, backend) if failed else ""
    return CaseOutcome(case.kind, case.name, verdict, program)


def _name(backend: str | Backend) -> str:
    return backend if isinstance(backend, str) else backend.name


def require_hypothesis() -> None:
    """Raises:  MissingExtraError that names the extra, if the library that makes cases is not installed"""
    require_extra("conformance", "hypothesis")


def registry_with(folders: tuple[str, ...], modules: tuple[str, ...]) -> Registry:
    """The ops of irops with those of some folders and modules."""
    return Registry(folders, modules) if folders or modules else default_registry()


def has_kernel(client: BackendClient, op: Op) -> bool:
    """Whether a backend has a kernel of an op.

    Raises:  UnusableBackendError if it ends its process when it is asked; as BackendClient.has
    """
    try:
        return client.has(op)
    except ProcessDied as death:
        raise UnusableBackendError(
            f"the backend crashed when asked for a kernel of {op.id}: {death}"
        ) from None


class Effort(NamedTuple):
    """How many cases are generated for an op; see run_conformance."""

    examples: int
    seed: int
    seconds: float
    large: bool


class OpTest:
    """Tests one op of one backend."""

    def __init__(self, client: BackendClient, op: Op, backend: str, effort: Effort) -> None:
        self.client, self.op, self.backend, self.effort = client, op, backend, effort

    def report(self) -> OpReport:
        """The results of the cases of the definition, and of generated ones."""
        from_definition = tuple(self._definition_cases())
        generated = self.generated()
        return OpReport(self.op.id, (*from_definition, *generated.outcomes), generated.note)

    def generated(self) -> OpReport:
        """The results of generated cases."""
        outcomes, note = self._generated()
        return OpReport(self.op.id, (*outcomes, *self._unreproduced_crashes()), note)

    def _unreproduced_crashes(self) -> Iterator[CaseOutcome]:
        if self.client.unreproduced_crashes:
            times = (
                f", {len(self.client.unreproduced_crashes)} times"
                if len(self.client.unreproduced_crashes) > 1
                else ""
            )
            yield CaseOutcome(
                "generated",
                "successive cases",
                CaseVerdict(Status.FAILED, self.client.unreproduced_crashes[0] + times, "backend crashed"),
            )
            self.client.unreproduced_crashes.clear()

    def _definition_cases(self) -> Iterator[CaseOutcome]:
        for case in definition_cases(self.op):
            with suppress(InvalidTrial):  # a counterexample that types and shapes alone reveal
                yield outcome_of(self.client, case, self.backend)

    def _generated(self) -> tuple[list[CaseOutcome], str]:
        from irops.conformance.strategies import source_of

        source = source_of(self.op)
        if source is None:
            return [], "the definition has no example to generate cases from"
        seconds, start = self.effort.seconds, monotonic()
        search = Search(self._check, seconds)
        sweep = itertools.chain(source.sweep, source.large if self.effort.large else ())
        search.run(sweep, source.strategy, self.effort.examples, self.effort.seed)
        timed_out = monotonic() - start > seconds and not search.smallest
        search.reduce()
        outcomes = [
            CaseOutcome("generated", "generated", verdict, count=count)
            for verdict, count in search.tally.items()
        ]
        for trial, verdict in search.smallest.values():
            text = snippet(trial, expected_of(trial), verdict, self.backend)
            outcomes.append(CaseOutcome("generated", "generated, shrunk", verdict, text))
        return outcomes, f"stopped after {seconds:g} seconds" if timed_out else ""

    def _check(self, trial: Trial) -> CaseVerdict:
        return judge(self.client, trial, expected_of(trial))

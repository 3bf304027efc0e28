"""The cases of the conformance kit as tests of pytest, one for each case of a definition."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from irops.backends.isolated import IsolatedBackend
from irops.conformance.cases import DefinitionCase, InvalidTrial, definition_cases
from irops.conformance.client import IsolatedClient
from irops.conformance.kit import SECONDS, Effort, OpTest, outcome_of
from irops.conformance.verdict import CaseOutcome, Status
from irops.diagnostics.diagnostic import DiagnosticError
from irops.diagnostics.printable import plural
from irops.dialects.registry import Registry, default_registry
from irops.environment import missing_libraries
from irops.spec.op import Op
from irops.work.worker import ProcessDied

SEED = 0


class KernelFailed(Exception):
    """A backend fails in a case; the message holds the program that reproduces it."""


@dataclass(eq=False)
class ConformanceTests:
    """Adds the tests of some backends to a test session.

    ops: ids; none: all that a backend implements; examples: number of generated cases per op
    """

    backends: tuple[str, ...]
    ops: tuple[str, ...]
    examples: int
    folders: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    clients: dict[str, IsolatedClient] = field(default_factory=dict)

    def pytest_collection_modifyitems(self, session: pytest.Session, items: list[pytest.Item]) -> None:
        for backend in self.backends:
            collector = BackendTests.from_parent(session, name=f"irops-{backend}", nodeid=f"irops-{backend}")
            collector.tests, collector.backend = self, backend
            items.extend(collector.collect())

    def pytest_sessionfinish(self) -> None:
        for client in self.clients.values():
            client.close()

    def client(self, backend: str) -> IsolatedClient:
        """The process of a backend, which is started when first needed."""
        if backend not in self.clients:
            self.clients[backend] = IsolatedClient(IsolatedBackend(backend, self.folders, self.modules))
        return self.clients[backend]

    def ops_of(self, backend: str) -> Iterator[Op]:
        """The ops to test: those that are asked for, or all that the backend implements.

        Raises:  pytest.UsageError for an unknown op, or a backend that is unknown or cannot be used
        """
        try:
            registry = (
                Registry(self.folders, self.modules) if self.folders or self.modules else default_registry()
            )
            for name in self.ops or registry.ids():
                op = registry.op(name)
                if self.client(backend).has(op):
                    yield op
                elif self.ops:
                    raise pytest.UsageError(f"the backend {backend} has no kernel of {name}")
        except KeyError as error:
            raise pytest.UsageError(f"--irops-op: {error.args[0]}") from None
        except DiagnosticError as error:
            raise pytest.UsageError("\n".join(item.message for item in error.diagnostics)) from None
        except ProcessDied as error:
            raise pytest.UsageError(f"the backend {backend} ends its process: {error}") from None


class BackendTests(pytest.Collector):
    """The tests of one backend."""

    tests: ConformanceTests
    backend: str

    def collect(self) -> Iterator[pytest.Item]:
        for op in self.tests.ops_of(self.backend):
            names: dict[str, int] = {}
            for case in definition_cases(op):
                name = f"{op.id}[{case.kind}-{case.case.line}]"
                names[name] = names.get(name, 0) + 1
                item: CaseTest = CaseTest.from_parent(self, name=name)
                item.case = case
                yield item
            if self.tests.examples:
                generated: GeneratedTest = GeneratedTest.from_parent(self, name=f"{op.id}[generated]")
                generated.op = op
                yield generated


class _Test(pytest.Item):
    """A test of a kernel."""

    parent: BackendTests

    @property
    def backend(self) -> str:
        return self.parent.backend

    def judge(self, outcome: CaseOutcome) -> None:
        """Fail, or skip a case that the backend declines."""
        if outcome.status is Status.FAILED:
            raise KernelFailed(
                f"{outcome.verdict.fault}: {outcome.verdict.reason}\n{outcome.case}\n\n{outcome.snippet}"
            )
        if outcome.status is Status.DECLINED:
            pytest.skip(f"declined: {outcome.verdict.reason}")

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        if isinstance(excinfo.value, KernelFailed):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)


class CaseTest(_Test):
    """One example or counterexample of a definition."""

    case: DefinitionCase

    def runtest(self) -> None:
        try:
            outcome = outcome_of(self.parent.tests.client(self.backend), self.case, self.backend)
        except InvalidTrial:
            pytest.skip("types, shapes or attributes alone reveal it, so that no kernel is asked")
        self.judge(outcome)

    def reportinfo(self) -> tuple[str, int | None, str]:
        definition = self.case.op.definition
        return str(definition.path), self.case.case.line - 1, f"{self.backend}: {self.name}"


class GeneratedTest(_Test):
    """The generated cases of an op; those that fail are shrunk."""

    op: Op

    def runtest(self) -> None:
        absent = missing_libraries("conformance", "hypothesis")
        if absent:
            pytest.skip(absent)
        tests = self.parent.tests
        effort = Effort(tests.examples, SEED, SECONDS)
        report = OpTest(tests.client(self.backend), self.op, self.backend, effort).generated()
        for outcome in report.failures:
            self.judge(outcome)
        if report.note:
            self.add_report_section("call", "note", report.note)
        if not report.count(status=Status.PASSED):
            pytest.skip("; ".join(f"declined: {reason}" for reason in report.declined) or report.note)

    def reportinfo(self) -> tuple[str, int | None, str]:
        count = plural(self.parent.tests.examples, "generated case")
        return str(self.op.definition.path), None, f"{self.backend}: {self.op.id}, {count}"

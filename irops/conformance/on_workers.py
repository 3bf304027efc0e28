"""Test a backend on workers: each op is an item."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import closing
from getpass import getuser
from pathlib import Path
from tempfile import gettempdir

from irops.cluster.workers import Workers
from irops.conformance.client import IsolatedClient
from irops.conformance.kit import (
    Effort,
    OpTest,
    Progress,
    UnusableBackendError,
    has_kernel,
    registry_with,
    require_hypothesis,
)
from irops.conformance.verdict import OpReport, Outcome, Report, Status, Verdict
from irops.diagnostics.diagnostic import Diagnostic, DiagnosticError
from irops.processes.serving import Died

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
) -> Report:
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
    return Report(backend, tuple(listed))


def op_tester(
    backend: str, folders: tuple[str, ...], modules: tuple[str, ...], effort: Effort
) -> Callable[[str], OpReport | Unusable | None]:
    """A function that tests an op by its id. Its result is None if the backend has no kernel."""
    os.environ.setdefault(STORAGE, str(Path(gettempdir()) / f"irops-hypothesis-{getuser()}"))
    registry = registry_with(folders, modules)
    client = IsolatedClient(backend, folders, modules)

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
    return OpReport(op, (Outcome("generated", "all cases", Verdict(Status.FAILED, how, "not tested")),))

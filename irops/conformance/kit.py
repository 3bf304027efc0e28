"""The conformance kit: hold a backend to the definitions of ops."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from time import monotonic
from typing import NamedTuple

from irops.backends.backend import Backend
from irops.backends.extras import lacks
from irops.conformance.apart import Apart
from irops.conformance.asked import Asked, Here
from irops.conformance.cases import known_cases
from irops.conformance.judge import judge
from irops.conformance.process import Died
from irops.conformance.snippet import snippet
from irops.conformance.trial import Trial, truth_of
from irops.conformance.verdict import OpReport, Outcome, Report, Status, Verdict
from irops.registry import Registry, default_registry
from irops.spec.op import Op

EXAMPLES, SECONDS = 500, 30.0
Progress = Callable[[int, int, object], None]


class MissingExtraError(ImportError):
    """The kit needs a library that is not installed; the message names the extra that brings it."""


class UnusableBackendError(RuntimeError):
    """A backend ends its process before it is asked anything."""


def hold(
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
) -> Report:
    """Hold a backend to the definitions of ops, by default of all for which it has a kernel.

    backend: by name, and then asked in a process of its own, so that it may crash; or as it is, and asked in
        this process.
    examples: how many cases to generate for each op; seconds: after how many to stop for each op, and again
        when looking for a smaller
    case that fails. The same seed gives the same cases in a new process, as far as time allows.
    large: try tensors of some 40 MB, too, for ops that have such cases.
    definitions, modules: folders and Python modules of further ops, as of Registry.
    Raises:  DiagnosticError for a backend that there is not, or whose library is missing; KeyError for an op;
        MissingExtraError;
             UnusableBackendError
    """
    missing = lacks("conformance", "hypothesis")
    if missing:
        raise MissingExtraError(missing)
    folders, names = tuple(map(str, definitions)), tuple(modules)
    registry = Registry(folders, names) if folders or names else default_registry()
    asked: Asked = Apart(backend, folders, names) if isinstance(backend, str) else Here(backend)
    ids = registry.ids() if ops is None else tuple(ops)
    reports = []
    try:
        for number, op_id in enumerate(ids):
            if progress is not None:
                progress(number, len(ids), op_id)
            op = registry.op(op_id)
            if _has(asked, op):
                reports.append(
                    _Held(asked, op, _name(backend), Effort(examples, seed, seconds, large)).report()
                )
            elif ops is not None:
                reports.append(OpReport(op_id, note="no kernel"))
    finally:
        asked.close()
    return Report(_name(backend), tuple(reports))


def _name(backend: str | Backend) -> str:
    return backend if isinstance(backend, str) else backend.name


def _has(asked: Asked, op: Op) -> bool:
    try:
        return asked.has(op)
    except Died as death:
        raise UnusableBackendError(f"the backend cannot be asked for a kernel of {op.id}: {death}") from None


class Effort(NamedTuple):
    """How much is generated for an op; see hold."""

    examples: int
    seed: int
    seconds: float
    large: bool


class _Held:
    """One op of one backend, held."""

    def __init__(self, asked: Asked, op: Op, backend: str, effort: Effort) -> None:
        self.asked, self.op, self.backend, self.effort = asked, op, backend, effort

    def report(self) -> OpReport:
        known = tuple(self._known())
        generated, note = self._generated()
        return OpReport(self.op.id, (*known, *generated, *self._strays()), note)

    def _strays(self) -> Iterator[Outcome]:
        if self.asked.strays:
            times = f", {len(self.asked.strays)} times" if len(self.asked.strays) > 1 else ""
            yield Outcome(
                "generated",
                "cases in a row",
                Verdict(Status.FAILED, self.asked.strays[0] + times, "backend crashed"),
            )
            self.asked.strays.clear()

    def _known(self) -> Iterator[Outcome]:
        for kind, name, trial, truth in known_cases(self.op):
            verdict = judge(self.asked, trial, truth)
            failed = verdict.status is Status.FAILED
            yield Outcome(kind, name, verdict, snippet(trial, truth, verdict, self.backend) if failed else "")

    def _generated(self) -> tuple[list[Outcome], str]:
        from irops.conformance.search import Search
        from irops.conformance.strategies.by_op import source_of

        source = source_of(self.op)
        if source is None:
            return [], "no example to generate cases from"
        seconds, start = self.effort.seconds, monotonic()
        search = Search(self._checked, seconds)
        sweep = itertools.chain(source.sweep, source.large if self.effort.large else ())
        search.run(sweep, source.strategy, self.effort.examples, self.effort.seed)
        late = monotonic() - start > seconds and not search.smallest
        search.reduce()
        outcomes = [
            Outcome("generated", "generated", verdict, count=count) for verdict, count in search.tally.items()
        ]
        for trial, verdict in search.smallest.values():
            text = snippet(trial, truth_of(trial), verdict, self.backend)
            outcomes.append(Outcome("generated", "generated, the smallest found", verdict, text))
        return outcomes, f"stopped after {seconds:g} seconds" if late else ""

    def _checked(self, trial: Trial) -> Verdict:
        return judge(self.asked, trial, truth_of(trial))

"""A backend asked in a process of its own, which may crash or hang."""

from __future__ import annotations

from typing import Any

from irops.conformance.answer import Answer
from irops.conformance.process import Died, Process
from irops.conformance.trial import Given, Trial
from irops.diagnostics.diagnostic import Diagnostic, DiagnosticError
from irops.spec.op import Op
from irops.values.element import CODED, Array, element_type_of

PATIENCE = 120.0
"""Seconds that a backend may take for one case: compilers are slow, and cases small."""


class Apart:
    """A backend by name, its process started when it is first asked, and again when it has died."""

    def __init__(
        self,
        name: str,
        folders: tuple[str, ...] = (),
        modules: tuple[str, ...] = (),
        patience: float = PATIENCE,
    ) -> None:
        self.strays: list[str] = []
        self._process = Process("irops.conformance.worker", ("backend", name, folders, modules), patience)
        self._answered = 0

    def has(self, op: Op) -> bool:
        """Whether the backend has a kernel.

        Raises:  DiagnosticError where there is no such backend, or it cannot be had here; Died
        """
        return bool(self._asked(("has", op.id)))

    def answer(self, trial: Trial) -> Answer:
        """The backend's answer. A crash counts against a case only if the case alone, in a new process,
        brings it about.
        """
        request = ("trial", trial.op.id, tuple(map(_sent, trial.inputs)), dict(trial.attributes))
        before = self._answered
        try:
            answer: Answer = self._asked(request)
        except Died as death:
            if before == 0 or death.stalled:
                return Answer("stalled" if death.stalled else "crashed", str(death))
            stray = f"{death} after {before} cases of which the last alone does no harm"
        else:
            return answer
        try:
            answer = self._asked(request)
        except Died as death:
            return Answer("crashed", str(death))
        self.strays.append(stray)
        return answer

    def close(self) -> None:
        """End the process; asked again, the backend gets a new one."""
        self._process.close()
        self._answered = 0

    def _asked(self, request: tuple[Any, ...]) -> Any:
        try:
            answer = self._process.ask(request)
        except Died:
            self._answered = 0
            raise
        if isinstance(answer, tuple) and answer and isinstance(answer[0], Diagnostic):
            raise DiagnosticError(answer)
        self._answered += request[0] == "trial"
        return answer


def _sent(given: Given | None) -> tuple[Array, str, str] | None:
    if given is None:
        return None
    kind = element_type_of(given.array)
    return given.array.view("u1") if kind.name in CODED else given.array, kind.name, given.layout

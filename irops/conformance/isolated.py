"""Run a backend in a separate process, which may crash or hang."""

from __future__ import annotations

from typing import Any

from irops.conformance.answer import Answer
from irops.conformance.trial import Trial, TrialInput
from irops.diagnostics.diagnostic import Diagnostic, DiagnosticError
from irops.processes.worker import Process, ProcessDied
from irops.spec.op import Op
from irops.values.element import CODED, Array, element_type_of

TIMEOUT = 120.0
"""Seconds that a backend may take for one case, compilation included."""


class IsolatedBackend:
    """A backend by name, in a process that is started on first use and restarted after it died."""

    def __init__(
        self,
        name: str,
        folders: tuple[str, ...] = (),
        modules: tuple[str, ...] = (),
        timeout: float = TIMEOUT,
    ) -> None:
        self.unreproduced_crashes: list[str] = []
        self._process = Process("irops.conformance.worker", ("backend", name, folders, modules), timeout)
        self._answered_trials = 0

    def has(self, op: Op) -> bool:
        """Whether the backend has a kernel.

        Raises:  DiagnosticError if the backend does not exist or is unavailable; ProcessDied
        """
        return bool(self._request(("has", op.id)))

    def answer(self, trial: Trial) -> Answer:
        """The backend's answer. A crash counts as a failure of a case only if the case alone reproduces it in
        a new process.
        """
        request = ("trial", trial.op.id, tuple(map(_serialized, trial.inputs)), dict(trial.attributes))
        answered_before = self._answered_trials
        try:
            answer: Answer = self._request(request)
        except ProcessDied as error:
            if answered_before == 0 or error.stalled:
                return Answer("stalled" if error.stalled else "crashed", str(error))
            stray = f"{error} after {answered_before} cases; the last case alone does not reproduce it"
        else:
            return answer
        try:
            answer = self._request(request)
        except ProcessDied as error:
            return Answer("crashed", str(error))
        self.unreproduced_crashes.append(stray)
        return answer

    def close(self) -> None:
        """End the process; the next request starts a new one."""
        self._process.close()
        self._answered_trials = 0

    def _request(self, request: tuple[Any, ...]) -> Any:
        try:
            answer = self._process.ask(request)
        except ProcessDied:
            self._answered_trials = 0
            raise
        if isinstance(answer, tuple) and answer and isinstance(answer[0], Diagnostic):
            raise DiagnosticError(answer)
        self._answered_trials += request[0] == "trial"
        return answer


def _serialized(trial_input: TrialInput | None) -> tuple[Array, str, str] | None:
    if trial_input is None:
        return None
    kind = element_type_of(trial_input.array)
    return (
        trial_input.array.view("u1") if kind.name in CODED else trial_input.array,
        kind.name,
        trial_input.layout,
    )

"""The interface through which the kit runs a backend: in this process, or isolated in another one."""

from __future__ import annotations

from typing import Protocol

from irops.backends.backend import Backend
from irops.backends.isolated import TIMEOUT, IsolatedBackend, has_kernel
from irops.conformance.answer import Answer, answer_of
from irops.conformance.trial import Trial, TrialInput
from irops.processes.worker import ProcessDied
from irops.spec.op import Op


class BackendClient(Protocol):
    """Runs trials on a backend. unreproduced_crashes: crashes that no single case reproduces."""

    unreproduced_crashes: list[str]

    def has(self, op: Op) -> bool: ...
    def answer(self, trial: Trial) -> Answer: ...
    def close(self) -> None: ...


class LocalBackend:
    """Runs a backend in this process."""

    def __init__(self, backend: Backend) -> None:
        self.backend = backend
        self.unreproduced_crashes: list[str] = []

    def has(self, op: Op) -> bool:
        return self.backend.kernel(op) is not None

    def answer(self, trial: Trial) -> Answer:
        return answer_of(self.backend, trial)

    def close(self) -> None:
        pass


class IsolatedClient:
    """Runs a backend by its name in a process, which is started on first use and restarted after it died."""

    def __init__(
        self,
        name: str,
        folders: tuple[str, ...] = (),
        modules: tuple[str, ...] = (),
        timeout: float = TIMEOUT,
    ) -> None:
        self.unreproduced_crashes: list[str] = []
        self._backend = IsolatedBackend(name, folders, modules, timeout)
        self._answered_trials = 0

    def has(self, op: Op) -> bool:
        """Whether the backend has a kernel.

        Raises:  DiagnosticError if the backend does not exist or is unavailable; ProcessDied
        """
        return bool(self._backend.ask(has_kernel, op))

    def answer(self, trial: Trial) -> Answer:
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
    backend: Backend, op: Op, inputs: tuple[TrialInput | None, ...], attributes: dict[str, str]
) -> Answer:
    return answer_of(backend, Trial(op, inputs, attributes))

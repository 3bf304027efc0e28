"""The interface through which the kit runs a backend: in this process, or isolated in another one."""

from __future__ import annotations

from typing import Protocol

from irops.backends.backend import Backend
from irops.conformance.answer import Answer, answer_of
from irops.conformance.trial import Trial
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

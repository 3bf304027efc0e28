"""Asking a backend: in this process, or in one of its own (apart) that may crash or hang."""

from __future__ import annotations

from typing import Protocol

from irops.backends.backend import Backend
from irops.conformance.answer import Answer, answer_of
from irops.conformance.trial import Trial
from irops.spec.op import Op


class Asked(Protocol):
    """A backend that answers. strays: crashes that no single case brings about."""

    strays: list[str]

    def has(self, op: Op) -> bool: ...
    def answer(self, trial: Trial) -> Answer: ...
    def close(self) -> None: ...


class Here:
    """A backend asked in this process."""

    def __init__(self, backend: Backend) -> None:
        self.backend = backend
        self.strays: list[str] = []

    def has(self, op: Op) -> bool:
        return self.backend.kernel(op) is not None

    def answer(self, trial: Trial) -> Answer:
        return answer_of(self.backend, trial)

    def close(self) -> None:
        pass

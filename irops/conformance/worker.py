"""The process that runs a backend, so that a crash does not end the caller.

Its requests are ("backend", name, folders, modules), then ("has", op) or ("trial", op, inputs, attributes).
"""

from __future__ import annotations

from typing import Any

from irops.backends.backend import Backend
from irops.backends.catalogue import chain
from irops.conformance.answer import answer_of
from irops.conformance.trial import Trial, TrialInput
from irops.diagnostics.diagnostic import DiagnosticError
from irops.processes.worker import serve
from irops.registry import Registry, default_registry
from irops.values.element import Array, element_type, tagged


class Worker:
    """A backend and the registry of its ops, as the first request names them."""

    def __init__(self) -> None:
        self._backend: Backend | None = None
        self._registry = default_registry()

    def answer(self, request: tuple[Any, ...]) -> Any:
        """The answer to one request; diagnostics where one is raised."""
        try:
            if request[0] != "backend":
                return _handle(self._backend, self._registry, request)
            _, name, folders, modules = request
            self._registry = Registry(folders, modules) if folders or modules else self._registry
            (self._backend,) = chain((name,))
        except DiagnosticError as error:
            return error.diagnostics
        return None


def _handle(backend: Backend | None, registry: Registry, request: tuple[Any, ...]) -> Any:
    assert backend is not None
    op = registry.op(request[1])
    if request[0] == "has":
        return backend.kernel(op) is not None
    _, _, inputs, attributes = request
    return answer_of(backend, Trial(op, tuple(map(_trial_input, inputs)), attributes))


def _trial_input(serialized: tuple[Array, str, str] | None) -> TrialInput | None:
    return (
        None
        if serialized is None
        else TrialInput(tagged(serialized[0], element_type(serialized[1], foreign=True)), serialized[2])
    )


if __name__ == "__main__":
    serve(Worker().answer)

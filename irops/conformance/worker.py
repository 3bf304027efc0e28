"""The process that runs a backend, so that a crash does not end the caller.

Reads pickled requests from its input and writes answers: ("backend", name, folders, modules), then
("has", op) or ("trial", op, inputs, attributes). What libraries print goes to the error stream.
"""

from __future__ import annotations

import os
import pickle
from typing import Any

from irops.backends.backend import Backend
from irops.backends.catalogue import chain
from irops.conformance.answer import answer_of
from irops.conformance.trial import Trial, TrialInput
from irops.diagnostics.diagnostic import DiagnosticError
from irops.process_lifetime import end_with_parent
from irops.registry import Registry, default_registry
from irops.values.element import Array, element_type, tagged


def main() -> None:
    end_with_parent(os.getppid())
    requests = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    backend: Backend | None = None
    registry = default_registry()
    while True:
        try:
            request = pickle.load(requests)
        except EOFError:
            return
        try:
            if request[0] == "backend":
                _, name, folders, modules = request
                registry = Registry(folders, modules) if folders or modules else registry
                (backend,), answer = chain((name,)), None
            else:
                answer = _handle(backend, registry, request)
        except DiagnosticError as error:
            answer = error.diagnostics
        payload = pickle.dumps(answer)
        answer = None  # freeing corrupt memory should crash before the answer is sent
        answers.write(payload)
        answers.flush()


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
    main()

"""The process that computes layers with a backend, so that a crash does not end the caller.

Its requests are ("backend", name, folders, modules), then ("has", op) or ("compute", op, inputs, attributes).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from irops.backends.backend import Backend
from irops.backends.catalogue import chain, missing
from irops.backends.declined import Declined
from irops.debugging.sources.wire import packed, unpacked, unpacked_attributes
from irops.diagnostics.diagnostic import DiagnosticError
from irops.processes.worker import serve
from irops.registry import Registry, default_registry


class Worker:
    """A backend, as the first request names it. Answers are pairs of a word and what it is about."""

    def __init__(self) -> None:
        self._backend: Backend | None = None
        self._registry = default_registry()

    def answer(self, request: tuple[Any, ...]) -> Any:
        """None for the first request, unless the backend is unavailable; then (word, content)."""
        if request[0] == "backend":
            _, name, folders, modules = request
            self._registry = Registry(folders, modules) if folders or modules else self._registry
            (self._backend,) = chain((name,))
            lacking = missing(self._backend)
            return None if lacking is None else ("refused", lacking)
        assert self._backend is not None
        op = self._registry.op(request[1])
        try:
            kernel = self._backend.kernel(op)
            if request[0] == "has":
                return "has", kernel is not None
            assert kernel is not None
            arrays = [None if item is None else unpacked(item) for item in request[2]]
            with np.errstate(all="ignore"):
                result = kernel(*arrays, **unpacked_attributes(request[3]))
        except Declined as declined:
            return "declined", str(declined)
        except DiagnosticError as error:
            return "refused", str(error)
        except Exception as error:
            return "refused", f"{type(error).__name__}: {error}"
        outputs = result if isinstance(result, tuple) else (result,)
        return "computed", [packed(np.asarray(output)) for output in outputs]


if __name__ == "__main__":
    serve(Worker().answer)

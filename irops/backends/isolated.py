"""A backend in a process of its own, so that a crash does not end the caller."""

import pickle
from collections.abc import Callable
from math import inf
from typing import Any

from irops.backends.backend import Backend
from irops.backends.catalogue import chain
from irops.diagnostics.diagnostic import DiagnosticError
from irops.dialects.registry import registry_with
from irops.spec.op import Op
from irops.work.serving import Answer
from irops.work.worker import Process, ProcessDied

TIMEOUT = 120.0
"""Seconds that a backend may take for one layer or case, compilation included."""


class IsolatedBackend:
    """A backend by its name, or an object.

    folders, modules: of custom ops, as in Registry; timeout: seconds for each answer; memory: bytes that the
    process may use; content: the object, pickled; empty for the backend that has the name
    """

    def __init__(
        self,
        name: str,
        folders: tuple[str, ...] = (),
        modules: tuple[str, ...] = (),
        timeout: float = TIMEOUT,
        memory: float = inf,
        content: bytes = b"",
    ) -> None:
        self.name = name
        self._process = Process(_asked, (name, folders, modules, content), timeout, memory)

    def ask(
        self,
        question: Callable[..., Any],
        op: Op,
        *arguments: Any,
        died: Callable[[ProcessDied], object] = lambda _: None,
    ) -> Any:
        """question(backend, op, *arguments), called in the process; an exception that it returns is raised.

        question: a function of a module; died: is called with a death that the request alone does not repeat
        Raises:  ProcessDied; DiagnosticError if the backend does not exist
        """
        return self._process.ask_again((question, op.id, arguments), died)

    def close(self) -> None:
        """End the process; the next question starts a new one."""
        self._process.close()


def _asked(name: str, folders: tuple[str, ...], modules: tuple[str, ...], content: bytes) -> Answer:
    """The task of the process: it puts questions to the backend. Where there is none, each answer is why."""
    try:
        registry = registry_with(folders, modules)
        backend = pickle.loads(content) if content else chain((name,))[0]
    except Exception as error:  # an object of a module that only the caller can import may raise anything
        why = error
        return lambda _: why

    def answer(request: tuple[Callable[..., Any], str, tuple[Any, ...]]) -> Any:
        question, op, arguments = request
        try:
            return question(backend, registry.op(op), *arguments)
        except DiagnosticError as error:
            return error

    return answer


def has_kernel(backend: Backend, op: Op) -> bool:
    """A question: whether the backend has a kernel."""
    return backend.kernel(op) is not None

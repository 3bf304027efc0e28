"""A backend in a process of its own, so that a crash does not end the caller."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from math import inf
from typing import Any

from irops.backends.backend import Backend
from irops.backends.catalogue import chain
from irops.diagnostics.diagnostic import DiagnosticError
from irops.registry import Registry, default_registry
from irops.spec.op import Op
from irops.work.processes.requests import Answer, Process, ProcessDied

TIMEOUT = 120.0
"""Seconds that a backend may take for one layer or case, compilation included."""


class IsolatedBackend:
    """A backend of the catalogue by its name, or an object, which is sent to the process as a pickle; where
    that fails, the process is a fork of this one. The object of the caller stays as it is.

    folders, modules: of custom ops, as in Registry; timeout: seconds for each answer; memory: bytes that the
    process may use
    """

    def __init__(
        self,
        backend: str | Backend,
        folders: tuple[str, ...] = (),
        modules: tuple[str, ...] = (),
        timeout: float = TIMEOUT,
        memory: float = inf,
    ) -> None:
        self.name = backend if isinstance(backend, str) else backend.name
        sent = backend if isinstance(backend, str) else _pickled(backend)
        arguments, rest = (backend, folders, modules), (timeout, memory)
        self._fork = None if isinstance(backend, str) else Process(_asked, arguments, *rest, forked=True)
        self._process = self._fork or Process(_asked, arguments, *rest)
        if sent is not None:
            self._process = Process(_asked, (sent, folders, modules), *rest)

    def ask(
        self,
        question: Callable[..., Any],
        op: Op,
        *arguments: Any,
        died: Callable[[ProcessDied], object] = lambda _: None,
    ) -> Any:
        """question(backend, op, *arguments), called in the process; an exception that it returns is raised.

        died: is called with a death that the request alone does not repeat
        Raises:  ProcessDied; DiagnosticError if the backend does not exist
        """
        request = question, op.id, arguments
        try:
            return self._process.ask_again(request, died)
        except _Unsent:
            assert self._fork is not None
            self._process.close()
            self._process = self._fork
            return self._process.ask_again(request, died)

    def close(self) -> None:
        """End the process; the next question starts a new one."""
        self._process.close()


class _Unsent(Exception):
    """The pickle of a backend cannot be loaded in another process."""


def _pickled(backend: Backend) -> bytes | None:
    """The object as it is sent; None where another process could not load it."""
    if type(backend).__module__ == "__main__":
        return None
    try:
        return pickle.dumps(backend)
    except Exception:  # whatever the object raises, it cannot be pickled
        return None


def _asked(backend: str | bytes | Backend, folders: tuple[str, ...], modules: tuple[str, ...]) -> Answer:
    """What the process does: it puts questions to the backend. Where there is none, each answer is why."""
    try:
        registry = Registry(folders, modules) if folders or modules else default_registry()
        loaded = _loaded(backend)
    except (_Unsent, DiagnosticError) as error:
        why = error
        return lambda _: why

    def answer(request: tuple[Callable[..., Any], str, tuple[Any, ...]]) -> Any:
        question, op, arguments = request
        try:
            return question(loaded, registry.op(op), *arguments)
        except DiagnosticError as error:
            return error

    return answer


def _loaded(backend: str | bytes | Backend) -> Backend:
    """Raises:  _Unsent; DiagnosticError"""
    if not isinstance(backend, bytes):
        return chain((backend,))[0]
    try:
        loaded: Backend = pickle.loads(backend)
    except Exception as error:
        raise _Unsent(f"{type(error).__name__}: {error}") from None
    return loaded

"""A backend asked in a process of its own, which may crash or hang."""
from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import tempfile
from threading import Timer
from typing import IO, Any

from irops.conformance.answer import Answer
from irops.conformance.trial import Given, Trial
from irops.diagnostics.diagnostic import Diagnostic, DiagnosticError
from irops.registry import Op
from irops.values.element import CODED, Array, element_type_of

PATIENCE = 120.0
"""Seconds that a backend may take for one case: compilers are slow, and cases small."""


class Died(Exception):
    """The process that answers has ended, or was ended since it did not answer; the message says how."""

    def __init__(self, how: str, stalled: bool) -> None:
        super().__init__(how)
        self.stalled = stalled


class Apart:
    """A backend by name, its process started when it is first asked, and again when it has died."""

    def __init__(self, name: str, folders: tuple[str, ...] = (), modules: tuple[str, ...] = (), patience: float = PATIENCE) -> None:
        self.patience = patience
        self.strays: list[str] = []
        self._introduction = ("backend", name, folders, modules)
        self._process: subprocess.Popen[bytes] | None = None
        self._errors: IO[bytes] | None = None
        self._answered = 0

    def has(self, op: Op) -> bool:
        """Whether the backend has a kernel.

        Raises:  DiagnosticError where there is no such backend, or it cannot be had here; Died
        """
        return bool(self._asked(("has", op.id)))

    def answer(self, trial: Trial) -> Answer:
        """The backend's answer. A crash counts against a case only if the case alone, in a new process, brings it about."""
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
        process, self._process, self._answered = self._process, None, 0
        if process is not None:
            process.kill()
            process.communicate()
        if self._errors is not None:
            self._errors.close()
            self._errors = None

    def _asked(self, request: tuple[Any, ...]) -> Any:
        if self._process is None:
            self._process = self._started()
            self._told(self._process, self._introduction)
        answer = self._told(self._process, request)
        self._answered += request[0] == "trial"
        return answer

    def _told(self, process: subprocess.Popen[bytes], request: tuple[Any, ...]) -> Any:
        """Send a request and wait for what comes back."""
        assert process.stdin is not None
        assert process.stdout is not None
        watch = Timer(self.patience, process.kill)
        watch.start()
        try:
            pickle.dump(request, process.stdin)
            process.stdin.flush()
            answer = pickle.load(process.stdout)
        except (EOFError, BrokenPipeError, pickle.UnpicklingError):
            status, stalled = process.wait(), not watch.is_alive()
            how = f"no answer within {self.patience:g} seconds" if stalled else f"the process {self._end(status)}"
            self.close()
            raise Died(how, stalled) from None
        finally:
            watch.cancel()
        if isinstance(answer, tuple) and answer and isinstance(answer[0], Diagnostic):
            raise DiagnosticError(answer)
        return answer

    def _started(self) -> subprocess.Popen[bytes]:
        paths = os.pathsep.join(os.path.abspath(path) for path in sys.path)
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - it lives as long as the process
        return subprocess.Popen([sys.executable, "-m", "irops.conformance.worker"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                stderr=self._errors, env={**os.environ, "PYTHONPATH": paths})

    def _end(self, status: int) -> str:
        """How the process ended, and the last that it said."""
        how = f"ended by {signal.Signals(-status).name}" if status < 0 else f"ended with exit code {status}"
        assert self._errors is not None
        self._errors.seek(0)
        lines = [line.strip() for line in self._errors.read().decode("utf-8", "replace").splitlines() if line.strip()]
        return f"{how} ({lines[-1]})" if lines else how


def _sent(given: Given | None) -> tuple[Array, str, str] | None:
    if given is None:
        return None
    kind = element_type_of(given.array)
    return given.array.view("u1") if kind.name in CODED else given.array, kind.name, given.layout

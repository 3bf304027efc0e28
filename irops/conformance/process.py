"""A module that answers questions in a process of its own, which may crash or hang."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import tempfile
from threading import Timer
from typing import IO, Any


class Died(Exception):
    """The process that answers has ended, or was ended since it did not answer; the message says how."""

    def __init__(self, how: str, stalled: bool) -> None:
        super().__init__(how)
        self.stalled = stalled


class Process:
    """Runs a module that reads pickled requests from its input and writes pickled answers; started when it is
    first asked.

    introduction: what it is told before the first question, again whenever it is started; patience: seconds
        for each answer.
    """

    def __init__(self, module: str, introduction: tuple[Any, ...], patience: float) -> None:
        self.patience = patience
        self._module, self._introduction = module, introduction
        self._process: subprocess.Popen[bytes] | None = None
        self._errors: IO[bytes] | None = None

    def ask(self, request: tuple[Any, ...]) -> Any:
        """Its answer.

        Raises:  Died
        """
        if self._process is None:
            self._process = self._started()
            refused = self._told(self._process, self._introduction)
            if refused is not None:
                return refused
        return self._told(self._process, request)

    def close(self) -> None:
        """End the process; asked again, there is a new one."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.communicate()
        if self._errors is not None:
            self._errors.close()
            self._errors = None

    def _told(self, process: subprocess.Popen[bytes], request: tuple[Any, ...]) -> Any:
        """Send a request and wait for what comes back."""
        assert process.stdin is not None
        assert process.stdout is not None
        watch = Timer(self.patience, process.kill)
        watch.start()
        try:
            pickle.dump(request, process.stdin)
            process.stdin.flush()
            return pickle.load(process.stdout)
        except (EOFError, BrokenPipeError, pickle.UnpicklingError):
            status, stalled = process.wait(), not watch.is_alive()
            how = (
                f"no answer within {self.patience:g} seconds"
                if stalled
                else f"the process {self._end(status)}"
            )
            self.close()
            raise Died(how, stalled) from None
        finally:
            watch.cancel()

    def _started(self) -> subprocess.Popen[bytes]:
        paths = os.pathsep.join(os.path.abspath(path) for path in sys.path)
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115
        return subprocess.Popen(
            [sys.executable, "-m", self._module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env={**os.environ, "PYTHONPATH": paths},
        )

    def _end(self, status: int) -> str:
        """How the process ended, and the last that it said."""
        how = f"ended by {signal.Signals(-status).name}" if status < 0 else f"ended with exit code {status}"
        assert self._errors is not None
        self._errors.seek(0)
        lines = [
            line.strip()
            for line in self._errors.read().decode("utf-8", "replace").splitlines()
            if line.strip()
        ]
        return f"{how} ({lines[-1]})" if lines else how

"""Run a module that answers requests in a separate process, which may crash or hang.

`Process` is the side of the caller, `serve` that of the module.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import tempfile
from collections.abc import Callable
from math import inf
from typing import IO, Any

from irops.processes.lifetime import end_with_parent
from irops.processes.memory import Watch, used_bytes
from irops.processes.python import start_python


class ProcessDied(Exception):
    """The process ended, or was killed because it exceeded a limit; the message says how.

    exceeded: "seconds", "memory", or "" if it ended by itself
    """

    def __init__(self, description: str, exceeded: str) -> None:
        super().__init__(description)
        self.exceeded = exceeded

    @property
    def stalled(self) -> bool:
        """Whether it did not answer in time."""
        return self.exceeded == "seconds"


class Process:
    """A module that reads pickled requests from its input and writes pickled answers, started on first use.

    setup_request: the first request after every start; timeout: seconds for each answer; memory: the bytes
    that it may use, mapped files apart.
    """

    def __init__(
        self, module: str, setup_request: tuple[Any, ...], timeout: float, memory: float = inf
    ) -> None:
        self.timeout, self.memory = timeout, memory
        self._module, self._setup_request = module, setup_request
        self._process: subprocess.Popen[bytes] | None = None
        self._errors: IO[bytes] | None = None

    def ask(self, request: tuple[Any, ...]) -> Any:
        """Send a request and return the answer.

        Raises:  ProcessDied
        """
        if self._process is None:
            self._process = self._start()
            setup_reply = self._exchange(self._process, self._setup_request)
            if setup_reply is not None:
                return setup_reply
        return self._exchange(self._process, request)

    def close(self) -> None:
        """End the process; the next request starts a new one."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.communicate()
        if self._errors is not None:
            self._errors.close()
            self._errors = None

    def interrupt(self) -> None:
        """Kill the process from another thread: a request that waits for its answer raises ProcessDied."""
        process = self._process
        if process is not None:
            process.kill()

    def _exchange(self, process: subprocess.Popen[bytes], request: tuple[Any, ...]) -> Any:
        """Send a request and wait for the answer."""
        assert process.stdin is not None
        assert process.stdout is not None
        watch = Watch(self.timeout, self.memory, lambda: used_bytes(process.pid), process.kill)
        try:
            pickle.dump(request, process.stdin)
            process.stdin.flush()
            return pickle.load(process.stdout)
        except (EOFError, BrokenPipeError, pickle.UnpicklingError):
            description = self._end_description(process.wait(), watch.exceeded)
            self.close()
            raise ProcessDied(description, watch.exceeded) from None
        finally:
            watch.stop()

    def _start(self) -> subprocess.Popen[bytes]:
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115
        return start_python(self._module, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors)

    def _end_description(self, status: int, exceeded: str) -> str:
        """How the process ended, with the last line of its error output if it ended by itself."""
        if exceeded == "seconds":
            return f"no answer within {self.timeout:g} seconds"
        if exceeded == "memory":
            return f"the process uses more than {self.memory:,.0f} bytes of memory (process_bytes)"
        how = f"by {signal.Signals(-status).name}" if status < 0 else f"with exit code {status}"
        description = f"the process ended {how}"
        assert self._errors is not None
        self._errors.seek(0)
        lines = [
            line.strip()
            for line in self._errors.read().decode("utf-8", "replace").splitlines()
            if line.strip()
        ]
        return f"{description} ({lines[-1]})" if lines else description


def serve(answer: Callable[[Any], Any]) -> None:
    """Answer pickled requests from the standard input until it ends or the caller dies.

    What libraries print goes to the error stream.
    """
    end_with_parent(os.getppid())
    requests = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    while True:
        try:
            request = pickle.load(requests)
        except EOFError:
            return
        payload = pickle.dumps(answer(request))  # corrupt memory should crash before the answer is sent
        answers.write(payload)
        answers.flush()

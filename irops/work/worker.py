"""Ask a function in a process of its own, which may crash or hang.

Arguments, requests and answers are pickled, with the element types of arrays, which NumPy drops.
`python -m irops.work.worker PARENT` is such a process.
"""

import os
import pickle
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from io import BytesIO
from math import inf
from typing import IO, Any

import numpy as np

from irops.values.element import Array, ElementType, element_type, element_type_of, tagged
from irops.work.child import Watch, used_bytes
from irops.work.python import start_python
from irops.work.serving import end_with_parent

Answer = Callable[[Any], Any]
"""The function that answers requests."""


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


class Refused(Exception):
    """The answer of a function that cannot do what is asked; the message says why."""


class Process:
    """A function that answers requests, in a process that is started on first use.

    prepare: a function of a module, which the process calls once with the arguments; it returns the function
    that answers. timeout: seconds for each answer; memory: the bytes that the process may use, mapped files
    apart.
    """

    def __init__(
        self,
        prepare: Callable[..., Answer],
        arguments: tuple[Any, ...] = (),
        timeout: float = inf,
        memory: float = inf,
    ) -> None:
        self.timeout, self.memory = timeout, memory
        self._prepared = prepare, arguments
        self._process: subprocess.Popen[bytes] | None = None
        self._errors: IO[bytes] | None = None
        self._is_fresh = True

    def start(self) -> None:
        """Start the process, if it does not run, and wait until it is prepared. Raises: ProcessDied"""
        if self._process is None:
            self._errors = tempfile.TemporaryFile()  # noqa: SIM115
            self._is_fresh = True
            self._process = start_python(
                __name__, str(os.getpid()), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors
            )
            self._exchange(self._process, self._prepared)

    def ask(self, request: Any) -> Any:
        """The answer to a request. An exception that the function returns is raised here.

        Raises:  ProcessDied
        """
        self.start()
        assert self._process is not None
        answer = self._exchange(self._process, request)
        self._is_fresh = False
        if isinstance(answer, Exception):
            raise answer
        return answer

    def ask_again(self, request: Any, died: Callable[[ProcessDied], object] = lambda _: None) -> Any:
        """The answer, where a death counts only if the request alone repeats it in a new process: an earlier
        request may have corrupted the memory, or left tensors behind. One that stalls is not asked again.

        died: is called with a death that the request alone does not repeat
        Raises:  ProcessDied
        """
        was_fresh = self._process is None or self._is_fresh
        try:
            return self.ask(request)
        except ProcessDied as error:
            if was_fresh or error.stalled:
                raise
            first = error
        answer = self.ask(request)
        died(first)
        return answer

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

    def _exchange(self, process: subprocess.Popen[bytes], message: Any) -> Any:
        """Send a message and wait for the answer."""
        assert process.stdin is not None
        assert process.stdout is not None
        watch = Watch(self.timeout, self.memory, lambda: used_bytes(process.pid), process.kill)
        try:
            process.stdin.write(_pickled(message))
            process.stdin.flush()
            return pickle.load(process.stdout)
        except (EOFError, BrokenPipeError, pickle.UnpicklingError):
            description = self._end_description(process.wait(), watch.exceeded)
            self.close()
            raise ProcessDied(description, watch.exceeded) from None
        finally:
            watch.stop()

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
        text = self._errors.read().decode("utf-8", "replace")
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        return f"{description} ({lines[-1]})" if lines else description


class _Pickler(pickle.Pickler):
    """Keeps the element types of arrays. Arrays arrive in C's order."""

    def reducer_override(self, value: Any) -> Any:
        if isinstance(value, ElementType):
            return _element_type, (value.name,)
        if type(value) is not np.ndarray or (value.flags.c_contiguous and not value.dtype.metadata):
            return NotImplemented
        kind = element_type_of(value).name if value.dtype.metadata else ""
        return _array, (np.asarray(value.view(np.uint8) if kind else value, order="C"), kind)


def _element_type(name: str) -> ElementType:
    return element_type(name, foreign=True)


def _array(elements: Array, kind: str) -> Array:
    return tagged(elements, _element_type(kind)) if kind else elements


def _pickled(message: Any) -> bytes:
    content = BytesIO()
    _Pickler(content, protocol=4).dump(message)  # with 5, read-only arrays would arrive read-only
    return content.getvalue()


def main(parent: int) -> None:
    """Answer requests from the standard input until it ends or the caller dies.

    What libraries print goes to the error stream.
    """
    end_with_parent(parent)
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)

    def send(message: Any) -> None:
        answers.write(_pickled(message))  # corrupt memory should crash before the answer is sent
        answers.flush()

    prepare, arguments = pickle.load(requests)
    answer = prepare(*arguments)
    send(None)
    with suppress(EOFError):
        while True:
            send(answer(pickle.load(requests)))


if __name__ == "__main__":
    # what this module sends is found by its name, not in __main__
    from irops.work.worker import main as main_of_module

    main_of_module(int(sys.argv[1]))

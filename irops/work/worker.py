"""Ask a function in a process of its own, which may crash or hang.

Arguments, requests and answers are pickled, with the element types of arrays, which NumPy drops.
`python -m irops.work.worker PARENT` is such a process.
"""

import os
import pickle
import signal
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from io import BytesIO
from math import inf
from typing import IO, Any

import numpy as np

from irops.values.element import Array, ElementType, element_type, element_type_of, tagged
from irops.work.child import Started, Watch, may_copy, start_copy, start_module, used_bytes
from irops.work.serving import Answer, end_with_parent

PREPARING = 120.0
"""Seconds beyond the bound of an answer that a process may take to start."""


class ProcessDied(Exception):
    """The process ended, or was killed because it exceeded a limit; the message says how.

    exceeded: "seconds", "memory", or "" if it ended by itself; how: by SIGKILL, with exit code 3
    """

    def __init__(self, description: str, exceeded: str, how: str = "") -> None:
        super().__init__(description)
        self.exceeded, self.how = exceeded, how

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
    apart; copied: whether it may be a copy of this one, where the system and the threads of this process
    allow it; quotes: whether the last line of its errors is part of what ProcessDied says, and they are not
    printed.
    """

    def __init__(
        self,
        prepare: Callable[..., Answer],
        arguments: tuple[Any, ...] = (),
        timeout: float = inf,
        memory: float = inf,
        *,
        copied: bool = False,
        quotes: bool = True,
    ) -> None:
        self.timeout, self.memory = timeout, memory
        self._prepared, self._copied, self._quotes = (prepare, arguments), copied, quotes
        self._process: Started | None = None
        self._errors: IO[bytes] | None = None
        self._is_fresh, self._is_ready, self._stopped = True, False, False

    def launch(self) -> None:
        """Start the process, if it does not run; it is prepared meanwhile."""
        if self._process is None:
            self._is_fresh, self._is_ready = True, False
            if self._copied and may_copy():
                self._process = start_copy(serve)
            else:
                self._errors = tempfile.TemporaryFile() if self._quotes else None  # noqa: SIM115
                self._process = start_module(__name__, self._errors)
            if self._stopped:  # meanwhile, so that stop() saw no process
                self._process.kill()

    def start(self) -> None:
        """Start the process, if it does not run, and wait until it is prepared. Raises: ProcessDied"""
        self.launch()
        if not self._is_ready:
            self._exchange(self._prepared, self.timeout + PREPARING)
            self._is_ready = True

    def ask(self, request: Any) -> Any:
        """The answer to a request. An exception that the function returns is raised here.

        Raises:  ProcessDied
        """
        self.start()
        answer = self._exchange(request, self.timeout)
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
            if was_fresh or error.stalled or self._stopped:
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
            process.ended()
            for pipe in (process.requests, process.answers):
                with suppress(OSError):  # of a request that nobody reads
                    pipe.close()
        if self._errors is not None:
            self._errors.close()
            self._errors = None

    def interrupt(self) -> None:
        """Kill the process from another thread: a request that waits for its answer raises ProcessDied."""
        process = self._process
        if process is not None:
            process.kill()

    def stop(self) -> None:
        """The same for good: a process that is started later is killed at once."""
        self._stopped = True
        self.interrupt()

    def _exchange(self, message: Any, seconds: float) -> Any:
        """Send a message and wait for the answer."""
        process = self._process
        assert process is not None
        watch = Watch(seconds, self.memory, lambda: used_bytes(process.number), process.kill)
        try:
            process.requests.write(pickled(message))
            process.requests.flush()
            return pickle.load(process.answers)
        except (EOFError, BrokenPipeError, pickle.UnpicklingError):
            death = self._death(process.ended(), watch.exceeded)
            self.close()
            raise death from None
        finally:
            watch.stop()

    def _death(self, status: int, exceeded: str) -> ProcessDied:
        """How the process ended, with the last line of its error output if it ended by itself."""
        how = f"by {signal.Signals(-status).name}" if status < 0 else f"with exit code {status}"
        if exceeded == "seconds":
            return ProcessDied(f"no answer within {self.timeout:g} seconds", exceeded, how)
        if exceeded == "memory":
            used = f"the process uses more than {self.memory:,.0f} bytes of memory (process_bytes)"
            return ProcessDied(used, exceeded, how)
        lines = []
        if self._errors is not None:
            self._errors.seek(0)
            text = self._errors.read().decode("utf-8", "replace")
            lines = [line.strip() for line in text.splitlines() if line.strip()]
        return ProcessDied(f"the process ended {how}{f' ({lines[-1]})' if lines else ''}", "", how)


class _Pickler(pickle.Pickler):
    """Keeps the element types of arrays. Arrays arrive in C's order."""

    def reducer_override(self, value: Any) -> Any:
        if isinstance(value, ElementType):
            return partial(element_type, foreign=True), (value.name,)
        if type(value) is not np.ndarray or (value.flags.c_contiguous and not value.dtype.metadata):
            return NotImplemented
        kind = element_type_of(value).name if value.dtype.metadata else ""
        return _array, (np.asarray(value.view(np.uint8) if kind else value, order="C"), kind)


def _array(elements: Array, kind: str) -> Array:
    return tagged(elements, element_type(kind, foreign=True)) if kind else elements


def pickled(message: Any) -> bytes:
    """A message as it is sent. Raises: the error of an object that cannot be pickled, of any type"""
    content = BytesIO()
    _Pickler(content, protocol=4).dump(message)  # with 5, read-only arrays would arrive read-only
    return content.getvalue()


def serve(parent: int, requests: IO[bytes], answers: IO[bytes]) -> None:
    """Answer requests until they end or the parent dies."""
    end_with_parent(parent)
    for number in (signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM)):
        if callable(signal.getsignal(number)):  # that of the command, of which this process may be a copy
            signal.signal(number, signal.SIG_DFL)

    def send(message: Any) -> None:
        answers.write(pickled(message))  # corrupt memory should crash before the answer is sent
        answers.flush()

    prepare, arguments = pickle.load(requests)
    answer = prepare(*arguments)
    send(None)
    with suppress(EOFError, BrokenPipeError):
        while True:
            send(answer(pickle.load(requests)))


def main(parent: int) -> None:
    """Serve by the standard streams. What libraries print goes to the error stream."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    serve(parent, requests, answers)


if __name__ == "__main__":
    # what this module sends is found by its name, not in __main__
    from irops.work.worker import main as main_of_module

    main_of_module(int(sys.argv[1]))

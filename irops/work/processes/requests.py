"""Requests to a process that may crash, hang or use too much memory.

`Process` is the side of the caller; `python -P -m irops.work.processes.requests` is the other one. Messages
are pickles, each after the other: the function that prepares the process with its arguments, then the
requests, each of which has one answer. Arrays keep their element types on the way.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable
from contextlib import suppress
from io import BytesIO
from math import inf
from pkgutil import resolve_name
from typing import IO, Any, Protocol

import numpy as np

from irops.values.element import Array, ElementType, element_type, element_type_of, tagged
from irops.work.processes.memory import Watch, used_bytes
from irops.work.processes.python import end_with_parent, start_python

Answer = Callable[[Any], Any]
CAN_FORK = hasattr(os, "fork")


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


class RunningChild(Protocol):
    """A process with its streams: what subprocess.Popen and Fork have in common."""

    pid: int
    stdin: IO[bytes] | None
    stdout: IO[bytes] | None

    def kill(self) -> None: ...
    def wait(self) -> int: ...
    def communicate(self) -> object: ...


class Process:
    """A process that calls `prepare` once, then the returned function for each request; started on first use.

    prepare: as MODULE:NAME where this process should not import the module; timeout: seconds for each answer,
    and before that for preparing; memory: the bytes that it may use, mapped
    files apart; forked: whether it is a fork of this process, for objects that cannot be sent. A fork sees
    the objects as they are when it is first asked, and what it changes in them stays there.
    """

    def __init__(
        self,
        prepare: Callable[..., Answer] | str,
        arguments: tuple[Any, ...],
        timeout: float,
        memory: float = inf,
        *,
        forked: bool = False,
    ) -> None:
        self.arguments, self.timeout, self.memory = arguments, timeout, memory
        self._prepare, self._forked = prepare, forked
        self._child: RunningChild | None = None
        self._errors: IO[bytes] | None = None
        self._is_fresh = True

    def start(self) -> None:
        """Start the process, if it does not run, and wait until it is prepared. Raises: ProcessDied"""
        if self._child is not None:
            return
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115
        self._is_fresh = True
        if self._forked:
            self._child = _fork(self._errors, self._prepare, self.arguments)
            self._exchange(self._child)
        else:
            self._child = start_python(
                __name__, str(os.getpid()), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors
            )
            self._exchange(self._child, (self._prepare, self.arguments))

    def ask(self, request: Any) -> Any:
        """The answer to a request. An exception that the function returns is raised here.

        Raises:  ProcessDied
        """
        self.start()
        assert self._child is not None
        answer = self._exchange(self._child, request)
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
        was_fresh = self._child is None or self._is_fresh
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
        child, self._child = self._child, None
        if child is not None:
            child.kill()
            child.communicate()
        if self._errors is not None:
            self._errors.close()
            self._errors = None

    def interrupt(self) -> None:
        """Kill the process from another thread: a request that waits for its answer raises ProcessDied."""
        child = self._child
        if child is not None:
            child.kill()

    def _exchange(self, child: RunningChild, *messages: Any) -> Any:
        """Send messages and wait for the answer."""
        assert child.stdin is not None
        assert child.stdout is not None
        watch = Watch(self.timeout, self.memory, lambda: used_bytes(child.pid), child.kill)
        try:
            for message in messages:
                child.stdin.write(_pickled(message))
            child.stdin.flush()
            return pickle.load(child.stdout)
        except (EOFError, BrokenPipeError, pickle.UnpicklingError):
            description = self._end_description(child.wait(), watch.exceeded)
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
        lines = [
            line.strip()
            for line in self._errors.read().decode("utf-8", "replace").splitlines()
            if line.strip()
        ]
        return f"{description} ({lines[-1]})" if lines else description


class _Pickler(pickle.Pickler):
    """Keeps the element types of arrays, which NumPy drops. Arrays arrive in C's order."""

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


def _answer_requests(requests: IO[bytes], answers: IO[bytes], answer: Answer) -> None:
    """Answer requests until they end; the first answer says that the process is prepared."""

    def send(message: Any) -> None:
        answers.write(_pickled(message))  # corrupt memory should crash before the answer is sent
        answers.flush()

    send(None)
    with suppress(EOFError):
        while True:
            send(answer(pickle.load(requests)))


def main(parent: int) -> None:
    """Answer requests from the standard input until it ends or the caller dies.

    What libraries print goes to the error stream.
    """
    end_with_parent(parent)
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    prepare, arguments = pickle.load(requests)
    _answer_requests(requests, answers, _prepared(prepare, arguments))


def _prepared(prepare: Callable[..., Answer] | str, arguments: tuple[Any, ...]) -> Answer:
    answer: Answer = (resolve_name(prepare) if isinstance(prepare, str) else prepare)(*arguments)
    return answer


class Fork:
    """A forked process, with as much of subprocess.Popen as Process needs."""

    def __init__(self, pid: int, stdin: IO[bytes], stdout: IO[bytes]) -> None:
        self.pid = pid
        self.stdin: IO[bytes] | None = stdin
        self.stdout: IO[bytes] | None = stdout
        self._status: int | None = None

    def kill(self) -> None:
        if self._status is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)

    def wait(self) -> int:
        if self._status is None:
            self._status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return self._status

    def communicate(self) -> None:
        """Close the streams and wait for the end."""
        for stream in (self.stdin, self.stdout):
            with suppress(OSError):
                if stream is not None:
                    stream.close()
        self.wait()


def _fork(errors: IO[bytes], prepare: Callable[..., Answer] | str, arguments: tuple[Any, ...]) -> Fork:
    requests, to_child = os.pipe()
    from_child, answers = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    parent = os.getpid()
    number = os.fork()
    if number:
        os.close(requests)
        os.close(answers)
        return Fork(number, os.fdopen(to_child, "wb"), os.fdopen(from_child, "rb"))
    status = 1
    try:
        os.close(to_child)
        os.close(from_child)
        end_with_parent(parent)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        for stream in (1, 2):
            os.dup2(errors.fileno(), stream)
        with os.fdopen(requests, "rb") as incoming, os.fdopen(answers, "wb") as outgoing:
            _answer_requests(incoming, outgoing, _prepared(prepare, arguments))
        status = 0
    except BaseException:  # nothing of the caller's may run on in the fork
        traceback.print_exc()
    finally:
        with suppress(OSError, ValueError):
            sys.stderr.flush()
        os._exit(status)


if __name__ == "__main__":
    # what this module sends is found by its name, not in __main__
    from irops.work.processes.requests import main as main_of_module

    main_of_module(int(sys.argv[1]))

"""Workers, wherever they are, and the processes of this machine as workers."""

import os
from collections.abc import Callable, Generator, Sequence
from math import inf
from multiprocessing.connection import wait
from typing import Any, Protocol

from irops.work.child import Batches, Child
from irops.work.serving import Work


def cores() -> int:
    """The number of cores available to this process."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on this system
        return os.cpu_count() or 1


def run_in_processes(
    prepare: Callable[..., Work],
    arguments: tuple[Any, ...],
    items: Sequence[Any],
    processes: int,
    timeout: float = inf,
    *,
    memory: float = inf,
    copied: bool = True,
) -> Generator[tuple[int, Any], None, None]:
    """Yield the index of each item with its result, as results arrive: Died or Failed if there is none.

    Each process calls `prepare` once, with the arguments, and then the returned function for each item.
    timeout: seconds that an item may take before its process is killed; memory: bytes that a process may
    use, mapped files apart; copied: whether a process may start as a copy of this one, with what is imported,
    where the system and the threads of this process allow it.
    """
    batches = Batches(items, processes)
    prepared, count = (prepare, arguments), min(processes, len(items))
    children = [Child(prepared, seconds=timeout, memory=memory, copied=copied) for _ in range(count)]
    try:
        for child in children:
            child.fill(batches)
        while busy := [child for child in children if child.given]:
            wait_for(busy)
            for child in busy:
                yield from child.results(batches)
                child.fill(batches)
            for child in children:  # what another child gave back
                if not child.given:
                    child.fill(batches)
    finally:
        for child in children:
            child.end()


def wait_for(children: Sequence[Child]) -> None:
    """Wait until a process has results, has ended or works for too long on an item."""
    patience = min(child.patience for child in children)
    wait([child.pipe for child in children], timeout=None if patience == inf else patience)


class ClusterError(Exception):
    """There is no scheduler, or no worker that can be used; the message says so in one sentence."""


class Workers(Protocol):
    """Processes that work on items. count: on how many they work at a time"""

    @property
    def count(self) -> int: ...

    def run(
        self,
        prepare: Callable[..., Work],
        arguments: tuple[Any, ...],
        items: Sequence[Any],
        *,
        seconds: float = inf,
        memory: float = inf,
    ) -> Generator[tuple[int, Any], None, None]:
        """Yield the index of each item with its result, in the order in which results arrive.

        Each process calls `prepare`, a function of a module that it can import, once with the arguments, and
        then the returned function for each item. Arguments, items and results are pickled.
        seconds, memory: what an item may take, and the bytes that its process may use, mapped files apart,
        before the process is killed. The result of an item without one is Died or Failed. Close the
        generator, with contextlib.closing say, to end a run early.
        """
        ...

    def require_files(self, paths: Sequence[str]) -> None:
        """Check that the workers see the files of this machine that the items name.

        Raises:  ClusterError, which names a worker and a file
        """
        ...

    def close(self) -> None:
        """End what was started for these workers."""
        ...


class LocalWorkers:
    """Processes of this machine, started for each run. processes: how many; default: one for each core"""

    def __init__(self, processes: int | None = None) -> None:
        self.count = processes or cores()

    def run(
        self,
        prepare: Callable[..., Work],
        arguments: tuple[Any, ...],
        items: Sequence[Any],
        *,
        seconds: float = inf,
        memory: float = inf,
    ) -> Generator[tuple[int, Any], None, None]:
        """See Workers.run."""
        return run_in_processes(prepare, arguments, items, self.count, seconds, memory=memory, copied=False)

    def require_files(self, paths: Sequence[str]) -> None:
        """This machine sees its files."""

    def close(self) -> None:
        """The processes end with their run."""

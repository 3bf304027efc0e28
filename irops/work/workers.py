"""Workers, wherever they are, and the processes of this machine as workers."""

from collections.abc import Callable, Generator, Sequence
from math import inf
from typing import Any, Protocol

from irops.work.pool import Work, cores, run_in_processes


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

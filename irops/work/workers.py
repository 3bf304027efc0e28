"""Workers: the processes of this machine, from which other workers derive."""

import os
import pickle
from collections.abc import Callable, Generator, Sequence
from contextlib import suppress
from math import inf
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any

from irops.work.outcomes import Died, Failed
from irops.work.serving import Work, item_answerer
from irops.work.worker import Process, ProcessDied


def cores() -> int:
    """The number of cores available to this process."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on this system
        return os.cpu_count() or 1


class ItemProcess:
    """A process that works on pickled items. seconds, memory: what an item may take"""

    def __init__(
        self, prepared: bytes, seconds: float = inf, memory: float = inf, *, copied: bool = False
    ) -> None:
        self.process = Process(item_answerer, (prepared,), seconds, memory, copied=copied, quotes=False)

    def payload(self, item: bytes) -> bytes:
        """The pickled result of an item; Died or Failed if there is none."""
        try:
            answer: bytes = self.process.ask_again(item)
            return answer
        except ProcessDied as death:
            if death.stalled:
                how = "was killed because it took too long"
            elif death.exceeded:
                how = f"was killed because it used more than {self.process.memory:,.0f} bytes of memory"
            else:
                how = f"ended {death.how}"
            return pickle.dumps(Died(how, death.exceeded))
        except Exception as error:  # the process cannot be started, say
            return pickle.dumps(Failed.by(error))


def unpickled(payload: bytes) -> Any:
    """The result of an item; Failed if it cannot be read here."""
    try:
        return pickle.loads(payload)
    except Exception as error:
        return Failed.by(error)


class ClusterError(Exception):
    """There is no scheduler, or no worker that can be used; the message says so in one sentence."""


class Workers:
    """Processes that work on items: of this machine and started for each run, unless a subclass has others.

    processes: how many; default: one for each core; copied: whether a process may start as a copy of this
    one, with what is imported, where the system and the threads of this process allow it.
    """

    def __init__(self, processes: int | None = None, *, copied: bool = False) -> None:
        self._processes, self._copied = processes or cores(), copied

    @property
    def count(self) -> int:
        """On how many items they work at a time."""
        return self._processes

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
        prepared = pickle.dumps((prepare, arguments), pickle.HIGHEST_PROTOCOL)
        waiting: SimpleQueue[tuple[int, bytes]] = SimpleQueue()
        done: SimpleQueue[tuple[int, bytes]] = SimpleQueue()
        for number, item in enumerate(items):
            waiting.put((number, pickle.dumps(item, pickle.HIGHEST_PROTOCOL)))

        def work(child: ItemProcess) -> None:
            with suppress(Empty):
                while True:
                    number, item = waiting.get_nowait()
                    done.put((number, child.payload(item)))

        count = min(self.count, len(items))
        children = [ItemProcess(prepared, seconds, memory, copied=self._copied) for _ in range(count)]
        threads = [Thread(target=work, args=(child,), daemon=True, name="irops items") for child in children]
        try:
            for child in children:  # before there are threads, so that they can be copies
                child.process.launch()
            for thread in threads:
                thread.start()
            for _ in items:
                number, payload = done.get()
                yield number, unpickled(payload)
        finally:
            with suppress(Empty):
                while True:
                    waiting.get_nowait()
            for child, thread in zip(children, threads):
                child.process.stop()
                if thread.ident is not None:
                    thread.join()
                child.process.close()

    def require_files(self, paths: Sequence[str]) -> None:
        """Check that the workers see the files of this machine that the items name, as this machine does.

        Raises:  ClusterError, which names a worker and a file
        """

    def close(self) -> None:
        """End what was started for these workers; processes of this machine end with their run."""

"""A process that works on items, seen from the one that gives it items: started, watched, restarted, ended.

Linux alone says how much memory a process uses; elsewhere, memory is not bounded.
"""

import mmap
import multiprocessing
import os
import pickle
import re
import signal
import subprocess
import sys
import tempfile
import threading
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from math import inf
from multiprocessing.connection import Connection
from threading import TIMEOUT_MAX, Event, Thread
from time import monotonic
from typing import Any

from irops.work.outcomes import Died, Failed
from irops.work.python import start_python
from irops.work.serving import BEGUN, SINCE, Shared, Work, serve_items

POLL_SECONDS = 0.05
_USED = re.compile(rb"^(?:RssAnon|RssShmem|VmSwap):\s+(\d+) kB$", re.MULTILINE)


def used_bytes(process: int) -> int:
    """The memory of a process, mapped files apart; 0 if it has ended or cannot be seen."""
    try:
        with open(f"/proc/{process}/status", "rb") as file:
            return sum(int(size) for size in _USED.findall(file.read())) << 10
    except OSError:
        return 0


def session_bytes(session: int) -> int:
    """The memory of all processes of a session, such as those that a command started."""
    try:
        numbers = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        return 0
    return sum(used_bytes(number) for number in numbers if _session(number) == session)


def _session(process: int) -> int | None:
    try:
        return os.getsid(process)
    except OSError:
        return None


class Watch:
    """Ends a process that takes longer than `seconds` or more memory than `memory`, in bytes.

    used: how much memory it uses; end: kills it; exceeded: "", "seconds" or "memory"
    """

    def __init__(
        self, seconds: float, memory: float, used: Callable[[], int], end: Callable[[], object]
    ) -> None:
        self.exceeded = ""
        self._until, self._memory = monotonic() + seconds, memory
        self._used, self._end = used, end
        self._done = Event()
        Thread(target=self._watch, daemon=True, name="irops watch").start()

    def stop(self) -> None:
        """End the watch."""
        self._done.set()

    def _watch(self) -> None:
        while True:
            left = self._until - monotonic()
            if self._memory < inf and self._used() > self._memory:
                self.exceeded = "memory"
            elif left <= 0:
                self.exceeded = "seconds"
            if self.exceeded:
                self._end()
                return
            if self._done.wait(min(left, POLL_SECONDS if self._memory < inf else TIMEOUT_MAX)):
                return


Batch = list[tuple[int, Any]]
"""Items with their indices."""
SECONDS = 0.1
"""How long the work on a batch should take: sending one costs little beside it."""
LARGEST = 64
SHARES = 4
"""No batch is larger than what is left for each process, divided by this: all are to be done at one time."""


class Batches:
    """The items that no process has. Batches grow while items turn out to be quick.

    processes: how many work at a time
    """

    def __init__(self, items: Sequence[Any], processes: int) -> None:
        self._items, self._processes = items, processes
        self._next = 0
        self._returned: deque[Batch] = deque()
        self._seconds_per_item = SECONDS

    @property
    def quick(self) -> bool:
        """Whether a process should have the next batch before it is done with one, so that it never waits.

        Otherwise an item could wait behind a slow one while another process has nothing to do.
        """
        return 2 * self._seconds_per_item <= SECONDS

    def next(self) -> Batch:
        """The next batch; an empty one if there is none."""
        if self._returned:
            return self._returned.popleft()
        left = len(self._items) - self._next
        size = min(int(SECONDS / self._seconds_per_item), LARGEST, left // (SHARES * self._processes))
        start = self._next
        self._next = min(start + max(size, 1), len(self._items))
        return [(number, self._items[number]) for number in range(start, self._next)]

    def took(self, seconds: float, count: int) -> None:
        """Take into account how long some items took."""
        average = (self._seconds_per_item + seconds / count) / 2
        self._seconds_per_item = max(average, SECONDS / LARGEST)

    def give_back(self, batch: Batch) -> None:
        """Return items that a process could not work on; they are the next batch."""
        if batch:
            self._returned.appendleft(batch)


PREPARED = tuple[Callable[..., Work], tuple[Any, ...]]
"""A function that returns the function for each item, and the arguments for it."""


@dataclass(frozen=True, slots=True)
class Started:
    """A process. ended: waits for its end and returns its exit status, which is negative for a signal"""

    number: int
    pipe: Any
    shared: Shared
    kill: Callable[[], None]
    ended: Callable[[], int]
    lives: Callable[[], bool]


def started(prepared: PREPARED, copied: bool) -> Started:
    """Start a process. copied: whether it may be a copy of this one, with what is imported, which takes no
    time, where the system and the threads of this process allow it.
    """
    if os.name == "nt":
        return _by_multiprocessing("spawn", prepared)
    alone = threading.active_count() == 1  # a copy would have the locks of other threads, but not the threads
    if copied and sys.platform == "linux" and alone:
        return _by_multiprocessing("fork", prepared)
    return _as_module(prepared)


def _by_multiprocessing(method: str, prepared: PREPARED) -> Started:
    context: Any = multiprocessing.get_context(method)
    if method == "fork":
        shared: Shared = memoryview(mmap.mmap(-1, mmap.PAGESIZE)).cast("d")
    else:
        shared = context.RawArray("d", 2)
    shared[SINCE] = monotonic()
    pipe, other = context.Pipe()
    arguments = (other, shared, os.getpid(), *prepared)
    process = context.Process(target=serve_items, args=arguments, daemon=True)
    with _block_interrupt(), warnings.catch_warnings():
        # Python is known to have no other thread, but counts those of libraries, which take care of forks
        warnings.filterwarnings("ignore", "This process .* is multi-threaded", DeprecationWarning)
        process.start()
    other.close()

    def ended() -> int:
        process.join()
        return process.exitcode or 0

    return Started(process.pid, pipe, shared, process.kill, ended, process.is_alive)


def _as_module(prepared: PREPARED) -> Started:
    """Start a new interpreter, which imports nothing of the program that started this one."""
    pipe, other = multiprocessing.Pipe()
    memory = _shared_file()
    shared = memoryview(mmap.mmap(memory, mmap.PAGESIZE)).cast("d")
    shared[SINCE] = monotonic()
    try:
        with _block_interrupt():
            files = (other.fileno(), memory)
            arguments = map(str, (*files, os.getpid()))
            process = start_python("irops.work.serving", *arguments, stdin=subprocess.DEVNULL, pass_fds=files)
    finally:
        other.close()
        os.close(memory)
    _send_first(pipe, prepared)
    return Started(process.pid, pipe, shared, process.kill, process.wait, lambda: process.poll() is None)


def _send_first(pipe: Connection, prepared: PREPARED) -> None:
    try:
        pipe.send(prepared)
    except OSError:  # it has died already, which is seen when its results are waited for
        return


def _shared_file() -> int:
    """The descriptor of a page of memory that another process can have, too."""
    if sys.platform == "linux":
        memory = os.memfd_create("irops")
    else:
        with tempfile.TemporaryFile() as file:
            memory = os.dup(file.fileno())
    os.truncate(memory, mmap.PAGESIZE)
    return memory


@contextmanager
def _block_interrupt() -> Iterator[None]:
    """Processes started within ignore Ctrl-C: the parent process handles it and ends them."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    previous_mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, previous_mask)


PREPARING = 120.0
"""Seconds beyond the bound of an item that a process may take to start."""
SMALL = 1 << 14
"""Bytes of a batch that may be sent to a process while it works: they fit into the buffer of the pipe, so
that this process never waits for one that waits for it.
"""


class Child:
    """A process, restarted when it died.

    given: the batches that it has, without the items that are done; seconds, memory: the bounds of an item
    """

    def __init__(
        self, prepared: PREPARED, *, seconds: float = inf, memory: float = inf, copied: bool = False
    ) -> None:
        self._prepared, self._seconds, self._memory, self._copied = prepared, seconds, memory, copied
        self.given: deque[Batch] = deque()
        self._unsent: deque[bytes] = deque()
        self._process: Started | None = None
        self._watch: Watch | None = None
        self._done = 0
        self._ready = self._stopped = False

    @property
    def pipe(self) -> Any:
        """Where results arrive."""
        assert self._process is not None
        return self._process.pipe

    @property
    def patience(self) -> float:
        """Seconds after which to look again whether it works too long on an item, which it may begin now."""
        return min(max(self._deadline - monotonic(), 0.0), self._seconds)

    @property
    def _deadline(self) -> float:
        if self._process is None or self._seconds == inf:
            return inf
        shared = self._process.shared
        return shared[SINCE] + self._seconds + (0 if shared[BEGUN] else PREPARING)

    def fill(self, batches: Batches) -> None:
        """Give it batches: one to work on and, if items are quick, one that waits."""
        while len(self.given) < (2 if batches.quick else 1) and (batch := batches.next()):
            self._give(batch)

    def _give(self, batch: Batch) -> None:
        if not self.given and self._process is not None and not self._process.lives():
            self.end()  # while it had nothing to do
        if self._process is None:
            self._start()
        self.given.append(batch)
        items = [item for _, item in batch]
        self._unsent.append(pickle.dumps(items, pickle.HIGHEST_PROTOCOL))
        self._send_small()

    def _start(self) -> None:
        process = self._process = started(self._prepared, self._copied)
        self._done, self._ready = 0, False
        if self._stopped:  # meanwhile, so that stop() saw no process
            process.kill()
        if self._memory < inf:
            self._watch = Watch(inf, self._memory, lambda: used_bytes(process.number), process.kill)

    def _send_small(self) -> None:
        """Send what it can take now."""
        while self._unsent and (
            len(self._unsent[0]) < SMALL or (self._ready and len(self._unsent) == len(self.given))
        ):
            with suppress(OSError):  # it has died already, which results() reports
                self.pipe.send_bytes(self._unsent[0])
            self._unsent.popleft()

    def results(self, batches: Batches) -> list[tuple[int, Any]]:
        """The results that there are, with the indices of their items; Died for one on which it died."""
        found: list[tuple[int, Any]] = []
        for numbers, payload in self.payloads(batches):
            found += zip(numbers, unpickled(payload, len(numbers)))
        return found

    def payloads(self, batches: Batches) -> list[tuple[list[int], bytes]]:
        """The same, as the indices of some items and the pickled list of their results."""
        assert self._process is not None
        try:
            return self._received(batches) if self.pipe.poll() else self._late(batches)
        except (EOFError, OSError):
            return self._lost(batches, self._process.ended())

    def _late(self, batches: Batches) -> list[tuple[list[int], bytes]]:
        """Kill the process if it works on an item for too long."""
        assert self._process is not None
        begun = self._process.shared[BEGUN]
        if monotonic() <= self._deadline:
            return []
        self._process.kill()
        self._process.ended()
        payloads = []
        with suppress(EOFError, OSError):
            while self.pipe.poll():
                payloads += self._received(batches)
        exceeded = "seconds" if self._process.shared[BEGUN] == begun else ""  # else it was done after all
        return [*payloads, *self._lost(batches, None, exceeded)]

    def _received(self, batches: Batches) -> list[tuple[list[int], bytes]]:
        count, seconds, payload = self.pipe.recv()
        self._ready = True
        numbers = []
        if count:
            batch = self.given[0]
            numbers = [number for number, _ in batch[:count]]
            del batch[:count]
            if not batch:
                self.given.popleft()
            self._done += count
            batches.took(seconds, count)
        self._send_small()
        return [(numbers, payload)] if count else []

    def _lost(
        self, batches: Batches, status: int | None, exceeded: str = ""
    ) -> list[tuple[list[int], bytes]]:
        """Return the items to the batches, but for the one that the process worked on.

        If it had worked on others before, that one is given to a new process: it is to blame only if it ends
        that one, too, so that results do not depend on what a process did before. An item that takes too
        long is not tried again.
        """
        assert self._process is not None
        begun, done = int(self._process.shared[BEGUN]), self._done
        was_idle = status is None and not exceeded
        if self._watch is not None and self._watch.exceeded and not exceeded:
            exceeded = self._watch.exceeded
        self.end()
        if not self.given:
            return []
        first, *waiting = self.given
        self.given.clear()
        for batch in reversed(waiting):
            batches.give_back(batch)
        at = max(begun - done - 1, 0)
        item, rest = first[at], [*first[:at], *first[at + 1 :]]
        if self._stopped:
            batches.give_back([item, *rest])
            return []
        batches.give_back(rest)
        is_certain = exceeded == "seconds" or (begun <= 1 and done == 0 and not was_idle)
        if not is_certain:
            self._give([item])
            return []
        return [([item[0]], pickle.dumps([Died(self._why(status, exceeded), exceeded)]))]

    def _why(self, status: int | None, exceeded: str) -> str:
        if exceeded == "seconds":
            return "was killed because it took too long"
        if exceeded == "memory":
            return f"was killed because it used more than {self._memory:,.0f} bytes of memory"
        assert status is not None
        return f"ended by {signal.Signals(-status).name}" if status < 0 else f"ended with status {status}"

    def stop(self) -> None:
        """Kill the process from another thread, for good: what it has goes back to the batches."""
        self._stopped = True
        if (process := self._process) is not None:
            process.kill()

    def end(self) -> None:
        """End the process; the next batch starts a new one."""
        self._unsent.clear()
        if self._watch is not None:
            self._watch.stop()
            self._watch = None
        if (process := self._process) is not None:
            process.kill()
            process.ended()
            process.pipe.close()
            self._process = None


def unpickled(payload: bytes, count: int) -> list[Any]:
    """The results of some items; Failed for each if they cannot be read here."""
    load: Callable[[bytes], list[Any]] = pickle.loads
    try:
        return load(payload)
    except Exception as error:
        return [Failed(f"{type(error).__name__}: {error}")] * count

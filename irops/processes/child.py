"""A process that works on items, seen from the one that gives it items: started, restarted, bounded."""

from __future__ import annotations

import pickle
import signal
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from math import inf
from time import monotonic
from typing import Any

from irops.processes.batches import Batch, Batches
from irops.processes.memory import Watch, used_bytes
from irops.processes.outcomes import Died, Failed
from irops.processes.serving import BEGUN, SINCE
from irops.processes.starting import PREPARED, Started, started

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
        return [
            pair
            for numbers, payload in self.payloads(batches)
            for pair in zip(numbers, unpickled(payload, len(numbers)))
        ]

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

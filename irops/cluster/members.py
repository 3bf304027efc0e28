"""The workers of a scheduler. Each is asked what it has before it gets work."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from time import monotonic, sleep
from typing import Any

from irops.cluster.calls import pickled_call
from irops.cluster.connection import POLL_SECONDS, Connection
from irops.cluster.faults import ClusterError
from irops.cluster.identity import Identity, identity, objection

WAIT_SECONDS = 60.0
"""How long to wait for workers where there are none."""
NAMED = 3
"""A message names so many workers."""


class Members:
    """The workers by address. threads: how many of each that can be used; refused: why others cannot be"""

    def __init__(self, connection: Connection, wait_seconds: float = WAIT_SECONDS) -> None:
        self._connection, self.wait_seconds = connection, wait_seconds
        self.threads: dict[str, int] = {}
        self.refused: dict[str, str] = {}
        self._asked: dict[str, Any] = {}

    @property
    def count(self) -> int:
        """How many items can be worked on at a time."""
        return sum(self.threads.values())

    def forget(self) -> None:
        """Ask all again: another scheduler may have taken the place of the one that was lost."""
        self.threads.clear()
        self._asked.clear()

    def refresh(self, when_answered: Callable[[], object] = lambda: None) -> dict[str, int]:
        """Look who came, who answered and who left; return those that left, with their threads.

        when_answered: called from another thread when one that was asked has answered
        """
        alive = self._connection.threads()
        if alive is None:
            return {}
        for address in self._asked.keys() - alive.keys():
            del self._asked[address]
        gone = {address: self.threads.pop(address) for address in self.threads.keys() - alive.keys()}
        for address in alive.keys() - self.threads.keys() - self.refused.keys() - self._asked.keys():
            future = self._connection.client.submit(
                pickle.loads,
                pickled_call(identity),
                key=f"irops-identity-{address}-{monotonic()}",
                workers=[address],
                priority=1,
                pure=False,
            )
            self._asked[address] = future
            future.add_done_callback(lambda _: when_answered())
        for address, future in list(self._asked.items()):
            if future.done():
                del self._asked[address]
                self._judge(address, alive[address], future)
        return gone

    def _judge(self, address: str, threads: int, future: Any) -> None:
        if future.status not in ("finished", "error"):
            return  # cancelled or lost: it is asked again
        answer: Identity | Exception = future.exception() or future.result()
        reason = objection(answer)
        if not reason:
            self.threads[address] = threads
            return
        host = f" on {answer.host}" if isinstance(answer, Identity) else ""
        self.refused[address] = f"worker {address}{host} {reason}"

    def require(self) -> None:
        """Wait until every worker has answered, or some have and the others are busy.

        Raises:  ClusterError if one cannot be used, or if there is none that can
        """
        until = monotonic() + self.wait_seconds
        while True:
            self.refresh()
            if self.refused:
                raise ClusterError(self.refusal())
            if self.threads and not self._asked:
                return
            if monotonic() > until:
                break
            sleep(POLL_SECONDS)
        if not self.threads:
            raise ClusterError(self.absence())

    def refusal(self) -> str:
        """One sentence on the workers that cannot be used."""
        reasons = list(self.refused.values())
        more = f", and {len(reasons) - NAMED} more" if len(reasons) > NAMED else ""
        return (
            f"{', '.join(reasons[:NAMED])}{more}; all workers need the irops and the Python of this machine"
        )

    def absence(self) -> str:
        """One sentence on why there is nobody to work."""
        address = self._connection.address
        if self._asked:
            return (
                f"the {len(self._asked)} workers of the scheduler at {address} are busy: none has answered"
                f" within {self.wait_seconds:g} seconds"
            )
        return (
            f"the scheduler at {address} has no workers, and got none within {self.wait_seconds:g} seconds;"
            f" dask worker {address} starts one"
        )

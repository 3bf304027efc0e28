"""The connection to a scheduler of Dask, which is made again when it is lost."""

from __future__ import annotations

from contextlib import suppress
from time import monotonic, sleep
from typing import Any

from irops.cluster.faults import ClusterError

ANSWER_SECONDS = 10.0
"""How long the scheduler may take to answer a question."""
RECONNECT_SECONDS = 60.0
"""How long the scheduler may be away."""
POLL_SECONDS = 0.1


class Connection:
    """A client with the address of its scheduler. client: a distributed.Client

    Raises:  ClusterError for a client that cannot be used
    """

    def __init__(self, client: Any) -> None:
        if client.asynchronous:
            raise ClusterError("the client is asynchronous; irops needs one that is not")
        if client.status != "running":
            raise ClusterError(f"the client is not connected to a scheduler: it is {client.status}")
        self.client = client
        self.address: str = client.scheduler.address
        self._security = client.security
        self._made_here = False

    @property
    def is_up(self) -> bool:
        """Whether the client is connected, as far as it knows."""
        return bool(self.client.status == "running")

    def threads(self) -> dict[str, int] | None:
        """The number of threads of each worker by its address; None if the scheduler does not answer."""
        try:
            return dict(self.client.nthreads(callback_timeout=ANSWER_SECONDS))
        except (OSError, TimeoutError, RuntimeError, AttributeError):  # closed meanwhile: no scheduler to ask
            return None

    def restore(self) -> None:
        """Wait until the client is connected again; replace it if it gave up.

        Raises:  ClusterError if there is no connection after RECONNECT_SECONDS
        """
        until = monotonic() + RECONNECT_SECONDS
        while not self.is_up:
            if monotonic() > until:
                raise ClusterError(
                    f"the connection to the scheduler at {self.address} was lost, and could not be made"
                    f" again within {RECONNECT_SECONDS:g} seconds"
                )
            if self.client.status == "closed":
                self._replace(until - monotonic())
            sleep(POLL_SECONDS)

    def _replace(self, seconds: float) -> None:
        from distributed import Client

        with suppress(OSError):  # it is still away, which restore() counts
            connect: Any = Client
            self.client = connect(
                self.address,
                security=self._security,
                timeout=max(min(seconds, ANSWER_SECONDS), 1),
                set_as_default=False,
            )
            self._made_here = True

    def close(self) -> None:
        """Close the client if it was made here, in place of one that gave up."""
        if self._made_here:
            self.client.close(timeout=ANSWER_SECONDS)

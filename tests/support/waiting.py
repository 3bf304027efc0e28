"""Waiting for something that another process or thread does."""

import socket
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier


def wait_until(holds: Callable[[], object]) -> None:
    """Return once something holds. The bound is that of the test, since a busy machine may take long."""
    while not holds():
        time.sleep(0.01)


def in_threads(work: Callable[[int], object], count: int) -> None:
    """Run work(number) in so many threads at the same time; raise the first error of any of them."""
    ready = Barrier(count, timeout=200)

    def start(number: int) -> None:
        ready.wait()
        work(number)

    with ThreadPoolExecutor(count) as pool:
        list(pool.map(start, range(count)))


def free_port() -> int:
    """The number of a port of this machine that nothing listens on."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])

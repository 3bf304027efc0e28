"""Waiting for something that another process or thread does."""

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

"""Waiting for something that another process or thread does."""

from __future__ import annotations

import time
from collections.abc import Callable


def wait_until(holds: Callable[[], object]) -> None:
    """Return once something holds. The bound is that of the test, since a busy machine may take long."""
    while not holds():
        time.sleep(0.01)

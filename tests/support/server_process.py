"""The processes that a process starts, and whether they run."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path


def descendants(pid: int) -> list[int]:
    """The processes that a process started, and those that these started."""
    parents: dict[int, int] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            parents[int(stat.parent.name)] = int(stat.read_text().rpartition(")")[2].split()[1])
    family = [pid]
    for one in family:
        family.extend(child for child, parent in parents.items() if parent == one)
    return family[1:]


def kill(pid: int) -> None:
    """Kill a process, if it exists."""
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that ended and that nobody has waited for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_until(holds: Callable[[], bool], seconds: float = 60) -> bool:
    """Whether something holds within some seconds."""
    for _ in range(int(seconds * 20)):
        if holds():
            return True
        time.sleep(0.05)
    return holds()

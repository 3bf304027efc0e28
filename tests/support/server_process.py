"""`irops server --tcp` in a process, and the processes that it starts."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

COMMAND = [sys.executable, "-m", "irops", "server"]


class ServerProcess:
    """A server that listens on a port that the system chooses. Ends with the block."""

    def __init__(self, *options: str, command: list[str] = COMMAND) -> None:
        self.process = subprocess.Popen(
            [*command, "--tcp", "localhost:0", *options], stderr=subprocess.PIPE, text=True
        )
        assert self.process.stderr is not None
        self.line = self.process.stderr.readline()
        address, _, self.token = self.line.removeprefix("listening on ").strip().partition(" with the token ")
        host, _, port = address.rpartition(":")
        self.address = host.strip("[]"), int(port)

    def __enter__(self) -> ServerProcess:
        return self

    def __exit__(self, *_: object) -> None:
        for pid in self.descendants():
            kill(pid)
        self.process.kill()
        self.process.communicate()

    def descendants(self) -> list[int]:
        """The processes that it started, and those that these started."""
        parents: dict[int, int] = {}
        for stat in Path("/proc").glob("[0-9]*/stat"):
            with suppress(OSError):
                parents[int(stat.parent.name)] = int(stat.read_text().rpartition(")")[2].split()[1])
        family = [self.process.pid]
        for pid in family:
            family.extend(child for child, parent in parents.items() if parent == pid)
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

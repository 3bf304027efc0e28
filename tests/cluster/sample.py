"""Work that workers can import, with items that end a process or a worker."""

from __future__ import annotations

import os
import signal
import time


def working():
    held = []

    def work(item):
        match item:
            case "die":
                os.kill(os.getpid(), signal.SIGKILL)
            case "hang":
                time.sleep(600)
            case "raise":
                raise ValueError("no")
            case "allocate":
                held.append(bytearray(b"x" * (600 << 20)))
                time.sleep(600)
            case ("doze", seconds):
                time.sleep(seconds)
            case ("end parent", file):
                os.kill(os.getppid(), signal.SIGKILL)
                time.sleep(600)
            case ("large", size):
                return b"x" * size
        return item, os.getpid()

    return work

"""Work that workers can import, with items that end a process or a worker."""

import os
import signal
import time
from pathlib import Path


def working(folder=None):
    """A function that does what an item says, and notes each item that it begins in a file of a folder."""
    held = []

    def work(item):
        if folder is not None:
            with open(Path(folder) / f"begun-{os.getpid()}", "a") as file:
                file.write(f"{item}\n")
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
            case "kill worker":
                os.kill(os.getppid(), signal.SIGKILL)
                time.sleep(600)
            case ("large", size):
                return b"x" * size, os.getpid()
        return item, os.getpid()

    return work


def naming_parents():
    """A function that returns the process of the worker."""
    return lambda item: (item, os.getppid())


def unready():
    raise ImportError("no such library")

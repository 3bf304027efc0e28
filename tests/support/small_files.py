"""Processes that may write no large file, as on a disk that is full."""

import os
import resource
from typing import Any


def files_of_at_most(size: int) -> dict[str, Any]:
    """Arguments of subprocess.Popen.

    Such a process writes no bytecode: Python takes a file of bytecode that it could write in part alone for
    whole, and no later process can import that module.

    size: bytes
    """

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return {"preexec_fn": limited, "env": {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}}

"""Python in a process of its own, with irops of this folder."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


def started(*words: object, env: dict[str, str] | None = None, **options: Any) -> subprocess.Popen[str]:
    """Python with the words of a line, whose outputs are read as texts. env: further variables"""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **(env or {})}
    command = [sys.executable, *map(str, words)]
    return subprocess.Popen(command, text=True, env=environment, **(pipes | options))


def python(*words: object, **options: Any) -> subprocess.CompletedProcess[str]:
    """What Python did with the words of a line."""
    with started(*words, **options) as process:
        out, err = process.communicate()
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)

"""Commands in processes of their own, which end before anything is asked of them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any


def process(*words: str | Path, check: bool = False, **more: Any) -> subprocess.CompletedProcess[str]:
    """How a command ends, and what it wrote. check: it may not fail; more: as subprocess.run takes them"""
    return subprocess.run(words, capture_output=True, text=True, check=check, **more)


def python_process(*words: str | Path, **more: Any) -> subprocess.CompletedProcess[str]:
    """A command of this Python."""
    return process(sys.executable, *words, **more)

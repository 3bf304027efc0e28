"""Writes a folder of pages: completely, or not at all."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from irops.ir.abandoned import claim, remove_abandoned
from irops.ir.pending import signals_blocked

MARK = ".irops-docs"
"""The file that says that irops wrote a folder."""
PREFIX = ".irops-docs-"
"""Of the name of a folder of pages that are being written."""


def publish(folder: str | os.PathLike[str], fill: Callable[[Path], int]) -> int:
    """Let a function write files into a new folder, which then replaces the folder; return its result.

    Raises:  FileExistsError if the folder contains anything but documentation of irops
    """
    target = Path(folder)
    if target.exists() and (not target.is_dir() or (any(target.iterdir()) and not (target / MARK).exists())):
        raise FileExistsError(
            f"{target} exists and is not a folder of irops documentation; choose another, or remove it first"
        )
    target.parent.mkdir(parents=True, exist_ok=True)
    remove_abandoned(target.parent, PREFIX)
    new_folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=target.parent))
    handle = os.open(new_folder, os.O_RDONLY)
    claim(handle)
    try:
        count = fill(new_folder)
        (new_folder / MARK).write_text("written by irops docs\n")
        new_folder.chmod(0o755)
        replaced = new_folder.with_name(f"{new_folder.name}.replaced")
        with signals_blocked():
            if target.exists():
                target.rename(replaced)
            new_folder.rename(target)
        shutil.rmtree(replaced, ignore_errors=True)
    except BaseException:
        shutil.rmtree(new_folder, ignore_errors=True)
        raise
    finally:
        os.close(handle)
    return count

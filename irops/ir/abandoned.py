"""Temporary files and folders: claimed while they are written, and removed if the process that wrote them was
killed.
"""

from __future__ import annotations

import os
import re
import shutil
from contextlib import suppress
from pathlib import Path
from time import time

MIN_AGE = 60.0
"""Seconds after which something unclaimed counts as abandoned: another process may be about to claim it."""


def claim(handle: int) -> bool:
    """Lock an open file or folder until it is closed or the process ends; whether that was possible."""
    try:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (ImportError, OSError):  # claimed by another process, or no locks on this system
        return False
    return True


def remove_abandoned(folder: Path, names: re.Pattern[str], *, folders: bool = False) -> None:
    """Remove the files of a folder whose whole name matches, if they are old and no process has claimed them.

    names: matches names that irops makes, and no other; folders: remove folders of such names, not files
    """
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if names.fullmatch(entry.name) and entry.is_dir(follow_symlinks=False) == folders:
                with suppress(OSError):  # another process removes it, or it belongs to another user
                    _remove_if_abandoned(entry)


def _remove_if_abandoned(entry: os.DirEntry[str]) -> None:
    if entry.is_symlink() or time() - entry.stat().st_mtime < MIN_AGE:
        return
    handle = os.open(entry.path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        if not claim(handle):
            return
        if entry.is_dir():
            shutil.rmtree(entry.path, ignore_errors=True)
        else:
            os.unlink(entry.path)
    finally:
        os.close(handle)
